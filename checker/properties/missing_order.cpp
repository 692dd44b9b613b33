#include "checker/properties/missing_order.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "checker/explore/witness_builder.h"
#include "kernels/core/printer.h"
#include "memmodel/relations.h"

namespace fencewise {
namespace {

constexpr std::size_t most_events_on_ways = 4096;  // the relations of more are not derived

bool observes(const Event& write, const Event& read) {
  return is_strong(write.order) && is_strong(read.order) && write.thread != no_thread;
}

// --- Events on some way from one access to another ---

// Reachable from `start` along the edges.
std::vector<bool> reached(const std::vector<std::vector<EventId>>& edges, EventId start) {
  std::vector<bool> seen(edges.size(), false);
  std::vector<EventId> queue{start};
  seen[start] = true;
  while (!queue.empty()) {
    const EventId e = queue.back();
    queue.pop_back();
    for (const EventId next : edges[e])
      if (!seen[next]) {
        seen[next] = true;
        queue.push_back(next);
      }
  }
  return seen;
}

// Steps of a way: to the next events of the thread, along a barrier, from a strong write to a strong read of it.
class Steps {
 public:
  explicit Steps(const ExecutionGraph& g) : forward_(g.events.size()), backward_(g.events.size()) {
    program_order(g);
    for (const Edge& e : g.sync) add(e.from, e.to);
    for (EventId r = 0; r < g.events.size(); ++r)
      if (const EventId w = g.rf[r]; w != no_event && observes(g.events[w], g.events[r])) add(w, r);
  }

  [[nodiscard]] std::vector<EventId> between(EventId first, EventId later) const {
    const std::vector<bool> after = reached(forward_, first), before = reached(backward_, later);
    std::vector<EventId> events;
    for (EventId e = 0; e < after.size(); ++e)
      if (after[e] && before[e]) events.push_back(e);
    return events;
  }

 private:
  void program_order(const ExecutionGraph& g) {
    std::vector<std::vector<EventId>> of(g.threads.size());
    for (EventId e = 0; e < g.events.size(); ++e)
      if (g.events[e].thread != no_thread) of[g.events[e].thread].push_back(e);
    const auto po = [&](EventId e) { return g.events[e].po; };
    for (std::vector<EventId>& events : of) {
      std::stable_sort(events.begin(), events.end(), [&](EventId a, EventId b) { return po(a) < po(b); });
      for (std::size_t from = 0, to = 0; from < events.size(); ++from) {
        while (to < events.size() && po(events[to]) <= po(events[from])) ++to;
        for (std::size_t n = to; n < events.size() && po(events[n]) == po(events[to]); ++n) add(events[from], events[n]);
      }
    }
  }
  void add(EventId from, EventId to) {
    forward_[from].push_back(to);
    backward_[to].push_back(from);
  }

  std::vector<std::vector<EventId>> forward_, backward_;  // [event]
};

// The graph of these events alone.
ExecutionGraph part_of(const ExecutionGraph& g, const std::vector<EventId>& events) {
  std::vector<EventId> part(g.events.size(), no_event);
  for (EventId n = 0; n < events.size(); ++n) part[events[n]] = n;
  const auto renamed = [&](EventId e) { return e == no_event ? no_event : part[e]; };
  ExecutionGraph small;
  small.threads = g.threads;
  for (const EventId e : events) {
    Event copy = g.events[e];
    copy.rmw = renamed(copy.rmw);
    small.events.push_back(copy);
    small.rf.push_back(renamed(g.rf[e]));
  }
  const auto copy_edges = [&](const std::vector<Edge>& from, std::vector<Edge>& to) {
    for (const Edge& e : from)
      if (part[e.from] != no_event && part[e.to] != no_event) to.push_back({part[e.from], part[e.to]});
  };
  copy_edges(g.sync, small.sync);
  copy_edges(g.fence_sc, small.fence_sc);
  return small;
}

// --- The way that lacks least ---

class Ways {
 public:
  // `meeting`: where the two accesses meet. What is observed there is what they do, not what should order them.
  Ways(const ExecutionGraph& g, const Reading& reading, const Location& meeting) : g_(g), meeting_(meeting), hops_(g.events.size()) {
    r_.prepare(g, reading);
    r_.derive(g);
    for (EventId e = 0; e < g.events.size(); ++e)
      if (g.events[e].is_read() && (!g.events[e].red || reading.red_acquires)) add_hops(e);
  }

