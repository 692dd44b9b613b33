// What PTX asks of threads that are at barriers of their CTA at a time. What breaks it has no defined outcome.
//
// Source: PTX ISA 9.1, "bar, barrier" (9.7.13.1): one thread count for a barrier; no thread comes back to a barrier that still
// counts its arrival; reductions are not mixed with others; the lanes of a warp come to an aligned barrier together.
#pragma once

#include <vector>

#include "kernels/core/address_space.h"
#include "memmodel/execution_graph.h"

namespace fencewise {

// A thread at a barrier of its CTA.
struct AtBarrier {
  ThreadId thread = 0;
  InstructionRef where;
};

[[nodiscard]] const Barrier& barrier_of(const LaunchImage& image, const AtBarrier& at);

// Two threads of one phase, of which one takes part in a reduction and the other does not.
[[nodiscard]] bool mixes_reduction(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b);
// Two lanes of one warp at different instructions, an aligned barrier among them.
[[nodiscard]] bool parts_lanes(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b);

// An aligned barrier that all threads of the CTA come to.
[[nodiscard]] bool wants_whole_warps(const Barrier& barrier);
[[nodiscard]] bool of_one_warp(const LaunchImage& image, ThreadId a, ThreadId b);

// What of a kernel lies behind its barriers: accesses and fences that a barrier of whole warps leads to, and that none can follow. A
// lane that exits after one of them has gone past a barrier, should others of its warp be at one. (A lane that returns before has
// not: compilers leave `if (t >= n) return;` before barriers, and nobody waits for who has exited.)
class BehindBarriers {
 public:
  explicit BehindBarriers(const Kernel& kernel);
  [[nodiscard]] bool has(InstructionRef ref) const { return behind_[ref.block.value][ref.index]; }

 private:
  std::vector<std::vector<bool>> behind_;  // [block][instruction]
};

}  // namespace fencewise
