// Whether the reads that have no source yet can still get one: a necessary condition that cuts hopeless branches.
#pragma once

#include <functional>

#include "checker/explore/partial_execution.h"
#include "memmodel/relations.h"

namespace fencewise {

// True if thread `t` may still issue a write to `location` (by what control can reach from where it stopped).
[[nodiscard]] bool may_still_write(const PartialExecution& execution, ThreadId t, const Location& location);

// False if some read without source can get none: every write it might read from, there or to come, waits for that very
// read, or for another that is as hopeless. No-Thin-Air forbids such circles. `may_read(read, write)` says whether a write
// that is there, of the read's location, is still to be tried. O(reads * writes) a round.
[[nodiscard]] bool feasible(const PartialExecution& execution,
                            const std::function<bool(EventId, EventId)>& may_read);

}  // namespace fencewise
