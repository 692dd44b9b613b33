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
  PartialExecution start(context_);
  start.advance();
  if (symmetry_ != nullptr) symmetry_->begin(start);
  return explore_from(std::move(start), visitor);
}

bool GraphExplorer::explore_from(PartialExecution start, const Visitor& visitor) {
  visitor_ = visitor;
  at(0) = std::move(start);
  try {
    return visit(0);
  } catch (const OutOfBudget&) {
    return false;
  }
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
    if (const auto thread = here.choosing()) return choose_outcome(depth, *thread);
    const bool all_chosen = std::none_of(here.info.begin(), here.info.end(), [&](const EventInfo& i) {
      const auto e = static_cast<EventId>(&i - here.info.data());
      return here.graph.events[e].is_read() && here.graph.rf[e] == no_event;
    });
    if (all_chosen) return leaf(depth);
    if (take_forced(here)) continue;
    if (!feasible(here, [&](EventId r, EventId w) { return may_read(here, r, w); })) return true;
    const Choice choice = choose(here);
    if (!choice.found()) return true;  // what is left waits for writes that never come
    const Symmetry::How how = choice.closed != no_event ? Symmetry::How::by_write : Symmetry::How::by_read;
    for (const Edge& option :
         symmetry_ != nullptr ? symmetry_->representatives(here, choice.options) : choice.options) {
      PartialExecution& child = at(depth + 1);
      child = here;
      if (symmetry_ != nullptr) symmetry_->choose(child, option, how);
      child.choose(option.to, option.from);
      child.advance();
      if (!visit(depth + 1)) return false;
    }
    if (choice.waiting != no_event) {
      here.info[choice.waiting].not_before = here.stamp + 1;
      if (symmetry_ != nullptr) symmetry_->single_out(here, here.graph.events[choice.waiting].thread);
    } else if (choice.closed != no_event) {
      here.info[choice.closed].closed_to = static_cast<EventId>(here.graph.events.size());
    } else {
      return true;
    }
  }
}

// --- Choosing ---

// Gives every read that can have one source only that source. Returns whether there was one.
bool GraphExplorer::take_forced(PartialExecution& x) const {
  std::vector<Edge> forced;
  for (EventId r = 0; r < x.graph.events.size(); ++r) {
    pause_at(r);
    const Event& read = x.graph.events[r];
    if (!read.is_read() || x.graph.rf[r] != no_event || !read.location.known()) continue;
    const auto found = sources(x, r);
    if (found.size() == 1 && !may_wait(x, r)) forced.push_back({found.front(), r});
  }
  for (const Edge& edge : forced) {
    if (symmetry_ != nullptr) symmetry_->choose(x, edge, Symmetry::How::by_read);
    x.choose(edge.to, edge.from);
  }
  if (!forced.empty()) x.advance();
  return !forced.empty();
}

// Atomics first: what they read may synchronize and then decide weak reads.
GraphExplorer::Choice GraphExplorer::choose(const PartialExecution& x) const {
  Choice atomics = choose_reader(x);
  Choice reads = choose_source(x);
  if (!atomics.found()) return reads;
  const bool strong = reads.found() && is_strong(x.graph.events[reads.options.front().to].order);
  return strong && reads.branches() < atomics.branches() ? reads : atomics;
}

// Whether at most one of two atomics reads `write`: each writes, all are morally strong to each other, and what they write
// comes after `write` in coherence. (Of a racing weak write the latter is not so: both may read it.)
bool GraphExplorer::exclusive(const PartialExecution& x, EventId write, EventId one, EventId other) const {
  const EventId w1 = x.graph.events[one].rmw, w2 = x.graph.events[other].rmw;
  const auto follows = [&](EventId r) {
    return x.graph.events[write].kind == EventKind::init || relations_.ms(write, r);
  };
  return w1 != no_event && w2 != no_event && relations_.ms(one, w2) && relations_.ms(other, w1) &&
         relations_.ms(w1, w2) && follows(one) && follows(other);
}

