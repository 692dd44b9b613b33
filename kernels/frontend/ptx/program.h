// A PTX file, read: its module and where its messages point.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/frontend/diagnostics.h"
#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

struct Program {
  Module module;
  Diagnostics diagnostics;

  // The kernels, in the order of the text.
  [[nodiscard]] std::vector<const Function*> entries() const;
  // By its name, or by the demangled one without parameters. Throws InputError naming those that there are; without a
  // name the only one.
  [[nodiscard]] const Function& entry(std::string_view name) const;
};

// `file_name` is only for messages and source lines. Throws InputError with "file:line:column: found; expected".
[[nodiscard]] Program parse_program(std::string_view text, std::string_view file_name);

}  // namespace fencewise::ptx
