#include "kernels/frontend/ptx/names.h"

#include <cctype>

#include <fmt/format.h>

#include "kernels/frontend/ptx/number.h"
#include "kernels/frontend/ptx/opcode.h"

namespace fencewise::ptx {
namespace {

// Where the number at the end of a register's name begins; its length if there is none.
std::size_t start_of_number(const std::string& name) {
  std::size_t at = name.size();
  while (at > 0 && std::isdigit(static_cast<unsigned char>(name[at - 1])) != 0) --at;
  return at;
}

}  // namespace

Names::Names(const Module& module, Kernel& kernel) : kernel_(kernel), scopes_(1) {
  for (const Variable& variable : module.variables) declare(variable);
}

// A register that is declared twice is one register.
void Names::declare(const Registers& registers) {
  Scope& scope = scopes_.back();
  if (registers.count != 0) {
    scope.ranges.try_emplace(registers.name.text, registers);
  } else if (!scope.names.contains(registers.name.text)) {
    scope.names.emplace(registers.name.text, add_register(registers.name.text, registers.type));
  }
}

void Names::declare(const Variable& variable) {
  scopes_.back().names.insert_or_assign(variable.name.text, &variable);
}
void Names::declare(const Label& label, LabelId id) {
  scopes_.back().names.insert_or_assign(label.name.text, id);
}

std::optional<Symbol> Names::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto symbol = find_in(*scope, name)) return symbol;
  return std::nullopt;
}

std::optional<Symbol> Names::find_in(Scope& scope, const std::string& name) {
  if (const auto it = scope.names.find(name); it != scope.names.end()) return it->second;
  // "%r12" is of a range "%r<54>"; the range's own name may end in a digit, too.
  for (std::size_t at = start_of_number(name); at < name.size(); ++at) {
    const auto range = scope.ranges.find(name.substr(0, at));
    if (range == scope.ranges.end()) continue;
    const std::string digits = name.substr(at);
    const bool canonical = digits == "0" || (digits[0] != '0' && digits.size() < 19);
    if (!canonical || std::stoull(digits) >= range->second.count) continue;
    return scope.names.emplace(name, add_register(name, range->second.type)).first->second;
  }
  return std::nullopt;
}

// Registers are bits; one of a type that is not modelled is as wide as may be.
RegisterId Names::add_register(const std::string& name, const Token& type) {
  std::string shown = name.starts_with('%') ? name.substr(1) : name;
  if (const std::uint32_t before = used_[shown]++; before != 0) shown += fmt::format("'{}", before + 1);
  kernel_.registers.push_back({shown, type_named(type.text).value_or(Type::u64)});
  return RegisterId{static_cast<std::uint32_t>(kernel_.registers.size() - 1)};
}

}  // namespace fencewise::ptx
