#include "checker/check.h"

#include "checker/explore/plan_search.h"
#include "kernels/core/validate.h"

namespace fencewise {

Reading reading_of(const CheckOptions& options) {
  Reading reading = reading_of(options.model);
  reading.whole_vectors = options.vectors == Vectors::whole;
  return reading;
}

CheckResult check(const Problem& problem, const CheckOptions& options, const Limits& limits,
                  const Progress& progress) {
  validate(problem);
  return PlanSearch(problem, options, limits, progress).run();
}

}  // namespace fencewise