// A write whose value is known, so that chains of atomics grow from their root; among those the one with the fewest atomics
// that may read it.
GraphExplorer::Choice GraphExplorer::choose_reader(const PartialExecution& x) const {
  Choice best;
  std::pair<bool, std::size_t> best_rank;
  for (EventId w = 0; w < x.graph.events.size(); ++w) {
    pause_at(w);
    const Event& write = x.graph.events[w];
    if (!write.is_write() || !write.location.known()) continue;
    Choice choice;
    choice.closed = w;
    bool apart = true;
    for (EventId r = 0; r < x.graph.events.size() && apart; ++r) {
      const Event& read = x.graph.events[r];
      if (!read.is_read() || read.rmw == no_event || x.graph.rf[r] != no_event ||
          read.location != write.location)
        continue;
      if (!may_read(x, r, w)) continue;
      apart = std::all_of(choice.options.begin(), choice.options.end(),
                          [&](const Edge& e) { return exclusive(x, w, e.to, r); });
      choice.options.push_back({w, r});
    }
    if (!apart || !choice.found()) continue;
    const std::pair rank(x.info[w].value.is_unknown(), choice.options.size());
    if (best.found() && rank >= best_rank) continue;
    best = std::move(choice);
    best_rank = rank;
  }
  return best;
}

// The read with the fewest sources, strong ones first.
GraphExplorer::Choice GraphExplorer::choose_source(const PartialExecution& x) const {
  Choice best;
  std::size_t best_rank = 0;
  for (EventId r = 0; r < x.graph.events.size(); ++r) {
    pause_at(r);
    const Event& read = x.graph.events[r];
    if (!read.is_read() || x.graph.rf[r] != no_event || !read.location.known()) continue;
    Choice choice;
    for (const EventId w : sources(x, r)) choice.options.push_back({w, r});
    if (!choice.found()) continue;
    if (may_wait(x, r)) choice.waiting = r;
    const std::size_t rank = (is_strong(read.order) ? 0 : 1'000'000) + choice.branches();
    if (best.found() && rank >= best_rank) continue;
    best = std::move(choice);
    best_rank = rank;
  }
  return best;
}

bool GraphExplorer::may_read(const PartialExecution& x, EventId r, EventId w) const {
  const Event& read = x.graph.events[r];
  if (w == read.rmw || x.graph.events[w].location != read.location) return false;
  if (x.info[w].visible_since < x.info[r].not_before) return false;
  if (read.rmw != no_event && r < x.info[w].closed_to) return false;
  return !excluded(x, r, w);
}

std::vector<EventId> GraphExplorer::sources(const PartialExecution& x, EventId r) const {
  std::vector<EventId> found;
  for (EventId w = 0; w < x.graph.events.size(); ++w)
    if (x.graph.events[w].is_write() && may_read(x, r, w)) found.push_back(w);
  return found;
}

// True if reading `w` would break an axiom for sure, by relations that can only grow.
bool GraphExplorer::excluded(const PartialExecution& x, EventId r, EventId w) const {
  if (relations_.cause(r, w) || (relations_.po(r, w) && relations_.ms(r, w))) return true;
  bool overwritten = false;
  relations_.co.each(w, [&](EventId newer) { overwritten |= relations_.cause(newer, r); });
  if (overwritten) return true;
  if (x.graph.events[r].rmw == no_event) return false;
  for (EventId other = 0; other < x.graph.events.size(); ++other)
    if (other != r && x.graph.rf[other] == w && exclusive(x, w, r, other)) return true;
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
    if (context_.comes_after(t, read.thread)) continue;
    // Whatever the thread does next follows its last event.
    const auto& events = x.threads[t].events;
    const bool after =
        !events.empty() && std::any_of(events.back().begin(), events.back().end(),
                                       [&](EventId e) { return e != no_event && relations_.base(r, e); });
    if (!after) return true;
  }
  return false;
}

// Tries each group of threads that may meet at a barrier.
bool GraphExplorer::choose_meeting(std::size_t depth, const PartialExecution::OpenPhase& open) {
  for (const auto& group : open.groups) {
    PartialExecution& child = at(depth + 1);
    child = at(depth);
    if (symmetry_ != nullptr)
      for (const std::size_t n : group) symmetry_->single_out(child, child.arrivals[n].thread);
    child.complete(group);
    child.advance();
    if (!visit(depth + 1)) return false;
  }
  return true;
}

// A free value decides: both ways.
bool GraphExplorer::choose_outcome(std::size_t depth, ThreadId thread) {
  for (const bool outcome : {false, true}) {
    PartialExecution& child = at(depth + 1);
    child = at(depth);
    if (symmetry_ != nullptr) symmetry_->single_out(child, thread);
    child.decide(thread, outcome);
    child.advance();
    if (!visit(depth + 1)) return false;
  }
  return true;
}

// --- Leaves ---

bool GraphExplorer::leaf(std::size_t depth) {
  if (at(depth).phase_overdue()) return true;  // it waited for an arrival that never came
  if (symmetry_ != nullptr) symmetry_->confirm(at(depth));
  if (!leaf_) leaf_ = std::make_unique<PartialExecution>(context_);
  *leaf_ = at(depth);
  return choose_quorums(*leaf_, 0);
}

