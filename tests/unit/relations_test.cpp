// The relations, point by point: what is easy to get wrong (ptx-memory-model.md, section 15), on graphs made by hand.
#include <gtest/gtest.h>

#include "tests/support/graphs.h"

namespace fencewise::testing {
namespace {

using place::flag;
using place::x;
using place::y;

// --- Moral strength ---

TEST(MoralStrength, NeedsScopesThatIncludeEachOther) {
  GraphMaker g;
  const ThreadId p0 = g.thread_in(0), p1 = g.thread_in(1), same_cta = g.thread_in(0), other_gpu = g.thread_in(2, 1);
  const EventId narrow = g.write(p0, x, relaxed_at(Scope::cta)), wide = g.write(p0, x, relaxed_at(Scope::gpu));
  const EventId across = g.write(p1, x, relaxed_at(Scope::gpu)), beside = g.write(same_cta, x, relaxed_at(Scope::cta));
  const EventId far = g.write(other_gpu, x, relaxed_at(Scope::sys)), widest = g.write(p0, x, relaxed_at(Scope::sys));
  for (const Model model : every_ptx) {
    const Relations r = relations_of(g.graph, model);
    EXPECT_FALSE(r.ms(narrow, across)) << "one scope is too narrow";
    EXPECT_TRUE(r.ms(wide, across));
    EXPECT_TRUE(r.ms(narrow, beside));
    EXPECT_FALSE(r.ms(wide, far)) << "another device";
    EXPECT_TRUE(r.ms(widest, far));
  }
}

TEST(MoralStrength, HoldsWithinAThreadWhateverTheStrength) {
  GraphMaker g;
  const ThreadId p0 = g.thread();
  const EventId a = g.write(p0, x), b = g.write(p0, x);
  for (const Model model : every_ptx) EXPECT_TRUE(relations_of(g.graph, model).ms(a, b)) << name(model);
}

TEST(MoralStrength, NeverJoinsAWeakAccessWithAnotherThread) {
  GraphMaker g;
  const EventId weak = g.write(g.thread(), x), strong = g.write(g.thread(), x, relaxed_at(Scope::sys));
  for (const Model model : every_ptx) EXPECT_FALSE(relations_of(g.graph, model).ms(weak, strong)) << name(model);
  EXPECT_TRUE(relations_of(g.graph, Model::sc).ms(weak, strong));
}

// --- Synchronization ---

// P0: st x; <release>; st.relaxed flag     P1: ld.relaxed flag; <acquire>; ld x (stale)
struct ByFences : GraphMaker {
  EventId x0 = init(x), flag0 = init(flag);
  ThreadId p0 = thread(), p1 = thread();
  EventId data = write(p0, x), f0, set, seen, f1, stale;
  ByFences(Strength releasing, Strength acquiring, Scope flag_scope = Scope::gpu)
      : f0(fence(p0, releasing)), set(write(p0, flag, relaxed_at(flag_scope))), seen(read(p1, flag, set, relaxed_at(flag_scope))),
        f1(fence(p1, acquiring)), stale(read(p1, x, x0)) {}
};

// Point 1: the ISA's fence.sc is a superset of fence.acq_rel; the cat files' is not.
TEST(FenceSc, IsAnAcqRelFenceInPtxOnly) {
  const ByFences g(sc_at(Scope::gpu), acq_rel_at(Scope::gpu));
  EXPECT_TRUE(relations_of(g.graph, Model::ptx).sw(g.f0, g.f1));
  EXPECT_FALSE(relations_of(g.graph, Model::ptx_v6_0).sw(g.f0, g.f1));
  EXPECT_FALSE(relations_of(g.graph, Model::ptx_v7_5).sw(g.f0, g.f1));
}

TEST(Fences, SynchronizeAcrossAStrongFlag) {
  const ByFences g(acq_rel_at(Scope::gpu), acq_rel_at(Scope::gpu));
  for (const Model model : every_ptx) {
    const Relations r = relations_of(g.graph, model);
    EXPECT_TRUE(r.sw(g.f0, g.f1)) << name(model);
    EXPECT_TRUE(r.cause(g.data, g.stale)) << name(model);
  }
}

// Point 7: a wide fence doesn't repair a narrow flag, a wide flag doesn't repair a narrow fence.
TEST(Scopes, AreCheckedEdgeByEdge) {
  const ByFences narrow_flag(acq_rel_at(Scope::sys), acq_rel_at(Scope::sys), Scope::cta);
  const ByFences narrow_fence(acq_rel_at(Scope::cta), acq_rel_at(Scope::sys), Scope::sys);
  for (const Model model : every_ptx) {
    EXPECT_FALSE(relations_of(narrow_flag.graph, model).sw(narrow_flag.f0, narrow_flag.f1)) << name(model);
    EXPECT_FALSE(relations_of(narrow_fence.graph, model).sw(narrow_fence.f0, narrow_fence.f1)) << name(model);
  }
}

TEST(OneSidedFences, GiveOneSide) {
  const ByFences right({Order::release, Scope::gpu}, {Order::acquire, Scope::gpu}), wrong({Order::acquire, Scope::gpu}, {Order::release, Scope::gpu});
  EXPECT_TRUE(relations_of(right.graph, Model::ptx).sw(right.f0, right.f1));
  EXPECT_FALSE(relations_of(wrong.graph, Model::ptx).sw(wrong.f0, wrong.f1));
}

// Point 4: a red is no read of an acquire pattern in the ISA; it is in the cat files.
TEST(Red, AcquiresInTheVersionedModelsOnly) {
  GraphMaker g;
  g.init(flag);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId set = g.write(p0, flag, release_at(Scope::gpu));
  g.red(p1, flag, set, relaxed_at(Scope::gpu));
  const EventId f1 = g.fence(p1, acq_rel_at(Scope::gpu));
  EXPECT_FALSE(relations_of(g.graph, Model::ptx).sw(set, f1));
  EXPECT_TRUE(relations_of(g.graph, Model::ptx_v6_0).sw(set, f1));
  EXPECT_TRUE(relations_of(g.graph, Model::ptx_v7_5).sw(set, f1));
}

// Point 8. P0: st.release flag; <continued by>; P1: ld.acquire flag, which reads the latter.
TEST(ReleasePattern, GoesOnThroughItsThreadsStrongWrite) {
  GraphMaker g;
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId set = g.write(p0, flag, release_at(Scope::gpu)), later = g.write(p0, flag, relaxed_at(Scope::gpu));
  const EventId seen = g.read(p1, flag, later, acquire_at(Scope::gpu));
  for (const Model model : every_ptx) EXPECT_TRUE(relations_of(g.graph, model).sw(set, seen)) << name(model);
}

TEST(ReleasePattern, EndsAtItsThreadsWeakWrite) {
  GraphMaker g;
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId set = g.write(p0, flag, release_at(Scope::gpu)), later = g.write(p0, flag);
  const EventId seen = g.read(p1, flag, later, acquire_at(Scope::gpu));
  for (const Model model : every_ptx) EXPECT_FALSE(relations_of(g.graph, model).sw(set, seen)) << name(model);
}

TEST(ReleasePattern, EndsAtAnotherThreadsStore) {
  GraphMaker g;
  const ThreadId p0 = g.thread(), p1 = g.thread(), p2 = g.thread();
  const EventId set = g.write(p0, flag, release_at(Scope::gpu)), other = g.write(p1, flag, relaxed_at(Scope::gpu));
  g.graph.co = {{set, other}};
  const EventId seen = g.read(p2, flag, other, acquire_at(Scope::gpu));
  for (const Model model : every_ptx) EXPECT_FALSE(relations_of(g.graph, model).sw(set, seen)) << name(model);
}

// Of another location it is no pattern at all.
TEST(ReleasePattern, IsOfOneLocation) {
  GraphMaker g;
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId other = g.write(p0, y, release_at(Scope::gpu)), set = g.write(p0, flag, relaxed_at(Scope::gpu));
  const EventId seen = g.read(p1, flag, set, acquire_at(Scope::gpu));
  for (const Model model : every_ptx) EXPECT_FALSE(relations_of(g.graph, model).sw(other, seen)) << name(model);
}

// P0: st.release flag   P1: an atomic in between   P2: ld.acquire flag
struct Chain : GraphMaker {
  EventId flag0 = init(flag);
  ThreadId p0 = thread(), p1 = thread(), p2 = thread();
  EventId set = write(p0, flag, release_at(Scope::gpu));
  AtomicHalves link;
  EventId seen;
  explicit Chain(bool red, Scope scope = Scope::gpu)
      : link(atom(p1, flag, set, relaxed_at(scope), red)), seen(read(p2, flag, link.write, acquire_at(Scope::gpu))) {}
};

TEST(Observation, RunsThroughAtomicsAndReds) {
  for (const bool red : {false, true}) {
    const Chain g(red);
    for (const Model model : {Model::ptx, Model::ptx_v6_0}) {
      EXPECT_TRUE(relations_of(g.graph, model).obs(g.set, g.seen)) << name(model);
      EXPECT_TRUE(relations_of(g.graph, model).sw(g.set, g.seen)) << name(model);
    }
  }
}

TEST(Observation, BreaksAtAnAtomicOfTooNarrowAScope) {
  const Chain g(false, Scope::cta);
  for (const Model model : every_ptx) EXPECT_FALSE(relations_of(g.graph, model).sw(g.set, g.seen)) << name(model);
}

// --- Causality ---

// Point 6. P0: st x (a)   P1: ld x = a; st x (b)   P2: ld x = b; st x (c); all relaxed: a before b before c, but not a before c.
TEST(Causality, HasAnObservationPrefixAndIsNotTransitive) {
  GraphMaker g;
  g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread(), p2 = g.thread();
  const Strength relaxed = relaxed_at(Scope::gpu);
  const EventId a = g.write(p0, x, relaxed);
  g.read(p1, x, a, relaxed);
  const EventId b = g.write(p1, x, relaxed);
  g.read(p2, x, b, relaxed);
  const EventId c = g.write(p2, x, relaxed);
  for (const Model model : every_ptx) {
    const Relations r = relations_of(g.graph, model);
    EXPECT_TRUE(r.cause(a, b)) << name(model);
    EXPECT_TRUE(r.cause(b, c)) << name(model);
    EXPECT_FALSE(r.cause(a, c)) << name(model);
    EXPECT_FALSE(r.base(a, b)) << name(model);
    EXPECT_TRUE(r.co(a, c)) << "coherence is transitive, " << name(model);
  }
}

TEST(Causality, RelatesMemoryOperationsOfOneLocationInPtx) {
  GraphMaker g;
  const ThreadId p0 = g.thread();
  const EventId a = g.write(p0, x), b = g.write(p0, y), f = g.fence(p0, acq_rel_at(Scope::gpu));
  const Relations r = relations_of(g.graph, Model::ptx);
  EXPECT_TRUE(r.base(a, b) && r.base(a, f));
  EXPECT_FALSE(r.cause(a, b));
  EXPECT_FALSE(r.cause(a, f));
}

// v6.0: bare program order is no base causality.
TEST(BaseCausality, NeedsASynchronizingStepInV60) {
  GraphMaker g;
  const ThreadId p0 = g.thread();
  const EventId a = g.write(p0, x), b = g.write(p0, x);
  EXPECT_TRUE(relations_of(g.graph, Model::ptx).base(a, b));
  EXPECT_FALSE(relations_of(g.graph, Model::ptx_v6_0).base(a, b));
  EXPECT_TRUE(relations_of(g.graph, Model::ptx_v6_0).co(a, b)) << "a thread's own writes are ordered all the same";
}

TEST(Barriers, OrderTheArrivalsBeforeTheWaits) {
  GraphMaker g;
  const ThreadId p0 = g.thread_in(0), p1 = g.thread_in(0);
  const EventId before = g.write(p0, x), arrive = g.arrive(p0), after_arrive = g.read(p0, y, no_event);
  const EventId other = g.write(p1, y), wait = g.wait(p1), after = g.read(p1, x, before);
  g.graph.sync = {{arrive, wait}};
  g.graph.rf[after_arrive] = other;
  for (const Model model : every_ptx) {
    const Relations r = relations_of(g.graph, model);
    EXPECT_TRUE(r.cause(before, after)) << name(model);
    EXPECT_FALSE(r.cause(other, after_arrive)) << "bar.arrive receives nothing, " << name(model);
  }
}

// --- Coherence ---

// Point 5. Two racing weak writes: readers may disagree on their order.
TEST(Coherence, IsPartialSoThatReadersMayDisagree) {
  GraphMaker g;
  g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread(), p2 = g.thread(), p3 = g.thread();
  const EventId one = g.write(p0, x), two = g.write(p1, x);
  g.read(p2, x, one);
  g.read(p2, x, two);
  g.read(p3, x, two);
  g.read(p3, x, one);
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
  for (const Edge order : {Edge{one, two}, Edge{two, one}}) {
    g.graph.co = {order};
    EXPECT_NE(verdict_of(g.graph, Model::sc), "consistent");
  }
}

TEST(Coherence, PutsTheInitialWriteFirst) {
  GraphMaker g;
  const EventId x0 = g.init(x), w = g.write(g.thread(), x);
  for (const Model model : every_ptx) EXPECT_TRUE(relations_of(g.graph, model).co(x0, w)) << name(model);
}

// --- Races ---

std::size_t races_in(const GraphMaker& g, Model model) { return relations_of(g.graph, model).races(g.graph).size(); }

TEST(Race, IsAConflictWithoutMoralStrengthOrOrder) {
  GraphMaker weak, strong, narrow, reads;
  const EventId x0 = weak.init(x);
  weak.write(weak.thread(), x);
  weak.read(weak.thread(), x, x0);
  strong.init(x);
  strong.write(strong.thread(), x, relaxed_at(Scope::gpu));
  strong.read(strong.thread(), x, x0, relaxed_at(Scope::gpu));
  narrow.init(x);
  narrow.write(narrow.thread(), x, relaxed_at(Scope::cta));
  narrow.read(narrow.thread(), x, x0, relaxed_at(Scope::gpu));
  reads.init(x);
  reads.read(reads.thread(), x, x0);
  reads.read(reads.thread(), x, x0);
  for (const Model model : every_ptx) {
    EXPECT_EQ(races_in(weak, model), 1U);
    EXPECT_EQ(races_in(strong, model), 0U);
    EXPECT_EQ(races_in(narrow, model), 1U) << "both strong, one scope too narrow";
    EXPECT_EQ(races_in(reads, model), 0U);
  }
  EXPECT_EQ(races_in(weak, Model::sc), 0U) << "sc knows no races";
}

// Point 15. P0: fence.sc; atom c   P1: atom c (reads it); fence.sc; st.weak c. P0's read half is before nothing of P1; its write
// half is. One operation, so it is ordered.
TEST(Race, TakesAnAtomicAsOneOperation) {
  GraphMaker g;
  const EventId c0 = g.init(flag);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const AtomicHalves first = g.atom(p0, flag, c0, relaxed_at(Scope::gpu));
  g.atom(p1, flag, first.write, relaxed_at(Scope::gpu));
  const EventId reset = g.write(p1, flag);
  for (const Model model : every_ptx) {
    const Relations r = relations_of(g.graph, model);
    EXPECT_TRUE(r.cause(first.write, reset)) << name(model);
    EXPECT_FALSE(r.cause(first.read, reset)) << name(model);
    EXPECT_EQ(r.races(g.graph).size(), 0U) << name(model);
  }
}

// Point 10.
TEST(Alias, LetsAThreadReadAroundItsOwnStoreAndRaceWithItself) {
  GraphMaker g;
  const EventId x0 = g.init(x);
  const ThreadId p0 = g.thread();
  g.write(p0, x);
  g.read(p0, x, x0, weakly, 1);
  for (const Model model : {Model::ptx, Model::ptx_v7_5}) {
    EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
    EXPECT_EQ(races_in(g, model), 1U) << name(model);
  }
}

TEST(Alias, IsRepairedByAnAliasFence) {
  GraphMaker g;
  const EventId x0 = g.init(x);
  const ThreadId p0 = g.thread();
  g.write(p0, x);
  g.proxy_fence(p0, ProxyFence::alias);
  g.read(p0, x, x0, weakly, 1);
  for (const Model model : {Model::ptx, Model::ptx_v7_5}) {
    EXPECT_EQ(verdict_of(g.graph, model), "Causality: 3 -fr-> 1 -po-> 3") << name(model);
    EXPECT_EQ(races_in(g, model), 0U) << name(model);
  }
}

// --- Long derivations ---

// Two threads that take turns at one location, each reading what the other wrote.
GraphMaker long_graph(std::size_t rounds) {
  GraphMaker g;
  EventId last = g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  for (std::size_t n = 0; n < rounds; ++n)
    for (const ThreadId p : {p0, p1}) {
      g.read(p, x, last, relaxed_at(Scope::gpu));
      last = g.write(p, x, relaxed_at(Scope::gpu));
    }
  return g;
}

TEST(Relations, LetALongDerivationBeGivenUp) {
  const GraphMaker g = long_graph(300);
  const Reading reading = reading_of(Model::ptx);
  struct GivenUp {};
  const auto derive = [&](Relations& r) {
    r.prepare(g.graph, reading);
    r.derive(g.graph);
    return r.violated_axiom(g.graph);
  };
  Relations patient;
  std::size_t pauses = 0;
  patient.pause = [&](std::size_t) { ++pauses; };
  EXPECT_EQ(derive(patient), std::nullopt);
  EXPECT_GT(pauses, 3U);

  Relations other;
  for (std::size_t given_up_at = 1; given_up_at <= pauses; given_up_at += pauses / 7 + 1) {
    std::size_t left = given_up_at;
    other.pause = [&](std::size_t) {
      if (--left == 0) throw GivenUp();
    };
    EXPECT_THROW((void)derive(other), GivenUp) << given_up_at;
    other.pause = nullptr;
    EXPECT_EQ(derive(other), std::nullopt) << "and then done after all";
    EXPECT_EQ(other.cause, patient.cause);
  }
}

// Small graphs are not held up.
TEST(Relations, OfSmallGraphsPauseNever) {
  const GraphMaker g = long_graph(8);
  Relations r;
  r.pause = [](std::size_t) { ADD_FAILURE(); };
  r.prepare(g.graph, reading_of(Model::ptx));
  r.derive(g.graph);
}

}  // namespace
}  // namespace fencewise::testing
