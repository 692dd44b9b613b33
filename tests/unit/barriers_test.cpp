// Barriers of the CTA: who waits for whom, what never ends, and what PTX leaves undefined. Each wrong program stands beside its
// repair, in both explorers, with CTAs told apart and not.
#include <functional>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/testing/matchers.h"
#include "kernels/core/builder.h"
#include "kernels/frontend/litmus/parse.h"
#include "protocols/parts.h"

namespace fencewise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using protocols::output;
using Body = std::function<void(KernelBuilder&)>;

struct Shape {
  std::uint32_t threads = 2, warp_size = 1, ctas = 2;
};

// Each thread goes through `body`, then writes an element of its own.
Problem problem(const Shape& shape, const Body& body) {
  KernelBuilder k("barriers");
  const Array out = k.global("out", Type::u32);
  body(k);
  k.st(out[k.ctaid() * Val(std::int64_t{shape.threads}) + k.tid()], 1);
  Problem p;
  p.name = "barriers";
  p.kernels = {k.build()};
  p.buffers = {output("out", Type::u32, std::int64_t{shape.ctas} * shape.threads)};
  p.launches.resize(1);
  p.launches[0].grid.x = shape.ctas;
  p.launches[0].block.x = shape.threads;
  p.launches[0].warp_size = shape.warp_size;
  return p;
}

class Barriers : public ::testing::TestWithParam<std::tuple<Engine, Reduction>> {
 protected:
  static Engine engine() { return std::get<0>(GetParam()); }
  static CheckResult run(const Shape& shape, const Body& body) {
    CheckOptions options;
    options.engine = engine();
    options.symmetry = std::get<1>(GetParam());
    return check(problem(shape, body), options);
  }
  static void expect(const CheckResult& result, FindingKind kind, const std::string& message) {
    EXPECT_THAT(result, Violated(kind));
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings.front().message, message);
  }
  // Where the view explorer can't tell, it says so; the graph explorer must then be asked.
  static bool declined(const CheckResult& result, const std::string& why) {
    if (engine() == Engine::graph) return false;
    EXPECT_THAT(result, IsInconclusive(why));
    return true;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Barriers,
                         ::testing::Combine(::testing::Values(Engine::graph, Engine::view),
                                            ::testing::Values(Reduction::off, Reduction::on)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param) == Engine::graph ? "graph" : "view") +
                                  (std::get<1>(i.param) == Reduction::on ? "UpToNames" : "");
                         });

Body either(const Body& thread_0, const Body& others) {
  return [=](KernelBuilder& k) { k.if_else(k.tid() == 0, [&] { thread_0(k); }, [&] { others(k); }); };
}
Body sync() {
  return [](KernelBuilder& k) { k.bar_sync(); };
}
Body sync(int id, int count) {
  return [=](KernelBuilder& k) { k.bar_sync(id, count); };
}
Body arrive(int id, int count) {
  return [=](KernelBuilder& k) { k.bar_arrive(id, count); };
}
Body vote() {
  return [](KernelBuilder& k) { static_cast<void>(k.bar_red(BarrierReduction::popc, k.tid() == 0)); };
}
Body then(const Body& first, const Body& second) {
  return [=](KernelBuilder& k) {
    first(k);
    second(k);
  };
}
Body leave() {
  return [](KernelBuilder& k) { k.exit(); };
}

// --- Who never comes ---

TEST_P(Barriers, OfDifferentNumbersLeaveBothWaiting) {
  expect(run({}, either(sync(1, 2), sync(2, 2))), FindingKind::stuck,
         "CTA 0 thread 0 waits for ever at 'bar.sync 1, 2': 1 of 2 threads has come; CTA 0 thread 1 waits at 'bar.sync 2, 2': 1 of 2 "
         "threads has come");
  EXPECT_THAT(run({}, either(sync(2, 2), sync(2, 2))), Verified());
}

TEST_P(Barriers, InTheWrongOrderLeaveBothWaiting) {
  expect(run({}, either(then(sync(1, 2), sync(2, 2)), then(sync(2, 2), sync(1, 2)))), FindingKind::stuck,
         "CTA 0 thread 0 waits for ever at 'bar.sync 1, 2': 1 of 2 threads has come; CTA 0 thread 1 waits at 'bar.sync 2, 2': 1 of 2 "
         "threads has come");
  EXPECT_THAT(run({}, either(then(sync(1, 2), sync(2, 2)), then(sync(1, 2), sync(2, 2)))), Verified());
}

