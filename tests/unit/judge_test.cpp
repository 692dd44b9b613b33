// The judge: for each axiom of each model a graph that breaks it, with the cycle, and its neighbour that does not.
//
// Cycles are pinned as "Axiom: event -edge-> event ...", events by their number in the graph.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/graphs.h"

namespace fencewise::testing {
namespace {

using place::flag;
using place::x;
using place::y;

// --- Coherence ---

TEST(CoherenceAxiom, RefusesAnOrderAgainstProgramOrder) {
  GraphMaker g;
  g.init(x);
  const ThreadId p0 = g.thread();
  const EventId first = g.write(p0, x), second = g.write(p0, x);
  EXPECT_EQ(verdict_of(g.graph, Model::ptx), "consistent");
  g.graph.co = {{second, first}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "Coherence: 1 -co-> 2 -co-> 1") << name(model);
}

TEST(CoherenceAxiom, RefusesAnOrderAgainstSynchronization) {
  GraphMaker g;
  g.init(x);
  g.init(flag);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId before = g.write(p0, x), release = g.write(p0, flag, release_at(Scope::gpu));
  g.read(p1, flag, release, acquire_at(Scope::gpu));
  const EventId after = g.write(p1, x);
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
  g.graph.co = {{after, before}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "Coherence: 2 -co-> 5 -co-> 2") << name(model);
}

TEST(CoherenceAxiom, LeavesRacingWritesUnordered) {
  GraphMaker g;
  g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId one = g.write(p0, x), two = g.write(p1, x);
  for (const Model model : every_ptx) {
    EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
    const Relations r = relations_of(g.graph, model);
    EXPECT_FALSE(r.co(one, two) || r.co(two, one)) << name(model);
  }
}

// --- Fence-SC ---

// P0: fence.sc (2); st.release flag (3)   P1: ld.acquire flag (4); fence.sc (5)
struct SynchronizedFences : GraphMaker {
  EventId flag0 = init(flag), unused = init(x);
  ThreadId p0 = thread(), p1 = thread();
  EventId f0 = fence(p0, sc_at(Scope::gpu)), set = write(p0, flag, release_at(Scope::gpu));
  EventId seen = read(p1, flag, set, acquire_at(Scope::gpu)), f1 = fence(p1, sc_at(Scope::gpu));
};

TEST(FenceScAxiom, RefusesAnOrderAgainstCausality) {
  SynchronizedFences g;
  g.graph.fence_sc = {{g.f0, g.f1}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
  g.graph.fence_sc = {{g.f1, g.f0}};
  EXPECT_EQ(verdict_of(g.graph, Model::ptx), "Fence-SC: 2 -sw-> 5 -fence-sc-> 2") << "fence.sc is an acq_rel fence as well";
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v6_0), "Fence-SC: 2 -po-> 3 -sw-> 4 -po-> 5 -fence-sc-> 2");
}

// Causality relates memory operations only there, so the axiom says nothing; the flag's own causality refuses the order.
TEST(FenceScAxiom, IsEmptyInV75WhereCausalityNeverEndsInAFence) {
  SynchronizedFences g;
  g.graph.fence_sc = {{g.f1, g.f0}};
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v7_5), "Causality: 3 -rf-> 4 -po-> 5 -fence-sc-> 2 -po-> 3");
}

