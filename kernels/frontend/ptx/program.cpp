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

namespace {

std::string without_blanks(std::string_view text) {
  std::string kept(text);
  std::erase(kept, ' ');
  return kept;
}

// Whether it is the whole of a qualified name, or its last parts.
bool ends(const std::string& qualified, const std::string& name) {
  return qualified == name || qualified.ends_with("::" + name);
}

}  // namespace

std::vector<const Function*> Program::entries_named(std::string_view name) const {
  const std::string wanted = without_blanks(name);
  std::vector<const Function*> exact, instances, templates;
  for (const Function* function : entries()) {
    const std::string& mangled = function->name.text;
    const std::string qualified = qualified_name(mangled);
    if (mangled == name || without_blanks(demangled(mangled)) == wanted) exact.push_back(function);
    if (ends(without_blanks(qualified), wanted)) instances.push_back(function);
    if (ends(without_blanks(without_template_arguments(qualified)), wanted)) templates.push_back(function);
  }
  return !exact.empty() ? exact : !instances.empty() ? instances : templates;
}

const Function& Program::entry(std::string_view name) const {
  const std::vector<const Function*> all = entries();
  if (all.empty()) throw InputError(fmt::format("{}: there is no kernel", diagnostics.file()));
  const std::vector<const Function*> meant = name.empty() ? all : entries_named(name);
  if (meant.size() == 1) return *meant.front();
  std::vector<std::string> names;
  for (const Function* function : meant.empty() ? all : meant) names.push_back(name_of(*function));
  const std::string what = name.empty()    ? "which kernel"
                           : meant.empty() ? fmt::format("no kernel {}", quoted(name))
                                           : fmt::format("several kernels {}", quoted(name));
  throw InputError(
      fmt::format("{}: {}; {}", diagnostics.file(), what,
                  fmt::format("{} {}", meant.size() > 1 && !name.empty() ? "name one of" : "it has",
                              fmt::join(names, ", "))));
}

std::string Program::name_of(const Function& entry) const {
  const std::string& mangled = entry.name.text;
  for (const std::string& name : {short_name(mangled), qualified_name(mangled), demangled(mangled)})
    if (const auto meant = entries_named(name); meant.size() == 1 && meant.front() == &entry) return name;
  return mangled;
}

Program parse_program(std::string_view text, std::string_view file_name) {
  Diagnostics diagnostics{std::string(file_name)};
  Module module = parse_syntax(text, diagnostics);
  return {std::move(module), std::move(diagnostics)};
}

}  // namespace fencewise::ptx
