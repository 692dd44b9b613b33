#include "kernels/frontend/litmus/residual_blocks.h"

#include <optional>
#include <utility>

#include "kernels/core/flow.h"

namespace fencewise::litmus {
namespace {

std::optional<BlockId> only_successor(const Block& block) {
  const auto* branch = std::get_if<Branch>(&block.instructions.back().operation);
  return branch == nullptr ? std::nullopt : std::optional(branch->target);
}

void append(Block& block, Block next) {
  block.instructions.pop_back();
  for (Instruction& instruction : next.instructions) block.instructions.push_back(std::move(instruction));
}

// Where control gets from a block by gotos alone. An empty endless loop leads to itself.
BlockId destination(const std::vector<Block>& blocks, BlockId id) {
  for (std::size_t hops = 0; hops < blocks.size() && blocks[id.value].instructions.size() == 1; ++hops) {
    const auto next = only_successor(blocks[id.value]);
    if (!next) break;
    id = *next;
  }
  return id;
}

template <typename Rename> void retarget(Operation& end, const Rename& rename) {
  if (auto* branch = std::get_if<Branch>(&end)) branch->target = rename(branch->target);
  if (auto* branch = std::get_if<CondBranch>(&end)) {
    branch->taken = rename(branch->taken);
    branch->otherwise = rename(branch->otherwise);
  }
}

class Layout {
 public:
  Layout(std::vector<Block> blocks, BlockId exit)
      : blocks_(std::move(blocks)), exit_(exit), predecessors_(blocks_.size()), placed_(blocks_.size()) {
    for (Block& block : blocks_) {
      retarget(block.instructions.back().operation, [&](BlockId id) { return destination(blocks_, id); });
    }
    entry_ = destination(blocks_, BlockId{0});
    count_predecessors();
  }

  std::vector<Block> run() {
    place(entry_);
    finish_with_exit();
    for (Block& block : order_) {
      retarget(block.instructions.back().operation,
               [&](BlockId id) { return BlockId{placed_[id.value].value()}; });
    }
    return std::move(order_);
  }

 private:
  // Of blocks that the entry reaches.
  void count_predecessors() {
    std::vector<bool> seen(blocks_.size());
    std::vector<BlockId> pending{entry_};
    ++predecessors_[entry_.value];  // the start of the thread
    while (!pending.empty()) {
      const BlockId id = pending.back();
      pending.pop_back();
      if (seen[id.value]) continue;
      seen[id.value] = true;
      for (const BlockId next : successors(blocks_[id.value])) {
        ++predecessors_[next.value];
        pending.push_back(next);
      }
    }
  }

  // In the order of a reader: what a branch falls into comes next.
  void place(BlockId first) {
    std::vector<BlockId> pending{first};
    while (!pending.empty()) {
      const BlockId id = pending.back();
      pending.pop_back();
      if (id.value == exit_.value || placed_[id.value]) continue;
      placed_[id.value] = static_cast<std::uint32_t>(order_.size());
      Block block = blocks_[id.value];
      while (const auto next = only_successor(block)) {
        if (next->value == exit_.value || predecessors_[next->value] != 1) break;
        append(block, blocks_[next->value]);
      }
      const Operation& end = block.instructions.back().operation;
      if (const auto* branch = std::get_if<Branch>(&end)) pending.push_back(branch->target);
      if (const auto* branch = std::get_if<CondBranch>(&end)) {
        pending.push_back(branch->taken);
        pending.push_back(branch->otherwise);
      }
      order_.push_back(std::move(block));
    }
  }

  void finish_with_exit() {
    if (predecessors_[exit_.value] == 1 && !order_.empty()) {
      const auto next = only_successor(order_.back());
      if (next && next->value == exit_.value) {
        append(order_.back(), blocks_[exit_.value]);
        return;
      }
    }
    placed_[exit_.value] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(blocks_[exit_.value]);
  }

  std::vector<Block> blocks_;
  BlockId exit_;
  BlockId entry_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::optional<std::uint32_t>> placed_;
  std::vector<Block> order_;
};

}  // namespace

std::vector<Block> tidy(std::vector<Block> blocks, BlockId exit) {
  return Layout(std::move(blocks), exit).run();
}

}  // namespace fencewise::litmus