TEST(FenceScAxiom, RefusesACircle) {
  GraphMaker g;
  const EventId a = g.fence(g.thread(), sc_at(Scope::gpu)), b = g.fence(g.thread(), sc_at(Scope::gpu)), c = g.fence(g.thread(), sc_at(Scope::gpu));
  g.graph.fence_sc = {{a, b}, {b, c}, {a, c}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
  g.graph.fence_sc = {{a, b}, {b, c}, {c, a}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "Fence-SC: 0 -fence-sc-> 1 -fence-sc-> 2 -fence-sc-> 0") << name(model);
}

// Store buffering with fence.sc: whichever fence is first, its thread's store is seen.
TEST(FenceScAxiom, ForbidsStoreBufferingThroughCausality) {
  GraphMaker g;
  const EventId x0 = g.init(x), y0 = g.init(y);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  g.write(p0, x, relaxed_at(Scope::gpu));
  const EventId f0 = g.fence(p0, sc_at(Scope::gpu));
  g.read(p0, y, y0, relaxed_at(Scope::gpu));
  g.write(p1, y, relaxed_at(Scope::gpu));
  const EventId f1 = g.fence(p1, sc_at(Scope::gpu));
  g.read(p1, x, x0, relaxed_at(Scope::gpu));
  for (const Model model : every_ptx) {
    g.graph.fence_sc = {{f0, f1}};
    EXPECT_EQ(verdict_of(g.graph, model), "Causality: 7 -fr-> 2 -po-> 3 -fence-sc-> 6 -po-> 7") << name(model);
    g.graph.fence_sc = {{f1, f0}};
    EXPECT_EQ(verdict_of(g.graph, model), "Causality: 4 -fr-> 5 -po-> 6 -fence-sc-> 3 -po-> 4") << name(model);
  }
}

// --- Atomicity ---

// P0: atom x (1, 2), reading the initial value   P1: st.relaxed x (3), between the two in coherence
struct Interrupted : GraphMaker {
  explicit Interrupted(Scope scope) {
    const EventId x0 = init(x);
    const ThreadId p0 = thread(), p1 = thread();
    const AtomicHalves add = atom(p0, x, x0, relaxed_at(scope));
    const EventId other = write(p1, x, relaxed_at(scope));
    graph.co = {{other, add.write}};
  }
};

TEST(AtomicityAxiom, RefusesAStrongWriteInBetween) {
  for (const Model model : every_ptx)
    EXPECT_EQ(verdict_of(Interrupted(Scope::gpu).graph, model), "Atomicity: 1 -fr-> 3 -co-> 2 -rmw-> 1") << name(model);
}

// 8.10.3: no RMW atomicity without moral strength.
TEST(AtomicityAxiom, AsksForScopesThatIncludeEachOther) {
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(Interrupted(Scope::cta).graph, model), "consistent") << name(model);
}

TEST(AtomicityAxiom, RefusesTwoAtomicsThatReadOneWrite) {
  GraphMaker g;
  const EventId x0 = g.init(x);
  const AtomicHalves a = g.atom(g.thread(), x, x0, relaxed_at(Scope::gpu)), b = g.atom(g.thread(), x, x0, relaxed_at(Scope::gpu));
  g.graph.co = {{a.write, b.write}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "Atomicity: 3 -fr-> 2 -co-> 4 -rmw-> 3") << name(model);
}

// A weak write is unordered with the other thread's atomic, so that this one does not lie between.
TEST(AtomicityAxiom, LetsTwoAtomicsReadOneRacingWeakWrite) {
  GraphMaker g;
  g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId weak = g.write(p0, x);
  const AtomicHalves a = g.atom(p0, x, weak, relaxed_at(Scope::gpu)), b = g.atom(p1, x, weak, relaxed_at(Scope::gpu));
  g.graph.co = {{b.write, a.write}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
}

// --- No-Thin-Air ---

struct LoadBuffering : GraphMaker {
  EventId x0 = init(x), y0 = init(y);
  ThreadId p0 = thread(), p1 = thread();
  EventId rx = read(p0, x, no_event), wy = write(p0, y), ry = read(p1, y, wy), wx = write(p1, x);
  LoadBuffering() { graph.rf[rx] = wx; }
};

TEST(NoThinAirAxiom, RefusesACircleOfReadsFromAndDependencies) {
  LoadBuffering g;
  g.graph.dep = {{g.rx, g.wy}, {g.ry, g.wx}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "No-Thin-Air: 2 -dep-> 3 -rf-> 4 -dep-> 5 -rf-> 2") << name(model);
}

TEST(NoThinAirAxiom, AllowsLoadBufferingWhereOneDependencyIsMissing) {
  LoadBuffering g;
  g.graph.dep = {{g.rx, g.wy}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
}

// --- SC-per-Location ---

// P0: st.relaxed x (1); ld x (3) = what P1 wrote before.   In v6.0 causality leaves out bare program order, so that this axiom
// has to say it; in the others causality does.
TEST(ScPerLocationAxiom, KeepsAReadFromMissingItsOwnThreadsWrite) {
  GraphMaker g;
  g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId own = g.write(p0, x, relaxed_at(Scope::gpu)), other = g.write(p1, x, relaxed_at(Scope::gpu));
  g.read(p0, x, other, relaxed_at(Scope::gpu));
  g.graph.co = {{own, other}};
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
  g.graph.co = {{other, own}};
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v6_0), "SC-per-Location: 1 -po-> 3 -fr-> 1");
  EXPECT_EQ(verdict_of(g.graph, Model::ptx), "Causality: 3 -fr-> 1 -po-> 3");
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v7_5), "Causality: 3 -fr-> 1 -po-> 3");
}

