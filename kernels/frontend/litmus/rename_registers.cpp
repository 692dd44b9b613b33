#include "kernels/frontend/litmus/rename_registers.h"

#include <variant>

#include <fmt/format.h>

namespace fencewise::litmus {
namespace {

class Renaming {
 public:
  Renaming(const Kernel& original, const std::vector<RegisterId>& kept) : original_(original) {
    for (const RegisterId reg : kept) used_[reg.value] = {};
  }

  void run(Kernel& kernel) {
    each(kernel, [this](RegisterId& reg) { mention(reg); });
    for (auto& [old, id] : used_) {
      id = {static_cast<std::uint32_t>(kernel.registers.size())};
      kernel.registers.push_back({fmt::format("r{}", id.value), Type::s64});
      if (!original_.register_initial.empty())
        kernel.register_initial.push_back(original_.register_initial[old]);
    }
    const RegisterId predicate{static_cast<std::uint32_t>(kernel.registers.size())};
    if (predicates_) kernel.registers.push_back({"p", Type::pred});
    if (predicates_ && !kernel.register_initial.empty()) kernel.register_initial.push_back(0);
    each(kernel,
         [&](RegisterId& reg) { reg = original_[reg].type == Type::pred ? predicate : used_.at(reg.value); });
  }

  [[nodiscard]] const std::map<std::uint32_t, RegisterId>& names() const { return used_; }

 private:
  void mention(RegisterId reg) {
    if (original_[reg].type == Type::pred) {
      predicates_ = true;
    } else {
      used_[reg.value] = {};
    }
  }

  template <typename Visit> static void operand(Operand& o, const Visit& visit) {
    if (!o.is_register()) return;
    RegisterId reg = o.reg();
    visit(reg);
    o = Operand(reg);
  }

  template <typename Visit> static void each(Kernel& kernel, const Visit& visit) {
    for (Block& block : kernel.blocks) {
      for (Instruction& instruction : block.instructions) {
        Operation& op = instruction.operation;
        if (auto* a = std::get_if<Arithmetic>(&op)) {
          visit(a->dst);
          for (Operand* o : {&a->a, &a->b, &a->c}) operand(*o, visit);
        }
        if (auto* l = std::get_if<Load>(&op)) visit(l->dst[0]);
        if (auto* s = std::get_if<Store>(&op)) operand(s->value[0], visit);
        if (auto* a = std::get_if<Atomic>(&op)) {
          if (a->dst) visit(*a->dst);
          operand(a->a, visit);
          operand(a->b, visit);
        }
        if (auto* b = std::get_if<Barrier>(&op)) {
          operand(b->id, visit);
          operand(b->count, visit);
        }
        if (auto* c = std::get_if<CondBranch>(&op)) visit(c->predicate);
      }
    }
  }

  const Kernel& original_;
  std::map<std::uint32_t, RegisterId> used_;
  bool predicates_ = false;
};

}  // namespace

std::map<std::uint32_t, RegisterId> rename_registers(Kernel& kernel, const Kernel& original,
                                                     const std::vector<RegisterId>& kept) {
  Renaming renaming(original, kept);
  renaming.run(kernel);
  return renaming.names();
}

}  // namespace fencewise::litmus