  // The gaps of the way that has fewest; of several the one whose reads come last in their threads, where what they were waiting
  // for is there. No value: there is none.
  [[nodiscard]] std::optional<std::vector<OrderGap>> best(EventId first, EventId later) const {
    constexpr Length far{std::numeric_limits<std::size_t>::max(), 0};
    const std::size_t n = g_.events.size();
    std::vector<Length> length(n, far);
    std::vector<std::vector<OrderGap>> gaps(n);
    std::vector<bool> done(n, false);
    length[first] = {};
    for (;;) {  // Dijkstra's algorithm
      EventId at = no_event;
      for (EventId e = 0; e < n; ++e)
        if (!done[e] && length[e] != far && (at == no_event || length[e] < length[at])) at = e;
      if (at == no_event) return std::nullopt;
      if (at == later) return gaps[at];
      done[at] = true;
      const auto go = [&](EventId to, const std::vector<OrderGap>& lacks, std::uint64_t early) {
        const Length there{length[at].gaps + lacks.size(), length[at].early + early};
        if (done[to] || there >= length[to]) return;
        length[to] = there;
        gaps[to] = gaps[at];
        gaps[to].insert(gaps[to].end(), lacks.begin(), lacks.end());
      };
      r_.step.each(at, [&](EventId to) { go(to, {}, 0); });
      for (const Hop& hop : hops_[at]) go(hop.to, hop.lacks, hop.early);
    }
  }

 private:
  struct Length {
    std::size_t gaps = 0;
    std::uint64_t early = 0;
    friend auto operator<=>(const Length&, const Length&) = default;
  };
  struct Hop {
    EventId to;
    std::vector<OrderGap> lacks;
    std::uint64_t early;  // how far before its thread's end the read is
  };

  // From what `read` observes, directly or through atomics: from the beginnings of their release patterns, or from the write
  // that has none, to the ends of acquire patterns, or to the read.
  void add_hops(EventId read) {
    std::optional<OrderGap> narrow;
    for (EventId reader = read;;) {
      const EventId w = g_.rf[reader];
      if (w == no_event || !observes(g_.events[w], g_.events[reader]) || overlap(g_.events[w].location, meeting_)) return;
      if (!r_.ms(w, reader)) narrow = {OrderGap::Kind::scope, w, reader};
      if (g_.events[w].thread != g_.events[read].thread) add_hop(w, read, narrow);
      reader = g_.events[w].rmw;
      if (reader == no_event || !g_.events[reader].is_read() || reader == read) return;
    }
  }

  void add_hop(EventId write, EventId read, const std::optional<OrderGap>& narrow) {
    std::vector<std::pair<EventId, bool>> starts, ends;  // and whether it is of a pattern
    r_.release.each(write, [&](EventId x) { starts.emplace_back(x, true); });
    r_.acquire.each(read, [&](EventId y) { ends.emplace_back(y, true); });
    starts.emplace_back(write, false);
    ends.emplace_back(read, false);
    for (const auto& [x, releases] : starts)
      for (const auto& [y, acquires] : ends) {
        Hop hop{y, {}, std::numeric_limits<std::uint32_t>::max() - g_.events[read].po};
        if (!releases) hop.lacks.push_back({OrderGap::Kind::release, write});
        if (releases && acquires && !r_.ms(x, y))
          hop.lacks.push_back({OrderGap::Kind::scope, x, y});
        else if (narrow)
          hop.lacks.push_back(*narrow);
        if (!acquires) hop.lacks.push_back({OrderGap::Kind::acquire, read});
        hops_[x].push_back(std::move(hop));
      }
  }

