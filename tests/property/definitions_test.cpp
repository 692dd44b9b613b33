// The relations against the papers' own definitions, written down as sets of pairs: the published cat files of v6.0 and v7.5 and
// the ISA's rules for ptx, line by line, with no thought for speed. Random graphs, most of them inconsistent, must get the same
// relations, the same answer to "is it consistent", and the same races from both.
//
// Sources: Dat3M's ptx-v6.0.cat and ptx-v7.5.cat; PTX ISA 9.1, Memory Consistency Model (8.7-8.10). Generic proxy only.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/frontend/litmus/random.h"
#include "memmodel/relations.h"
#include "tests/support/differential.h"

namespace fencewise::testing {
namespace {

// --- Sets of pairs, with the operators of the cat language ---

using Pair = std::pair<EventId, EventId>;
using Pairs = std::set<Pair>;

Pairs operator|(Pairs a, const Pairs& b) {
  a.insert(b.begin(), b.end());
  return a;
}
Pairs operator&(const Pairs& a, const Pairs& b) {
  Pairs both;
  for (const Pair& p : a)
    if (b.contains(p)) both.insert(p);
  return both;
}
Pairs operator*(const Pairs& a, const Pairs& b) {  // composition, `a; b`
  Pairs found;
  for (const auto& [x, y] : a)
    for (const auto& [u, z] : b)
      if (y == u) found.insert({x, z});
  return found;
}
Pairs inverse(const Pairs& a) {
  Pairs found;
  for (const auto& [x, y] : a) found.insert({y, x});
  return found;
}
Pairs closure(Pairs a) {
  for (Pairs more = a | a * a; more != a; more = a | a * a) a = more;
  return a;
}
bool reflexive(const Pairs& a) {
  for (const auto& [x, y] : a)
    if (x == y) return true;
  return false;
}
bool empty(const Pairs& a) { return a.empty(); }

// --- A model, defined ---

class Definitions {
 public:
  Definitions(const ExecutionGraph& graph, Model model) : g(graph), model_(model) {
    base_relations();
    derived();
  }

  Pairs ms, obs, sync, base, cause, co, fr;

  bool consistent() const {
    const Pairs writes_twice = pairs([](const Event& a, const Event& b) { return a.is_write() && b.is_write(); });
    if (reflexive(co)) return false;
    if (!empty((ms & writes_twice & loc) & missing(co | inverse(co)))) return false;
    if (!fence_sc_holds()) return false;
    if (!empty((((ms & fr) * (ms & co))) & rmw)) return false;
    if (reflexive(closure(rf | dep))) return false;
    if (model_ != Model::ptx_v7_5 && reflexive(closure((ms & (rf | co | fr)) | po_loc))) return false;
    return !reflexive((rf | fr) * cause);
  }

  // Pairs of operations; an atomic is one, and stands here by its write half where it has one.
  Pairs races() const {
    Pairs found;
    for (EventId a = 0; a < g.events.size(); ++a)
      for (EventId b = a + 1; b < g.events.size(); ++b) {
        const Event& x = g.events[a];
        const Event& y = g.events[b];
        const bool conflict = loc.contains({a, b}) && (x.is_write() || y.is_write()) && x.rmw != b;
        const bool apart = x.thread != no_thread && y.thread != no_thread && !ms.contains({a, b});
        if (conflict && apart && !related(a, b) && stands(a) && stands(b)) found.insert({a, b});
      }
    return found;
  }

 private:
  using Test = std::function<bool(const Event&, const Event&)>;

  Pairs pairs(const Test& test) const {
    Pairs found;
    for (EventId a = 0; a < g.events.size(); ++a)
      for (EventId b = 0; b < g.events.size(); ++b)
        if (test(g.events[a], g.events[b])) found.insert({a, b});
    return found;
  }
  Pairs missing(const Pairs& a) const {
    Pairs found;
    for (EventId x = 0; x < g.events.size(); ++x)
      for (EventId y = 0; y < g.events.size(); ++y)
        if (x != y && !a.contains({x, y})) found.insert({x, y});
    return found;
  }
  // [set]
  Pairs on(const std::function<bool(const Event&)>& set) const {
    Pairs found;
    for (EventId e = 0; e < g.events.size(); ++e)
      if (set(g.events[e])) found.insert({e, e});
    return found;
  }
  Pairs maybe(const Pairs& a) const { return a | on([](const Event&) { return true; }); }  // a?

  bool includes_both(const Event& a, const Event& b) const {
    const Placement& p = g.threads[a.thread];
    const Placement& q = g.threads[b.thread];
    return includes(a.scope, p, q) && includes(b.scope, q, p);
  }

