// What a finished behaviour of a launch leaves in memory.
#pragma once

#include "checker/explore/memory_image.h"
#include "checker/explore/partial_execution.h"
#include "memmodel/relations.h"

namespace fencewise {

// The memory after a behaviour in which every thread has ended: for each location written, the values of its
// coherence-maximal writes. `relations` are derived for the graph with a complete order of fence.sc; where another order
// leaves more writes unordered, that order is searched and left in graph and relations.
// Throws NotModelled where no single order shows all that some order shows.
[[nodiscard]] MemoryImage memory_after(PartialExecution& execution, Relations& relations);

}  // namespace fencewise
