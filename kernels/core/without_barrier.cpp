#include "kernels/core/without_barrier.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/flow.h"

namespace fencewise {
namespace {

constexpr std::string_view drop_barrier_prefix = "drop-barrier-";

// Reverse post-order. What a branch skips to is visited first, so that it comes after what the branch takes.
std::vector<BlockId> in_reading_order(const Kernel& kernel) {
  std::vector<BlockId> order;
  std::vector<bool> seen(kernel.blocks.size());
  struct Visit {
    BlockId block;
    std::vector<BlockId> next;  // to visit, the last one first
  };
  std::vector<Visit> stack;
  const auto enter = [&](BlockId block) {
    seen[block.value] = true;
    stack.push_back({block, successors(kernel.blocks[block.value])});
  };
  enter(BlockId{0});
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next.empty()) {
      order.push_back(visit.block);
      stack.pop_back();
    } else {
      const BlockId next = visit.next.back();
      visit.next.pop_back();
      if (!seen[next.value]) enter(next);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<InstructionRef> barriers_of(const Kernel& kernel) {
  std::vector<InstructionRef> barriers;
  for (const BlockId block : in_reading_order(kernel)) {
    const auto& instructions = kernel.blocks[block.value].instructions;
    for (std::uint32_t i = 0; i < instructions.size(); ++i)
      if (std::holds_alternative<Barrier>(instructions[i].operation)) barriers.push_back({block, i});
  }
  return barriers;
}

Kernel without_barrier(const Kernel& kernel, std::size_t n) {
  const std::vector<InstructionRef> barriers = barriers_of(kernel);
  if (n == 0 || n > barriers.size())
    throw InputError(fmt::format("{} has {} barrier{}, and no barrier {} to drop", kernel.name,
                                 barriers.size(), barriers.size() == 1 ? "" : "s", n));
  const InstructionRef dropped = barriers[n - 1];
  Kernel without = kernel;
  auto& instructions = without.blocks[dropped.block.value].instructions;
  instructions.erase(instructions.begin() + dropped.index);
  return without;
}

std::string drop_barrier_name(std::size_t n) { return fmt::format("{}{}", drop_barrier_prefix, n); }

std::optional<std::size_t> dropped_barrier(std::string_view variant) {
  if (!variant.starts_with(drop_barrier_prefix)) return std::nullopt;
  const char* const last = variant.data() + variant.size();
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(variant.data() + drop_barrier_prefix.size(), last, n);
  return error == std::errc() && end == last ? std::optional(n) : std::nullopt;
}

}  // namespace fencewise
