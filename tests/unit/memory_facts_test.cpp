// Facts about the memory model that are worth knowing first, as whole programs through the engine: the small facts of
// ptx-memory-model.md (section 14), and those points that implementations get wrong (section 15) that show in programs. None of
// them is noticed by the public suites.
//
// "Stale" is the outcome in which the flag (or the count) is seen and the data is old.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "checker/check.h"
#include "kernels/core/builder.h"
#include "kernels/core/problem.h"
#include "kernels/core/verdict.h"
#include "kernels/frontend/litmus/parse.h"
#include "tests/support/graphs.h"

namespace fencewise::testing {
namespace {

constexpr Model versioned[] = {Model::ptx_v6_0, Model::ptx_v7_5};

// A litmus test asks whether its `exists` is reachable.
Problem litmus(std::string_view body) { return parse_litmus(fmt::format("PTX fact\n{}", body), "fact.litmus"); }

bool allows(std::string_view body, Model model) {
  CheckOptions options;
  options.model = model;
  options.engine = Engine::graph;
  options.races = Races::off;
  const CheckResult result = check(litmus(body), options);
  EXPECT_NE(result.verdict, Verdict::inconclusive) << result.reason;
  return result.verdict == Verdict::verified;
}

std::vector<Finding> findings(Problem problem, Model model) {
  problem.contract = {};
  CheckOptions options;
  options.model = model;
  options.engine = Engine::graph;
  options.stop_at_first = false;
  const CheckResult result = check(problem, options);
  EXPECT_NE(result.verdict, Verdict::inconclusive) << result.reason;
  return result.findings;
}

bool has(const std::vector<Finding>& found, FindingKind kind, std::string_view location = "") {
  return std::any_of(found.begin(), found.end(), [&](const Finding& f) { return f.kind == kind && (location.empty() || f.location == location); });
}
bool races(std::string_view body, Model model) { return has(findings(litmus(body), model), FindingKind::race); }
bool hangs(std::string_view body, Model model) { return has(findings(litmus(body), model), FindingKind::stuck); }

void expect(std::string_view body, std::initializer_list<Model> allowed, std::string_view why) {
  for (const Model model : every_ptx)
    EXPECT_EQ(allows(body, model), std::find(allowed.begin(), allowed.end(), model) != allowed.end()) << why << " (" << name(model) << ")\n" << body;
}
constexpr auto everywhere = {Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5};
constexpr std::initializer_list<Model> nowhere = {};

// --- The last block of a reduction ---

constexpr std::string_view textbook_last_block = R"({ x = 0; c = 0; }
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 ;
 st.weak x, 1                   | fence.sc.gpu                   ;
 fence.sc.gpu                   | atom.relaxed.gpu.add r0, c, 1  ;
 atom.relaxed.gpu.add r0, c, 1  | ld.weak r1, x                  ;
exists (P1:r0 == 1 /\ P1:r1 == 0))";

TEST(TextbookLastBlock, HasStaleOutcomes) {
  expect(textbook_last_block, everywhere, "the fence of the last block comes before the increment: nothing acquires");
  EXPECT_FALSE(allows(textbook_last_block, Model::sc)) << "interleaving alone never shows it";
}

constexpr std::string_view textbook_with_barrier = R"({ x = 0; c = 0; }
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 | P2@cta 1,gpu 0 ;
 st.weak x, 1                   | fence.sc.gpu                   | bar.cta.sync 0 ;
 fence.sc.gpu                   | atom.relaxed.gpu.add r0, c, 1  | ld.weak r1, x  ;
 atom.relaxed.gpu.add r0, c, 1  | bar.cta.sync 0                 |                ;
exists (P1:r0 == 1 /\ P2:r1 == 0))";

TEST(TextbookLastBlock, IsNotRepairedByABarrierBeforeTheReads) {
  expect(textbook_with_barrier, everywhere, "the barrier orders within the last block only");
}

// Point 14: results must be checked, not only races.
TEST(TextbookLastBlock, HasNoRaceWhereThePartialsAreVolatile) {
  const std::string_view body = R"({ x = 0; c = 0; }
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 ;
 st.volatile x, 1               | fence.sc.gpu                   ;
 fence.sc.gpu                   | atom.relaxed.gpu.add r0, c, 1  ;
 atom.relaxed.gpu.add r0, c, 1  | ld.volatile r1, x              ;
exists (P1:r0 == 1 /\ P1:r1 == 0))";
  expect(body, everywhere, "volatile is relaxed.sys: it orders nothing");
  for (const Model model : every_ptx) {
    EXPECT_FALSE(races(body, model)) << name(model);
    EXPECT_TRUE(races(textbook_last_block, model)) << name(model);
  }
}

