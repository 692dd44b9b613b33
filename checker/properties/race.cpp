#include "checker/properties/race.h"

#include <algorithm>

#include "checker/explore/fence_order.h"

namespace fencewise {

std::optional<RacePair> find_race(PartialExecution& x, Relations& r,
                                  const std::function<bool(const Location&)>& interesting) {
  if (!x.context().reading.has_races) return std::nullopt;
  const std::vector<Edge> chosen = x.graph.fence_sc;
  if (!chosen.empty()) {
    // Without any fence.sc edge the fewest pairs are ordered: every race is among these.
    x.graph.fence_sc.clear();
    r.derive(x.graph);
  }
  std::optional<RacePair> found;
  for (const RacePair& pair : r.races(x.graph)) {
    if (!interesting(x.graph.events[pair.first].location)) continue;
    if (!chosen.empty()) {
      x.graph.fence_sc.clear();
      if (!FenceOrder(x.graph, r).leaves_unordered(pair.first, pair.second)) continue;
    }
    found = pair;
    break;
  }
  if (!found && !chosen.empty()) {
    x.graph.fence_sc = chosen;
    r.derive(x.graph);
  }
  return found;
}

}  // namespace fencewise
