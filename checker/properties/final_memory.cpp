#include "checker/properties/final_memory.h"

#include <algorithm>
#include <map>
#include <vector>

#include "checker/explore/fence_order.h"

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

// One order for every set of last writes that some order shows, unless another shows more.
std::vector<std::vector<Edge>> orders_that_differ(PartialExecution& x, Relations& r) {
  std::vector<Maxima> shown;
  std::vector<std::vector<Edge>> orders;
  const auto shows_more = [&](const Relations& now) {
    const Maxima maxima = maxima_of(x, now);
    return std::none_of(shown.begin(), shown.end(), [&](const Maxima& other) { return within(maxima, other); });
  };
  for (x.graph.fence_sc.clear(); FenceOrder(x.graph, r).exists_with(shows_more); x.graph.fence_sc.clear()) {
    shown.push_back(maxima_of(x, r));
    orders.push_back(x.graph.fence_sc);
  }
  return orders;
}

}  // namespace

std::vector<std::vector<Edge>> orders_of_last_writes(PartialExecution& x, Relations& r) {
  const std::vector<Edge> chosen = x.graph.fence_sc;
  if (chosen.empty() || x.context().reading.interleaving()) return {chosen};
  const Maxima some = maxima_of(x, r);
  x.graph.fence_sc.clear();
  r.derive(x.graph);
  const Maxima all = maxima_of(x, r);
  if (all == some || !several(all)) return {chosen};
  const auto shows_all = [&](const Relations& now) { return maxima_of(x, now) == all; };
  if (FenceOrder(x.graph, r).exists_with(shows_all)) return {x.graph.fence_sc};
  return orders_that_differ(x, r);
}

MemoryImage memory_after(const PartialExecution& x, const Relations& r) {
  MemoryImage memory = x.context().memory;
  for (const auto& [location, writes] : maxima_of(x, r)) {
    const Allocation& allocation = x.context().image.memory[location.storage];
    if (!allocation.buffer) continue;  // shared and local arrays end with the launch
    std::vector<Value> values;
    for (const EventId w : writes) values.push_back(x.info[w].value);
    memory.set(*allocation.buffer, location.offset / location.size, std::move(values));
  }
  return memory;
}

}  // namespace fencewise
