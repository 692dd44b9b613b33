#include "kernels/frontend/ptx/program.h"

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/frontend/ptx/source_lines.h"

namespace fencewise::ptx {

std::vector<const Function*> Program::entries() const {
  std::vector<const Function*> result;
  for (const Function& function : module.functions)
    if (function.entry && function.defined) result.push_back(&function);
  return result;
}

const Function& Program::entry(std::string_view name) const {
  const std::vector<const Function*> all = entries();
  if (all.empty()) throw InputError(fmt::format("{}: there is no kernel", diagnostics.file()));
  if (name.empty() && all.size() == 1) return *all.front();
  std::vector<std::string> names;
  for (const Function* function : all) {
    names.push_back(short_name(function->name.text));
    if (function->name.text == name || names.back() == name) return *function;
  }
  throw InputError(fmt::format("{}: {}; it has {}", diagnostics.file(),
                               name.empty() ? "which kernel" : fmt::format("no kernel {}", quoted(name)),
                               fmt::join(names, ", ")));
}

Program parse_program(std::string_view text, std::string_view file_name) {
  Diagnostics diagnostics{std::string(file_name)};
  Module module = parse_syntax(text, diagnostics);
  return {std::move(module), std::move(diagnostics)};
}

}  // namespace fencewise::ptx
