#include "checker/explore/symmetry_program.h"

#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/each_instruction.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

class SweepLook {
 public:
  SweepLook(const Kernel& kernel, const CtaRoles& roles, ValueDomain domain) : kernel_(kernel), roles_(roles), domain_(domain) {
    uses_.resize(kernel.registers.size());
    definitions_.resize(kernel.registers.size());
    each_instruction(kernel, [&](InstructionRef ref, const Instruction& i) {
      for (const RegisterId r : registers_read(i)) uses_[r.value].push_back(ref);
      for (const RegisterId r : registers_written(i)) definitions_[r.value].push_back(ref);
    });
  }

  std::string run(Sums& sums) {
    sums.clear();
    for (const Block& block : kernel_.blocks)
      sums.emplace_back(block.instructions.size());
    std::string why;
    each_instruction(kernel_, [&](InstructionRef ref, const Instruction& i) {
      const Access* access = access_of(i);
      if (!why.empty() || access == nullptr || roles_.by_id[ref.block.value][ref.index]) return;
      if (!access->address.array) {
        why = "an address has no array";
        return;
      }
      if (!roles_.slots[access->address.array->value].any()) return;
      const auto* load = std::get_if<Load>(&i.operation);
      if (load == nullptr || i.guard || acquires(access->order)) {
        why = fmt::format("'{}' reaches the slots of other CTAs", print(i, kernel_));
        return;
      }
      for (unsigned n = 0; n < load->count && why.empty(); ++n)
        why = follow(ref, load->dst[n], sums[ref.block.value][ref.index][n]);
    });
    return why;
  }

 private:
  [[nodiscard]] std::string refuse(InstructionRef ref) const {
    return fmt::format("'{}' does more with swept values than add them up", print(kernel_.at(ref), kernel_));
  }
  // An operation at which the machine and the graph explorer make sure that a sweep was whole.
  [[nodiscard]] bool ends_sweep(const Instruction& i) const {
    if (i.guard) return false;
    if (std::holds_alternative<Fence>(i.operation) || std::holds_alternative<Barrier>(i.operation)) return true;
    const Access* access = access_of(i);
    if (access == nullptr) return false;
    return !std::holds_alternative<Load>(i.operation) || !roles_.slots[access->address.array->value].any();
  }
  [[nodiscard]] bool within_one_sweep(InstructionRef from, InstructionRef to) const {
    return may_reach(kernel_, from, to, [&](const Instruction& i) { return ends_sweep(i); });
  }

  // From a swept value to the sum that it ends up in: through additions, in the block of the load, that use each value once.
  std::string follow(InstructionRef load, RegisterId value, SweptInto& into) const {
    if (definitions_[value.value].size() != 1) return refuse(load);
    RegisterId at = value;
    InstructionRef defined = load;
    bool carried = false;  // into the next round of a loop
    bool integers = false;
    for (;;) {
      std::optional<InstructionRef> next;
      for (const InstructionRef use : uses_[at.value]) {
        if (use.block != load.block) continue;
        if (next) return refuse(use);
        next = use;
      }
      if (!next) break;
      const auto* a = std::get_if<Arithmetic>(&kernel_.at(*next).operation);
      if (a == nullptr || kernel_.at(*next).guard || (a->op != Arith::add && a->op != Arith::mov)) return refuse(*next);
      if (a->op == Arith::add) (is_float(a->type) ? into.of_floats : integers) = true;
      carried = next->index <= defined.index;
      if (carried && at == value) return refuse(*next);
      if (carried) break;
      at = a->dst;
      defined = *next;
      const auto& definitions = definitions_[at.value];
      if (std::count_if(definitions.begin(), definitions.end(), [&](InstructionRef d) { return d.block == load.block; }) != 1)
        return refuse(*next);
    }
    into.sum = at.value;
    if (domain_ == ValueDomain::expressions && (!carried || (into.of_floats && integers))) return refuse(load);
    // Else a register holds what was swept last.
    if (!carried && within_one_sweep(load, load)) return refuse(load);
    // Elsewhere: used only when the sweep is over, and set anew only before it begins.
    for (const InstructionRef use : uses_[at.value])
      if (use.block != load.block && !ends_sweep(kernel_.at(use)) && within_one_sweep(use, load)) return refuse(use);
    for (const InstructionRef definition : definitions_[at.value])
      if (definition != defined && within_one_sweep(load, definition)) return refuse(definition);
    // What lies between is not used elsewhere.
    return intermediate_stay(load, value, at);
  }
  [[nodiscard]] std::string intermediate_stay(InstructionRef load, RegisterId value, RegisterId sum) const {
    for (RegisterId at = value; at != sum;) {
      InstructionRef next = load;
      for (const InstructionRef use : uses_[at.value]) {
        if (use.block != load.block) return refuse(use);
        next = use;
      }
      at = std::get<Arithmetic>(kernel_.at(next).operation).dst;
    }
    return "";
  }

  const Kernel& kernel_;
  const CtaRoles& roles_;
  ValueDomain domain_;
  std::vector<std::vector<InstructionRef>> uses_, definitions_;  // [register]
};

}  // namespace

std::string find_sums(const Kernel& kernel, const CtaRoles& roles, ValueDomain domain, Sums& sums) {
  return SweepLook(kernel, roles, domain).run(sums);
}

}  // namespace fencewise
