// A report made by hand that has everything a report can have: for tests of text, JSON and DOT.
#pragma once

#include "checker/report/report.h"

namespace fencewise::testing {

// Two CTAs: one writes ws[0] and counts on sem; the other counts, reads ws[0] stale, and both meet at no barrier.
// Events: 0 init of ws[0], 1 write ws[0], 2 and 3 atomic on sem, 4 and 5 atomic on sem, 6 stale read of ws[0].
[[nodiscard]] WitnessLaunch stale_read();
[[nodiscard]] Report violated_report();
[[nodiscard]] Report verified_report();

}  // namespace fencewise::testing