  void base_relations() {
    const auto in_thread = [](const Event& a, const Event& b) { return a.thread == b.thread && a.thread != no_thread; };
    po = pairs([&](const Event& a, const Event& b) { return in_thread(a, b) && a.po < b.po; });
    loc = pairs([](const Event& a, const Event& b) { return a.is_memory() && b.is_memory() && a.location == b.location; });
    po_loc = po & loc;
    for (EventId e = 0; e < g.events.size(); ++e) {
      if (g.rf[e] != no_event) rf.insert({g.rf[e], e});
      if (g.events[e].is_read() && g.events[e].rmw != no_event) rmw.insert({e, g.events[e].rmw});
    }
    for (const Edge& e : g.dep) dep.insert({e.from, e.to});
    for (const Edge& e : g.sync) sync_barrier.insert({e.from, e.to});
    for (const Edge& e : g.fence_sc) sync_fence.insert({e.from, e.to});
    const auto strong = [](const Event& e) { return e.kind == EventKind::fence || (e.is_memory() && e.thread != no_thread && is_strong(e.order)); };
    const Pairs ms1 = pairs([&](const Event& a, const Event& b) {
      if (a.thread == no_thread || b.thread == no_thread) return false;
      return (in_thread(a, b) && a.po != b.po) || (strong(a) && strong(b) && includes_both(a, b));
    });
    const Pairs ms2 = loc | pairs([](const Event& a, const Event& b) { return !(a.is_memory() && b.is_memory()); });
    ms = ms1 & ms2 & missing({});
  }

  bool fence_acquires(const Event& e) const {
    return e.kind == EventKind::fence && (acquires(e.order) || (model_ == Model::ptx && e.order == Order::sc));
  }
  bool fence_releases(const Event& e) const {
    return e.kind == EventKind::fence && (releases(e.order) || (model_ == Model::ptx && e.order == Order::sc));
  }

  void derived() {
    const auto strong_write = [](const Event& e) { return e.kind == EventKind::write && is_strong(e.order); };
    // 8.8 and 8.11.1: a red is no read of an acquire pattern; in the cat files it is.
    const auto strong_read = [this](const Event& e) { return e.is_read() && is_strong(e.order) && (model_ != Model::ptx || !e.red); };

    // let rec observation = (morally-strong & rf) | (observation; rmw; observation)
    obs = ms & rf;
    for (Pairs more = obs | obs * rmw * obs; more != obs; more = obs | obs * rmw * obs) obs = more;

    const Pairs release = (on([](const Event& e) { return e.kind == EventKind::write && releases(e.order); }) * maybe(po_loc) * on(strong_write)) |
                          (on([this](const Event& e) { return fence_releases(e); }) * po * on(strong_write));
    const Pairs acquire = (on(strong_read) * maybe(po_loc) * on([&](const Event& e) { return strong_read(e) && acquires(e.order); })) |
                          (on(strong_read) * po * on([this](const Event& e) { return fence_acquires(e); }));
    sync = ms & (release * obs * acquire);
    const Pairs steps = sync | sync_fence | sync_barrier;
    // v6.0: po?; (steps; po?)+. v7.5 adds po. ISA: the closure of both, which is the same as v7.5.
    base = maybe(po) * closure(steps * maybe(po));
    if (model_ != Model::ptx_v6_0) base = base | po;

    const Pairs memory_base = loc & base;  // proxy-preserved: one proxy, one address
    if (model_ == Model::ptx_v6_0) cause = base | obs * (base | po_loc);
    if (model_ == Model::ptx_v7_5) cause = memory_base | ((ms & rf) | rmw) * memory_base;
    if (model_ == Model::ptx) cause = memory_base | obs * memory_base;

    derive_coherence();
  }

  // What is chosen, and what the axioms ask for: initial writes first, causality, a thread's own writes; transitive.
  void derive_coherence() {
    for (const Edge& e : g.co) co.insert({e.from, e.to});
    const Pairs writes = loc & pairs([](const Event& a, const Event& b) { return a.is_write() && b.is_write(); }) & missing({});
    co = co | (writes & pairs([](const Event& a, const Event& b) { return a.kind == EventKind::init && b.kind != EventKind::init; }));
    co = co | (cause & writes_of_threads(writes)) | (po & ms & writes);
    co = closure(co);
    for (const auto& [w, r] : rf)
      for (const auto& [x, y] : co)
        if (x == w) fr.insert({r, y});
  }
  Pairs writes_of_threads(const Pairs& writes) const {
    return writes & pairs([](const Event& a, const Event& b) { return a.kind == EventKind::write && b.kind == EventKind::write; });
  }

