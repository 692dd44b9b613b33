// What is known of a thread's registers while it is specialized.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/core/flow.h"
#include "kernels/core/kernel.h"

namespace fencewise::litmus {

// Known only when the thread runs; the residual program has it in a register of the same number.
struct Dynamic {};
// A predicate that compares two values that are still in place: registers and immediates.
struct PendingComparison {
  Compare compare = Compare::eq;
  Type type = Type::s64;
  Operand a, b;
};
// A predicate of which not even that is known.
struct Lost {};
using Known = std::variant<std::uint64_t, Dynamic, PendingComparison, Lost>;

class KnownValues {
 public:
  // Registers start at 0 unless the kernel says otherwise.
  explicit KnownValues(const Kernel& kernel);

  [[nodiscard]] const Known& operator[](RegisterId reg) const { return values_[reg.value]; }
  [[nodiscard]] const std::uint64_t* number(RegisterId reg) const {
    return std::get_if<std::uint64_t>(&values_[reg.value]);
  }
  // Comparisons that used the old value are lost.
  void set(RegisterId reg, Known value);

  // Equal for equal knowledge of the live registers.
  [[nodiscard]] std::string key(const RegisterSet& live) const;

 private:
  std::vector<Known> values_;
};

}  // namespace fencewise::litmus