TEST(LastBlock, IsRightWithTheFenceAfterTheIncrement) {
  expect(R"({ x = 0; c = 0; }
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 ;
 st.weak x, 1                   | atom.relaxed.gpu.add r0, c, 1  ;
 fence.sc.gpu                   | fence.sc.gpu                   ;
 atom.relaxed.gpu.add r0, c, 1  | ld.weak r1, x                  ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
         nowhere, "the fence after what was seen acquires (ptx), or is later in the order of fence.sc (versioned)");
}

// Thread 1 of a block fences and meets thread 0 at the barrier, which counts.
std::string fence_then_barrier(std::string_view fence, std::string_view leader_fence, std::string_view reader_fence) {
  return fmt::format(R"({{ x = 0; c = 0; }}
 P0@cta 0,gpu 0                 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0                 ;
 {1}                            | st.weak x, 1   | atom.relaxed.gpu.add r0, c, 1  ;
 bar.cta.sync 0                 | {0}            | {2}                            ;
 atom.relaxed.gpu.add r0, c, 1  | bar.cta.sync 0 | ld.weak r1, x                  ;
exists (P2:r0 == 1 /\ P2:r1 == 0))",
                     fence, leader_fence, reader_fence);
}

TEST(FenceBeforeTheBarrier, IsEnoughAsFenceScOnly) {
  expect(fence_then_barrier("fence.sc.gpu", "fence.sc.gpu", "fence.sc.gpu"), nowhere, "only through the order of fence.sc");
  expect(fence_then_barrier("fence.acq_rel.gpu", "fence.acq_rel.gpu", "fence.acq_rel.gpu"), {Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5},
         "a fence in one thread and the flag's write in another make no release pattern; thread 0's fence does not cover what "
         "reaches it through the later barrier");
}

TEST(FenceAfterTheBarrier, IsEnoughAsFenceAcqRel) {
  expect(R"({ x = 0; c = 0; }
 P0@cta 0,gpu 0                 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0                 ;
 bar.cta.sync 0                 | st.weak x, 1   | atom.relaxed.gpu.add r0, c, 1  ;
 fence.acq_rel.gpu              | bar.cta.sync 0 | fence.acq_rel.gpu              ;
 atom.relaxed.gpu.add r0, c, 1  |                | ld.weak r1, x                  ;
exists (P2:r0 == 1 /\ P2:r1 == 0))",
         nowhere, "base causality is cumulative: barrier, then the leader's release");
}

// --- Locks and semaphores ---

TEST(Semaphore, TakenWithoutAcquireGivesStaleData) {
  expect(R"({ x = 0; f = 0; }
 P0@cta 0,gpu 0            | P1@cta 1,gpu 0                   | P2@cta 1,gpu 0 ;
 st.weak x, 1              | atom.relaxed.gpu.cas r0, f, 1, 2 | bar.cta.sync 0 ;
 fence.acq_rel.gpu         | bar.cta.sync 0                   | ld.weak r1, x  ;
 red.relaxed.gpu.add f, 1  |                                  |                ;
exists (P1:r0 == 1 /\ P2:r1 == 0))",
         everywhere, "released, but the relaxed cas does not acquire, and the barrier is no fence");
}

TEST(Lock, TakenByARelaxedCasGivesStaleData) {
  expect(R"({ x = 0; l = 1; }
 P0@cta 0,gpu 0                  | P1@cta 1,gpu 0                   ;
 st.weak x, 1                    | atom.relaxed.gpu.cas r0, l, 0, 1 ;
 fence.sc.gpu                    | ld.weak r1, x                    ;
 atom.relaxed.gpu.exch r0, l, 0  |                                  ;
exists (P1:r0 == 0 /\ P1:r1 == 0))",
         everywhere, "no acquire where the lock is taken");
}

// --- Weak flags ---

std::string weak_flag(std::string_view fence) {
  return fmt::format(R"({{ x = 0; f = 0; }}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.weak x, 1   | ld.weak r0, f  ;
 {0}            | {0}            ;
 st.weak f, 1   | ld.weak r1, x  ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
                     fence);
}

