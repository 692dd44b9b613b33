#include "checker/properties/final_memory.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "checker/explore/fence_order.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

using Maxima = std::map<Location, std::vector<EventId>>;

// Writes that no write is coherence-after, for each location that some thread wrote.
Maxima maxima_of(const PartialExecution& x, const Relations& r) {
  Maxima maxima;
  for (EventId w = 0; w < x.graph.events.size(); ++w) {
    const Event& write = x.graph.events[w];
    if (write.kind != EventKind::write) continue;
    bool last = true;
    r.co.each(w, [&](EventId) { last = false; });
    if (last) maxima[write.location].push_back(w);
  }
  return maxima;
}

bool several(const Maxima& maxima) {
  for (const auto& [location, writes] : maxima)
    if (writes.size() > 1) return true;
  return false;
}

bool within(const Maxima& some, const Maxima& all) {
  return std::all_of(some.begin(), some.end(), [&](const auto& entry) {
    const auto& [location, writes] = entry;
    const auto& others = all.at(location);
    return std::includes(others.begin(), others.end(), writes.begin(), writes.end());
  });
}

// Every set of last writes that some order of fence.sc shows, unless another order shows more.
std::vector<Maxima> shown_by_some_order(PartialExecution& x, Relations& r) {
  std::vector<Maxima> found;
  const auto shows_more = [&](const Relations& now) {
    const Maxima maxima = maxima_of(x, now);
    return std::none_of(found.begin(), found.end(), [&](const Maxima& other) { return within(maxima, other); });
  };
  for (x.graph.fence_sc.clear(); FenceOrder(x.graph, r).exists_with(shows_more); x.graph.fence_sc.clear())
    found.push_back(maxima_of(x, r));
  return found;
}

// One location may show what either shows; two would have to agree on the order.
Maxima united(const std::vector<Maxima>& all) {
  Maxima sum = all.front();
  std::set<Location> differing;
  for (const Maxima& maxima : all)
    for (const auto& [location, writes] : maxima) {
      if (writes == sum.at(location)) continue;
      differing.insert(location);
      std::vector<EventId> both;
      std::set_union(writes.begin(), writes.end(), sum[location].begin(), sum[location].end(), std::back_inserter(both));
      sum[location] = std::move(both);
    }
  if (differing.size() > 1)
    throw NotModelled("racing writes of several locations whose order depends on the order of fence.sc are left in memory");
  return sum;
}

// Among racing writes the order of fence.sc may decide which of them are ordered. Nearly always some order leaves as many last
// writes as no order at all does.
Maxima widest_maxima(PartialExecution& x, Relations& r) {
  const Maxima some = maxima_of(x, r);
  if (x.graph.fence_sc.empty() || x.context().reading.interleaving()) return some;
  const std::vector<Edge> chosen = x.graph.fence_sc;
  const auto restore = [&] {
    x.graph.fence_sc = chosen;
    r.derive(x.graph);
  };
  x.graph.fence_sc.clear();
  r.derive(x.graph);
  const Maxima all = maxima_of(x, r);
  if (all == some || !several(all)) {
    restore();
    return some;
  }
  const auto shows_all = [&](const Relations& now) { return maxima_of(x, now) == all; };
  if (FenceOrder(x.graph, r).exists_with(shows_all)) return all;
  const std::vector<Maxima> shown = shown_by_some_order(x, r);
  restore();
  return united(shown);
}

}  // namespace

MemoryImage memory_after(PartialExecution& x, Relations& r) {
  MemoryImage memory = x.context().memory;
  for (const auto& [location, writes] : widest_maxima(x, r)) {
    const Allocation& allocation = x.context().image.memory[location.storage];
    if (!allocation.buffer) continue;  // shared and local arrays end with the launch
    std::vector<Value> values;
    for (const EventId w : writes) values.push_back(x.info[w].value);
    memory.set(*allocation.buffer, location.offset / location.size, std::move(values));
  }
  return memory;
}

}  // namespace fencewise
