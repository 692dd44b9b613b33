// Advice for a fault that test runs rarely show.
#pragma once

#include <string>

#include "checker/check.h"

namespace fencewise {

// Two sentences about a missing acquire: why the kernel mostly works on hardware all the same, and what to add where.
[[nodiscard]] std::string why_it_seems_to_work(const MissingAcquire& missing);

}  // namespace fencewise