  const ExecutionGraph& g_;
  Location meeting_;
  Relations r_;
  std::vector<std::vector<Hop>> hops_;  // [event] from there
};

MissingOrder summary_of(const std::vector<OrderGap>& gaps) {
  const auto lacks = [&](OrderGap::Kind kind) {
    return std::any_of(gaps.begin(), gaps.end(), [kind](const OrderGap& gap) { return gap.kind == kind; });
  };
  const bool release = lacks(OrderGap::Kind::release), acquire = lacks(OrderGap::Kind::acquire);
  if (release && acquire) return MissingOrder::release_and_acquire;
  if (release) return MissingOrder::release;
  if (acquire) return MissingOrder::acquire;
  return lacks(OrderGap::Kind::scope) ? MissingOrder::scope : MissingOrder::none;
}

bool of_one_launch(const PartialExecution& x, EventId a, EventId b) {
  const auto& launch_of = x.context().image.launch_of;
  return launch_of[x.graph.events[a].thread] == launch_of[x.graph.events[b].thread];
}

// The next barrier after the first access, or the last one before the later one.
EventId barrier_between(const ExecutionGraph& g, const Event& first, const Event& later) {
  EventId next = no_event, last = no_event;
  for (EventId e = 0; e < g.events.size(); ++e) {
    const Event& event = g.events[e];
    const bool behind = event.kind == EventKind::arrive && event.thread == first.thread && event.po > first.po;
    const bool before = event.kind == EventKind::wait && event.thread == later.thread && event.po < later.po;
    if (behind && (next == no_event || event.po < g.events[next].po)) next = e;
    if (before && (last == no_event || event.po > g.events[last].po)) last = e;
  }
  return next != no_event ? next : last;
}

// --- Words ---

class Words {
 public:
  Words(const PartialExecution& x, const OrderLack& lack) : x_(x), lack_(lack) {}

  [[nodiscard]] std::string all() const {
    switch (lack_.missing) {
      case MissingOrder::none: return "nothing orders them";
      case MissingOrder::barrier: return "no barrier of their CTA between them" + who_is_not_there();
      case MissingOrder::release: return releases() + ": a fence or .release is missing there" + scopes("; ");
      case MissingOrder::acquire:
        return fmt::format("no acquire before the later access: a fence or .acquire is missing after {}{}",
                           fmt::join(places(OrderGap::Kind::acquire), " and "), scopes("; "));
      case MissingOrder::release_and_acquire:
        return fmt::format("{}, no acquire after {}: a fence, or .release and .acquire, is missing at both{}", releases(),
                           fmt::join(places(OrderGap::Kind::acquire), " and "), scopes("; "));
      case MissingOrder::scope: return scopes("");
      case MissingOrder::observation: return weak_side().value_or(unobserved());
    }
    return "";
  }

 private:
  [[nodiscard]] std::string who(EventId e) const { return thread_name(x_.context(), x_.graph.events[e].thread); }

  // " at k.cu:12", or the instruction where the line is not known.
  [[nodiscard]] std::string where(EventId e) const {
    const SourceRef at = source_of(x_, e);
    if (at.line != 0) return fmt::format(" at {}:{}", at.file, at.line);
    return fmt::format(" '{}'", instruction_text(x_, e));
  }
  [[nodiscard]] std::string place(EventId e) const {
    const Event& event = x_.graph.events[e];
    const char* what = event.kind == EventKind::fence ? "fence" : event.atomic ? "atomic" : event.is_write() ? "write" : "read";
    return fmt::format("the {}{} by {}", what, where(e), who(e));
  }
  // Each once: a loop may come by several times.
  [[nodiscard]] std::vector<std::string> places(OrderGap::Kind kind) const {
    std::vector<std::string> texts;
    for (const OrderGap& gap : lack_.gaps) {
      if (gap.kind != kind) continue;
      std::string text = place(gap.at);
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
    }
    return texts;
  }
  [[nodiscard]] std::string releases() const {
    return fmt::format("no release before {}", fmt::join(places(OrderGap::Kind::release), " and "));
  }
  [[nodiscard]] std::string scopes(const char* before) const {
    const auto gap = std::find_if(lack_.gaps.begin(), lack_.gaps.end(), [](const OrderGap& g) { return g.kind == OrderGap::Kind::scope; });
    if (gap == lack_.gaps.end()) return "";
    return fmt::format("{}{} and {} are not morally strong to each other: a scope is too narrow", before, place(gap->at), place(gap->other));
  }

