#include "kernels/frontend/litmus/registers.h"

#include <algorithm>

namespace fencewise::litmus {

bool Registers::declare(const std::string& name, std::uint64_t value) {
  std::optional<std::uint64_t>& initial = initial_[name];
  const bool fresh = !initial.has_value();
  initial = value;
  return fresh;
}

void Registers::number(Kernel& kernel) {
  for (const auto& [name, value] : initial_) {
    ids_.emplace(name, RegisterId{static_cast<std::uint32_t>(kernel.registers.size())});
    kernel.registers.push_back({name, Type::s64});
    kernel.register_initial.push_back(value.value_or(0));
  }
  const auto& values = kernel.register_initial;
  if (std::all_of(values.begin(), values.end(), [](std::uint64_t v) { return v == 0; }))
    kernel.register_initial.clear();
}

std::optional<RegisterId> Registers::find(const std::string& name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional<RegisterId>(found->second);
}

bool Registers::has_value(const std::string& name) const {
  const auto found = initial_.find(name);
  return written_.contains(name) || (found != initial_.end() && found->second.has_value());
}

std::vector<std::string> Registers::with_value() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : initial_) {
    if (has_value(name)) names.push_back(name);
  }
  return names;
}

}  // namespace fencewise::litmus