TEST_P(Barriers, WithoutACountDoNotWaitForThreadsThatHaveExited) {
  EXPECT_THAT(run({.threads = 3}, then(either(leave(), [](KernelBuilder&) {}), sync())), Verified());
}

TEST_P(Barriers, WithACountWaitForAsManyWhoeverHasExited) {
  expect(run({.threads = 3}, then(either(leave(), [](KernelBuilder&) {}), sync(1, 3))), FindingKind::stuck,
         "CTA 0 thread 1 waits for ever at 'bar.sync 1, 3': 2 of 3 threads have come, 1 has exited");
  const CheckResult right = run({.threads = 3}, then(either(leave(), [](KernelBuilder&) {}), sync(1, 2)));
  if (!declined(right, "more threads may come to 'bar.sync 1, 2' than it counts")) {  // the text has three threads
    EXPECT_THAT(right, Verified());
  }
}

// --- More than it counts ---

// Two of three meet; the third waits for a fourth. Four meet two by two, which PTX allows.
TEST_P(Barriers, ThatMoreThreadsComeToThanTheyCountAreMetInTurn) {
  const CheckResult three = run({.threads = 3, .ctas = 1}, sync(1, 2)), four = run({.threads = 4, .ctas = 1}, sync(1, 2));
  const std::string why = "more threads may come to 'bar.sync 1, 2' than it counts";
  if (declined(three, why) && declined(four, why)) return;
  EXPECT_THAT(three, Violated(FindingKind::stuck));
  EXPECT_THAT(three.findings.front().message, HasSubstr("waits for ever at 'bar.sync 1, 2': 1 of 2 threads has come"));
  EXPECT_THAT(four, Verified());
  EXPECT_EQ(four.search.graphs, 6U);
}

// "Care must be taken to keep a warp from executing more barrier instructions than intended [...] prior to the reset": the
// outcome is unpredictable.
TEST_P(Barriers, AreNotComeBackToWhileAnArrivalStillCounts) {
  const CheckResult twice = run({}, either(then(arrive(1, 2), arrive(1, 2)), then(sync(1, 2), sync(1, 2))));
  if (!declined(twice, "a thread may come to 'bar.arrive 1, 2' again before its arrival was needed"))
    expect(twice, FindingKind::barrier_divergence,
           "CTA 0 thread 0 comes to 'bar.arrive 1, 2' though its arrival at 'bar.arrive 1, 2' may still count");
  const Body with_answer = either(then(arrive(1, 2), then(sync(2, 2), arrive(1, 2))), then(sync(1, 2), then(arrive(2, 2), sync(1, 2))));
  const CheckResult right = run({}, with_answer);
  if (!declined(right, "again before its arrival was needed")) {
    EXPECT_THAT(right, Verified());
  }
}

// --- What does not go together ---

// Each number of threads comes by itself, but nothing keeps the two phases of the one barrier apart.
TEST_P(Barriers, HaveOneThreadCountAtATime) {
  const auto two_and_three = [](const Body& two, const Body& three) {
    return [=](KernelBuilder& k) { k.if_else(k.tid() < 2, [&] { two(k); }, [&] { three(k); }); };
  };
  const std::string why = "'bar.sync 1, 2' and 'bar.sync 1, 3' are one barrier with two thread counts";
  const CheckResult together = run({.threads = 5, .ctas = 1}, two_and_three(sync(1, 2), sync(1, 3)));
  if (!declined(together, why))
    expect(together, FindingKind::barrier_divergence,
           "CTA 0 thread 0 comes to 'bar.sync 1, 2' and CTA 0 thread 2 to 'bar.sync 1, 3': one barrier may be waiting for two numbers "
           "of threads");
  const CheckResult two_barriers = run({.threads = 5, .ctas = 1}, two_and_three(sync(1, 2), sync(2, 3)));
  if (!declined(two_barriers, "more threads may come to")) {
    EXPECT_THAT(two_barriers, Verified());
  }
  const CheckResult apart =
      run({.threads = 5, .ctas = 1}, two_and_three(then(sync(1, 2), sync()), then(sync(), sync(1, 3))));
  if (!declined(apart, why)) {
    EXPECT_THAT(apart, Verified());
  }
}

TEST_P(Barriers, DoNotMixReductionsWithOthers) {
  expect(run({}, either(vote(), sync())), FindingKind::barrier_divergence,
         "CTA 0 thread 0 comes to 'bar.red.popc.u32 %r2, 0, %p1' and CTA 0 thread 1 to 'bar.sync 0': a reduction is mixed with what is "
         "none");
  EXPECT_THAT(run({}, either(vote(), vote())), Verified());
}

