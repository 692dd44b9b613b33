// Launches that overlap: each engine, right and wrong side by side, with the size of the search.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/testing/matchers.h"
#include "kernels/core/builder.h"
#include "kernels/core/in_flight.h"
#include "protocols/parts.h"
#include "protocols/protocol.h"

namespace fencewise::testing {
namespace {

using ::testing::HasSubstr;
using namespace protocols;

using Body = std::function<void(KernelBuilder&)>;

struct Step {
  Body body;
  std::uint32_t stream = 0;
  std::vector<std::uint32_t> after{};
  std::uint32_t ctas = 1;
};

// Kernels over x, y, flag (zero) and an output that is poison.
Problem plan_of(const std::vector<Step>& steps) {
  Problem problem;
  problem.name = "plan";
  problem.buffers = {workspace("x", Type::u32, 1, InitialContents::Kind::zero),
                     workspace("y", Type::u32, 1, InitialContents::Kind::zero),
                     workspace("flag", Type::u32, 1, InitialContents::Kind::zero),
                     output("out", Type::u32, 1)};
  for (const Step& step : steps) {
    KernelBuilder k(fmt::format("k{}", problem.kernels.size() + 1));
    step.body(k);
    Launch& launch = problem.launches.emplace_back();
    launch.kernel = KernelId{static_cast<std::uint32_t>(problem.kernels.size())};
    launch.name = fmt::format("k{}", problem.kernels.size() + 1);
    launch.grid.x = step.ctas;
    launch.stream = StreamId{step.stream};
    for (const std::uint32_t earlier : step.after) launch.after.push_back(LaunchId{earlier});
    problem.kernels.push_back(k.build());
  }
  return problem;
}

Body write(const char* array, int value, How how = weak) {
  return [=](KernelBuilder& k) { k.st(k.global(array, Type::u32)[0], value, how); };
}
Body copy_to_out(const char* array) {
  return [=](KernelBuilder& k) {
    const Val seen = k.ld(k.global(array, Type::u32)[0], "seen");
    k.st(k.global("out", Type::u32)[0], seen);
  };
}
Body nothing() {
  return [](KernelBuilder&) {};
}

void expect_out(Problem& problem, int value) {
  const BufferTerm out = term(problem, "out");
  problem.contract.assertions = {
      {.text = fmt::format("out == {}", value), .formula = out[0] == value, .when = When::each_replay}};
}

class Overlap : public ::testing::TestWithParam<Engine> {
 protected:
  [[nodiscard]] CheckResult run(const Problem& problem) const {
    CheckOptions options;
    options.engine = GetParam();
    return check(problem, options);
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Overlap, ::testing::Values(Engine::graph, Engine::view),
                         [](const auto& i) { return i.param == Engine::graph ? "graph" : "view"; });

TEST_P(Overlap, RacesOnTwoStreamsButNotOnOne) {
  Problem two = plan_of({{write("x", 1)}, {copy_to_out("x"), 1}});
  EXPECT_THAT(run(two), Violated(FindingKind::race, "x"));
  EXPECT_THAT(run(two).findings[0].message, HasSubstr("launch 1 CTA 0 thread 0"));
  Problem one = plan_of({{write("x", 1)}, {copy_to_out("x")}});
  expect_out(one, 1);
  EXPECT_THAT(run(one), Verified());
}

TEST_P(Overlap, IsOrderedByAnEvent) {
  // Launch 3 overlaps both, so that all three are explored together.
  Problem plan = plan_of({{write("x", 1)}, {copy_to_out("x"), 1, {0}}, {write("y", 1), 2}});
  expect_out(plan, 1);
  EXPECT_THAT(run(plan), Verified());
  plan.launches[1].after.clear();
  EXPECT_THAT(run(plan), Violated(FindingKind::race, "x"));
}

TEST_P(Overlap, PassesAMessageBetweenStreams) {
  const auto sender = [](How how) {
    return [how](KernelBuilder& k) {
      k.st(k.global("x", Type::u32)[0], 1);
      k.st(k.global("flag", Type::u32)[0], 1, how);
    };
  };
  const auto receiver = [](How how) {
    return [how](KernelBuilder& k) {
      const Array flag = k.global("flag", Type::u32);
      k.await([&] { return k.ld(flag[0], how); }, [](const Val& v) { return v == 1; });
      k.st(k.global("out", Type::u32)[0], k.ld(k.global("x", Type::u32)[0]));
    };
  };
  Problem right = plan_of({{sender(release(Scope::gpu))}, {receiver(acquire(Scope::gpu)), 1}});
  expect_out(right, 1);
  EXPECT_THAT(run(right), Verified());
  EXPECT_THAT(run(plan_of({{sender(relaxed(Scope::gpu))}, {receiver(acquire(Scope::gpu)), 1}})),
              Violated(FindingKind::race, "x"));
  // In one stream the receiver would wait for a launch that has not begun.
  EXPECT_THAT(run(plan_of({{receiver(acquire(Scope::gpu))}, {sender(release(Scope::gpu))}})),
              Violated(FindingKind::livelock));
  EXPECT_THAT(
      run(plan_of(
          {{write("y", 1), 2}, {receiver(acquire(Scope::gpu)), 0}, {sender(release(Scope::gpu)), 0}})),
      Violated(FindingKind::livelock));
}

TEST_P(Overlap, WaitsThroughALaunchThatDoesNothing) {
  Problem plan =
      plan_of({{write("x", 1)}, {nothing(), 1, {0}}, {copy_to_out("x"), 2, {1}}, {write("y", 1), 3}});
  expect_out(plan, 1);
  EXPECT_THAT(run(plan), Verified());
}

TEST_P(Overlap, JoinsWhatSeveralLaunchesWrote) {
  const auto sum = [](KernelBuilder& k) {
    const Val a = k.ld(k.global("x", Type::u32)[0]), b = k.ld(k.global("y", Type::u32)[0]);
    k.st(k.global("out", Type::u32)[0], a + b);
  };
  Problem plan = plan_of({{write("x", 1)}, {write("y", 2), 1}, {sum, 2, {0, 1}}, {write("flag", 1), 3}});
  expect_out(plan, 3);
  EXPECT_THAT(run(plan), Verified());
  plan.launches[2].after.pop_back();
  EXPECT_THAT(run(plan), Violated(FindingKind::race, "y"));
}

TEST_P(Overlap, OrdersALaunchThatEndsInACompareAndSwap) {
  const auto swap = [](KernelBuilder& k) { static_cast<void>(k.cas(k.global("x", Type::u32)[0], 0, 5)); };
  Problem plan = plan_of({{swap}, {copy_to_out("x"), 1, {0}}, {write("y", 1), 2}});
  expect_out(plan, 5);
  EXPECT_THAT(run(plan), Verified());
}

TEST_P(Overlap, CountsOnOneCounter) {
  const auto count = [](KernelBuilder& k) { k.red(AtomicOp::add, k.global("x", Type::u32)[0], 1); };
  Problem plan = plan_of({{count, 0, {}, 2}, {count, 1, {}, 2}, {copy_to_out("x"), 0, {1}}});
  expect_out(plan, 4);
  EXPECT_THAT(run(plan), Verified());
  plan.launches[2].after.clear();  // reads while launch 2 may still count
  EXPECT_THAT(run(plan), Violated(FindingKind::race, "x"));
}

TEST_P(Overlap, IsRepeatedByReplays) {
  Problem plan =
      plan_of({{write("x", 1)}, {write("y", 1), 1}, {copy_to_out("x"), 1, {0}}, {write("x", 0), 1}});
  expect_out(plan, 1);
  plan.replays = 3;
  plan.contract.restored = {term(plan, "x").id()};
  EXPECT_THAT(run(plan), Verified());
}

TEST_P(Overlap, SaysWhatItDoesNotModel) {
  Problem plan = plan_of({{write("x", 1)}, {write("y", 1), 1}});
  const BufferTerm x = term(plan, "x");
  plan.contract.assertions = {{.text = "x == 1", .formula = x[0] == 1, .when = When::each_launch}};
  EXPECT_THAT(run(plan), IsInconclusive("an assertion after each launch, where launches overlap"));
}

TEST_P(Overlap, IsReplayedFromItsCounterexample) {
  const Problem two = plan_of({{write("x", 1)}, {copy_to_out("x"), 1}});
  CheckOptions options;
  options.engine = GetParam();
  const CheckResult result = check(two, options);
  ASSERT_EQ(result.verdict, Verdict::violated);
  const Finding shown = replay(two, options, result.findings.front());
  EXPECT_EQ(shown.kind, FindingKind::race);
  EXPECT_EQ(shown.witness.launches.back().launch_of, (std::vector<std::uint32_t>{1, 2}));
}

// Load buffering through the order of launches: launch 1 reads what launch 3 writes, which reads what launch 2 writes after it. The
// axioms allow it, the rules of the view explorer would miss it.
TEST(OverlapOutsideOfViews, IsDeclined) {
  const auto reads_then_writes = [](KernelBuilder& k) {
    const Val seen = k.ld(k.global("y", Type::u32)[0], relaxed(Scope::gpu));
    k.st(k.global("x", Type::u32)[0], 1, relaxed(Scope::gpu));
    k.st(k.global("flag", Type::u32)[0], seen);
  };
  const auto reads = [](KernelBuilder& k) {
    k.st(k.global("out", Type::u32)[0], k.ld(k.global("x", Type::u32)[0], relaxed(Scope::gpu)));
  };
  Problem plan = plan_of({{reads}, {write("y", 1, relaxed(Scope::gpu))}, {reads_then_writes, 1}});
  const BufferTerm out = term(plan, "out"), flag = term(plan, "flag");
  plan.contract.quantifier = Quantifier::exists;
  plan.contract.assertions = {
      {.text = "both", .formula = out[0] == 1 && flag[0] == 1, .when = When::plan_end}};
  CheckOptions options;
  options.engine = Engine::graph;
  EXPECT_TRUE(check(plan, options).condition_met);
  options.engine = Engine::view;
  EXPECT_THAT(check(plan, options), IsInconclusive("may not be exact"));
}

// --- In flight ---

std::string size_of(const Problem& problem, Engine engine) {
  CheckOptions options;
  options.engine = engine;
  const CheckResult result = check(problem, options);
  return fmt::format("{} {}", name(result.verdict),
                     engine == Engine::view ? result.search.states : result.search.graphs);
}

Problem split_k(const char* protocol, const char* variant, std::int64_t splits = 2) {
  Parameters p;
  p.set("splits", splits);
  return instantiate(*find_protocol(protocol), p, variant);
}

// Two launches that count on one counter: the last of one launch may be the first of the other, and reduces without it.
TEST_P(Overlap, OnOneCounterLetsALaunchReduceWithoutItsOwnCta) {
  for (const char* protocol : {"splitk-serial", "splitk-atomic"})
    EXPECT_THAT(run(in_flight(split_k(protocol, ""), 2)), Violated()) << protocol;
  // With nothing but the counter in common: the last CTA of a launch reads what another CTA of that launch is still writing.
  for (const auto& [protocol, variant, place] :
       {std::tuple("splitk-serial", "partials-per-launch", "ws"),
        std::tuple("splitk-atomic", "accumulator-per-launch", "acc")}) {
    CheckOptions options;
    options.engine = GetParam();
    options.stop_at_first = false;
    const CheckResult result = check(in_flight(split_k(protocol, variant), 2), options);
    const auto reduces_alone = [&, where = place](const Finding& f) {
      return f.kind == FindingKind::race && f.location.starts_with(where) && f.threads.size() == 2 &&
             f.threads[0].substr(0, 8) == f.threads[1].substr(0, 8);  // "launch 2"
    };
    EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(), reduces_alone))
        << protocol << report_of(result);
  }
}

TEST_P(Overlap, WithAWorkspaceForEachLaunchIsRight) {
  for (const char* protocol : {"splitk-serial", "splitk-atomic"}) {
    EXPECT_THAT(run(in_flight(split_k(protocol, "workspace-per-launch"), 2)), Verified()) << protocol;
    EXPECT_THAT(run(in_flight(split_k(protocol, "counter-per-launch"), 2)), Violated())
        << protocol << ": what they add into is one";
  }
}

TEST_P(Overlap, OnOneStreamIsRight) {
  for (const char* protocol : {"splitk-serial", "splitk-atomic"}) {
    Problem two = in_flight(split_k(protocol, ""), 2);
    for (Launch& launch : two.launches) launch.stream = StreamId{0};
    EXPECT_THAT(run(two), Verified()) << protocol;
  }
}

TEST(OverlapSize, IsPinned) {
  EXPECT_EQ(size_of(in_flight(split_k("splitk-serial", "workspace-per-launch"), 2), Engine::graph),
            "verified 4");
  EXPECT_EQ(size_of(in_flight(split_k("splitk-serial", "workspace-per-launch"), 2), Engine::view),
            "verified 17");
  EXPECT_EQ(size_of(in_flight(split_k("splitk-serial", "workspace-per-launch", 4), 2), Engine::view),
            "verified 257");
  EXPECT_EQ(size_of(in_flight(split_k("splitk-atomic", "workspace-per-launch"), 2), Engine::graph),
            "verified 16");
  EXPECT_EQ(size_of(in_flight(split_k("splitk-atomic", "workspace-per-launch"), 2), Engine::view),
            "verified 28");
  EXPECT_EQ(size_of(in_flight(split_k("splitk-serial", ""), 2), Engine::view), "violated 1");
}

}  // namespace
}  // namespace fencewise::testing
