// Runs a random kernel's statement tree thread by thread and counts by the rules of docs/ledgers.md, as literally as
// possible: no segments, no patterns, no caches. Slow and obviously right.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/simt/counters.h"
#include "tests/support/random_kernel.h"

namespace fencewise::testing {

struct LockstepResult {
  std::vector<std::uint32_t> global, out;
  Counters counters;
  // [thread of the grid]: its loads, stores, atomics and barriers.
  std::vector<std::uint64_t> memory_and_barriers;
};
[[nodiscard]] LockstepResult run_lockstep(const RandomKernel& random);

// The same kernel through the one-thread interpreter: the threads of a block take their steps in turn, statement by
// statement in the interpreter's sense. Only for tidy kernels without shuffles and votes.
struct RoundRobinResult {
  std::vector<std::uint32_t> global, out;
  std::vector<std::uint64_t> memory_and_barriers;  // [thread of the grid]
};
[[nodiscard]] RoundRobinResult run_round_robin(const RandomKernel& random);

}  // namespace fencewise::testing
