// simulate: interleaving only. It can find what interleaving shows, and must miss what only weak memory shows.
#include "checker/simulate.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/core/builder.h"
#include "kernels/core/error.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Order4 = std::vector<std::uint32_t>;

Problem protocol(std::string_view name, std::initializer_list<std::pair<const char*, std::int64_t>> params,
                 std::string_view variant = "") {
  Parameters given;
  for (const auto& [key, value] : params) given.set(key, value);
  return instantiate(*find_protocol(name), given, variant);
}

Buffer buffer(const char* name, Role role, InitialContents::Kind initial, std::uint64_t length = 1) {
  Buffer b;
  b.name = name;
  b.role = role;
  b.initial = InitialContents::of(initial);
  b.length = length;
  return b;
}

// `ctas` CTAs of `threads` threads run the kernel on a zero u32 workspace `x` and an unwritten output `out`.
Problem problem_of(Kernel kernel, std::uint32_t ctas, std::uint32_t threads) {
  Problem problem;
  problem.name = "test";
  problem.kernels = {std::move(kernel)};
  problem.buffers = {buffer("x", Role::workspace, InitialContents::Kind::zero, 4),
                     buffer("out", Role::output, InitialContents::Kind::unwritten, 4)};
  Launch launch;
  launch.grid = {ctas, 1, 1};
  launch.block = {threads, 1, 1};
  problem.launches = {launch};
  return problem;
}

SimulatedReplay only_replay(const Problem& problem, const Schedule& schedule = {}) {
  const auto replays = simulate(problem, schedule);
  EXPECT_EQ(replays.size(), 1U);
  return replays.at(0);
}

int wrong_runs(const Problem& problem, std::uint64_t runs) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed)
    for (const SimulatedReplay& replay : simulate(problem, {.finish_order = {}, .seed = seed}))
      wrong += static_cast<int>(!replay.ok);
  return wrong;
}

TEST(Simulate, SumsTheSplitsInEveryReplay) {
  const auto replays =
      simulate(protocol("splitk-serial", {{"splits", 4}, {"threads", 2}, {"replays", 3}}), {});
  ASSERT_EQ(replays.size(), 3U);
  for (const SimulatedReplay& replay : replays) EXPECT_TRUE(replay.ok) << replay.problem;
  EXPECT_EQ(replays[2].inputs.size(), 8U);
  EXPECT_EQ(replays[2].outputs.size(), 2U);
}

TEST(Simulate, DoesNotSeeAMissingFence) {
  EXPECT_EQ(wrong_runs(protocol("splitk-serial", {{"replays", 2}}, "no-release-fence"), 200), 0);
}

TEST(Simulate, SeesAMissingResetInTheSecondReplay) {
  const auto replays = simulate(protocol("splitk-serial", {{"replays", 2}}, "no-reset"), {});
  ASSERT_EQ(replays.size(), 2U);
  EXPECT_THAT(replays[0].problem, HasSubstr("sem is left as 4, found as 0"));
  EXPECT_THAT(replays[1].problem, HasSubstr("out[0] was never written, expected "));
}

TEST(Simulate, SeesAMissingBarrierInSomeRuns) {
  const int wrong = wrong_runs(protocol("reverse", {{"n", 4}}, "no-barrier"), 50);
  EXPECT_GT(wrong, 0);
}

TEST(Simulate, IsDeterministicForASeed) {
  const Problem problem = protocol("splitk-serial", {{"threads", 2}});
  const auto a = only_replay(problem, {.finish_order = {}, .seed = 7}),
             b = only_replay(problem, {.finish_order = {}, .seed = 7});
  EXPECT_EQ(a.finish_order, b.finish_order);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_NE(a.inputs, only_replay(problem, {.finish_order = {}, .seed = 8}).inputs);
}

TEST(Simulate, MeetsManyFinishOrders) {
  const Problem problem = protocol("splitk-serial", {{"splits", 3}});
  std::set<Order4> orders;
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    orders.insert(only_replay(problem, {.finish_order = {}, .seed = seed}).finish_order);
  EXPECT_EQ(orders.size(), 6U);
}

TEST(Simulate, FinishesInTheOrderGiven) {
  const Problem problem = protocol("splitk-serial", {{"threads", 2}});
  const SimulatedReplay replay = only_replay(problem, {.finish_order = Order4{2, 0, 3, 1}, .seed = 1});
  EXPECT_THAT(replay.finish_order, ElementsAre(2, 0, 3, 1));
  EXPECT_TRUE(replay.ok) << replay.problem;
}

TEST(Simulate, RefusesAnOrderThatIsNoPermutation) {
  const Problem problem = protocol("splitk-serial", {});
  for (const Order4& order : {Order4{}, Order4{0, 1, 2}, Order4{0, 1, 2, 4}, Order4{0, 1, 1, 2}})
    EXPECT_THROW((void)simulate(problem, {.finish_order = order, .seed = 1}), InputError);
}

