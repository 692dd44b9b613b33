// The order of a plan's launches, and where it may be cut.
//
// Launches of one stream follow each other, and each follows those that it waits for. A *stage* is a smallest run of launches
// such that every launch before it comes before all of its own, and every launch behind it after them: everything that a stage
// does happens before the next. A stage of one launch is a launch alone; those of a larger one may overlap.
// Source: CUDA C++ Programming Guide, "Streams" and "Events" (streams here are non-blocking: stream 0 has no special role).
#pragma once

#include <vector>

#include "kernels/core/problem.h"

namespace fencewise {

struct Stage {
  std::vector<LaunchId> launches;  // ascending, so that each comes behind those it waits for
  std::vector<std::vector<bool>>
      before;  // [later][earlier] of `launches`: the later waits for the earlier, or for one that does

  [[nodiscard]] bool is_before(std::size_t earlier, std::size_t later) const {
    return before[later][earlier];
  }
};

// One replay of the plan, in stages. O(n^2) for n launches.
[[nodiscard]] std::vector<Stage> stages_of(const Problem& problem);
[[nodiscard]] Stage stage_of(LaunchId alone);

}  // namespace fencewise
