#include "checker/explore/symmetry_program.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/explore/memory_image.h"
#include "checker/explore/mix.h"
#include "kernels/core/access.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

constexpr std::size_t most_threads = 16384;

template <class F> void each_instruction(const Kernel& kernel, F&& f) {
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (std::uint32_t n = 0; n < kernel.blocks[b].instructions.size(); ++n)
      f(InstructionRef{BlockId{b}, n}, kernel.blocks[b].instructions[n]);
}

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

// --- Sweeps ---

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

// --- Data ---

namespace {

// Calls f(left, right) for neighbours of each role, as long as it returns true.
template <class F> bool each_neighbours(const CtaRoles& roles, F&& f) {
  for (const auto& members : roles.members())
    for (std::size_t n = 0; n + 1 < members.size(); ++n)
      if (!f(members[n], members[n + 1])) return false;
  return true;
}

// Where element `i` of a buffer is when `left` and `right` trade places; `elements` a slot.
std::uint64_t image_of(const Slots& slots, std::uint64_t elements, std::uint64_t i, std::uint32_t left, std::uint32_t right) {
  if (!slots.any()) return i;
  const auto owner = slots.owner[i / elements];
  if (owner != left && owner != right) return i;
  const std::uint32_t to = *slots.of_cta[owner == left ? right : left];
  return to * elements + i % elements;
}

}  // namespace

std::string memory_is_symmetric(const LaunchContext& c, const MemoryImage& memory, Buffers which, const CtaRoles& roles,
                                const std::vector<Slots>& slots, std::uint32_t replays) {
  std::string why;
  const auto trade = [&](std::uint32_t left, std::uint32_t right) {
    // Symbols of the two slots trade places.
    std::unordered_map<std::uint32_t, Value> renamed;
    for (std::uint32_t b = 0; b < slots.size(); ++b) {
      if (!slots[b].any()) continue;
      const Buffer& buffer = c.problem.buffers[b];
      const std::uint64_t elements = slots[b].bytes / size_of(buffer.element);
      if (!slots[b].of_cta[left] || !slots[b].of_cta[right]) continue;
      for (std::uint64_t k = 0; k < elements; ++k)
        for (std::uint32_t r = 0; r <= replays; ++r) {
          const Value x = symbol_of(buffer, *slots[b].of_cta[left] * elements + k, r, c.terms),
                      y = symbol_of(buffer, *slots[b].of_cta[right] * elements + k, r, c.terms);
          renamed[x.term()] = y;
          renamed[y.term()] = x;
        }
    }
    for (std::uint32_t b = 0; b < c.problem.buffers.size(); ++b) {
      const BufferId id{b};
      if (which == Buffers::outputs && c.problem.buffers[b].role != Role::output) continue;
      const std::uint64_t elements = slots[b].any() ? slots[b].bytes / size_of(c.problem.buffers[b].element) : 0;
      for (std::uint64_t i = 0; i < memory.length(id); ++i) {
        if (memory.ambiguous(id, i)) {
          why = fmt::format("'{}' holds several values", c.problem.buffers[b].name);
          return false;
        }
        const Value here = memory.at(id, i), there = memory.at(id, image_of(slots[b], elements, i, left, right));
        if (c.terms.is_poison(here) && c.terms.is_poison(there)) continue;
        if (c.terms.substitute(here, renamed) == there) continue;
        why = fmt::format("'{}' holds different things for different CTAs", c.problem.buffers[b].name);
        return false;
      }
    }
    return true;
  };
  (void)each_neighbours(roles, trade);
  return why;
}

namespace {

// A number for a formula that does not depend on the order of its parts, with two CTAs renamed: with the same one before and after,
// the formula says the same. Formulas are data, so the number is taken for the formula.
class RenamedFormula {
 public:
  RenamedFormula(const Problem& problem, const std::vector<Slots>& slots, std::uint32_t left, std::uint32_t right)
      : problem_(problem), slots_(slots), left_(left), right_(right) {}

  // No value: it can't be told.
  std::optional<std::uint64_t> operator()(const Formula& f) {
    telling_ = true;
    const std::uint64_t n = std::visit([&](const auto& node) { return look(node); }, f.node);
    return telling_ ? std::optional(n) : std::nullopt;
  }

 private:
  std::uint64_t of(const Formula& f) { return std::visit([&](const auto& node) { return look(node); }, f.node); }
  std::uint64_t of(const Expr& e) { return std::visit([&](const auto& node) { return look(node); }, e.node); }

