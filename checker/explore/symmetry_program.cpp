#include "checker/explore/symmetry_program.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

// The grid is one row: %ctaid.y and .z are 0 for all.
bool is_ctaid(const Operand& o) {
  return o.kind == Operand::Kind::special && o.index == static_cast<std::uint32_t>(SpecialRegister::ctaid_x);
}

template <class F> void each_instruction(const Kernel& kernel, F&& f) {
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (std::uint32_t n = 0; n < kernel.blocks[b].instructions.size(); ++n)
      f(InstructionRef{BlockId{b}, n}, kernel.blocks[b].instructions[n]);
}

// Registers whose value may derive from a source, through arithmetic alone.
std::vector<bool> derived(const Kernel& kernel, std::vector<bool> from,
                          const std::function<bool(const Operand&)>& source) {
  const auto hit = [&](const Operand& o) { return source(o) || (o.is_register() && from[o.index]); };
  for (bool again = true; again;) {
    again = false;
    each_instruction(kernel, [&](InstructionRef, const Instruction& i) {
      const auto* a = std::get_if<Arithmetic>(&i.operation);
      if (a == nullptr || from[a->dst.value] || !(hit(a->a) || hit(a->b) || hit(a->c))) return;
      from[a->dst.value] = again = true;
    });
  }
  return from;
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

bool reaches(const Kernel& kernel, BlockId from, BlockId to) {
  std::vector<bool> seen(kernel.blocks.size(), false);
  std::vector<BlockId> work = successors(kernel.blocks[from.value]);
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    if (b == to) return true;
    if (seen[b.value]) continue;
    seen[b.value] = true;
    for (const BlockId next : successors(kernel.blocks[b.value])) work.push_back(next);
  }
  return false;
}

}  // namespace

std::string id_only_in_addresses(const Kernel& kernel, IdUse& use) {
  const std::vector<bool> id = derived(kernel, std::vector<bool>(kernel.registers.size(), false), is_ctaid);
  const auto from_id = [&](const Operand& o) { return is_ctaid(o) || (o.is_register() && id[o.index]); };
  use.slotted.assign(kernel.arrays.size(), false);
  use.id_address.clear();
  for (const Block& block : kernel.blocks) use.id_address.emplace_back(block.instructions.size(), false);
  std::string why;
  each_instruction(kernel, [&](InstructionRef ref, const Instruction& i) {
    const auto operands = plain_operands(i);
    if (why.empty() && std::any_of(operands.begin(), operands.end(), from_id))
      why = fmt::format("'{}' uses the CTA id other than in an address", print(i, kernel));
    const Access* access = access_of(i);
    if (access == nullptr || !from_id(access->address.index)) return;
    use.id_address[ref.block.value][ref.index] = true;
    if (!access->address.array) {
      why = "an address without an array depends on the CTA id";
    } else if (access->space != StateSpace::shared) {
      use.slotted[access->address.array->value] = true;
    } else {
      why = "an index into shared memory depends on the CTA id";
    }
  });
  return why;
}

std::string sweeps_add_up(const Kernel& kernel, const IdUse& use) {
  std::vector<bool> swept(kernel.registers.size(), false);
  std::vector<BlockId> sweep_blocks;
  std::string why;
  each_instruction(kernel, [&](InstructionRef ref, const Instruction& i) {
    const Access* access = access_of(i);
    if (access == nullptr || use.id_address[ref.block.value][ref.index]) return;
    if (!access->address.array) {
      why = "an address has no array";
      return;
    }
    if (!use.slotted[access->address.array->value]) return;
    const auto* load = std::get_if<Load>(&i.operation);
    if (load == nullptr || acquires(access->order)) {
      why = fmt::format("'{}' reaches the slots of other CTAs", print(i, kernel));
      return;
    }
    for (unsigned n = 0; n < load->count; ++n) swept[load->dst[n].value] = true;
    sweep_blocks.push_back(ref.block);
  });
  if (!why.empty()) return why;
  swept = derived(kernel, swept, [](const Operand&) { return false; });
  const auto from_sweep = [&](const Operand& o) { return o.is_register() && swept[o.index]; };
  each_instruction(kernel, [&](InstructionRef ref, const Instruction& i) {
    const auto refuse = [&] {
      why = fmt::format("'{}' does more with swept values than add them up", print(i, kernel));
    };
    if (const auto* a = std::get_if<Arithmetic>(&i.operation)) {
      const bool uses = from_sweep(a->a) || from_sweep(a->b) || from_sweep(a->c);
      if (uses && a->op != Arith::add && a->op != Arith::mov) refuse();
      return;
    }
    const Access* access = access_of(i);
    if (access != nullptr && from_sweep(access->address.index)) refuse();
    const auto operands = plain_operands(i);
    if (!std::any_of(operands.begin(), operands.end(), from_sweep)) return;
    const bool stores =
        std::holds_alternative<Store>(i.operation) || std::holds_alternative<Atomic>(i.operation);
    if (!stores || std::any_of(sweep_blocks.begin(), sweep_blocks.end(),
                               [&](BlockId b) { return reaches(kernel, ref.block, b); }))
      refuse();
  });
  return why;
}