  bool fence_sc_holds() const {
    const Pairs pairs_sc = ms & pairs([](const Event& a, const Event& b) {
      return a.kind == EventKind::fence && b.kind == EventKind::fence && a.order == Order::sc && b.order == Order::sc && a.thread != b.thread;
    });
    if (!empty(pairs_sc & missing(sync_fence | inverse(sync_fence)))) return false;  // total on morally strong pairs
    if (reflexive(closure(sync_fence))) return false;
    // 8.10.2 read as: base causality has no cycle. v6.0: no causality between morally strong fences against the order. v7.5: causality
    // never ends in a fence.
    if (model_ == Model::ptx) return !reflexive(base);
    if (model_ == Model::ptx_v6_0) return empty((cause & pairs_sc) & inverse(sync_fence));
    return true;
  }

  bool stands(EventId e) const { return !(g.events[e].is_read() && g.events[e].rmw != no_event); }
  bool related(EventId a, EventId b) const {
    for (const EventId x : {a, g.events[a].rmw})
      for (const EventId y : {b, g.events[b].rmw})
        if (cause.contains({x, y}) || cause.contains({y, x})) return true;
    return false;
  }

  const ExecutionGraph& g;
  Model model_;
  Pairs po, loc, po_loc, rf, rmw, dep, sync_barrier, sync_fence;
};

// --- Random graphs ---

using litmus::Random;

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {
    const std::uint32_t threads = random_.between(2, 3);
    for (std::uint32_t t = 0; t < threads; ++t) {
      const std::uint32_t cta = random_.below(2);
      const std::uint32_t device = cta == 1 && random_.chance(20) ? 1 : 0;
      graph.threads.push_back({CtaId{cta + 2 * device}, ClusterId{cta + 2 * device}, DeviceId{device}});
    }
    for (std::uint32_t l = 0; l < 2; ++l) {
      Event e;
      e.location = location(l);
      graph.add(e);
    }
    for (ThreadId t = 0; t < threads; ++t)
      for (std::uint32_t n = random_.between(2, 5); n > 0; --n) add(t);
    choose();
  }

  ExecutionGraph graph;

 private:
  static Location location(std::uint32_t l) { return {l, 0, 4}; }
  Scope scope() {
    constexpr Scope scopes[] = {Scope::cta, Scope::cluster, Scope::gpu, Scope::gpu, Scope::gpu, Scope::sys};
    return random_.pick(scopes);
  }

  void add(ThreadId t) {
    Event e;
    e.thread = t;
    e.po = po_++;
    e.scope = scope();
    e.location = location(random_.below(2));
    constexpr Order reads[] = {Order::weak, Order::relaxed, Order::relaxed, Order::acquire, Order::acquire};
    constexpr Order writes[] = {Order::weak, Order::relaxed, Order::relaxed, Order::release, Order::release};
    constexpr Order atomics[] = {Order::relaxed, Order::acquire, Order::release, Order::acq_rel};
    constexpr Order fences[] = {Order::acq_rel, Order::sc, Order::sc, Order::acquire, Order::release};
    switch (random_.below(8)) {
      case 0:
      case 1:
        e.kind = EventKind::read;
        e.order = random_.pick(reads);
        break;
      case 2:
      case 3:
      case 4:
        e.kind = EventKind::write;
        e.order = random_.pick(writes);
        break;
      case 5:
      case 6:
        e.kind = EventKind::fence;
        e.order = random_.pick(fences);
        e.location = {};
        break;
      default: return add_atomic(e, random_.pick(atomics));
    }
    graph.add(e);
  }

  void add_atomic(Event e, Order order) {
    e.order = order;
    e.atomic = true;
    e.red = random_.chance(30);
    e.kind = EventKind::read;
    const EventId read = graph.add(e);
    e.kind = EventKind::write;
    e.po = po_++;
    const EventId write = graph.add(e);
    graph.events[read].rmw = write;
    graph.events[write].rmw = read;
  }

