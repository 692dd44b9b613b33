#include "checker/explore/fence_order.h"

#include <algorithm>
#include <bit>

namespace fencewise {

bool FenceOrder::exists() { return exists_with({}); }

bool FenceOrder::exists_with(const std::function<bool(const Relations&)>& wanted) {
  wanted_ = wanted;
  a_ = b_ = no_event;
  return search(true);
}

bool FenceOrder::leaves_unordered(EventId a, EventId b) {
  a_ = a;
  b_ = b;
  wanted_ = [this](const Relations& r) { return !r.ordered(graph_, a_, b_); };
  return search(true);
}

bool FenceOrder::accepted() {
  relations_.derive(graph_);
  return !relations_.violated_axiom(graph_) && (!wanted_ || wanted_(relations_));
}

std::optional<Edge> FenceOrder::undetermined() const {
  for (const Edge& pair : relations_.fence_pairs)
    if (!relations_.base(pair.from, pair.to) && !relations_.base(pair.to, pair.from)) return pair;
  return std::nullopt;
}

// Adds the pairs that base causality orders already, so that the solution is a total order of the pairs.
void FenceOrder::complete() {
  const std::size_t chosen = graph_.fence_sc.size();
  for (const Edge& pair : relations_.fence_pairs) {
    const auto same = [&](const Edge& e) { return e == pair || e == Edge{pair.to, pair.from}; };
    if (std::any_of(graph_.fence_sc.begin(), graph_.fence_sc.begin() + static_cast<std::ptrdiff_t>(chosen),
                    same))
      continue;
    graph_.fence_sc.push_back(relations_.base(pair.to, pair.from) ? Edge{pair.to, pair.from} : pair);
  }
  relations_.derive(graph_);
}

// Orders every undetermined pair by a linear extension of base causality. If a and b shall stay unordered, what neither
// of them reaches comes first: then no new path leaves either of them towards the other.
void FenceOrder::order_by_base() {
  const std::size_t n = graph_.events.size();
  const auto reached = [&](EventId e) {
    return a_ != no_event && (relations_.base(a_, e) || relations_.base(b_, e));
  };
  std::vector<std::uint32_t> predecessors(n, 0);
  for (EventId e = 0; e < n; ++e) relations_.base.each(e, [&](EventId f) { ++predecessors[f]; });
  const auto before = [&](EventId x, EventId y) {
    if (reached(x) != reached(y)) return reached(y);
    return std::pair(predecessors[x], x) < std::pair(predecessors[y], y);
  };
  for (const Edge& pair : relations_.fence_pairs)
    if (!relations_.base(pair.from, pair.to) && !relations_.base(pair.to, pair.from))
      graph_.fence_sc.push_back(before(pair.from, pair.to) ? pair : Edge{pair.to, pair.from});
}

// Orders the pairs that would otherwise lead from a to b or back. Returns false if some pair would either way.
bool FenceOrder::force_apart() {
  const auto from = [&](EventId x, EventId e) { return x == e || relations_.base(x, e); };
  for (bool again = true; again;) {
    again = false;
    for (const Edge& pair : relations_.fence_pairs) {
      if (relations_.base(pair.from, pair.to) || relations_.base(pair.to, pair.from)) continue;
      const auto leads = [&](EventId f, EventId g) {
        return (from(a_, f) && from(g, b_)) || (from(b_, f) && from(g, a_));
      };
      const bool forth = leads(pair.from, pair.to), back = leads(pair.to, pair.from);
      if (forth && back) return false;
      if (!forth && !back) continue;
      graph_.fence_sc.push_back(forth ? Edge{pair.to, pair.from} : pair);
      again = true;
    }
    if (again && !accepted()) return false;
  }
  return true;
}

bool FenceOrder::search(bool try_whole) {
  const std::vector<Edge> before = graph_.fence_sc;
  const auto fail = [&] {
    graph_.fence_sc = before;
    return false;
  };
  if (goes_on_ && !goes_on_()) return fail();
  if (!accepted()) return fail();
  if (a_ != no_event && !force_apart()) return fail();
  const auto pair = undetermined();
  if (!pair) {
    complete();
    return true;
  }
  const std::vector<Edge> forced = graph_.fence_sc;
  if (try_whole) {
    order_by_base();
    if (accepted()) {
      complete();
      return true;
    }
    graph_.fence_sc = forced;
  }
  for (const Edge& choice : {*pair, Edge{pair->to, pair->from}}) {
    graph_.fence_sc = forced;
    graph_.fence_sc.push_back(choice);
    if (search(choice == *pair)) return true;
  }
  return fail();
}

}  // namespace fencewise
