// Where the view explorer is exact.
//
// Its runs are the consistent executions in which program order, reads-from, the order of fence.sc and barriers have no cycle. A
// cycle in a consistent, race-free execution needs reads-from edges without synchronization on two locations, and a thread
// whose write does not depend on its read, or a fence.sc or barrier in the cycle. The look is at the text alone, for any number
// of threads and rounds: it declines where it is in doubt. docs/explorers.md has the argument.
#pragma once

#include <string>

#include "checker/explore/view/hierarchy.h"

namespace fencewise::view {

// Empty if the view explorer is exact for this launch, up to the first race; else why it may not be.
[[nodiscard]] std::string why_not_exact(const LaunchContext& context, Model model);

}  // namespace fencewise::view