TEST(ScPerLocationAxiom, KeepsAReadFromSeeingItsOwnThreadsLaterWrite) {
  GraphMaker g;
  g.init(x);
  const ThreadId p0 = g.thread();
  const EventId early = g.read(p0, x, no_event), late = g.write(p0, x);
  g.graph.rf[early] = late;
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v6_0), "SC-per-Location: 1 -po-> 2 -rf-> 1");
  EXPECT_EQ(verdict_of(g.graph, Model::ptx), "Causality: 2 -rf-> 1 -po-> 2");
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v7_5), "Causality: 2 -rf-> 1 -po-> 2");
}

// --- Causality ---

TEST(CausalityAxiom, RefusesAStaleReadAfterAnAcquire) {
  GraphMaker g;
  const EventId x0 = g.init(x);
  g.init(flag);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  g.write(p0, x);
  const EventId set = g.write(p0, flag, release_at(Scope::gpu));
  g.read(p1, flag, set, acquire_at(Scope::gpu));
  g.read(p1, x, x0);
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "Causality: 5 -fr-> 2 -po-> 3 -sw-> 4 -po-> 5") << name(model);
}

// Read-read coherence: what is observed is followed by what comes after in the reader.
TEST(CausalityAxiom, RefusesToForgetWhatWasObserved) {
  GraphMaker g;
  const EventId x0 = g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId w = g.write(p0, x, relaxed_at(Scope::gpu));
  g.read(p1, x, w, relaxed_at(Scope::gpu));
  const EventId again = g.read(p1, x, x0, relaxed_at(Scope::gpu));
  EXPECT_EQ(verdict_of(g.graph, Model::ptx), "Causality: 3 -fr-> 1 -obs-> 2 -po-> 3");
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v6_0), "Causality: 3 -fr-> 1 -obs-> 2 -po-> 3");
  EXPECT_EQ(verdict_of(g.graph, Model::ptx_v7_5), "Causality: 3 -fr-> 1 -obs-> 2 -po-> 3");
  g.graph.rf[again] = w;
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
}

TEST(CausalityAxiom, LetsAWeakReaderForget) {
  GraphMaker g;
  const EventId x0 = g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const EventId w = g.write(p0, x);
  g.read(p1, x, w);
  g.read(p1, x, x0);
  for (const Model model : every_ptx) EXPECT_EQ(verdict_of(g.graph, model), "consistent") << name(model);
}

// --- Model sc ---

TEST(SequentialConsistency, RefusesStoreBuffering) {
  GraphMaker g;
  const EventId x0 = g.init(x), y0 = g.init(y);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  g.write(p0, x);
  const EventId ry = g.read(p0, y, y0);
  const EventId wy = g.write(p1, y);
  g.read(p1, x, x0);
  EXPECT_EQ(verdict_of(g.graph, Model::sc), "Sequential-Consistency: 2 -po-> 3 -fr-> 4 -po-> 5 -fr-> 2");
  g.graph.rf[ry] = wy;
  EXPECT_EQ(verdict_of(g.graph, Model::sc), "consistent");
}

TEST(SequentialConsistency, TakesAnAtomicAsOneStep) {
  GraphMaker g;
  const EventId x0 = g.init(x);
  const ThreadId p0 = g.thread(), p1 = g.thread();
  const AtomicHalves add = g.atom(p0, x, x0, relaxed_at(Scope::cta));
  const EventId other = g.write(p1, x);
  g.graph.co = {{add.write, other}};
  EXPECT_EQ(verdict_of(g.graph, Model::sc), "consistent");
  g.graph.co = {{other, add.write}};
  EXPECT_EQ(verdict_of(g.graph, Model::sc).substr(0, 23), "Sequential-Consistency:");
}

// --- Graphs that can't be judged ---

TEST(Judge, RefusesAGraphWithAReadWithoutSource) {
  GraphMaker g;
  g.init(x);
  g.read(g.thread(), x, no_event);
  EXPECT_THROW((void)judge(g.graph, reading_of(Model::ptx)), std::logic_error);
}

TEST(Judge, RefusesAGraphThatLeavesMorallyStrongWritesUnordered) {
  GraphMaker g;
  g.init(x);
  g.write(g.thread(), x, relaxed_at(Scope::gpu));
  g.write(g.thread(), x, relaxed_at(Scope::gpu));
  EXPECT_THROW((void)judge(g.graph, reading_of(Model::ptx)), std::logic_error);
}

TEST(Judge, RefusesAGraphThatLeavesMorallyStrongFencesUnordered) {
  GraphMaker g;
  g.fence(g.thread(), sc_at(Scope::gpu));
  g.fence(g.thread(), sc_at(Scope::gpu));
  EXPECT_THROW((void)judge(g.graph, reading_of(Model::ptx)), std::logic_error);
}

}  // namespace
}  // namespace fencewise::testing
