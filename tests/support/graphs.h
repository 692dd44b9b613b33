// Execution graphs by hand: threads, events, and what each read saw, in one line each.
//
//   GraphMaker g;
//   const EventId x0 = g.init(x), flag0 = g.init(flag);
//   const ThreadId p0 = g.thread(), p1 = g.thread();
//   const EventId data = g.write(p0, x), set = g.write(p0, flag, release(Scope::gpu));
//   const EventId seen = g.read(p1, flag, set, acquire(Scope::gpu)), stale = g.read(p1, x, x0);
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "memmodel/execution_graph.h"
#include "memmodel/judge.h"

namespace fencewise::testing {

namespace place {
inline constexpr Location x{0, 0, 4}, y{1, 0, 4}, flag{2, 0, 4};
}

inline constexpr Model every_ptx[] = {Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5};

// Order and scope of an operation.
struct Strength {
  Order order = Order::weak;
  Scope scope = Scope::gpu;
};
inline constexpr Strength weakly{};
[[nodiscard]] constexpr Strength relaxed_at(Scope scope) { return {Order::relaxed, scope}; }
[[nodiscard]] constexpr Strength acquire_at(Scope scope) { return {Order::acquire, scope}; }
[[nodiscard]] constexpr Strength release_at(Scope scope) { return {Order::release, scope}; }
[[nodiscard]] constexpr Strength acq_rel_at(Scope scope) { return {Order::acq_rel, scope}; }
[[nodiscard]] constexpr Strength sc_at(Scope scope) { return {Order::sc, scope}; }

struct AtomicHalves {
  EventId read = no_event;
  EventId write = no_event;
};

// Events of a thread are in program order as they are added.
class GraphMaker {
 public:
  ThreadId thread() { return thread_in(next_cta_++); }  // in a CTA (and cluster) of its own
  ThreadId thread_in(std::uint32_t cta, std::uint32_t device = 0) {
    graph.threads.push_back({CtaId{cta}, ClusterId{cta}, DeviceId{device}});
    next_cta_ = std::max(next_cta_, cta + 1);
    po_.push_back(0);
    return static_cast<ThreadId>(graph.threads.size() - 1);
  }

  EventId init(Location location) {
    Event e;
    e.location = location;
    return graph.add(e);
  }
  EventId write(ThreadId t, Location location, Strength how = weakly, std::uint32_t alias = 0) {
    return memory(EventKind::write, t, location, how, alias);
  }
  EventId read(ThreadId t, Location location, EventId source, Strength how = weakly, std::uint32_t alias = 0) {
    const EventId e = memory(EventKind::read, t, location, how, alias);
    graph.rf[e] = source;
    return e;
  }
  AtomicHalves atom(ThreadId t, Location location, EventId source, Strength how, bool red = false) {
    const EventId r = read(t, location, source, how), w = write(t, location, how);
    for (const EventId half : {r, w}) {
      graph.events[half].atomic = true;
      graph.events[half].red = red;
    }
    graph.events[r].rmw = w;
    graph.events[w].rmw = r;
    return {r, w};
  }
  AtomicHalves red(ThreadId t, Location location, EventId source, Strength how) { return atom(t, location, source, how, true); }
  EventId fence(ThreadId t, Strength how) {
    Event e;
    e.kind = EventKind::fence;
    e.order = how.order;
    e.scope = how.scope;
    return add(t, e);
  }
  EventId proxy_fence(ThreadId t, ProxyFence kind) {
    Event e;
    e.kind = EventKind::proxy_fence;
    e.proxy_fence = kind;
    return add(t, e);
  }
  EventId arrive(ThreadId t) { return bare(t, EventKind::arrive); }
  EventId wait(ThreadId t) { return bare(t, EventKind::wait); }

  ExecutionGraph graph;

 private:
  EventId add(ThreadId t, Event e) {
    e.thread = t;
    e.po = po_[t]++;
    return graph.add(e);
  }
  EventId bare(ThreadId t, EventKind kind) {
    Event e;
    e.kind = kind;
    return add(t, e);
  }
  EventId memory(EventKind kind, ThreadId t, Location location, Strength how, std::uint32_t alias) {
    Event e;
    e.kind = kind;
    e.order = how.order;
    e.scope = how.scope;
    e.location = location;
    e.alias = alias;
    return add(t, e);
  }

  std::uint32_t next_cta_ = 0;
  std::vector<std::uint32_t> po_;  // [thread] next place in program order
};

// "Causality: 4 -fr-> 2 -po-> 3 -sw-> 5 -po-> 4", or "consistent".
[[nodiscard]] inline std::string verdict_of(const ExecutionGraph& graph, Model model) {
  const auto violation = judge(graph, reading_of(model));
  if (!violation) return "consistent";
  std::string text = std::string(name(violation->axiom)) + ":";
  for (const CycleEdge& e : violation->cycle) text += " " + std::to_string(e.from) + " -" + e.label + "->";
  if (!violation->cycle.empty()) text += " " + std::to_string(violation->cycle.back().to);
  return text;
}

[[nodiscard]] inline Relations relations_of(const ExecutionGraph& graph, Model model) {
  Relations r;
  r.prepare(graph, reading_of(model));
  r.derive(graph);
  return r;
}

}  // namespace fencewise::testing