// bar is barrier.aligned: all lanes of a warp execute the same one. Warps may meet wherever they stand.
TEST_P(Barriers, AreComeToByLanesTogether) {
  expect(run({.warp_size = 32}, either(sync(), sync())), FindingKind::barrier_divergence,
         "CTA 0 thread 0 comes to 'bar.sync 0' and CTA 0 thread 1 of the same warp to 'bar.sync 0' elsewhere: lanes come to an aligned "
         "barrier together");
  EXPECT_THAT(run({.warp_size = 32}, sync()), Verified());
  EXPECT_THAT(run({.warp_size = 1}, either(sync(), sync())), Verified());
}

TEST_P(Barriers, ThatLanesWaitAtApartAreMoreThanStuck) {
  EXPECT_THAT(run({.warp_size = 32}, either(sync(), sync(1, 32))), Violated(FindingKind::barrier_divergence, "barrier 0 of CTA 0"));
}

// Nobody waits for lanes that have exited, but one that has done what comes behind a barrier should have come to it. A lane that
// returns before is left alone, as compilers leave `if (t >= n) return;` there.
TEST_P(Barriers, AreNotGonePastByLanesWhileOthersOfTheWarpComeToThem) {
  const Body nothing = [](KernelBuilder&) {};
  const CheckResult past = run({.warp_size = 32}, either(sync(), nothing));
  EXPECT_THAT(past, Violated(FindingKind::barrier_divergence, "barrier 0 of CTA 0"));
  EXPECT_THAT(past.findings.front().message,
              StartsWith("CTA 0 thread 0 comes to 'bar.sync 0', which CTA 0 thread 1 of the same warp has gone past to 'st.weak.u32 out["));
  EXPECT_THAT(run({.warp_size = 32}, then(sync(), either(nothing, sync()))),
              Violated(FindingKind::barrier_divergence, "barrier 0 of CTA 0"));
  EXPECT_THAT(run({.warp_size = 1}, either(sync(), nothing)), Verified()) << "warps may go their own ways";
  EXPECT_THAT(run({.warp_size = 32}, then(either(nothing, leave()), sync())), Verified());
  EXPECT_THAT(run({.warp_size = 32}, then(sync(), then(either(nothing, leave()), sync()))), Verified());
}

// Undefined by the letter of PTX, as a return before a barrier is: what is done before it can't be told from a guard's work.
TEST_P(Barriers, KnownGapThatLanesDoOtherWorkAndExitIsNotNoticed) {
  const Body other_work = [](KernelBuilder& k) {
    k.fence(Order::acq_rel, Scope::gpu);
    k.exit();
  };
  EXPECT_THAT(run({.warp_size = 32}, either(sync(), other_work)), Verified());
}

// In the litmus dialect the first operand names no barrier of the hardware.
TEST(BarriersOfLitmusTests, MayCountDifferently) {
  Problem p = parse_litmus("PTX t\n{ x = 0; }\n"
                           " P0@cta 0,gpu 0       | P1@cta 0,gpu 0       | P2@cta 0,gpu 0       ;\n"
                           " bar.cta.sync 0, 0, 1 | bar.cta.sync 1, 0, 2 | bar.cta.sync 1, 0, 2 ;\n"
                           "exists (0 == 0)\n",
                           "t.litmus");
  p.contract = {};
  EXPECT_THAT(check(p, {}), Verified());
}

// A loop without any access to memory, as a compiler leaves it where a flag was not volatile.
TEST(EmptyLoops, AreLivelocks) {
  for (const Engine engine : {Engine::graph, Engine::view}) {
    CheckOptions options;
    options.engine = engine;
    Problem p = parse_litmus("PTX t\n{ x = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n LC00:          | st.relaxed.gpu x, 1 ;\n"
                             " goto LC00      | ;\nexists (0 == 0)\n",
                             "t.litmus");
    p.contract = {};
    EXPECT_THAT(check(p, options), Violated(FindingKind::livelock)) << (engine == Engine::graph ? "graph" : "view");
  }
}

