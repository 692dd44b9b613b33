#include "checker/properties/contract_check.h"

namespace fencewise {

bool restored(const Problem& problem, const MemoryImage& left, const MemoryImage& replay_entry) {
  for (const BufferId b : problem.contract.restored)
    for (std::uint64_t i = 0; i < left.length(b); ++i)
      if (replay_entry.all(b, i) != left.all(b, i)) return false;
  return true;
}

bool passes_filter(const Problem& problem, const FinalState& state, Terms& terms) {
  const Formula* filter = problem.contract.filter.get();
  return filter == nullptr || holds(*filter, state, terms, problem) == Truth::yes;
}

bool assertions_hold(const Problem& problem, const MemoryImage& left, const ContractPoint& point, Terms& terms) {
  const auto state_since = [&](const MemoryImage& entry) {
    return FinalState{[&left](BufferId b, std::uint64_t i) { return left.at(b, i); },
                      [&entry](BufferId b, std::uint64_t i) { return entry.at(b, i); }, point.registers};
  };
  if (!passes_filter(problem, state_since(point.replay_entry), terms)) return true;
  for (const Assertion& assertion : problem.contract.assertions) {
    if (assertion.when == When::each_replay && !point.ends_replay) continue;
    if (assertion.when == When::plan_end && !point.ends_plan) continue;
    const FinalState state = state_since(assertion.when == When::each_launch ? point.found : point.replay_entry);
    if (holds(*assertion.formula, state, terms, problem) != Truth::yes) return false;
  }
  return true;
}

}  // namespace fencewise
