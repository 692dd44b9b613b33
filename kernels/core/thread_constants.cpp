#include "kernels/core/thread_constants.h"

#include "kernels/core/flow.h"
#include "kernels/core/interpreter.h"

namespace fencewise {

bool is_thread_constant(const Operand& o) {
  return !o.is_register() &&
         !(o.kind == Operand::Kind::special && o.index == static_cast<std::uint32_t>(SpecialRegister::clock));
}

ThreadConstants::ThreadConstants(const Kernel& kernel) : kernel_(&kernel), constant_(kernel.registers.size(), false) {
  std::vector<std::uint32_t> definitions(kernel.registers.size(), 0);
  std::vector<InstructionRef> arithmetic;
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (std::uint32_t n = 0; n < kernel.blocks[b].instructions.size(); ++n) {
      const Instruction& i = kernel.blocks[b].instructions[n];
      for (const RegisterId r : registers_written(i)) ++definitions[r.value];
      if (std::holds_alternative<Arithmetic>(i.operation) && !i.guard) arithmetic.push_back({BlockId{b}, n});
    }
  const Liveness liveness(kernel);
  const auto& at_entry = liveness.before({BlockId{0}, 0});
  std::erase_if(arithmetic, [&](InstructionRef ref) {
    const RegisterId dst = std::get<Arithmetic>(kernel.at(ref).operation).dst;
    return definitions[dst.value] != 1 || at_entry.contains(dst);
  });
  // Each after what it uses: first the constants, then the others.
  std::vector<bool> computed(kernel.registers.size(), false), later(kernel.registers.size(), false);
  for (const InstructionRef ref : arithmetic) later[std::get<Arithmetic>(kernel.at(ref).operation).dst.value] = true;
  const auto add_all = [&](const auto& ready, bool constants) {
    for (bool again = true; again;) {
      again = false;
      for (const InstructionRef ref : arithmetic) {
        const auto& a = std::get<Arithmetic>(kernel.at(ref).operation);
        if (computed[a.dst.value] || !(ready(a.a) && ready(a.b) && ready(a.c))) continue;
        computed[a.dst.value] = again = true;
        constant_[a.dst.value] = constants;
        order_.push_back(ref);
      }
    }
  };
  add_all([&](const Operand& o) { return contains(o); }, true);
  add_all([&](const Operand& o) { return o.is_register() ? computed[o.index] || !later[o.index] : is_thread_constant(o); }, false);
}

std::vector<Value> ThreadConstants::of(const ThreadProgram& thread, Terms& terms) const {
  static const AddressSpace nowhere;
  const Interpreter interpreter(terms, nowhere, nullptr);
  ThreadState state = initial_state(thread, false);
  for (const InstructionRef ref : order_) {
    const auto& a = std::get<Arithmetic>(kernel_->at(ref).operation);
    state.registers[a.dst.value] = terms.apply(a, interpreter.evaluate(thread, state, a.a), interpreter.evaluate(thread, state, a.b),
                                               interpreter.evaluate(thread, state, a.c));
  }
  return std::move(state.registers);
}

}  // namespace fencewise
