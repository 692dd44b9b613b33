#include "checker/check.h"

#include "checker/explore/lockstep.h"
#include "checker/explore/plan_search.h"
#include "kernels/core/validate.h"

namespace fencewise {

CheckResult check(const Problem& problem, const CheckOptions& options, const Limits& limits,
                  const Progress& progress) {
  validate(problem);
  if (options.progress.lanes == ProgressModel::lockstep) return PlanSearch(in_lockstep(problem), options, limits, progress).run();
  return PlanSearch(problem, options, limits, progress).run();
}

}  // namespace fencewise
