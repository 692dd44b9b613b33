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
  // The kernels that a name may mean: as the file has it, or as C++ has it, with or without its namespaces, its parameters, and
  // its template arguments. Who is meant by more of its name comes alone.
  [[nodiscard]] std::vector<const Function*> entries_named(std::string_view name) const;
  // The only one of that name; without a name the only one. Throws InputError naming those that it may be.
  [[nodiscard]] const Function& entry(std::string_view name) const;
  // What names it, and no other kernel of the file: short, if that does.
  [[nodiscard]] std::string name_of(const Function& entry) const;
};

// `file_name` is only for messages and source lines. Throws InputError with "file:line:column: found; expected".
[[nodiscard]] Program parse_program(std::string_view text, std::string_view file_name);

}  // namespace fencewise::ptx
