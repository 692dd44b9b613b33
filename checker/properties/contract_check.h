// Whether what a launch leaves in memory is as the contract wants it; yes or no, for hot loops. examine.h says what is wrong.
#pragma once

#include <functional>

#include "checker/explore/memory_image.h"
#include "checker/properties/formula.h"
#include "kernels/core/problem.h"

namespace fencewise {

// What a contract speaks of besides the memory that is left.
struct ContractPoint {
  const MemoryImage& found;         // as the launch found it
  const MemoryImage& replay_entry;  // as the replay found it
  std::function<Value(std::uint32_t thread, RegisterId)> registers;  // of the threads as they ended
  bool ends_replay = true;
  bool ends_plan = true;
};

// Whether a final state counts: the contract has no filter, or the state satisfies it.
[[nodiscard]] bool passes_filter(const Problem& problem, const FinalState& state, Terms& terms);
// Whether the assertions hold (Quantifier::always), of a state that counts. Throws InputError where a formula itself is wrong.
[[nodiscard]] bool assertions_hold(const Problem& problem, const MemoryImage& left, const ContractPoint& point, Terms& terms);
// Whether what must be left as it was found is.
[[nodiscard]] bool restored(const Problem& problem, const MemoryImage& left, const MemoryImage& replay_entry);

}  // namespace fencewise
