// What can be said of a kernel's control flow and data flow without running it.
//
// For valid kernels (validate.h). Analyses are computed once, in the constructor or the function; lookups are O(1).
// Dominators follow Lengauer and Tarjan (TOPLAS 1979), by Boost.Graph.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/core/id_set.h"
#include "kernels/core/kernel.h"

namespace fencewise {

using RegisterSet = IdSet<RegisterId>;
using ArraySet = IdSet<ArrayId>;

// Where control may go from the end of a block, each block once. Empty after an exit or trap.
[[nodiscard]] std::vector<BlockId> successors(const Block& block);

// In order of appearance; a register may occur twice. The guard's predicate is read too.
[[nodiscard]] std::vector<RegisterId> registers_read(const Instruction& instruction);
[[nodiscard]] std::vector<RegisterId> registers_written(const Instruction& instruction);
// What a Print shows, which is not among what is read.
[[nodiscard]] std::vector<RegisterId> registers_shown(const Instruction& instruction);

// Whether control may get from behind `from` to `to` without passing an instruction that `stops`.
[[nodiscard]] bool may_reach(const Kernel& kernel, InstructionRef from, InstructionRef to,
                             const std::function<bool(const Instruction&)>& stops = nullptr);

// Whether what a Print shows counts as read.
enum class Prints : std::uint8_t { pass, count };

// Which registers may still be read before they are written again, by something else than arithmetic whose result nobody reads.
// A guarded write kills nothing.
class Liveness {
 public:
  // `live_at_exit`: registers that something reads after the thread's end (a litmus condition).
  explicit Liveness(const Kernel& kernel, std::span<const RegisterId> live_at_exit = {}, Prints prints = Prints::pass);

  // Before the instruction runs.
  [[nodiscard]] const RegisterSet& before(InstructionRef ref) const {
    return before_[ref.block.value][ref.index];
  }

 private:
  std::vector<std::vector<RegisterSet>> before_;  // [block][instruction]
};

// The arrays that some instructions may access.
struct AccessSet {
  ArraySet arrays;
  bool unknown = false;  // an address without an array, or something not modelled: any array

  [[nodiscard]] bool may_touch(ArrayId array) const { return unknown || arrays.contains(array); }
};

// What a thread may still access: by the instruction itself and all that control can reach from it.
// An atomic both reads and writes. Arrays are the kernel's names: two may stand for one buffer.
class MayAccess {
 public:
  explicit MayAccess(const Kernel& kernel);

  [[nodiscard]] const AccessSet& read_from(InstructionRef ref) const {
    return read_[ref.block.value][ref.index];
  }
  [[nodiscard]] const AccessSet& written_from(InstructionRef ref) const {
    return written_[ref.block.value][ref.index];
  }

 private:
  std::vector<std::vector<AccessSet>> read_, written_;  // [block][instruction]
};

// [block]: the first block that every path from this one to the end of the thread passes; where a diverged warp
// meets again. No value: only the end itself, or the block never reaches the end (an endless loop).
// A trap is an end. Paths that never end don't count.
[[nodiscard]] std::vector<std::optional<BlockId>> immediate_post_dominators(const Kernel& kernel);

// [block]: the last block that every path from the entry to this one passes. No value: the entry itself, or
// unreachable.
[[nodiscard]] std::vector<std::optional<BlockId>> immediate_dominators(const Kernel& kernel);

struct BackEdge {
  BlockId latch, header;
  friend bool operator==(const BackEdge&, const BackEdge&) = default;
};
// Edges to a block that dominates their source, by latch. Unreachable blocks have none.
[[nodiscard]] std::vector<BackEdge> back_edges(const Kernel& kernel);

// A natural loop: all back edges to one header, and the blocks that reach them without passing the header.
struct Loop {
  BlockId header;
  std::vector<BlockId> latches;
  std::vector<BlockId> blocks;  // ascending, the header among them
};
[[nodiscard]] std::vector<Loop> natural_loops(const Kernel& kernel);  // by header

// True if every cycle that control can take passes the header of a natural loop. Structured programs are; a goto
// into the middle of a loop is not, and then back_edges does not cut every cycle.
[[nodiscard]] bool is_reducible(const Kernel& kernel);

}  // namespace fencewise
