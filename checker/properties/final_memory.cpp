#include "checker/properties/final_memory.h"

#include <map>

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

// Among racing writes the order of fence.sc may decide which of them are ordered: find an order that leaves as many
// last writes as no order at all does.
Maxima widest_maxima(PartialExecution& x, Relations& r) {
  const Maxima some = maxima_of(x, r);
  if (x.graph.fence_sc.empty() || x.context().reading.interleaving()) return some;
  const std::vector<Edge> chosen = x.graph.fence_sc;
  x.graph.fence_sc.clear();
  r.derive(x.graph);
  const Maxima all = maxima_of(x, r);
  if (all == some || !several(all)) {
    x.graph.fence_sc = chosen;
    r.derive(x.graph);
    return some;
  }
  const auto shows_all = [&](const Relations& now) { return maxima_of(x, now) == all; };
  if (!FenceOrder(x.graph, r).exists_with(shows_all))
    throw NotModelled("racing writes whose order depends on the order of fence.sc are left in memory");
  return all;
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