std::string memory_is_symmetric(const LaunchContext& c, const std::vector<bool>& slotted, std::uint32_t ctas,
                                std::uint32_t replays) {
  for (std::uint32_t left = 0; left + 1 < ctas; ++left) {
    // Symbols of slots `left` and `left + 1` trade places.
    std::unordered_map<std::uint32_t, Value> renamed;
    for (std::uint32_t b = 0; b < slotted.size(); ++b) {
      if (!slotted[b]) continue;
      const Buffer& buffer = c.problem.buffers[b];
      const std::uint64_t slot = buffer.length / ctas;
      for (std::uint64_t k = 0; k < slot; ++k)
        for (std::uint32_t r = 0; r <= replays; ++r) {
          const Value x = symbol_of(buffer, left * slot + k, r, c.terms),
                      y = symbol_of(buffer, (left + 1) * slot + k, r, c.terms);
          renamed[x.term()] = y;
          renamed[y.term()] = x;
        }
    }
    for (std::uint32_t b = 0; b < c.problem.buffers.size(); ++b) {
      const BufferId id{b};
      const std::uint64_t slot = slotted[b] ? c.problem.buffers[b].length / ctas : 0;
      for (std::uint64_t i = 0; i < c.memory.length(id); ++i) {
        std::uint64_t image = i;
        if (slot != 0 && i / slot == left) image = i + slot;
        if (slot != 0 && i / slot == left + 1) image = i - slot;
        if (c.memory.ambiguous(id, i))
          return fmt::format("'{}' holds several values", c.problem.buffers[b].name);
        const Value here = c.memory.at(id, i), there = c.memory.at(id, image);
        if (c.terms.is_poison(here) && c.terms.is_poison(there)) continue;
        if (c.terms.substitute(here, renamed) != there)
          return fmt::format("'{}' holds different things for different CTAs", c.problem.buffers[b].name);
      }
    }
  }
  return "";
}

namespace {

class ContractLook {
 public:
  ContractLook(const Problem& problem, const std::vector<bool>& slotted, std::uint32_t ctas)
      : problem_(problem), slotted_(slotted), ctas_(ctas) {}

  bool fine(const Formula& f) {
    return std::visit([&](const auto& node) { return look(node); }, f.node);
  }

 private:
  bool look(const Comparison& c) { return fine(*c.left) && fine(*c.right); }
  bool look(const Not& n) { return fine(*n.operand); }
  bool look(const AndOr& a) {
    return std::all_of(a.operands.begin(), a.operands.end(), [&](const FormulaPtr& f) { return fine(*f); });
  }
  bool look(const ForAll& f) {
    return within(f.variable, f.lo, f.hi, [&] { return fine(*f.body); });
  }
  bool look(const Constant&) { return true; }

  bool fine(const Expr& e) {
    return std::visit([&](const auto& node) { return look(node); }, e.node);
  }
  bool look(const Number&) { return true; }
  bool look(const Variable&) { return true; }
  bool look(const ThreadRegister&) { return false; }
  bool look(const BinaryExpr& b) { return fine(*b.left) && fine(*b.right); }
  bool look(const SumExpr& s) {
    return within(s.variable, s.lo, s.hi, [&] { return fine(*s.body); });
  }
  bool look(const Element& e) { return !slotted_[e.buffer.value] || mentions_sweep(*e.index); }

  // A variable that runs over all CTAs, or over a whole buffer, may index slots.
  template <class F>
  bool within(const std::string& variable, const ExprPtr& lo, const ExprPtr& hi, F&& body) {
    const auto* from = std::get_if<Number>(&lo->node);
    const auto* to = std::get_if<Number>(&hi->node);
    const bool whole =
        from != nullptr && to != nullptr && from->value == 0 && to->value == static_cast<std::int64_t>(ctas_);
    if (whole) sweeping_.push_back(variable);
    const bool result = body();
    if (whole) sweeping_.pop_back();
    return result;
  }
  bool mentions_sweep(const Expr& e) {
    if (const auto* v = std::get_if<Variable>(&e.node))
      return std::find(sweeping_.begin(), sweeping_.end(), v->name) != sweeping_.end();
    if (const auto* b = std::get_if<BinaryExpr>(&e.node))
      return mentions_sweep(*b->left) || mentions_sweep(*b->right);
    return false;
  }

  const Problem& problem_;
  const std::vector<bool>& slotted_;
  std::uint32_t ctas_;
  std::vector<std::string> sweeping_;
};

}  // namespace

std::string contract_is_symmetric(const Problem& problem, const std::vector<bool>& slotted,
                                  std::uint32_t ctas) {
  for (const Assertion& assertion : problem.contract.assertions)
    if (!ContractLook(problem, slotted, ctas).fine(*assertion.formula))
      return fmt::format("the contract tells CTAs apart: {}", assertion.text);
  if (problem.contract.filter) return "the contract has a filter";
  return "";
}

}  // namespace fencewise
