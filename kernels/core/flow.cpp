// Data flow: registers, liveness, reachable accesses. Dominators and loops: dominators.cpp.
#include "kernels/core/flow.h"

#include <algorithm>

namespace fencewise {
namespace {

class ReadCollector {
 public:
  void operator()(const Arithmetic& a) { add(a.a, a.b, a.c); }
  void operator()(const Load& load) { add(load.access.address.index); }
  void operator()(const Store& store) {
    add(store.access.address.index);
    for (std::size_t i = 0; i < store.count; ++i) add(store.value[i]);
  }
  void operator()(const Atomic& atomic) { add(atomic.access.address.index, atomic.a, atomic.b); }
  void operator()(const Fence&) {}
  void operator()(const ProxyFenceOp&) {}
  void operator()(const Barrier& barrier) { add(barrier.id, barrier.count, barrier.predicate); }
  void operator()(const WarpBarrier& barrier) { add(barrier.mask); }
  void operator()(const Shuffle& shuffle) { add(shuffle.value, shuffle.lane, shuffle.clamp, shuffle.mask); }
  void operator()(const Vote& vote) { add(vote.predicate, vote.mask); }
  void operator()(const Match& match) { add(match.value, match.mask); }
  void operator()(const WarpReduce& reduce) { add(reduce.value, reduce.mask); }
  void operator()(const ActiveMask&) {}
  void operator()(const Branch&) {}
  void operator()(const CondBranch& branch) { registers.push_back(branch.predicate); }
  void operator()(const Exit&) {}
  void operator()(const Trap&) {}
  void operator()(const Compute&) {}
  void operator()(const Print&) {}  // see registers_shown
  void operator()(const Unmodelled&) {}

  std::vector<RegisterId> registers;

 private:
  template <class... Operands> void add(const Operands&... operands) { (add_one(operands), ...); }
  void add_one(const Operand& operand) {
    if (operand.is_register()) registers.push_back(operand.reg());
  }
};

using Registers = std::vector<RegisterId>;

Registers with(RegisterId dst, const std::optional<RegisterId>& second) {
  return second ? Registers{dst, *second} : Registers{dst};
}
Registers only(const std::optional<RegisterId>& dst) { return dst ? Registers{*dst} : Registers{}; }

struct Written {
  Registers operator()(const Arithmetic& a) const { return {a.dst}; }
  Registers operator()(const Load& load) const { return {load.dst.begin(), load.dst.begin() + load.count}; }
  Registers operator()(const Store&) const { return {}; }
  Registers operator()(const Atomic& atomic) const { return only(atomic.dst); }
  Registers operator()(const Fence&) const { return {}; }
  Registers operator()(const ProxyFenceOp&) const { return {}; }
  Registers operator()(const Barrier& barrier) const { return only(barrier.dst); }
  Registers operator()(const WarpBarrier&) const { return {}; }
  Registers operator()(const Shuffle& shuffle) const { return with(shuffle.dst, shuffle.in_range); }
  Registers operator()(const Vote& vote) const { return {vote.dst}; }
  Registers operator()(const Match& match) const { return with(match.dst, match.all_equal); }
  Registers operator()(const WarpReduce& reduce) const { return {reduce.dst}; }
  Registers operator()(const ActiveMask& active) const { return {active.dst}; }
  Registers operator()(const Branch&) const { return {}; }
  Registers operator()(const CondBranch&) const { return {}; }
  Registers operator()(const Exit&) const { return {}; }
  Registers operator()(const Trap&) const { return {}; }
  Registers operator()(const Compute&) const { return {}; }
  Registers operator()(const Print&) const { return {}; }
  Registers operator()(const Unmodelled&) const { return {}; }
};

template <class Fact> using Facts = std::vector<std::vector<Fact>>;  // [block][instruction]

// Solves a backward problem to its least fixed point: the fact before an instruction is `transfer` of the fact
// after it; the fact after a block joins those before its successors (`merge` says whether it changed the first).
// Blocks are taken last to first until nothing changes; few rounds, since blocks mostly stand in program order.
template <class Fact, class Transfer, class Merge>
Facts<Fact> solve_backward(const Kernel& kernel, const Fact& bottom, const Transfer& transfer,
                           const Merge& merge) {
  Facts<Fact> before;
  for (const Block& block : kernel.blocks) before.emplace_back(block.instructions.size(), bottom);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = kernel.blocks.size(); b-- > 0;) {
      Fact fact = bottom;
      for (const BlockId next : successors(kernel.blocks[b])) merge(fact, before[next.value].front());
      const auto& instructions = kernel.blocks[b].instructions;
      for (std::size_t i = instructions.size(); i-- > 0;) {
        transfer(fact, instructions[i]);
        changed |= merge(before[b][i], fact);
      }
    }
  }
  return before;
}

