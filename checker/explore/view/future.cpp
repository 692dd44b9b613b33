#include "checker/explore/view/future.h"

#include <algorithm>

#include "kernels/core/each_instruction.h"

namespace fencewise::view {
namespace {

void merge(Future::Facts& into, const Future::Facts& from) {
  for (std::size_t a = 0; a < into.arrays.size(); ++a) into.arrays[a] |= from.arrays[a];
  for (std::size_t a = 0; a < into.own.size(); ++a) into.own[a] |= from.own[a];
  into.anywhere |= from.anywhere;
  into.acquire_fence |= from.acquire_fence;
  into.fence_sc |= from.fence_sc;
  into.passes_fences |= from.passes_fences;
  into.leaves |= from.leaves;
  into.meets |= from.meets;
}

// What lies before an instruction, from what lies behind it.
class Transfer {
 public:
  Transfer(const Hierarchy& h, const std::vector<bool>& single, const Instruction& instruction, bool own, ValueDomain domain,
           Future::Facts& facts)
      : h_(h), single_(single), always_(!instruction.guard), own_(own), domain_(domain), f_(facts) {}

  void operator()(const Load& load) {
    mark(load.access, is_strong(load.access.order) ? Doing::strong_read | Doing::any_message : Doing::weak_read);
  }
  void operator()(const Store& store) {
    if (!is_strong(store.access.order)) return mark(store.access, Doing::weak_write);
    write(store.access, true);
    mark(store.access, Doing::strong_write);
  }
  void operator()(const Atomic& atomic) {
    write(atomic.access, atomic.op != AtomicOp::cas);
    const bool commutes = domain_ == ValueDomain::multisets || !is_float(atomic.access.type);
    const bool adds = atomic.red && atomic.op == AtomicOp::add && atomic.access.order == Order::relaxed && commutes;
    mark(atomic.access, Doing::strong_read | Doing::strong_write, !adds);
    if (atomic.op == AtomicOp::cas) mark(atomic.access, Doing::any_message);
  }
  void operator()(const Fence& fence) {
    f_.fence_sc |= fence.order == Order::sc;
    f_.acquire_fence |= fence.order == Order::sc || acquires(fence.order);
    if (always_ && (fence.order == Order::sc || releases(fence.order)) && h_.level(fence.scope) == h_.top())
      f_.passes_fences = false;
  }
  void operator()(const Barrier& barrier) {
    if (barrier.count.present() || barrier.kind == BarrierKind::arrive) return;
    f_.meets = true;
    f_.leaves &= !always_;
  }
  void operator()(const WarpBarrier&) { f_.meets = true; }
  void operator()(const Shuffle&) { f_.meets = true; }
  void operator()(const Vote&) { f_.meets = true; }
  void operator()(const Match&) { f_.meets = true; }
  void operator()(const WarpReduce&) { f_.meets = true; }
  void operator()(const Exit&) { f_.leaves = true; }
  void operator()(const Unmodelled&) {
    f_.anywhere = Doing::everything;
    f_.acquire_fence = f_.fence_sc = f_.passes_fences = true;
  }
  template <class Other> void operator()(const Other&) {}

 private:
  [[nodiscard]] DoingBits& bits(const Access& access) {
    return access.address.array ? (own_ ? f_.own : f_.arrays)[access.address.array->value] : f_.anywhere;
  }
  // `surely`: it writes whenever it is reached.
  void write(const Access& access, bool surely) {
    if (!releases(access.order) || h_.level(access.scope) != h_.top()) {
      bits(access) |= Doing::passes_on;
      f_.passes_fences = true;
    } else if (surely && always_ && access.address.array && single_[access.address.array->value]) {
      bits(access) &= static_cast<DoingBits>(~Doing::passes_on);
    }
  }
  void mark(const Access& access, unsigned what, bool ordered = true) {
    if (is_strong(access.order)) {
      if (ordered) what |= Doing::ordered;
      if (h_.level(access.scope) != h_.top()) what |= Doing::narrow;
      if (acquires(access.order)) what |= Doing::acquire;
    }
    bits(access) |= static_cast<DoingBits>(what);
  }

  const Hierarchy& h_;
  const std::vector<bool>& single_;
  bool always_;
  bool own_;  // its address stays within the CTA's own slots
  ValueDomain domain_;
  Future::Facts& f_;
};

bool is_poll(const Kernel& kernel, InstructionRef ref, const Instruction& instruction) {
  const auto* load = std::get_if<Load>(&instruction.operation);
  if (load == nullptr || !is_strong(load->access.order)) return false;
  const std::vector<RegisterId> address = registers_read(instruction);
  return may_reach(kernel, ref, ref, [&](const Instruction& i) {
    const auto& o = i.operation;
    const bool quiet = std::holds_alternative<Arithmetic>(o) || std::holds_alternative<Fence>(o) || std::holds_alternative<Branch>(o) ||
                       std::holds_alternative<CondBranch>(o) || std::holds_alternative<Compute>(o) || std::holds_alternative<Print>(o);
    return !quiet || std::ranges::any_of(registers_written(i), [&](RegisterId r) { return std::ranges::find(address, r) != address.end(); });
  });
}

}  // namespace

bool may_poll(const Kernel& kernel) {
  bool any = false;
  each_instruction(kernel, [&](InstructionRef ref, const Instruction& i) { any |= is_poll(kernel, ref, i); });
  return any;
}

Future::Future(const Kernel& kernel, const Hierarchy& hierarchy, const std::vector<bool>& single, const Symmetry* symmetry, ValueDomain domain) {
  Facts none;
  none.arrays.assign(kernel.arrays.size(), 0);
  none.own.assign(kernel.arrays.size(), 0);
  for (const Block& block : kernel.blocks) facts_.emplace_back(block.instructions.size(), none);
  for (const Block& block : kernel.blocks) polls_.emplace_back(block.instructions.size(), false);
  each_instruction(kernel, [&](InstructionRef ref, const Instruction& i) { polls_[ref.block.value][ref.index] = is_poll(kernel, ref, i); });
  for (bool again = true; again;) {
    again = false;
    for (std::size_t b = kernel.blocks.size(); b-- > 0;) {
      const auto& instructions = kernel.blocks[b].instructions;
      Facts facts = none;
      for (const BlockId next : successors(kernel.blocks[b])) merge(facts, facts_[next.value].front());
      for (std::size_t n = instructions.size(); n-- > 0;) {
        const InstructionRef ref{BlockId{static_cast<std::uint32_t>(b)}, static_cast<std::uint32_t>(n)};
        const bool own = symmetry != nullptr && symmetry->stays_home(ref);
        std::visit(Transfer(hierarchy, single, instructions[n], own, domain, facts), instructions[n].operation);
        if (facts_[b][n] == facts) continue;
        facts_[b][n] = facts;
        again = true;
      }
    }
  }
}

}  // namespace fencewise::view
