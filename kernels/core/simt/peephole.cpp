#include "kernels/core/simt/peephole.h"

#include <bit>
#include <map>
#include <optional>

#include "kernels/core/flow.h"

namespace fencewise::simt {
namespace {

// --- moves of a result into its variable ---

// The move that makes `instruction`'s result a variable's value, if the two can be one instruction.
bool can_merge(const Instruction& instruction, const Instruction& next, const RegisterSet& live_afterwards,
               const Kernel& kernel) {
  const auto* op = std::get_if<Arithmetic>(&instruction.operation);
  const auto* move = std::get_if<Arithmetic>(&next.operation);
  if (op == nullptr || move == nullptr || instruction.guard || next.guard) return false;
  if (move->op != Arith::mov || !move->a.is_register() || move->a.reg() != op->dst) return false;
  if (move->dst == op->dst || live_afterwards.contains(op->dst)) return false;
  return move->type == kernel[op->dst].type && kernel[move->dst].type == kernel[op->dst].type;
}

Block merge_moves(const Block& block, BlockId id, const Kernel& kernel, const Liveness& liveness) {
  Block merged{block.label, {}};
  for (std::uint32_t i = 0; i < block.instructions.size(); ++i) {
    Instruction instruction = block.instructions[i];
    // There is always a third one: the block's terminator.
    if (i + 2 < block.instructions.size() &&
        can_merge(instruction, block.instructions[i + 1], liveness.before({id, i + 2}), kernel)) {
      ++i;
      std::get<Arithmetic>(instruction.operation).dst =
          std::get<Arithmetic>(block.instructions[i].operation).dst;
    }
    merged.instructions.push_back(std::move(instruction));
  }
  return merged;
}

// --- division ---

void divide_by_shifting(Instruction& instruction) {
  auto* a = std::get_if<Arithmetic>(&instruction.operation);
  if (a == nullptr || a->b.kind != Operand::Kind::immediate || is_signed(a->type) || is_float(a->type))
    return;
  const std::uint64_t divisor = truncate(a->type, a->b.bits);
  if (!std::has_single_bit(divisor)) return;
  if (a->op == Arith::rem) {
    a->op = Arith::bit_and;
    a->b = Operand::imm(divisor - 1);
  } else if (a->op == Arith::div) {
    a->op = Arith::shr;
    a->b = Operand::imm(static_cast<std::uint64_t>(std::countr_zero(divisor)));
  }
}

// --- constants in indices ---

struct Sum {  // base + constant, modulo 2^32
  Operand base;
  std::uint32_t constant = 0;
};

class IndexFolder {
 public:
  explicit IndexFolder(const Kernel& kernel) : kernel_(kernel) {}

  std::vector<std::uint32_t> fold(Block& block) {
    sums_.clear();
    std::vector<std::uint32_t> plus(block.instructions.size(), 0);
    for (std::size_t i = 0; i < block.instructions.size(); ++i) {
      Instruction& instruction = block.instructions[i];
      if (Address* address = address_of(instruction)) plus[i] = fold(*address);
      const std::optional<Sum> sum = sum_of(instruction);
      for (const RegisterId r : registers_written(instruction)) forget(r);
      if (sum) sums_[std::get<Arithmetic>(instruction.operation).dst.value] = *sum;
    }
    return plus;
  }

 private:
  static Address* address_of(Instruction& instruction) {
    Access* access = nullptr;
    if (auto* load = std::get_if<Load>(&instruction.operation)) access = &load->access;
    if (auto* store = std::get_if<Store>(&instruction.operation)) access = &store->access;
    if (auto* atomic = std::get_if<Atomic>(&instruction.operation)) access = &atomic->access;
    return access != nullptr && access->address.array ? &access->address : nullptr;
  }

  std::uint32_t fold(Address& address) const {
    if (!address.index.is_register()) return 0;
    const auto it = sums_.find(address.index.index);
    if (it == sums_.end()) return 0;
    address.index = it->second.base;
    return it->second.constant;
  }