TEST(WeakFlag, IsOrderedByFenceScThoughItRaces) {
  expect(weak_flag("fence.sc.gpu"), nowhere, "either order of the fences forbids it: the reader's first would make f's read precede its write");
  for (const Model model : every_ptx) EXPECT_TRUE(races(weak_flag("fence.sc.gpu"), model)) << name(model);
}

TEST(WeakFlag, MakesNoPatternWithFenceAcqRel) { expect(weak_flag("fence.acq_rel.gpu"), everywhere, "a pattern needs a strong access of the flag"); }

// --- Status and value ---

TEST(SplitVector, MayShowTheStatusWithoutTheValue) {
  expect(R"({ value = 0; status = 0; }
 P0@cta 0,gpu 0           | P1@cta 1,gpu 0              ;
 st.relaxed.gpu value, 1  | ld.relaxed.gpu r0, status   ;
 st.relaxed.gpu status, 1 | ld.relaxed.gpu r1, value    ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
         everywhere, "elements of a vector access are accesses of their own");
}

// A v2 access of one 8-byte place, as CUB's scan does it.
TEST(SplitVector, IsWhatAV2AccessDoes) {
  KernelBuilder writer("writer"), reader("reader");
  writer.st_vector(writer.global("tile", Type::u32)[0], {1, 1}, relaxed(Scope::gpu));
  const auto seen = reader.ld_vector(reader.global("tile", Type::u32)[0], 2, relaxed(Scope::gpu));
  Problem problem;
  problem.kernels = {writer.build(), reader.build()};
  problem.buffers = {{"tile", Type::u32, 2, Role::workspace, {}, {}, false}};
  problem.launches.emplace_back();
  problem.launches[0].placed = {{KernelId{0}, {CtaId{0}, ClusterId{0}, DeviceId{0}}}, {KernelId{1}, {CtaId{1}, ClusterId{1}, DeviceId{0}}}};
  for (const Model model : every_ptx) {
    CheckOptions options;
    options.model = model;
    options.collect_states = true;
    const auto states = check(problem, options).final_states;
    EXPECT_EQ(states.size(), 4U) << "either element may be old, " << name(model);
  }
}

// --- Where the models differ ---

// Points 1 and 16.
TEST(FenceSc, CountsAsAcqRelInPtxOnly) {
  expect(R"({ x = 0; f = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
 st.weak x, 1         | ld.relaxed.gpu r0, f  ;
 fence.sc.gpu         | fence.acq_rel.gpu     ;
 st.relaxed.gpu f, 1  | ld.weak r1, x         ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
         {Model::ptx_v6_0, Model::ptx_v7_5}, "the ISA's fence.sc is a superset of acq_rel; the cat files' patterns take fence.acq_rel only");
}

// Point 16: a seq_cst store's flag (fence.sc; st) read by an acquire.
TEST(FenceSc, BeforeASequentiallyConsistentStoreReleasesInPtxOnly) {
  expect(R"({ x = 0; f = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
 st.weak x, 1         | ld.acquire.gpu r0, f  ;
 fence.sc.gpu         | ld.weak r1, x         ;
 st.relaxed.gpu f, 1  |                       ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
         {Model::ptx_v6_0, Model::ptx_v7_5}, "a difference between the models, not a bug of the kernel");
}

// Point 4.
TEST(Red, DoesNotAcquireInPtx) {
  expect(R"({ x = 0; f = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;
 st.weak x, 1         | red.relaxed.gpu.add f, 1 ;
 st.release.gpu f, 1  | fence.acq_rel.gpu        ;
                      | ld.weak r1, x            ;
exists (f == 2 /\ P1:r1 == 0))",
         {Model::ptx}, "8.8 and 8.11.1: a red is no read of an acquire pattern; in the cat files it is");
}

TEST(Atom, AcquiresWithAFenceAfterIt) {
  expect(R"({ x = 0; f = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0                 ;
 st.weak x, 1         | atom.relaxed.gpu.add r0, f, 1  ;
 st.release.gpu f, 1  | fence.acq_rel.gpu              ;
                      | ld.weak r1, x                  ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
         nowhere, "an atom is a read");
}

// Point 3. A plain load beside a cas that fails races with it only where it writes.
TEST(FailingCas, WritesTheOldValueInTheVersionedModelsOnly) {
  const std::string_view body = R"({ f = 7; }
 P0@cta 0,gpu 0                   | P1@cta 1,gpu 0 ;
 atom.relaxed.gpu.cas r0, f, 0, 1 | ld.weak r0, f  ;
exists (P0:r0 == 7))";
  EXPECT_FALSE(races(body, Model::ptx)) << "the ISA counts a write only when one happens: these are two reads";
  for (const Model model : versioned) EXPECT_TRUE(races(body, model)) << name(model);
}

