#include "kernels/frontend/litmus/known_values.h"

#include <utility>

#include <fmt/format.h>

namespace fencewise::litmus {
namespace {

struct Key {
  std::string operator()(std::uint64_t number) const { return fmt::format("={}", number); }
  std::string operator()(Dynamic) const { return "?"; }
  std::string operator()(const PendingComparison& c) const {
    return fmt::format("({} {} {})", show(c.a), static_cast<int>(c.compare), show(c.b));
  }
  std::string operator()(Lost) const { return "!"; }
  static std::string show(const Operand& o) {
    return o.is_register() ? fmt::format("r{}", o.index) : fmt::format("{}", o.bits);
  }
};

}  // namespace

KnownValues::KnownValues(const Kernel& kernel) : values_(kernel.registers.size(), std::uint64_t{0}) {
  for (std::size_t i = 0; i < kernel.register_initial.size(); ++i) values_[i] = kernel.register_initial[i];
}

void KnownValues::set(RegisterId reg, Known value) {
  const Operand changed(reg);
  for (Known& other : values_) {
    const auto* comparison = std::get_if<PendingComparison>(&other);
    if (comparison != nullptr && (comparison->a == changed || comparison->b == changed)) other = Lost{};
  }
  values_[reg.value] = std::move(value);
}

std::string KnownValues::key(const RegisterSet& live) const {
  std::string text;
  for (const RegisterId reg : live.members())
    text += fmt::format("{}{};", reg.value, std::visit(Key{}, values_[reg.value]));
  return text;
}

}  // namespace fencewise::litmus
