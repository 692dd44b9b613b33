#include "checker/explore/symmetry_program.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/each_instruction.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

constexpr std::size_t most_threads = 16384;

// Operands of an instruction other than its address and the operands of arithmetic.
std::vector<Operand> plain_operands(const Instruction& i) {
  std::vector<Operand> operands;
  if (i.guard) operands.emplace_back(i.guard->predicate);
  if (const auto* s = std::get_if<Store>(&i.operation))
    for (const Operand& value : s->value)
      if (value.present()) operands.push_back(value);
  if (const auto* a = std::get_if<Atomic>(&i.operation)) operands.insert(operands.end(), {a->a, a->b});
  if (const auto* c = std::get_if<CondBranch>(&i.operation)) operands.emplace_back(c->predicate);
  if (const auto* b = std::get_if<Barrier>(&i.operation))
    operands.insert(operands.end(), {b->id, b->count, b->predicate});
  if (const auto* s = std::get_if<Shuffle>(&i.operation))
    operands.insert(operands.end(), {s->value, s->lane, s->clamp, s->mask});
  if (const auto* v = std::get_if<Vote>(&i.operation))
    operands.insert(operands.end(), {v->predicate, v->mask});
  if (const auto* m = std::get_if<Match>(&i.operation)) operands.insert(operands.end(), {m->value, m->mask});
  if (const auto* r = std::get_if<WarpReduce>(&i.operation))
    operands.insert(operands.end(), {r->value, r->mask});
  return operands;
}

// The constants of all threads, and what of them differs within a role.
class IdLook {
 public:
  IdLook(const LaunchContext& c, const Kernel& kernel, CtaRoles& roles)
      : kernel_(kernel), image_(c.image), interpreter_(c.terms, c.image.memory, nullptr), constants_(kernel), roles_(roles),
        threads_of_(c.image.ctas) {
    for (std::size_t t = 0; t < image_.threads.size(); ++t) {
      ThreadState state;
      state.registers = constants_.of(image_.threads[t], c.terms);
      states_.push_back(std::move(state));
      threads_of_[image_.cta_of[t]].push_back(t);
    }
  }

  std::string run() {
    roles_.role.assign(image_.ctas, 0);
    for (bool again = true; again;) {
      again = false;
      taint();
      std::string why;
      each_instruction(kernel_, [&](InstructionRef, const Instruction& i) {
        if (!again && why.empty()) why = look(i, again);
      });
      if (!why.empty()) return why;
    }
    number_roles();
    for (const RegisterDecl& r : kernel_.registers) {
      const RegisterId id{static_cast<std::uint32_t>(&r - kernel_.registers.data())};
      roles_.tells_apart.push_back(constants_.contains(id) && tainted_[id.value]);
    }
    const auto members = roles_.members();
    if (std::none_of(members.begin(), members.end(), [](const auto& m) { return m.size() > 1; }))
      return "each CTA has a part of its own";
    return find_slots(members);
  }

 private:
  [[nodiscard]] Value value(const Operand& o, std::size_t thread) const {
    return interpreter_.evaluate(image_.threads[thread], states_[thread], o);
  }
  [[nodiscard]] std::vector<Value> values(const Operand& o, std::uint32_t cta) const {
    std::vector<Value> all;
    for (const std::size_t t : threads_of_[cta]) all.push_back(value(o, t));
    return all;
  }
  // Of a constant.
  [[nodiscard]] bool varies(const Operand& o) const {
    std::map<std::uint32_t, std::vector<Value>> of_role;
    for (std::uint32_t c = 0; c < image_.ctas; ++c) {
      std::vector<Value> mine = values(o, c);
      const auto [it, fresh] = of_role.try_emplace(roles_.role[c], std::move(mine));
      if (!fresh && it->second != mine) return true;
    }
    return false;
  }
  [[nodiscard]] bool differs_in_each(const Operand& o) const {
    std::set<std::pair<std::uint32_t, Value>> seen;
    for (std::uint32_t c = 0; c < image_.ctas; ++c)
      if (!seen.emplace(roles_.role[c], value(o, threads_of_[c].front())).second) return false;
    return true;
  }
  // CTAs of one role have the same value from now on.
  void refine(const Operand& o) {
    std::map<std::pair<std::uint32_t, std::vector<Value>>, std::uint32_t> finer;
    for (std::uint32_t c = 0; c < image_.ctas; ++c)
      roles_.role[c] = finer.try_emplace({roles_.role[c], values(o, c)}, c).first->second;
  }
  void number_roles() {
    std::map<std::uint32_t, std::uint32_t> number;
    for (std::uint32_t& r : roles_.role) r = number.try_emplace(r, static_cast<std::uint32_t>(number.size())).first->second;
  }

