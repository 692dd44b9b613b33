#include "checker/properties/contract_check.h"

#include "checker/properties/formula.h"

namespace fencewise {

bool restored(const Problem& problem, const MemoryImage& left, const MemoryImage& replay_entry) {
  for (const BufferId b : problem.contract.restored)
    for (std::uint64_t i = 0; i < left.length(b); ++i)
      if (replay_entry.all(b, i) != left.all(b, i)) return false;
  return true;
}

bool assertions_hold(const Problem& problem, const MemoryImage& left, const ContractPoint& point, Terms& terms) {
  const Contract& contract = problem.contract;
  for (const Assertion& assertion : contract.assertions) {
    if (assertion.when == When::each_replay && !point.ends_replay) continue;
    if (assertion.when == When::plan_end && !point.ends_plan) continue;
    const MemoryImage& entry = assertion.when == When::each_launch ? point.found : point.replay_entry;
    const FinalState state{[&](BufferId b, std::uint64_t i) { return left.at(b, i); },
                           [&](BufferId b, std::uint64_t i) { return entry.at(b, i); },
                           point.registers};
    if (holds(*assertion.formula, state, terms, problem) != Truth::yes) return false;
  }
  return true;
}

}  // namespace fencewise