  // Everything at random, but that orders follow the numbers of events in most graphs, so that some are consistent.
  void choose() {
    const auto n = static_cast<EventId>(graph.events.size());
    for (EventId r = 0; r < n; ++r) {
      if (!graph.events[r].is_read()) continue;
      std::vector<EventId> sources;
      for (EventId w = 0; w < n; ++w)
        if (graph.events[w].is_write() && graph.events[w].location == graph.events[r].location && graph.events[r].rmw != w) sources.push_back(w);
      graph.rf[r] = sources[random_.below(static_cast<std::uint32_t>(sources.size()))];
    }
    std::vector<std::uint32_t> rank;
    for (EventId e = 0; e < n; ++e) rank.push_back(random_.below(1000));
    for (EventId a = 0; a < n; ++a)
      for (EventId b = 0; b < n; ++b) {
        const Event& x = graph.events[a];
        const Event& y = graph.events[b];
        if (rank[a] >= rank[b] && !(rank[a] == rank[b] && a < b)) continue;
        if (x.kind == EventKind::write && y.kind == EventKind::write && x.location == y.location && x.thread != y.thread && random_.chance(85))
          graph.co.push_back({a, b});
        const bool fences = x.kind == EventKind::fence && y.kind == EventKind::fence && x.order == Order::sc && y.order == Order::sc;
        if (fences && x.thread != y.thread && includes(x.scope, graph.threads[x.thread], graph.threads[y.thread]) &&
            includes(y.scope, graph.threads[y.thread], graph.threads[x.thread]) && random_.chance(95))
          graph.fence_sc.push_back({a, b});
        if (x.thread != no_thread && y.thread != no_thread && x.thread != y.thread && random_.chance(1)) graph.sync.push_back({a, b});  // as if by a barrier
        if (x.is_read() && y.thread == x.thread && a < b && random_.chance(20)) graph.dep.push_back({a, b});
      }
  }

  Random random_;
  std::uint32_t po_ = 0;
};

Pairs set_of(const Relation& relation) {
  Pairs found;
  for (EventId a = 0; a < relation.size(); ++a) relation.each(a, [&](EventId b) { found.insert({a, b}); });
  return found;
}

std::string text(const Pairs& all) {
  std::string text;
  for (const auto& [a, b] : all) text += fmt::format(" {}->{}", a, b);
  return text;
}

// Whether every pair that must be ordered is: the judge asks for that, the relations alone don't.
bool complete(const ExecutionGraph& graph, const Relations& r) {
  for (const Edge& e : r.write_pairs)
    if (!r.co(e.from, e.to) && !r.co(e.to, e.from)) return false;
  for (const Edge& e : r.fence_pairs) {
    const auto& chosen = graph.fence_sc;
    if (std::find(chosen.begin(), chosen.end(), e) == chosen.end() && std::find(chosen.begin(), chosen.end(), Edge{e.to, e.from}) == chosen.end())
      return false;
  }
  return true;
}

class EveryPtxModel : public ::testing::TestWithParam<Model> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryPtxModel, ::testing::Values(Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5), [](const auto& instance) {
  return std::string(instance.param == Model::ptx ? "ptx" : instance.param == Model::ptx_v6_0 ? "ptx_v6_0" : "ptx_v7_5");
});

TEST_P(EveryPtxModel, DerivesWhatTheDefinitionsSay) {
  const std::uint64_t graphs = small_scale() ? 600 : 4000;
  std::uint64_t consistent = 0, racy = 0, synchronized = 0;
  for (std::uint64_t seed = 1; seed <= graphs && !HasFailure(); ++seed) {
    const RandomGraph random(seed);
    const ExecutionGraph& g = random.graph;
    const Definitions expected(g, GetParam());
    Relations r;
    r.prepare(g, reading_of(GetParam()));
    r.derive(g);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    EXPECT_EQ(text(set_of(r.ms)), text(expected.ms));
    EXPECT_EQ(text(set_of(r.obs)), text(expected.obs));
    EXPECT_EQ(text(set_of(r.sw)), text(expected.sync));
    EXPECT_EQ(text(set_of(r.base)), text(expected.base));
    EXPECT_EQ(text(set_of(r.cause)), text(expected.cause));
    EXPECT_EQ(text(set_of(r.co)), text(expected.co));
    const auto axiom = r.violated_axiom(g);
    EXPECT_EQ(!axiom && complete(g, r), expected.consistent()) << (axiom ? name(*axiom) : "accepted");
    Pairs races;
    for (const RacePair& race : r.races(g)) races.insert({race.first, race.second});
    EXPECT_EQ(text(races), text(expected.races()));
    consistent += static_cast<std::uint64_t>(expected.consistent());
    racy += static_cast<std::uint64_t>(!races.empty());
    synchronized += static_cast<std::uint64_t>(!expected.sync.empty());
  }
  std::cout << fmt::format("{} graphs: {} consistent, {} with a race, {} with a release that is acquired\n", graphs, consistent, racy, synchronized);
  EXPECT_GT(consistent, graphs / 20);
}

}  // namespace
}  // namespace fencewise::testing