// The first thread writes without end, and what the second may read with it: no answer, but an end.
TEST(LoopsThatWriteWithoutEnd, EndAtALimit) {
  Problem p = parse_litmus("PTX t\n{ x = 0; }\n"
                           " P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;\n"
                           " LC00:               | LC01:                ;\n"
                           " st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\n"
                           " st.relaxed.gpu x, 0 | bne r0, 1, LC01      ;\n"
                           " goto LC00           |                      ;\n"
                           "exists (0 == 0)\n",
                           "t.litmus");
  p.contract = {};
  CheckOptions options;
  options.engine = Engine::graph;
  EXPECT_THAT(check(p, options, {.seconds = 10}), IsInconclusive("a loop of P0 would go round more than 8 times"));
  options.engine = Engine::view;
  EXPECT_THAT(check(p, options, {.states = 100}), IsInconclusive("the limit of 100 states was reached"));
}

// Nothing orders an exit before a barrier that did not wait for it. What the view explorer settles by then the axioms leave open.
TEST(EarlyLeavers, MayHaveReadWhatIsWrittenBehindTheBarrier) {
  const auto answer = [](const std::string& reader, Engine engine) {
    CheckOptions options;
    options.engine = engine;
    return check(parse_litmus("PTX t\n{ x = 0; P1:r0 = 0; }\n"
                              " P0@cta 0,gpu 0      | P1@cta 0,gpu 0 ;\n"
                              " bar.cta.sync 0      | " + reader + " ;\n"
                              " st.relaxed.gpu x, 1 | ;\n"
                              "~exists (P1:r0 == 1)\n",
                              "t.litmus"),
                 options);
  };
  EXPECT_EQ(answer("ld.relaxed.gpu r0, x", Engine::graph).verdict, Verdict::violated);
  EXPECT_EQ(answer("ld.relaxed.gpu r0, x", Engine::automatic).verdict, Verdict::violated);
  EXPECT_THAT(answer("ld.relaxed.gpu r0, x", Engine::view), IsInconclusive("a thread that leaves after a strong read"));
}

TEST(EarlyLeavers, HaveReadWhatTheyReadBeforeABarrierOfAll) {
  for (const Engine engine : {Engine::graph, Engine::view}) {
    CheckOptions options;
    options.engine = engine;
    const Problem p = parse_litmus("PTX t\n{ x = 0; P1:r0 = 0; }\n"
                                   " P0@cta 0,gpu 0      | P1@cta 0,gpu 0       ;\n"
                                   " bar.cta.sync 0      | ld.relaxed.gpu r0, x ;\n"
                                   " bar.cta.sync 0      | bar.cta.sync 0       ;\n"
                                   " st.relaxed.gpu x, 1 |                      ;\n"
                                   "~exists (P1:r0 == 1)\n",
                                   "t.litmus");
    EXPECT_EQ(check(p, options).verdict, Verdict::verified) << (engine == Engine::graph ? "graph" : "view");
  }
}

TEST(BarriersSize, IsPinned) {
  const auto sizes = [](const Shape& shape, const Body& body) {
    std::string text;
    for (const Engine engine : {Engine::graph, Engine::view})
      for (const Reduction symmetry : {Reduction::off, Reduction::on}) {
        CheckOptions options;
        options.engine = engine;
        options.symmetry = symmetry;
        const CheckResult r = check(problem(shape, body), options);
        text += fmt::format("{} {}; ", name(r.verdict), engine == Engine::view ? r.search.states : r.search.graphs + r.search.blocked);
      }
    return text;
  };
  EXPECT_EQ(sizes({}, either(sync(1, 2), sync(2, 2))), "violated 1; violated 1; violated 2; violated 2; ");
  EXPECT_EQ(sizes({}, sync(1, 2)), "verified 1; verified 1; verified 2; verified 2; ");
  EXPECT_EQ(sizes({.threads = 3}, then(either(leave(), [](KernelBuilder&) {}), sync(1, 3))), "violated 1; violated 1; violated 2; violated 2; ");
  EXPECT_EQ(sizes({.threads = 3}, then(either(leave(), [](KernelBuilder&) {}), sync(1, 2))), "verified 1; verified 1; inconclusive 1; inconclusive 1; ");
  EXPECT_EQ(sizes({}, either(vote(), sync())), "violated 1; violated 1; violated 1; violated 1; ");
  EXPECT_EQ(sizes({}, either(vote(), vote())), "verified 1; verified 1; verified 2; verified 2; ");
  EXPECT_EQ(sizes({.warp_size = 32}, either(sync(), sync())), "violated 1; violated 1; violated 1; violated 1; ");
  EXPECT_EQ(sizes({.warp_size = 32}, sync()), "verified 1; verified 1; verified 2; verified 2; ");
}

}  // namespace
}  // namespace fencewise::testing
