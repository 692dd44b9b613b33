// Every interleaving of a small program, one instruction of one thread after the other on one memory: what model `sc` means,
// said without events, relations or axioms.
//
// For one launch of a few threads without loops; an atomic is one step. Exponential in the number of instructions.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "kernels/core/problem.h"

namespace fencewise::testing {

struct Interleavings {
  std::set<std::string> final_states;  // as CheckResult::final_states spells them
  bool stuck = false;                  // in some interleaving a barrier is never met
};

// No value: outside what it knows (loops, warp operations, faults, barrier reductions, vectors, more than one launch).
[[nodiscard]] std::optional<Interleavings> interleave(const Problem& problem);

}  // namespace fencewise::testing
