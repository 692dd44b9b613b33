// Data races of a behaviour: under some order of fence.sc a conflicting pair is neither morally strong nor ordered.
#pragma once

#include <functional>
#include <optional>

#include "checker/explore/partial_execution.h"
#include "memmodel/relations.h"

namespace fencewise {

// The first racing pair on a location that `interesting` accepts. On success graph.fence_sc is an order that shows it, and
// the relations are derived for it.
[[nodiscard]] std::optional<RacePair> find_race(PartialExecution& execution, Relations& relations,
                                                const std::function<bool(const Location&)>& interesting);

}  // namespace fencewise