  [[nodiscard]] bool has_type(const Operand& operand, Type type) const {
    if (operand.kind == Operand::Kind::special) return type == Type::u32;
    return operand.is_register() && kernel_[operand.reg()].type == type;
  }

  // `r = base + constant` in 32 bits; sums of sums are put together.
  [[nodiscard]] std::optional<Sum> sum_of(const Instruction& instruction) const {
    const auto* a = std::get_if<Arithmetic>(&instruction.operation);
    if (a == nullptr || instruction.guard || (a->op != Arith::add && a->op != Arith::sub))
      return std::nullopt;
    if ((a->type != Type::u32 && a->type != Type::s32) || kernel_[a->dst].type != a->type)
      return std::nullopt;
    const bool swapped = a->op == Arith::add && a->a.kind == Operand::Kind::immediate;
    const Operand &base = swapped ? a->b : a->a, &constant = swapped ? a->a : a->b;
    if (constant.kind != Operand::Kind::immediate || !has_type(base, a->type)) return std::nullopt;
    const auto bits = static_cast<std::uint32_t>(constant.bits);
    Sum sum{base, a->op == Arith::add ? bits : 0U - bits};
    if (base.is_register()) {
      if (base.reg() == a->dst) return std::nullopt;
      const auto inner = sums_.find(base.index);
      if (inner != sums_.end()) sum = {inner->second.base, inner->second.constant + sum.constant};
    }
    if (sum.base.is_register() && sum.base.reg() == a->dst) return std::nullopt;
    return sum;
  }

  void forget(RegisterId written) {
    sums_.erase(written.value);
    std::erase_if(sums_, [&](const auto& entry) {
      return entry.second.base.is_register() && entry.second.base.reg() == written;
    });
  }

  const Kernel& kernel_;
  std::map<std::uint32_t, Sum> sums_;  // register -> what it is, at this point of the block
};

// --- what nobody reads ---

bool is_dead(const Instruction& instruction, const RegisterSet& live_after) {
  const auto* a = std::get_if<Arithmetic>(&instruction.operation);
  return a != nullptr && !is_multiply_add(*a) && !live_after.contains(a->dst);
}

bool drop_dead(Simplified& s) {
  bool dropped = false;
  const Liveness liveness(s.kernel, {}, Prints::count);
  for (std::uint32_t b = 0; b < s.kernel.blocks.size(); ++b) {
    Block& block = s.kernel.blocks[b];
    Block kept{block.label, {}};
    std::vector<std::uint32_t> plus;
    for (std::uint32_t i = 0; i < block.instructions.size(); ++i) {
      if (i + 1 < block.instructions.size() &&
          is_dead(block.instructions[i], liveness.before({BlockId{b}, i + 1}))) {
        dropped = true;
        continue;
      }
      kept.instructions.push_back(std::move(block.instructions[i]));
      plus.push_back(s.index_plus[b][i]);
    }
    block = std::move(kept);
    s.index_plus[b] = std::move(plus);
  }
  return dropped;
}

}  // namespace

bool is_multiply_add(const Arithmetic& a) {
  return a.op == Arith::fma || (a.op == Arith::mad && is_float(a.type));
}

Simplified simplify(const Kernel& kernel) {
  Simplified s{kernel, {}};
  {
    const Liveness liveness(kernel, {}, Prints::count);
    for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
      s.kernel.blocks[b] = merge_moves(kernel.blocks[b], BlockId{b}, kernel, liveness);
  }
  for (Block& block : s.kernel.blocks)
    for (Instruction& instruction : block.instructions) divide_by_shifting(instruction);
  IndexFolder folder(kernel);
  for (Block& block : s.kernel.blocks) s.index_plus.push_back(folder.fold(block));
  while (drop_dead(s)) {
  }
  return s;
}

}  // namespace fencewise::simt