namespace {

// Litmus dialect, versioned models: whether somebody is counted among those who met at a barrier who could only come after they
// had met, as the second arrival of a thread that waits at the first. A wait depends on those who met, what follows a wait
// depends on it; a cycle of that, of other dependencies and of reads-from never happens.
bool meets_itself(const PartialExecution& x) {
  const auto lets_all_pass = [](const PartialExecution::Phase& p) { return p.quorum != 0; };
  if (std::none_of(x.phases.begin(), x.phases.end(), lets_all_pass)) return false;
  const ExecutionGraph& g = x.graph;
  const auto events = static_cast<std::uint32_t>(g.events.size());
  Relation needs;  // before -> after
  needs.reset(events);
  for (const Edge& e : g.dep) needs.add(e.from, e.to);
  for (const Edge& e : g.sync) needs.add(e.from, e.to);
  for (EventId r = 0; r < events; ++r)
    if (g.rf[r] != no_event) needs.add(g.rf[r], r);
  for (const PartialExecution::Thread& thread : x.threads) {
    EventId wait = no_event;  // the last one before
    for (const auto& action : thread.events)
      for (const EventId e : action) {
        if (e == no_event) continue;
        if (wait != no_event) needs.add(wait, e);
        if (g.events[e].kind == EventKind::wait) wait = e;
      }
  }
  needs.close();
  return needs.reflexive_somewhere();
}

}  // namespace

// Litmus dialect, versioned models: of the arrivals at a barrier with count N, some N met. More than N would only order more.
bool GraphExplorer::choose_quorums(PartialExecution& x, std::size_t phase) {
  while (phase < x.phases.size() && x.phases[phase].quorum == 0) ++phase;
  if (phase == x.phases.size()) return meets_itself(x) || order_writes(x);
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
  if (!budget_.spend(stats_)) return false;
  relations_.derive(x.graph);
  if (relations_.violated_axiom(x.graph)) return true;
  const auto open = std::find_if(
      relations_.write_pairs.begin(), relations_.write_pairs.end(),
      [&](const Edge& p) { return !relations_.co(p.from, p.to) && !relations_.co(p.to, p.from); });
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
  if (!FenceOrder(x.graph, relations_, [this] { return budget_.spend(stats_); }).exists()) {
    x.graph.fence_sc.clear();
    return !budget_.exhausted();
  }
  const std::size_t synchronized = x.graph.sync.size();
  const bool ordered = !context_.reading.interleaving() || order_phases(x, 0, 1);
  x.graph.sync.resize(synchronized);
  const bool go_on = !ordered || visitor_(x, relations_);
  x.graph.fence_sc.clear();
  return go_on;
}

namespace {

void put_before(ExecutionGraph& graph, const std::vector<EventId>& earlier, const std::vector<EventId>& later) {
  for (const EventId a : earlier)
    for (const EventId b : later) graph.sync.push_back({a, b});
}

// The arrivals that still wait for their phase at the barrier of `phase`.
std::vector<EventId> unmet(const PartialExecution& x, const PartialExecution::Phase& phase) {
  std::vector<EventId> events;
  for (const auto& a : x.arrivals)
    if (a.id == phase.id && a.instance == phase.instance && x.context().image.cta_of[a.thread] == phase.cta)
      events.push_back(a.arrive);
  return events;
}

}  // namespace

// Model sc: who came to one phase of a barrier with a count came before those who came to its next. Looks for an order of the
// phases, pair by pair; leaves the relations derived with it.
bool GraphExplorer::order_phases(PartialExecution& x, std::size_t first, std::size_t second) {
  if (first == x.phases.size()) {
    relations_.derive(x.graph);
    return !relations_.violated_axiom(x.graph);
  }
  const auto& p = x.phases[first];
  const std::size_t before = x.graph.sync.size();
  if (second >= x.phases.size()) {
    if (p.count != 0) put_before(x.graph, p.arrivals, unmet(x, p));
    if (order_phases(x, first + 1, first + 2)) return true;
    x.graph.sync.resize(before);
    return false;
  }
  const auto& q = x.phases[second];
  if (p.count == 0 || q.id != p.id || q.instance != p.instance || q.cta != p.cta) return order_phases(x, first, second + 1);
  for (const bool forth : {true, false}) {
    put_before(x.graph, forth ? p.arrivals : q.arrivals, forth ? q.arrivals : p.arrivals);
    if (order_phases(x, first, second + 1)) return true;
    x.graph.sync.resize(before);
  }
  return false;
}

}  // namespace fencewise