// Point 2: plainly sequential behaviour. P1 runs wholly after P0; the fences are of scopes that don't meet.
TEST(FenceScAxiom, ConcernsMorallyStrongPairsOnly) {
  const std::string_view body = R"({ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
 st.relaxed.gpu x, 1  | ld.acquire.gpu r0, y  ;
 fence.sc.cta         | fence.sc.cta          ;
 st.release.gpu y, 1  | ld.relaxed.gpu r1, x  ;
exists (P1:r0 == 1 /\ P1:r1 == 1))";
  expect(body, everywhere, "P0, then P1: fence.sc.cta of two CTAs are in causality and in no Fence-SC order");
}

// --- Coherence and reads ---

// Point 5.
TEST(RacingWrites, AreSeenInDifferentOrdersAndEitherMayBeLast) {
  expect(R"({ x = 0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;
 st.weak x, 1   | st.weak x, 2   | ld.weak r0, x  | ld.weak r0, x  ;
                |                | ld.weak r1, x  | ld.weak r1, x  ;
exists (P2:r0 == 1 /\ P2:r1 == 2 /\ P3:r0 == 2 /\ P3:r1 == 1 /\ x == 2))",
         everywhere, "coherence is partial");
}

TEST(RacingWrites, AreSeenInOneOrderWhereAllIsMorallyStrong) {
  expect(R"({ x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0      | P2@cta 2,gpu 0       | P3@cta 3,gpu 0       ;
 st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, x ;
                     |                     | ld.relaxed.gpu r1, x | ld.relaxed.gpu r1, x ;
exists (P2:r0 == 1 /\ P2:r1 == 2 /\ P3:r0 == 2 /\ P3:r1 == 1))",
         nowhere, "morally strong writes are ordered");
}

// Point 6.
TEST(Observation, GivesReadReadCoherenceButNoMessagePassing) {
  expect(R"({ x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;
                     | ld.weak r1, x        ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
         nowhere, "observed, then program order on one location");
  expect(R"({ x = 0; y = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.gpu y, 1 | ld.relaxed.gpu r0, x ;
 st.relaxed.gpu x, 1 | ld.relaxed.gpu r1, y ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
         everywhere, "the prefix observes one location only");
}

// Point 8.
TEST(ReleasePattern, GoesOnThroughStrongWritesOfItsThreadAndAtomicsOfOthers) {
  const auto body = [](std::string_view later, std::string_view others) {
    return fmt::format(R"({{ x = 0; f = 0; }}
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0        | P2@cta 2,gpu 0 ;
 st.weak x, 1        | ld.acquire.gpu r0, f  | {1}            ;
 st.release.gpu f, 1 | ld.weak r1, x         |                ;
 {0}                 |                       |                ;
exists (P1:r0 == 3 /\ P1:r1 == 0))",
                       later, others);
  };
  expect(body("st.relaxed.gpu f, 3", ""), nowhere, "the same thread's strong write");
  expect(body("st.weak f, 3", ""), everywhere, "never a weak one");
  expect(body("", "st.relaxed.gpu f, 3"), everywhere, "another thread's store");
  for (const Model model : {Model::ptx, Model::ptx_v6_0})
    EXPECT_FALSE(allows(body("", "red.relaxed.gpu.add f, 2"), model)) << "another thread's atomic, " << name(model);
}

// Point 7.
TEST(Scopes, OfAWideFenceDoNotRepairANarrowFlag) {
  const auto body = [](std::string_view fence, std::string_view flag) {
    return fmt::format(R"({{ x = 0; f = 0; }}
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
 st.weak x, 1         | ld.relaxed.{1} r0, f  ;
 fence.acq_rel.{0}    | fence.acq_rel.{0}     ;
 st.relaxed.{1} f, 1  | ld.weak r1, x         ;
exists (P1:r0 == 1 /\ P1:r1 == 0))",
                       fence, flag);
  };
  expect(body("gpu", "gpu"), nowhere, "all reach");
  expect(body("sys", "cta"), everywhere, "the flag's accesses are not morally strong");
  expect(body("cta", "sys"), everywhere, "the fences are not");
}