Facts<RegisterSet> live_registers(const Kernel& kernel, std::span<const RegisterId> live_at_exit,
                                  Prints prints) {
  const auto transfer = [&](RegisterSet& live, const Instruction& instruction) {
    if (std::holds_alternative<Exit>(instruction.operation))
      for (const RegisterId r : live_at_exit) live.insert(r);
    if (prints == Prints::count)
      for (const RegisterId r : registers_shown(instruction)) live.insert(r);
    const auto* arithmetic = std::get_if<Arithmetic>(&instruction.operation);
    if (arithmetic != nullptr && !live.contains(arithmetic->dst)) {
      if (instruction.guard) live.insert(instruction.guard->predicate);
      return;
    }
    if (!instruction.guard)
      for (const RegisterId r : registers_written(instruction)) live.erase(r);
    for (const RegisterId r : registers_read(instruction)) live.insert(r);
  };
  const auto merge = [](RegisterSet& into, const RegisterSet& from) { return into.merge(from); };
  return solve_backward(kernel, RegisterSet(kernel.registers.size()), transfer, merge);
}

enum class Direction : std::uint8_t { read, write };

void add_access(AccessSet& set, const Access& access) {
  if (access.address.array)
    set.arrays.insert(*access.address.array);
  else
    set.unknown = true;
}

void add_accesses(AccessSet& set, const Instruction& instruction, Direction direction) {
  const Operation& operation = instruction.operation;
  if (const auto* load = std::get_if<Load>(&operation); load != nullptr && direction == Direction::read)
    add_access(set, load->access);
  if (const auto* store = std::get_if<Store>(&operation); store != nullptr && direction == Direction::write)
    add_access(set, store->access);
  if (const auto* atomic = std::get_if<Atomic>(&operation)) add_access(set, atomic->access);
  if (std::holds_alternative<Unmodelled>(operation)) set.unknown = true;
}

Facts<AccessSet> reachable_accesses(const Kernel& kernel, Direction direction) {
  const auto transfer = [direction](AccessSet& set, const Instruction& i) {
    add_accesses(set, i, direction);
  };
  const auto merge = [](AccessSet& into, const AccessSet& from) {
    const bool grew = from.unknown && !into.unknown;
    into.unknown |= from.unknown;
    return into.arrays.merge(from.arrays) || grew;
  };
  return solve_backward(kernel, AccessSet{ArraySet(kernel.arrays.size()), false}, transfer, merge);
}

}  // namespace

std::vector<BlockId> successors(const Block& block) {
  const Operation& end = block.instructions.back().operation;
  if (const auto* branch = std::get_if<Branch>(&end)) return {branch->target};
  if (const auto* branch = std::get_if<CondBranch>(&end)) {
    if (branch->taken == branch->otherwise) return {branch->taken};
    return {branch->taken, branch->otherwise};
  }
  return {};
}

bool may_reach(const Kernel& kernel, InstructionRef from, InstructionRef to,
               const std::function<bool(const Instruction&)>& stops) {
  std::vector<bool> seen(kernel.blocks.size(), false);
  std::vector<InstructionRef> work{{from.block, from.index + 1}};
  while (!work.empty()) {
    const InstructionRef at = work.back();
    work.pop_back();
    const auto& instructions = kernel.blocks[at.block.value].instructions;
    bool stopped = false;
    for (std::uint32_t n = at.index; n < instructions.size() && !stopped; ++n) {
      if (InstructionRef{at.block, n} == to) return true;
      stopped = stops && stops(instructions[n]);
    }
    if (stopped) continue;
    for (const BlockId next : successors(kernel.blocks[at.block.value])) {
      if (seen[next.value]) continue;
      seen[next.value] = true;
      work.push_back({next, 0});
    }
  }
  return false;
}

std::vector<RegisterId> registers_read(const Instruction& instruction) {
  ReadCollector collector;
  if (instruction.guard) collector.registers.push_back(instruction.guard->predicate);
  std::visit(collector, instruction.operation);
  return std::move(collector.registers);
}

std::vector<RegisterId> registers_shown(const Instruction& instruction) {
  std::vector<RegisterId> registers;
  if (const auto* print = std::get_if<Print>(&instruction.operation))
    for (const auto& argument : print->arguments)
      if (const auto* value = std::get_if<Operand>(&argument); value != nullptr && value->is_register())
        registers.push_back(value->reg());
  return registers;
}

std::vector<RegisterId> registers_written(const Instruction& instruction) {
  return std::visit(Written{}, instruction.operation);
}

Liveness::Liveness(const Kernel& kernel, std::span<const RegisterId> live_at_exit, Prints prints)
    : before_(live_registers(kernel, live_at_exit, prints)) {}

MayAccess::MayAccess(const Kernel& kernel)
    : read_(reachable_accesses(kernel, Direction::read)),
      written_(reachable_accesses(kernel, Direction::write)) {}

}  // namespace fencewise