  // Of a weak and a strong access of one launch: the weak one can order nothing, and races with the other whatever lies around them.
  [[nodiscard]] std::optional<std::string> weak_side() const {
    const bool first = is_strong(x_.graph.events[lack_.first].order), later = is_strong(x_.graph.events[lack_.later].order);
    if (first == later || !of_one_launch(x_, lack_.first, lack_.later)) return std::nullopt;
    return fmt::format("{} is weak and the other access is not: it should be .relaxed or stronger, volatile, or an atomic",
                       place(first ? lack_.later : lack_.first));
  }
  [[nodiscard]] std::string unobserved() const {
    if (is_strong(x_.graph.events[lack_.first].order) && is_strong(x_.graph.events[lack_.later].order)) return "nothing orders them";
    std::string text =
        fmt::format("no strong write behind the access of {} is observed by a strong read before that of {}", who(lack_.first), who(lack_.later));
    if (!of_one_launch(x_, lack_.first, lack_.later)) return text + ", and nothing orders their launches";
    if (lack_.barrier != no_event) text += fmt::format("; the barrier{} orders threads of one CTA only", where(lack_.barrier));
    return text;
  }

  // Of a barrier that one of them comes to and the other never does.
  [[nodiscard]] std::string who_is_not_there() const {
    if (lack_.barrier == no_event) return "";
    const ThreadId there = x_.graph.events[lack_.barrier].thread;
    const EventId other = there == x_.graph.events[lack_.first].thread ? lack_.later : lack_.first;
    for (EventId e = 0; e < x_.graph.events.size(); ++e)
      if (x_.graph.events[e].thread == x_.graph.events[other].thread && x_.info[e].where == x_.info[lack_.barrier].where) return "";
    return fmt::format(": {} does not come to the one{}", who(other), where(lack_.barrier));
  }

  const PartialExecution& x_;
  const OrderLack& lack_;
};

}  // namespace

bool of_one_cta(const LaunchContext& context, ThreadId a, ThreadId b) {
  return context.image.cta_of[a] == context.image.cta_of[b] && context.launch_of(b).placed.empty();
}

OrderLack missing_order(const PartialExecution& x, EventId first, EventId later) {
  OrderLack lack{first, later};
  const std::vector<EventId> events = Steps(x.graph).between(first, later);
  if (!events.empty() && events.size() <= most_events_on_ways) {
    const ExecutionGraph part = part_of(x.graph, events);
    const auto at = [&](EventId e) { return static_cast<EventId>(std::find(events.begin(), events.end(), e) - events.begin()); };
    const auto gaps = Ways(part, x.context().reading, x.graph.events[first].location).best(at(first), at(later));
    if (gaps) {
      for (OrderGap gap : *gaps)
        lack.gaps.push_back({gap.kind, events[gap.at], gap.other == no_event ? no_event : events[gap.other]});
      lack.missing = summary_of(lack.gaps);
      return lack;
    }
  }
  if (of_one_cta(x.context(), x.graph.events[first].thread, x.graph.events[later].thread)) lack.missing = MissingOrder::barrier;
  const Event& a = x.graph.events[first];
  const Event& b = x.graph.events[later];
  if (of_one_launch(x, first, later) && !is_strong(a.order) && !is_strong(b.order)) lack.barrier = barrier_between(x.graph, a, b);
  return lack;
}

OrderLack missing_order_between(const PartialExecution& x, EventId a, EventId b) {
  OrderLack there = missing_order(x, a, b), back = missing_order(x, b, a);
  const bool turn = !back.gaps.empty() && (there.gaps.empty() || back.gaps.size() < there.gaps.size());
  return turn ? back : there;
}

std::string in_words(const PartialExecution& x, const OrderLack& lack) { return Words(x, lack).all(); }

std::vector<SourceRef> lines_of(const PartialExecution& x, const OrderLack& lack) {
  std::vector<SourceRef> lines;
  const auto add = [&](EventId e) {
    const SourceRef at = e == no_event ? SourceRef{} : source_of(x, e);
    if (at.line != 0 && std::find(lines.begin(), lines.end(), at) == lines.end()) lines.push_back(at);
  };
  for (const OrderGap& gap : lack.gaps) {
    add(gap.at);
    add(gap.other);
  }
  add(lack.barrier);
  return lines;
}

std::optional<MissingAcquire> missing_acquire(const PartialExecution& x, const OrderLack& lack) {
  if (lack.missing != MissingOrder::acquire || std::any_of(lack.gaps.begin(), lack.gaps.end(), [](const OrderGap& gap) {
        return gap.kind != OrderGap::Kind::acquire;
      }))
    return std::nullopt;
  return MissingAcquire{instruction_text(x, lack.gaps.front().at), source_of(x, lack.gaps.front().at)};
}

}  // namespace fencewise
