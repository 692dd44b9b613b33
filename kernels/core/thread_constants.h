// Registers that depend on nothing but the launch and who the thread is: %tid, %ctaid, parameters, addresses of arrays, and
// arithmetic on such. They are written by one instruction, and before any use.
#pragma once

#include <vector>

#include "kernels/core/address_space.h"
#include "kernels/core/kernel.h"
#include "kernels/core/value.h"

namespace fencewise {

// Whether an operand alone is such a constant: anything but a register or a clock.
[[nodiscard]] bool is_thread_constant(const Operand& operand);

class ThreadConstants {
 public:
  explicit ThreadConstants(const Kernel& kernel);

  [[nodiscard]] bool contains(RegisterId r) const { return constant_[r.value]; }
  [[nodiscard]] bool contains(const Operand& o) const { return o.is_register() ? contains(o.reg()) : is_thread_constant(o); }
  // [register] what a thread has in them. Other registers: what one instruction computes from constants where all that
  // changes (loop variables, what was loaded) is 0.
  [[nodiscard]] std::vector<Value> of(const ThreadProgram& thread, Terms& terms) const;

 private:
  const Kernel* kernel_;
  std::vector<bool> constant_;           // [register]
  std::vector<InstructionRef> order_;    // the arithmetic to be done, each after what it uses
};

}  // namespace fencewise