// Point 9.
TEST(LoadBuffering, IsForbiddenByDependenciesOnly) {
  const auto body = [](std::string_view first, std::string_view second, std::string_view store) {
    return fmt::format(R"({{ x = 0; y = 0; }}
 P0@cta 0,gpu 0        | P1@cta 1,gpu 0        ;
 ld.relaxed.gpu r0, x  | ld.relaxed.gpu r0, y  ;
 {0}                   | {0}                   ;
 {1}                   | {1}                   ;
 st.relaxed.gpu y, {2} | st.relaxed.gpu x, {2} ;
exists (P0:r0 == 1 /\ P1:r0 == 1))",
                       first, second, store);
  };
  expect(body("", "", "1"), everywhere, "no dependency");
  expect(body("", "", "r0"), nowhere, "the value itself: out of thin air");
  expect(body("sub r1, r0, r0", "add r1, r1, 1", "r1"), nowhere, "a false data dependency is one (the PTX text; 9.4 is weaker)");
  expect(body("bne r0, 5, LC00", "LC00:", "1"), nowhere, "control reaches past the join");
}

TEST(LoadBuffering, GoesThroughAnExchangeButNotThroughAnAdd) {
  const auto body = [](std::string_view atomic) {
    return fmt::format(R"({{ x = 0; y = 0; }}
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
 {0}                  | ld.relaxed.gpu r1, x  ;
                      | st.relaxed.gpu x, r1  ;
exists (P0:r0 == 1 /\ P1:r1 == 1))",
                       atomic);
  };
  expect(body("atom.relaxed.gpu.exch r0, x, 1"), nowhere, "one location: it is coherence that forbids it");
  // P1 copies what the atomic wrote into what the atomic read, by weak accesses. An exchange writes 1 whatever it read; an add of 0
  // writes what it read, which would then come from itself.
  const auto racing = [](std::string_view atomic) {
    return fmt::format(R"({{ x = 0; }}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 {0}            | ld.weak r1, x  ;
                | st.weak x, r1  ;
exists (P0:r0 == 1 /\ P1:r1 == 1))",
                       atomic);
  };
  expect(racing("atom.relaxed.gpu.exch r0, x, 1"), everywhere, "the exchange does not depend on its own read");
  expect(racing("atom.relaxed.gpu.add r0, x, 0"), nowhere, "the add does");
}

// Point 10.
TEST(Alias, IsReadAroundItsOwnThreadsStore) {
  const auto body = [](std::string_view fence) {
    return fmt::format(R"({{ x = 0; y @ generic aliases x; }}
 P0@cta 0,gpu 0 ;
 st.weak x, 1   ;
 {0}            ;
 ld.weak r0, y  ;
exists (P0:r0 == 0))",
                       fence);
  };
  for (const Model model : {Model::ptx, Model::ptx_v7_5}) {
    EXPECT_TRUE(allows(body(""), model)) << name(model);
    EXPECT_TRUE(races(body(""), model)) << "with itself, " << name(model);
    EXPECT_FALSE(allows(body("fence.proxy.alias"), model)) << name(model);
    EXPECT_FALSE(races(body("fence.proxy.alias"), model)) << name(model);
  }
}

// --- Barriers and hangs ---

// Point 11.
TEST(Barrier, SkippedByABranchBlocksTheOthers) {
  const std::string_view body = R"({ x = 0; }
 P0@cta 0,gpu 0        | P1@cta 0,gpu 0      ;
 ld.relaxed.gpu r0, x  | st.relaxed.gpu x, 1 ;
 beq r0, 1, LC00       | bar.cta.sync 0, 0, 2 ;
 bar.cta.sync 0, 0, 2  |                     ;
 LC00:                 |                     ;
exists (P0:r0 == 1))";
  for (const Model model : every_ptx) EXPECT_TRUE(hangs(body, model)) << name(model);
}

TEST(Barrier, ArriveGivesAndDoesNotTake) {
  const auto body = [](std::string_view first, std::string_view second) {
    return fmt::format(R"({{ x = 0; y = 0; }}
 P0@cta 0,gpu 0         | P1@cta 0,gpu 0         ;
 st.weak x, 1           | st.weak y, 1           ;
 bar.cta.{0} 0, 0, 2    | bar.cta.{1} 0, 0, 2    ;
 ld.weak r0, y          | ld.weak r0, x          ;
exists (P0:r0 == 0 /\ P1:r0 == 1))",
                       first, second);
  };
  expect(body("arrive", "sync"), everywhere, "the arriving thread may miss what the other did before");
  expect(body("sync", "sync"), nowhere, "both receive");
}

