#include "checker/explore/graph_explorer.h"

#include <algorithm>

#include "checker/explore/feasibility.h"
#include "checker/explore/fence_order.h"

namespace fencewise {

PartialExecution& GraphExplorer::at(std::size_t depth) {
  while (stack_.size() <= depth) stack_.push_back(std::make_unique<PartialExecution>(context_));
  return *stack_[depth];
}

bool GraphExplorer::explore(const Visitor& visitor) {
  visitor_ = visitor;
  at(0) = PartialExecution(context_);
  at(0).advance();
  return visit(0);
}

// Returns false to stop the whole search.
bool GraphExplorer::visit(std::size_t depth) {
  (void)at(depth + 1);
  PartialExecution& here = at(depth);
  for (;;) {
    ++stats_.steps;
    if (!budget_.spend(stats_)) return false;
    relations_.prepare(here.graph, context_.reading);
    relations_.derive(here.graph);
    if (relations_.violated_axiom(here.graph)) return true;
    if (const auto open = here.open_phase()) {
      if (!choose_meeting(depth, *open)) return false;
      if (!open->may_wait) return true;
      here.leave_open(open->first);
      continue;
    }
    const bool all_chosen = std::none_of(here.info.begin(), here.info.end(), [&](const EventInfo& i) {
      const auto e = static_cast<EventId>(&i - here.info.data());
      return here.graph.events[e].is_read() && here.graph.rf[e] == no_event;
    });
    if (all_chosen) return leaf(depth);
    if (!feasible(here)) return true;
    const Choice choice = choose(here);
    if (choice.read == no_event) return true;  // what is left waits for writes that never come
    for (const EventId source : choice.sources) {
      PartialExecution& child = at(depth + 1);
      child = here;
      child.choose(choice.read, source);
      child.advance();
      if (!visit(depth + 1)) return false;
    }
    if (!choice.may_wait) return true;
    here.info[choice.read].not_before = here.stamp + 1;
  }
}

// --- Choosing ---

// The read to decide next: one with a single possible source if there is one, else a strong one (what it reads may
// synchronize, and then decide weak ones), else the one with the fewest sources.
GraphExplorer::Choice GraphExplorer::choose(const PartialExecution& x) const {
  Choice best;
  std::size_t best_rank = 0;
  for (EventId r = 0; r < x.graph.events.size(); ++r) {
    const Event& read = x.graph.events[r];
    if (!read.is_read() || x.graph.rf[r] != no_event || !read.location.known()) continue;
    Choice choice{r, sources(x, r), false};
    if (choice.sources.empty()) continue;
    choice.may_wait = may_wait(x, r);
    const std::size_t branches = choice.sources.size() + (choice.may_wait ? 1 : 0);
    if (branches == 1) return choice;
    const std::size_t rank = (is_strong(read.order) ? 0 : 1'000'000) + branches;
    if (best.read != no_event && rank >= best_rank) continue;
    best = std::move(choice);
    best_rank = rank;
  }
  return best;
}

std::vector<EventId> GraphExplorer::sources(const PartialExecution& x, EventId r) const {
  std::vector<EventId> found;
  const Event& read = x.graph.events[r];
  for (EventId w = 0; w < x.graph.events.size(); ++w) {
    const Event& write = x.graph.events[w];
    if (!write.is_write() || write.location != read.location || w == read.rmw) continue;
    if (x.info[w].visible_since < x.info[r].not_before || excluded(x, r, w)) continue;
    found.push_back(w);
  }
  return found;
}

// True if reading `w` would break an axiom for sure, by relations that can only grow.
bool GraphExplorer::excluded(const PartialExecution& x, EventId r, EventId w) const {
  if (relations_.cause(r, w) || (relations_.po(r, w) && relations_.ms(r, w))) return true;
  bool overwritten = false;
  relations_.co.each(w, [&](EventId newer) { overwritten |= relations_.cause(newer, r); });
  if (overwritten) return true;
  // Two atomics that are morally strong to each other never read one write that both follow in coherence: the initial one,
  // or one that is morally strong to both. (Racing with a weak write they may: it is unordered with what they write.)
  const EventId own = x.graph.events[r].rmw;
  if (own == no_event) return false;
  const auto follows = [&](EventId atomic) { return x.graph.events[w].kind == EventKind::init || relations_.ms(w, atomic); };
  for (EventId other = 0; other < x.graph.events.size(); ++other) {
    const EventId theirs = x.graph.events[other].rmw;
    if (x.graph.rf[other] == w && theirs != no_event && other != r && relations_.ms(r, theirs) && relations_.ms(other, own) &&
        relations_.ms(own, theirs) && follows(r) && follows(other))
      return true;
  }
  return false;
}

// A write still to come may be the source: by another thread that is not ordered after the read, or one whose location or
// existence is open. Writes to come of the reader's own thread follow it in program order. Where there are proxies or
// aliases, order alone does not keep a read from a later write.
bool GraphExplorer::may_wait(const PartialExecution& x, EventId r) const {
  const Event& read = x.graph.events[r];
  for (EventId w = 0; w < x.graph.events.size(); ++w) {
    const Event& e = x.graph.events[w];
    if (e.is_write() && !e.location.known() && (context_.proxies || !relations_.base(r, w))) return true;
    const bool open_cas = e.rmw == no_event && x.info[w].undecided;
    if (open_cas && w != r && (!e.location.known() || e.location == read.location) &&
        (context_.proxies || !relations_.base(r, w)))
      return true;
  }
  for (ThreadId t = 0; t < x.threads.size(); ++t) {
    if ((t == read.thread && !context_.proxies) || !may_still_write(x, t, read.location)) continue;
    if (context_.proxies) return true;
    // Whatever the thread does next follows its last event.
    const auto& events = x.threads[t].events;
    const bool after = !events.empty() && std::any_of(events.back().begin(), events.back().end(), [&](EventId e) {
                         return e != no_event && relations_.base(r, e);
                       });
    if (!after) return true;
  }
  return false;
}

// Tries each group of threads that may meet at a barrier.
bool GraphExplorer::choose_meeting(std::size_t depth, const PartialExecution::OpenPhase& open) {
  for (const auto& group : open.groups) {
    PartialExecution& child = at(depth + 1);
    child = at(depth);
    child.complete(group);
    child.advance();
    if (!visit(depth + 1)) return false;
  }
  return true;
}

// --- Leaves ---

bool GraphExplorer::leaf(std::size_t depth) {
  if (at(depth).phase_overdue()) return true;  // it waited for an arrival that never came
  if (!leaf_) leaf_ = std::make_unique<PartialExecution>(context_);
  *leaf_ = at(depth);
  return choose_quorums(*leaf_, 0);
}

// Litmus dialect, versioned models: of the arrivals at a barrier with count N, some N met. More than N would only order more.
bool GraphExplorer::choose_quorums(PartialExecution& x, std::size_t phase) {
  while (phase < x.phases.size() && x.phases[phase].quorum == 0) ++phase;
  if (phase == x.phases.size()) return order_writes(x);
  const auto& p = x.phases[phase];
  const std::size_t before = x.graph.sync.size();
  std::vector<bool> met(p.arrivals.size(), false);
  std::fill(met.begin(), met.begin() + static_cast<std::ptrdiff_t>(std::min(p.quorum, met.size())), true);
  do {
    for (std::size_t n = 0; n < met.size(); ++n)
      for (const EventId wait : p.waits)
        if (met[n]) x.graph.sync.push_back({p.arrivals[n], wait});
    const bool go_on = choose_quorums(x, phase + 1);
    x.graph.sync.resize(before);
    if (!go_on) return false;
  } while (std::prev_permutation(met.begin(), met.end()));
  return true;
}

// Orders morally strong writes that nothing orders, both ways; then asks for an order of fence.sc.
bool GraphExplorer::order_writes(PartialExecution& x) {
  relations_.derive(x.graph);
  if (relations_.violated_axiom(x.graph)) return true;
  const auto open = std::find_if(relations_.write_pairs.begin(), relations_.write_pairs.end(), [&](const Edge& p) {
    return !relations_.co(p.from, p.to) && !relations_.co(p.to, p.from);
  });
  if (open != relations_.write_pairs.end()) {
    const Edge pair = *open;
    for (const Edge& choice : {pair, Edge{pair.to, pair.from}}) {
      x.graph.co.push_back(choice);
      const bool go_on = order_writes(x);
      x.graph.co.pop_back();
      if (!go_on) return false;
    }
    return true;
  }
  if (!FenceOrder(x.graph, relations_).exists()) {
    x.graph.fence_sc.clear();
    return true;
  }
  const bool go_on = visitor_(x, relations_);
  x.graph.fence_sc.clear();
  return go_on;
}

}  // namespace fencewise
