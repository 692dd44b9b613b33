// What small pieces of PTX may do: operations of a warp, polls that write back, clocks, loads outside of the model, vectors.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/testing/matchers.h"
#include "checker/vectors.h"
#include "kernels/frontend/launchfile/build_problem.h"

namespace fencewise {
namespace {

using testing::IsInconclusive;
using testing::Verified;
using testing::Violated;

// A kernel k(a, b) whose addresses are in %rd1 and %rd2; %r1 is the thread, %r2 the CTA.
Problem kernel(const std::string& body, int ctas, int threads, const std::string& must_hold, const std::string& type = "u32") {
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b) {\n"
      ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
      "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3;  // &b[thread]\n" +
      body + "\nret;\n}\n";
  const std::string launch = fmt::format(
      "[buffers]\na = {{ type = \"{}\", length = 4 }}\nb = {{ type = \"{}\", length = 8 }}\n"
      "[[launch]]\ngrid = {}\nblock = {}\nargs = [\"a\", \"b\"]\n[check]\nend = [{}]\n",
      type, type, ctas, threads, must_hold);
  const Diagnostics diagnostics("k.toml");
  return launchfile::build_problem(launchfile::parse_launch_file(launch, {}, diagnostics), ptx::parse_program(ptx, "k.ptx"),
                                   ptx::Lines::ptx, diagnostics);
}

CheckOptions with(Engine engine) {
  CheckOptions options;
  options.engine = engine;
  options.loop_bound = 3;
  return options;
}

// --- operations of a warp: both explorers ---

class WarpOperations : public ::testing::TestWithParam<Engine> {
 protected:
  static CheckResult checked(const std::string& body, int threads, const std::string& must_hold) {
    return check(kernel(body, 1, threads, must_hold), with(GetParam()));
  }
};

TEST_P(WarpOperations, ExchangeValues) {
  EXPECT_THAT(checked("shfl.sync.idx.b32 %r3, %r1, 2, 31, 0xf; st.global.u32 [%rd4], %r3;", 4, "\"b[0] == 2 && b[1] == 2 && b[3] == 2\""),
              Verified());
  EXPECT_THAT(checked("setp.lt.u32 %p1, %r1, 2; vote.sync.ballot.b32 %r3, %p1, 0x7; st.global.u32 [%rd4], %r3;", 3,
                      "\"forall i in 0..3: b[i] == 3\""),
              Verified());
  EXPECT_THAT(checked("and.b32 %r3, %r1, 1; match.any.sync.b32 %r4, %r3, 0xf; st.global.u32 [%rd4], %r4;", 4,
                      "\"b[0] == 5 && b[1] == 10 && b[2] == 5 && b[3] == 10\""),
              Verified());
  EXPECT_THAT(checked("redux.sync.add.u32 %r3, %r1, 0xf; st.global.u32 [%rd4], %r3;", 4, "\"forall i in 0..4: b[i] == 6\""),
              Verified());
}

TEST_P(WarpOperations, DoNotWaitForLanesThatHaveExited) {
  EXPECT_THAT(checked("setp.eq.u32 %p1, %r1, 0; @%p1 ret; vote.sync.ballot.b32 %r3, 1, 0x3; st.global.u32 [%rd4], %r3;", 2,
                      "\"b[1] == 2\""),
              Verified());
}

TEST_P(WarpOperations, WaitForLanesThatTheirMaskNames) {
  EXPECT_THAT(checked("setp.eq.u32 %p1, %r1, 0; @%p1 bra END; bar.warp.sync 0x3;\nEND: bar.sync 0;", 2, ""),
              Violated(FindingKind::stuck));
}

TEST_P(WarpOperations, MeetWhereverTheyStandInTheText) {
  EXPECT_THAT(checked("setp.eq.u32 %p1, %r1, 0; @%p1 bra ELSE; vote.sync.ballot.b32 %r3, 1, 0x3; bra END;\n"
                      "ELSE: vote.sync.ballot.b32 %r3, 0, 0x3;\nEND: st.global.u32 [%rd4], %r3;",
                      2, "\"b[0] == 2 && b[1] == 2\""),
              Verified());
}

TEST_P(WarpOperations, AreAFaultOfALaneThatItsMaskLeavesOut) {
  const CheckResult result = checked("vote.sync.ballot.b32 %r3, 1, 0x1;", 2, "");
  EXPECT_THAT(result, Violated(FindingKind::barrier_divergence));
  EXPECT_EQ(result.findings.front().lines.front().line, 8U);
}

// A barrier of the warp orders memory, an exchange of values does not: PTX ISA, shfl.sync and bar.warp.sync.
TEST_P(WarpOperations, OrderMemoryOnlyIfTheyAreBarriers) {
  const std::string write = "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], 7;", read = "@!%p1 ld.global.u32 %r3, [%rd1];";
  EXPECT_THAT(checked(write + "bar.warp.sync 0x3;" + read, 2, ""), Verified());
  EXPECT_THAT(checked(write + "shfl.sync.idx.b32 %r4, %r1, 0, 31, 0x3;" + read, 2, ""), Violated(FindingKind::race, "a[0]"));
}

INSTANTIATE_TEST_SUITE_P(Explorers, WarpOperations, ::testing::Values(Engine::graph, Engine::view),
                         [](const auto& test) { return test.param == Engine::graph ? "Graph" : "View"; });

// Lanes run independently: any of those at an activemask may be found together.
TEST(ActiveMask, IsAnySetOfLanesThatRunTogether) {
  const std::string store = "activemask.b32 %r3; st.global.u32 [%rd4], %r3;";
  const auto states = [&](const std::string& must_hold) { return check(kernel(store, 1, 2, must_hold), with(Engine::automatic)); };
  EXPECT_THAT(states("\"b[0] == 1 && b[1] == 2 || b[0] == 3 && b[1] == 3\""), Verified());
  EXPECT_THAT(states("\"b[0] == 3\""), Violated(FindingKind::assertion));
  EXPECT_THAT(states("\"b[0] == 1\""), Violated(FindingKind::assertion));
}

TEST(ActiveMask, NamesLanesThatMayUseItAsAMask) {
  EXPECT_THAT(check(kernel("activemask.b32 %r3; redux.sync.add.u32 %r4, 1, %r3; popc.b32 %r5, %r3; sub.u32 %r6, %r4, %r5;"
                           "st.global.u32 [%rd4], %r6;",
                           1, 3, "\"forall i in 0..3: b[i] == 0\""),
                    with(Engine::automatic)),
              Verified());
}

// --- loops ---

// Turns are taken by polls that write back what they read; without the recognition the loop meets any bound.
TEST(Polls, ThatWriteBackWhatTheyReadAreNoProgress) {
  for (const char* poll : {"atom.global.add.u32 %r4, [%rd2], 0;", "atom.global.or.b32 %r4, [%rd2], 0;", "atom.global.max.u32 %r4, [%rd2], 0;"})
    EXPECT_THAT(check(kernel(fmt::format("atom.global.add.u32 %r3, [%rd1], 1;\nL: {} setp.ne.u32 %p1, %r4, %r3; @%p1 bra L;\n"
                                         "fence.acq_rel.gpu; add.u32 %r5, %r3, 1; st.release.gpu.global.u32 [%rd2], %r5;",
                                         poll),
                             2, 1, "\"b[0] == 2\""),
                      with(Engine::graph)),
                Verified());
}

TEST(Polls, ThatNobodyAnswersSpinForEver) {
  EXPECT_THAT(check(kernel("L: atom.global.add.u32 %r4, [%rd2], 0; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;", 2, 1, ""), with(Engine::graph)),
              Violated(FindingKind::livelock, "b[0]"));
}

// --- clocks ---

TEST(Clocks, MayShowAnything) {
  EXPECT_THAT(check(kernel("mov.u32 %r3, %clock; mov.u32 %r4, %clock; setp.eq.u32 %p1, %r3, %r4; selp.u32 %r5, 1, 2, %p1;"
                           "@%p1 st.global.u32 [%rd4], 1; @!%p1 st.global.u32 [%rd4], 2;",
                           1, 1, "\"b[0] == 1 || b[0] == 2\""),
                    with(Engine::automatic)),
              Verified());
  EXPECT_THAT(check(kernel("mov.u32 %r3, %clock; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0; @%p1 st.global.u32 [%rd4], 1;", 1, 1,
                           "\"b[0] == 0\""),
                    with(Engine::automatic)),
              Violated(FindingKind::assertion));
}

TEST(Clocks, EndALoopThatWaitsForThem) {
  EXPECT_THAT(check(kernel("mov.u64 %rd5, %globaltimer;\nL: mov.u64 %rd6, %globaltimer; sub.u64 %rd7, %rd6, %rd5;"
                           "setp.lt.u64 %p1, %rd7, 1000; @%p1 bra L;",
                           1, 1, ""),
                    with(Engine::automatic)),
              Verified());
}

// Waiting a while between two polls changes nothing.
TEST(Clocks, DoNotMakeASpinLoopProductive) {
  const std::string spin =
      "L: mov.u32 %r5, %clock;\nW: mov.u32 %r6, %clock; sub.u32 %r7, %r6, %r5; setp.lt.u32 %p2, %r7, 100; @%p2 bra W;\n"
      "ld.relaxed.gpu.global.u32 %r4, [%rd2]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;";
  EXPECT_THAT(check(kernel("setp.eq.u32 %p3, %r2, 0; @%p3 st.relaxed.gpu.global.u32 [%rd2], 1; @%p3 ret;\n" + spin, 2, 1, ""),
                    with(Engine::automatic)),
              Verified());
}

// --- outside of the model ---

TEST(IncoherentLoads, AreNotModelledWhereTheLaunchWrites) {
  const std::string load = "ld.global.nc.u32 %r3, [%rd1]; st.global.u32 [%rd4], %r3;";
  for (const Engine engine : {Engine::automatic, Engine::graph}) {
    EXPECT_THAT(check(kernel(load, 1, 1, "\"b[0] == 0\""), with(engine)), Verified());
    EXPECT_THAT(check(kernel(load + "st.global.u32 [%rd1], 1;", 1, 1, ""), with(engine)),
                IsInconclusive("ld.global.nc of a[0], which the launch writes, is not modelled"));
    EXPECT_THAT(check(kernel(load + "st.global.u32 [%rd1+4], 1;", 1, 1, ""), with(engine)), Verified());
  }
}

// --- vectors ---

// A flag and its value in one vector (a scan's status word): right only where the two are accessed at once.
TEST(Vectors, AreSeparateScalarsUnlessWhole) {
  const Problem pair = kernel(
      "setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 1; mov.u32 %r4, 7;\n"
      "@%p1 st.relaxed.gpu.global.v2.u32 [%rd1], {%r3, %r4}; @%p1 ret;\n"
      "ld.relaxed.gpu.global.v2.u32 {%r5, %r6}, [%rd1]; setp.eq.u32 %p2, %r5, 1; @%p2 st.global.u32 [%rd2], %r6;",
      2, 1, "\"b[0] == 0 || b[0] == 7\"");
  CheckOptions options = with(Engine::automatic);
  const Problem seen = kernel(
      "setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 1; mov.u32 %r4, 7; mov.u32 %r7, 9;\n"
      "@%p1 st.relaxed.gpu.global.v2.u32 [%rd1], {%r3, %r4}; @%p1 ret;\n"
      "ld.relaxed.gpu.global.v2.u32 {%r5, %r6}, [%rd1]; setp.eq.u32 %p2, %r5, 1; setp.ne.u32 %p3, %r6, 7; and.pred %p4, %p2, %p3;"
      "@%p4 st.global.u32 [%rd2], 9;",
      2, 1, "\"b[0] == 0\"");
  EXPECT_THAT(check(seen, options), Violated(FindingKind::assertion));
  EXPECT_EQ(other_reading_of_vectors(seen, options, Verdict::violated).substr(0, 38), "with --vectors whole it is verified: w");
  options.vectors = Vectors::whole;
  EXPECT_THAT(check(seen, options), Verified());
  EXPECT_THAT(other_reading_of_vectors(seen, options, Verdict::verified), ::testing::StartsWith("needs --vectors whole"));
  EXPECT_THAT(check(pair, options), Verified());
}

TEST(Vectors, OfMoreThan16BytesAreNeverWhole) {
  const std::string body =
      "setp.eq.u32 %p1, %r2, 0; mov.u64 %rd5, 1;\n"
      "@%p1 st.relaxed.gpu.global.v4.u64 [%rd1], {%rd5, %rd5, %rd5, %rd5}; @%p1 ret;\n"
      "ld.relaxed.gpu.global.v4.u64 {%rd5, %rd6, %rd7, %rd8}, [%rd1]; setp.ne.u64 %p2, %rd5, %rd6; @%p2 st.global.u64 [%rd2], 1;";
  CheckOptions options = with(Engine::automatic);
  options.vectors = Vectors::whole;
  EXPECT_THAT(check(kernel(body, 2, 1, "\"b[0] == 0\"", "u64"), options), Violated(FindingKind::assertion));
}

}  // namespace
}  // namespace fencewise
