#include "checker/explore/plan_steps.h"

#include <algorithm>

#include "kernels/core/error.h"

namespace fencewise {

PlanSteps::PlanSteps(const Problem& problem) : stages_(stages_of(problem)), replays_(problem.replays) {
  const bool overlap =
      std::any_of(stages_.begin(), stages_.end(), [](const Stage& s) { return s.launches.size() > 1; });
  const auto& assertions = problem.contract.assertions;
  if (overlap && std::any_of(assertions.begin(), assertions.end(),
                             [](const Assertion& a) { return a.when == When::each_launch; }))
    throw NotModelled("an assertion after each launch, where launches overlap");
}

PlanPoint PlanSteps::point(std::size_t step, const MemoryImage& replay_entry) const {
  PlanPoint point;
  point.number = {replay(step), stage(step).launches.front().value + 1};
  point.ends_replay = begins_replay(step + 1);
  point.ends_plan = step + 1 == size();
  point.replay_entry = &replay_entry;
  return point;
}

}  // namespace fencewise