  std::uint64_t look(const Comparison& c) {
    const std::uint64_t a = of(*c.left), b = of(*c.right);
    const bool either = c.op == Compare::eq || c.op == Compare::ne;
    return mix(mix(1, static_cast<std::uint64_t>(c.op)), either ? a + b : mix(a, b));
  }
  std::uint64_t look(const Not& n) { return mix(2, of(*n.operand)); }
  std::uint64_t look(const AndOr& a) {
    std::uint64_t all = 0;
    for (const FormulaPtr& f : a.operands) all += mix(3, of(*f));
    return mix(static_cast<std::uint64_t>(a.conjunction) + 4, all);
  }
  std::uint64_t look(const ForAll& f) { return repeat(6, f.variable, f.lo, f.hi, [&] { return of(*f.body); }); }
  std::uint64_t look(const Constant& c) { return mix(7, static_cast<std::uint64_t>(c.value)); }

  std::uint64_t look(const Number& n) { return mix(8, static_cast<std::uint64_t>(n.value)); }
  std::uint64_t look(const Variable& v) { return mix(8, static_cast<std::uint64_t>(variable(v.name))); }
  std::uint64_t look(const ThreadRegister&) { return cannot_tell(); }
  std::uint64_t look(const BinaryExpr& b) {
    const std::uint64_t x = of(*b.left), y = of(*b.right);
    return b.op == BinaryExpr::Op::add ? mix(9, x + y) : mix(mix(10, static_cast<std::uint64_t>(b.op)), mix(x, y));
  }
  std::uint64_t look(const SumExpr& s) { return repeat(11, s.variable, s.lo, s.hi, [&] { return of(*s.body); }); }
  std::uint64_t look(const Element& e) {
    const Buffer& buffer = problem_.buffers[e.buffer.value];
    const Slots& slots = slots_[e.buffer.value];
    const auto index = number(*e.index);
    if (!index || *index < 0 || static_cast<std::uint64_t>(*index) >= buffer.length) return cannot_tell();
    const std::uint64_t elements = slots.any() ? slots.bytes / size_of(buffer.element) : 1;
    const std::uint64_t at = image_of(slots, elements, static_cast<std::uint64_t>(*index), left_, right_);
    return mix(mix(12, std::uint64_t{e.buffer.value} << 1U | static_cast<std::uint64_t>(e.at_entry)), at);
  }

  template <class F>
  std::uint64_t repeat(std::uint64_t kind, const std::string& name, const ExprPtr& lo, const ExprPtr& hi, F&& body) {
    const auto from = number(*lo), to = number(*hi);
    if (!from || !to || *to - *from > 1'000'000) return cannot_tell();
    std::uint64_t all = 0;
    for (std::int64_t v = *from; v < *to && telling_; ++v) {
      variables_.emplace_back(name, v);
      all += mix(kind, body());
      variables_.pop_back();
    }
    return mix(13, all);
  }
  std::int64_t variable(const std::string& name) {
    for (auto v = variables_.rbegin(); v != variables_.rend(); ++v)
      if (v->first == name) return v->second;
    telling_ = false;
    return 0;
  }
  std::optional<std::int64_t> number(const Expr& e) {
    if (const auto* n = std::get_if<Number>(&e.node)) return n->value;
    if (const auto* v = std::get_if<Variable>(&e.node)) return variable(v->name);
    const auto* b = std::get_if<BinaryExpr>(&e.node);
    if (b == nullptr) return std::nullopt;
    const auto x = number(*b->left), y = number(*b->right);
    if (!x || !y) return std::nullopt;
    switch (b->op) {
      case BinaryExpr::Op::add: return *x + *y;
      case BinaryExpr::Op::sub: return *x - *y;
      case BinaryExpr::Op::mul: return *x * *y;
      case BinaryExpr::Op::div: return *y == 0 ? std::nullopt : std::optional(*x / *y);
      case BinaryExpr::Op::rem: return *y == 0 ? std::nullopt : std::optional(*x % *y);
    }
    return std::nullopt;
  }
  std::uint64_t cannot_tell() {
    telling_ = false;
    return 0;
  }

  const Problem& problem_;
  const std::vector<Slots>& slots_;
  std::uint32_t left_, right_;
  bool telling_ = true;
  std::vector<std::pair<std::string, std::int64_t>> variables_;
};

constexpr std::uint32_t nobody = ~0U;

}  // namespace

std::string contract_is_symmetric(const Problem& problem, const CtaRoles& roles, const std::vector<Slots>& slots) {
  if (problem.contract.filter) return "the contract has a filter";
  for (const Assertion& assertion : problem.contract.assertions) {
    const auto written = RenamedFormula(problem, slots, nobody, nobody)(*assertion.formula);
    const bool same = written && each_neighbours(roles, [&](std::uint32_t left, std::uint32_t right) {
      return RenamedFormula(problem, slots, left, right)(*assertion.formula) == written;
    });
    if (!same) return fmt::format("the contract tells CTAs apart: {}", assertion.text);
  }
  return "";
}

}  // namespace fencewise
