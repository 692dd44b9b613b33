// Findings of launches that are too large for the whole execution graph of a counterexample to be judged: the accesses alone.
#pragma once

#include "checker/check.h"
#include "checker/explore/view/retrace.h"
#include "checker/properties/examine.h"

namespace fencewise {

// The race, or the read of memory that nobody wrote, in which a path ends.
[[nodiscard]] Finding access_finding(const LaunchContext& context, const view::Retrace& path, LaunchNumber number);

}  // namespace fencewise
