// fencewise::testing, as a user's tests see it: what passes, and what a failure says.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <rapidcheck/gtest.h>

#include "checker/testing/launches.h"
#include "checker/testing/matchers.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

using ::testing::AllOf;
using testing::finish_orders;
using testing::FinishOrder;
using ::testing::HasSubstr;
using testing::IsInconclusive;
using testing::launch_sizes;
using testing::LaunchSize;
using ::testing::Not;
using testing::report_of;
using testing::SimulatesOk;
using testing::Verified;
using testing::Violated;

Problem protocol(std::string_view name, std::int64_t splits, std::int64_t replays,
                 std::string_view variant = "") {
  Parameters given;
  given.set("splits", splits);
  given.set("replays", replays);
  return instantiate(*find_protocol(name), given, variant);
}

CheckResult checked(std::string_view variant, const CheckOptions& options = {}, const Limits& limits = {}) {
  return check(protocol("splitk-serial", 2, 1, variant), options, limits);
}

// What EXPECT_THAT says of a result that does not match.
std::string failure_of(const CheckResult& result, const testing::ResultMatcher& matcher) {
  ::testing::StringMatchResultListener listener;
  const bool matched = ::testing::ExplainMatchResult(matcher, result, &listener);
  EXPECT_FALSE(matched);
  return ::testing::DescribeMatcher<const CheckResult&>(matcher) + "\n" + ::testing::PrintToString(result) +
         "\n" + listener.str();
}

TEST(Matchers, TellTheThreeVerdictsApart) {
  EXPECT_THAT(checked(""), AllOf(Verified(), Not(Violated()), Not(IsInconclusive())));
  EXPECT_THAT(checked("no-release-fence"), AllOf(Violated(), Not(Verified()), Not(IsInconclusive())));
  const CheckResult stopped = checked("", {}, {.graphs = 1});
  EXPECT_THAT(stopped, AllOf(IsInconclusive(), Not(Verified()), Not(Violated())));
}

TEST(Matchers, TellWhereAndOfWhichKindAFindingIs) {
  const CheckResult race = checked("no-release-fence");
  EXPECT_THAT(race, Violated(FindingKind::race));
  EXPECT_THAT(race, Violated(FindingKind::race, "ws["));
  EXPECT_THAT(race, Not(Violated(FindingKind::race, "sem")));
  EXPECT_THAT(race, Not(Violated(FindingKind::stuck)));
}

TEST(Matchers, DoNotCountWhatIsOnlyReported) {
  EXPECT_THAT(checked("no-release-fence", {.races = Races::report}), Not(Violated(FindingKind::race)));
}

TEST(Matchers, LookAtTheReasonOfWhatIsInconclusive) {
  const CheckResult stopped = checked("", {}, {.graphs = 1});
  EXPECT_THAT(stopped, IsInconclusive("graphs"));
  EXPECT_THAT(stopped, Not(IsInconclusive("seconds")));
}

TEST(Matchers, ShowTheCounterexampleWhereTheyFail) {
  EXPECT_THAT(failure_of(checked("no-release-fence"), Verified()),
              AllOf(HasSubstr("is verified\n"), HasSubstr("violated: race on ws[0] in replay 1\n"),
                    HasSubstr("splitk/serial.cpp:"), HasSubstr("which is violated")));
}

TEST(Matchers, ShowWhatWasExploredWhereTheyFail) {
  EXPECT_THAT(failure_of(checked(""), Violated(FindingKind::race, "ws[")),
              AllOf(HasSubstr("is violated by a finding of kind race at ws["), HasSubstr("\nverified\n"),
                    HasSubstr("explored: 2 graphs"), HasSubstr("which is verified")));
}

TEST(Reports, OfAResultAloneClaimNoModel) {
  EXPECT_THAT(report_of(checked("no-release-fence", {.model = Model::ptx_v6_0})), Not(HasSubstr("model")));
}

TEST(Simulation, RunsAGivenFinishOrder) {
  EXPECT_TRUE(SimulatesOk(protocol("splitk-serial", 3, 2), FinishOrder{2, 0, 1}));
  EXPECT_TRUE(SimulatesOk(protocol("splitk-serial", 3, 2), Schedule{.finish_order = {}, .seed = 7}));
}

TEST(Simulation, SaysWhichReplayGoesWrong) {
  const auto result = SimulatesOk(protocol("splitk-serial", 2, 2, "no-reset"), FinishOrder{1, 0});
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(),
              AllOf(HasSubstr("a run of splitk-serial goes wrong:\nreplay 1: in[0] = "),
                    HasSubstr("CTAs finish 1,0; WRONG: sem is left as 2, found as 0\nreplay 2: "),
                    HasSubstr("out[0] was never written")));
}

RC_GTEST_PROP(Generators, KeepLaunchSizesWithinTheirBounds, ()) {
  const LaunchSize size = *launch_sizes({.ctas = 5, .threads = 3, .replays = 2}, {.ctas = 2});
  RC_ASSERT(size.ctas >= 2 && size.ctas <= 5);
  RC_ASSERT(size.threads >= 1 && size.threads <= 3);
  RC_ASSERT(size.replays >= 1 && size.replays <= 2);
}

RC_GTEST_PROP(Generators, GiveFinishOrdersThatNameEachCtaOnce, ()) {
  const auto ctas = *rc::gen::inRange<std::uint32_t>(1, 7);
  const FinishOrder order = *finish_orders(ctas);
  RC_ASSERT(order.size() == ctas);
  RC_ASSERT(std::set<std::uint32_t>(order.begin(), order.end()).size() == ctas);
  RC_ASSERT(*std::max_element(order.begin(), order.end()) == ctas - 1);
}

TEST(Generators, ReachEveryFinishOrder) {
  std::set<FinishOrder> seen;
  const auto generator = finish_orders(3);
  rc::Random random(1);
  for (int n = 0; n < 200; ++n) seen.insert(generator(random.split(), /*size=*/0).value());
  EXPECT_EQ(seen.size(), 6U);
}

}  // namespace
}  // namespace fencewise
