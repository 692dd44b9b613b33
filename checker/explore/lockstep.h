// Lanes in lock-step, as code written before Volta assumes: the lanes of a warp that go the same way go it together, and at a branch
// on which they part they meet again at its immediate post-dominator before any of them goes on.
//
// It says who waits for whom, and nothing about memory: accesses of different lanes are ordered by no more than before, so a
// warp-synchronous tail without bar.warp.sync is a race under it too. Of the sides of a branch any may go first, and the other is
// promised nothing until they meet.
// Source: CUDA C++ Programming Guide, "SIMT Architecture" and, for what changed, "Independent Thread Scheduling".
#pragma once

#include <vector>

#include "kernels/core/problem.h"

namespace fencewise {

// The problem with meeting points, instructions without an effect: before each branch, and where its sides meet again.
[[nodiscard]] Problem in_lockstep(const Problem& problem);
[[nodiscard]] bool is_meeting_point(const Instruction& instruction);

// Which lanes a lane has to wait for at a meeting point of a kernel.
class MeetingPoints {
 public:
  explicit MeetingPoints(const Kernel& kernel);
  // Whether a lane that is at `from` may come to the meeting point before it comes to where those there go on: it is behind, or
  // going another round.
  [[nodiscard]] bool is_behind(InstructionRef from, InstructionRef point) const;

 private:
  std::vector<std::vector<bool>> comes_;  // [block of the meeting point][block]: from its end
  std::vector<std::vector<bool>> past_;   // [block][block] post-dominates it
};

}  // namespace fencewise