TEST(Barrier, InInvertedOrderIsADeadlock) {
  const std::string_view body = R"({ x = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0       ;
 bar.cta.sync 0, 0, 2 | bar.cta.sync 1, 1, 2 ;
 bar.cta.sync 1, 1, 2 | bar.cta.sync 0, 0, 2 ;
exists (x == 0))";
  for (const Model model : every_ptx) EXPECT_TRUE(hangs(body, model)) << name(model);
}

// Point 12: `forall` holds vacuously where nothing ends; the hang is reported all the same.
TEST(Hang, IsReportedBesideAVacuousForall) {
  const std::string_view body = R"({ x = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0 ;
 bar.cta.sync 0, 0, 2 | st.weak x, 1   ;
forall (x == 7))";
  const CheckResult result = check(litmus(body), {});
  EXPECT_TRUE(has(result.findings, FindingKind::stuck));
}

// Point 13.
Problem spin(How setting) {
  KernelBuilder setter("setter"), other("other"), waiter("waiter");
  setter.st(setter.global("flag", Type::u32)[0], 1, setting);
  other.st(other.global("flag", Type::u32)[0], 2, setting);
  const Array flag = waiter.global("flag", Type::u32);
  (void)waiter.await([&] { return waiter.ld(flag[0], relaxed(Scope::gpu)); }, [](const Val& v) { return v == 1; });
  Problem problem;
  problem.kernels = {setter.build(), other.build(), waiter.build()};
  problem.buffers = {{"flag", Type::u32, 1, Role::workspace, {}, {}, false}};
  problem.launches.emplace_back();
  for (std::uint32_t t = 0; t < 3; ++t)
    problem.launches[0].placed.push_back({KernelId{t}, {CtaId{t}, ClusterId{t}, DeviceId{0}}});
  return problem;
}

TEST(Spin, MayGoOnForEverOnALastWriteThatDoesNotEndIt) {
  EXPECT_TRUE(has(findings(spin(weak), Model::ptx), FindingKind::livelock)) << "two racing writes: either may stay the last";
  EXPECT_TRUE(has(findings(spin(relaxed(Scope::gpu)), Model::ptx), FindingKind::livelock)) << "flag = 2 may be the last";
}

TEST(Spin, EndsOnceTheOnlyWriteIsThere) {
  Problem problem = spin(relaxed(Scope::gpu));
  problem.launches[0].placed.erase(problem.launches[0].placed.begin() + 1);
  for (const Model model : every_ptx) EXPECT_TRUE(findings(problem, model).empty()) << name(model);
}

// --- Races ---

// Point 15: w and the counter of a semaphore that the last block resets by a plain store.
std::string semaphore_with_plain_reset(std::string_view fence) {
  return fmt::format(R"({{ w = 0; c = 0; }}
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 ;
 st.weak w, 1                   | atom.relaxed.gpu.add r0, c, 1  ;
 {0}                            | bne r0, 1, LC00                ;
 atom.relaxed.gpu.add r0, c, 1  | {0}                            ;
                                | ld.weak r1, w                  ;
                                | st.weak c, 0                   ;
                                | LC00:                          ;
exists (w == 1))",
                     fence);
}

TEST(PlainReset, OfARelaxedCounterIsNoRace) {
  for (const Model model : every_ptx) {
    EXPECT_FALSE(races(semaphore_with_plain_reset("fence.sc.gpu"), model)) << name(model);
    const auto without = findings(litmus(semaphore_with_plain_reset("")), model);
    EXPECT_TRUE(has(without, FindingKind::race, "w")) << name(model);
    EXPECT_FALSE(has(without, FindingKind::race, "c")) << name(model);
  }
}

TEST(Race, OfTwoRelaxedAccessesOfSufficientScopeIsNone) {
  const auto body = [](std::string_view scope) {
    return fmt::format("{{ x = 0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.{0} x, 1 | ld.relaxed.{0} r0, x ;\nexists (x == 1)", scope);
  };
  for (const Model model : every_ptx) {
    EXPECT_FALSE(races(body("gpu"), model)) << name(model);
    EXPECT_TRUE(races(body("cta"), model)) << name(model);
  }
}

}  // namespace
}  // namespace fencewise::testing