// CTA 0 waits until CTA 1 has written.
Kernel waits_for_the_other() {
  KernelBuilder k("wait");
  const Array x = k.global("x", Type::u32), out = k.global("out", Type::u32);
  k.if_else(
      k.ctaid() == 0,
      [&] {
        (void)k.await([&] { return k.ld(x[0], relaxed(Scope::gpu)); }, [](const Val& v) { return v == 5; });
        k.st(out[0], 1);
      },
      [&] { k.st(x[0], 5, relaxed(Scope::gpu)); });
  return k.build();
}

TEST(Simulate, LetsOthersRunWhileACtaOfTheOrderWaits) {
  const SimulatedReplay replay =
      only_replay(problem_of(waits_for_the_other(), 2, 1), {.finish_order = Order4{0, 1}, .seed = 1});
  EXPECT_TRUE(replay.ok) << replay.problem;
  EXPECT_THAT(replay.finish_order, ElementsAre(0, 1));
  EXPECT_EQ(replay.outputs.at(0), "out[0] = 1");
}

TEST(Simulate, KnowsThatASpinNeverEnds) {
  const SimulatedReplay replay = only_replay(problem_of(waits_for_the_other(), 1, 1));
  EXPECT_FALSE(replay.ok);
  EXPECT_THAT(replay.problem, HasSubstr("stuck: CTA 0 thread 0 spins for ever (unit/simulate_test.cpp:"));
}

TEST(Simulate, KnowsThatABarrierNeverFills) {
  KernelBuilder k("half");
  k.if_(k.tid() == 0, [&] { k.bar_sync(1, 2); });
  const SimulatedReplay replay = only_replay(problem_of(k.build(), 1, 2));
  EXPECT_THAT(replay.problem, HasSubstr("stuck: CTA 0 thread 0 waits at a barrier for ever"));
}

TEST(Simulate, DoesNotWaitForThreadsThatHaveExited) {
  KernelBuilder k("early");
  const Array out = k.global("out", Type::u32);
  k.if_(k.tid() == 0, [&] { k.exit(); });
  k.bar_sync();
  k.st(out[k.tid()], 1);
  EXPECT_TRUE(only_replay(problem_of(k.build(), 1, 3)).ok);
}

TEST(Simulate, GivesABarriersReductionToAll) {
  KernelBuilder k("count");
  const Array out = k.global("out", Type::u32);
  k.st(out[k.tid()], k.bar_red(BarrierReduction::popc, k.tid() < 2));
  EXPECT_THAT(only_replay(problem_of(k.build(), 1, 3)).outputs,
              ElementsAre("out[0] = 2", "out[1] = 2", "out[2] = 2", "out[3] = unwritten"));
}

TEST(Simulate, CountsAtomicsExactly) {
  KernelBuilder k("count");
  const Array x = k.global("x", Type::u32), out = k.global("out", Type::u32);
  const Val old = k.atom(AtomicOp::add, x[0], 1);
  k.if_(old == 7, [&] { k.st(out[0], old + 1); });
  EXPECT_EQ(only_replay(problem_of(k.build(), 4, 2)).outputs.at(0), "out[0] = 8");
}

TEST(Simulate, ReportsAFaultWithItsLine) {
  KernelBuilder k("far");
  const Array x = k.global("x", Type::u32);
  k.st(x[k.tid() + 4], 1);
  EXPECT_THAT(only_replay(problem_of(k.build(), 1, 1)).problem,
              HasSubstr("out of bounds (unit/simulate_test.cpp:"));
}

TEST(Simulate, ReportsPoisonThatSteersControl) {
  KernelBuilder k("poison");
  const Array out = k.global("out", Type::u32);
  k.if_(k.ld(out[0]) == 0, [&] { k.st(out[1], 1); });
  EXPECT_THAT(only_replay(problem_of(k.build(), 1, 1)).problem,
              HasSubstr("control depends on poison (out[0])"));
}

TEST(Simulate, SeesPartOfAValueByANarrowerLoad) {
  KernelBuilder k("bytes");
  const Array x = k.global("x", Type::u32), out = k.global("out", Type::u32);
  k.st(x[0], 0x01020304);
  Kernel kernel = k.build();
  KernelBuilder narrow("narrow");
  const Array bytes = narrow.global("x", Type::u8), result = narrow.global("out", Type::u32);
  narrow.st(result[0], narrow.cast(narrow.ld(bytes[1]), Type::u32));
  (void)out;
  Problem problem = problem_of(std::move(kernel), 1, 1);
  problem.kernels.push_back(narrow.build());
  problem.launches.push_back(problem.launches[0]);
  problem.launches[1].kernel = KernelId{1};
  EXPECT_EQ(only_replay(problem).outputs.at(0), "out[0] = 3");
}

}  // namespace
}  // namespace fencewise