  [[nodiscard]] bool tainted(const Operand& o) const {
    if (o.is_register()) return tainted_[o.index];
    return o.present() && o.kind != Operand::Kind::immediate && is_thread_constant(o) && varies(o);
  }
  void taint() {
    tainted_.assign(kernel_.registers.size(), false);
    for (std::uint32_t r = 0; r < tainted_.size(); ++r)
      tainted_[r] = constants_.contains(RegisterId{r}) && varies(Operand(RegisterId{r}));
    for (bool again = true; again;) {
      again = false;
      each_instruction(kernel_, [&](InstructionRef, const Instruction& i) {
        const auto* a = std::get_if<Arithmetic>(&i.operation);
        if (a == nullptr || tainted_[a->dst.value] || constants_.contains(a->dst)) return;
        if (tainted(a->a) || tainted(a->b) || tainted(a->c)) tainted_[a->dst.value] = again = true;
      });
    }
  }
  // The constants that tell CTAs apart from which an operand is computed.
  [[nodiscard]] std::vector<Operand> leaves(const Operand& of) const {
    std::vector<Operand> found, work{of};
    std::vector<bool> seen(kernel_.registers.size(), false);
    while (!work.empty()) {
      const Operand o = work.back();
      work.pop_back();
      if (!tainted(o)) continue;
      if (constants_.contains(o)) {
        found.push_back(o);
        continue;
      }
      if (seen[o.index]) continue;
      seen[o.index] = true;
      each_instruction(kernel_, [&](InstructionRef, const Instruction& i) {
        const auto* a = std::get_if<Arithmetic>(&i.operation);
        if (a != nullptr && a->dst.value == o.index) work.insert(work.end(), {a->a, a->b, a->c});
      });
    }
    return found;
  }

  // `refined`: roles are finer now, look again.
  std::string look(const Instruction& i, bool& refined) {
    for (const Operand& o : plain_operands(i)) {
      if (!tainted(o)) continue;
      if (!constants_.contains(o)) return fmt::format("'{}' uses the CTA id other than in an address", print(i, kernel_));
      refine(o);
      refined = true;
      return "";
    }
    const Access* access = access_of(i);
    if (access == nullptr || !tainted(access->address.index)) return "";
    if (!access->address.array) return "an address without an array depends on the CTA id";
    const bool own_memory = access->space == StateSpace::shared || access->space == StateSpace::local;
    for (const Operand& leaf : leaves(access->address.index)) {
      if (!own_memory && differs_in_each(leaf)) continue;
      refine(leaf);
      refined = true;
      return "";
    }
    return own_memory ? "an index into shared memory depends on the CTA id" : "";
  }

  std::string find_slots(const std::vector<std::vector<std::uint32_t>>& members) {
    roles_.slots.resize(kernel_.arrays.size());
    roles_.by_id.clear();
    for (const Block& block : kernel_.blocks) roles_.by_id.emplace_back(block.instructions.size(), false);
    std::string why;
    each_instruction(kernel_, [&](InstructionRef ref, const Instruction& i) {
      const Access* access = access_of(i);
      if (!why.empty() || access == nullptr || !tainted(access->address.index)) return;
      roles_.by_id[ref.block.value][ref.index] = true;
      why = own_slots(*access, members, roles_.slots[access->address.array->value]);
    });
    return why;
  }
  // Slots of an array, from the addresses that CTAs make from their ids.
  std::string own_slots(const Access& access, const std::vector<std::vector<std::uint32_t>>& members, Slots& slots) const {
    const std::string& name = kernel_[*access.address.array].name;
    const std::uint64_t base = image_.threads.front().array_base[access.address.array->value];
    const std::uint64_t bytes = image_.memory[static_cast<std::uint32_t>(base >> 32U) - 1].bytes;
    std::vector<std::uint64_t> at;  // [cta] where everything else is 0
    for (std::uint32_t c = 0; c < image_.ctas; ++c)
      at.push_back(value(access.address.index, threads_of_[c].front()).bits() * access.address.scale +
                   static_cast<std::uint64_t>(access.address.offset));
    if (!slots.any()) {
      std::uint64_t stride = 0;
      for (const auto& role : members) {
        std::vector<std::uint64_t> sorted;
        for (const std::uint32_t c : role) sorted.push_back(at[c]);
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t n = 1; n < sorted.size(); ++n)
          stride = stride == 0 ? sorted[n] - sorted[n - 1] : std::min(stride, sorted[n] - sorted[n - 1]);
      }
      if (stride == 0 || bytes % stride != 0) return fmt::format("'{}' is no equal share for each CTA", name);
      slots.bytes = stride;
      slots.of_cta.resize(image_.ctas);
      slots.owner.resize(bytes / stride);
    }
    for (std::uint32_t c = 0; c < image_.ctas; ++c) {
      if (at[c] >= bytes) {
        if (members[roles_.role[c]].size() > 1) return fmt::format("'{}' has no slot for CTA {}", name, c);
        continue;
      }
      const auto slot = static_cast<std::uint32_t>(at[c] / slots.bytes);
      auto& mine = slots.of_cta[c];
      auto& owner = slots.owner[slot];
      if ((mine && *mine != slot) || (owner && *owner != c)) return fmt::format("CTAs share slots of '{}'", name);
      mine = slot;
      owner = c;
    }
    return "";
  }

  const Kernel& kernel_;
  const LaunchImage& image_;
  Interpreter interpreter_;
  ThreadConstants constants_;
  CtaRoles& roles_;
  std::vector<std::vector<std::size_t>> threads_of_;  // [cta]
  std::vector<ThreadState> states_;                   // [thread] its constants
  std::vector<bool> tainted_;                         // [register] differs within a role
};

}  // namespace

std::vector<std::vector<std::uint32_t>> CtaRoles::members() const {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t c = 0; c < role.size(); ++c) {
    if (all.size() <= role[c]) all.resize(role[c] + 1);
    all[role[c]].push_back(c);
  }
  return all;
}

std::string find_roles(const LaunchContext& c, const Kernel& kernel, CtaRoles& roles) {
  if (c.image.threads.size() > most_threads) return "too many threads";
  roles.ctas = c.image.ctas;
  return IdLook(c, kernel, roles).run();
}

}  // namespace fencewise
