#include "checker/check.h"

#include "checker/explore/lockstep.h"
#include "checker/explore/plan_search.h"
#include "checker/properties/determinism.h"
#include "kernels/core/validate.h"

namespace fencewise {

Reading reading_of(const CheckOptions& options) {
  Reading reading = reading_of(options.model);
  reading.whole_vectors = options.vectors == Vectors::whole;
  return reading;
}

namespace {

CheckResult check_valid(const Problem& problem, const CheckOptions& options, Limits limits, const Progress& progress) {
  if (!options.determinism) return PlanSearch(problem, options, limits, progress).run();
  if (!limits.since) limits.since = Limits::Clock::now();
  const Problem ordered = with_ordered_sums(problem);
  // What is wrong in itself is told first.
  CheckOptions in_any_order = options;
  in_any_order.determinism = false;
  CheckResult sums = PlanSearch(problem, in_any_order, limits, progress).run();
  if (sums.verdict != Verdict::verified) return sums;
  CheckResult result = PlanSearch(ordered, options, limits, progress).run();
  result.seconds += sums.seconds;
  if (result.verdict == Verdict::verified)
    result.reason = "each output is the same in every order of execution, with sums of floats as ordered expressions";
  return result;
}

}  // namespace

CheckResult check(const Problem& problem, const CheckOptions& options, const Limits& limits,
                  const Progress& progress) {
  validate(problem);
  if (options.progress.lanes == ProgressModel::lockstep) return check_valid(in_lockstep(problem), options, limits, progress);
  return check_valid(problem, options, limits, progress);
}

}  // namespace fencewise
