// What a finished behaviour of a launch leaves in memory.
#pragma once

#include "checker/explore/memory_image.h"
#include "checker/explore/partial_execution.h"
#include "memmodel/relations.h"

namespace fencewise {

// The memory after a behaviour in which every thread has ended, under its order of fence.sc: for each location written, the
// values of its coherence-maximal writes. `relations` are derived for the graph.
[[nodiscard]] MemoryImage memory_after(const PartialExecution& execution, const Relations& relations);

// Which racing writes are ordered may depend on the order of fence.sc. These orders together show every memory that the
// behaviour may leave: nearly always one does. `graph.fence_sc` and `relations` are used as work space and not restored.
[[nodiscard]] std::vector<std::vector<Edge>> orders_of_last_writes(PartialExecution& execution, Relations& relations);

}  // namespace fencewise
