// The order of launches on streams: where a plan is cut, what is refused, how it is printed, and several plans in flight.
#include "kernels/core/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/core/builder.h"
#include "kernels/core/error.h"
#include "kernels/core/in_flight.h"
#include "kernels/core/printer.h"
#include "kernels/core/validate.h"
#include "protocols/parts.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

using ::testing::HasSubstr;

struct Entry {
  std::uint32_t stream = 0;
  std::vector<std::uint32_t> after{};
};

Problem plan_of(const std::vector<Entry>& entries) {
  KernelBuilder k("nothing");
  Problem problem;
  problem.kernels = {k.build()};
  problem.buffers = {protocols::workspace("x", Type::u32, 1, InitialContents::Kind::zero)};
  for (const Entry& entry : entries) {
    Launch& launch = problem.launches.emplace_back();
    launch.name = "nothing";
    launch.stream = StreamId{entry.stream};
    for (const std::uint32_t earlier : entry.after) launch.after.push_back(LaunchId{earlier});
  }
  return problem;
}

// "0 | 1 2 | 3"
std::string stages(const std::vector<Entry>& entries) {
  std::string text;
  for (const Stage& stage : stages_of(plan_of(entries))) {
    if (!text.empty()) text += " | ";
    for (const LaunchId launch : stage.launches)
      text += (launch == stage.launches.front() ? "" : " ") + std::to_string(launch.value);
  }
  return text;
}

TEST(Stages, OfOneStreamAreItsLaunches) { EXPECT_EQ(stages({{0}, {0}, {0}}), "0 | 1 | 2"); }

TEST(Stages, OfTwoStreamsAreOne) { EXPECT_EQ(stages({{0}, {1}, {0}, {1}}), "0 1 2 3"); }

TEST(Stages, AreCutWhereAllOfOneSideComeBeforeAllOfTheOther) {
  EXPECT_EQ(stages({{0}, {1, {0}}, {0}, {1, {2}}}), "0 | 1 2 | 3");  // fork and join
  EXPECT_EQ(stages({{0}, {1, {0}}, {2, {1}}}), "0 | 1 | 2");         // a chain through events
  EXPECT_EQ(stages({{0}, {1}, {2, {0, 1}}, {3, {2}}}), "0 1 | 2 | 3");
}

TEST(Stages, KeepTheOrderWithinThem) {
  const auto all = stages_of(plan_of({{0}, {1}, {0}, {2, {2}}}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].is_before(0, 2));
  EXPECT_TRUE(all[0].is_before(0, 3)) << "through launch 2";
  EXPECT_FALSE(all[0].is_before(1, 3));
  EXPECT_FALSE(all[0].is_before(2, 0));
}

TEST(Launches, WaitOnlyForEarlierOnes) {
  try {
    validate(plan_of({{0}, {1, {1}}}));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("waits for launch number 1, which does not come before it"));
  }
}

TEST(Launches, ArePrintedWithTheirStreamsAndWhatTheyWaitFor) {
  const std::string text = print(plan_of({{0}, {1}, {2, {0, 1}}}), {});
  EXPECT_THAT(text, HasSubstr("launch nothing: nothing, grid 1, block 1\n"));
  EXPECT_THAT(text, HasSubstr("launch nothing: nothing, grid 1, block 1, stream 1\n"));
  EXPECT_THAT(text, HasSubstr("launch nothing: nothing, grid 1, block 1, stream 2, after launch 1, 2\n"));
}

TEST(InFlight, GivesEachInstanceItsOwnInputsAndOutputsOverOneWorkspace) {
  const Problem two = in_flight(instantiate(*find_protocol("splitk-serial"), {}), 2);
  validate(two);
  std::vector<std::string> names;
  for (const Buffer& buffer : two.buffers) names.push_back(buffer.name);
  EXPECT_EQ(names, (std::vector<std::string>{"in", "ws", "sem", "out", "in#2", "out#2"}));
  ASSERT_EQ(two.launches.size(), 2U);
  EXPECT_NE(two.launches[0].stream, two.launches[1].stream);
  EXPECT_EQ(two.contract.assertions.size(), 2U);
  EXPECT_THAT(print(*two.contract.assertions[1].formula, two), HasSubstr("out#2["));
  EXPECT_THAT(print(*two.contract.assertions[1].formula, two), HasSubstr("in#2["));
}

TEST(InFlight, GivesEachInstanceTheWorkspaceThatSaysSo) {
  const Problem two = in_flight(instantiate(*find_protocol("splitk-atomic"), {}, "counter-per-launch"), 2);
  EXPECT_TRUE(two.find_buffer("sem#2"));
  EXPECT_FALSE(two.find_buffer("acc#2"));
  EXPECT_EQ(two.contract.restored.size(), 3U) << "sem, acc and sem#2";
}

TEST(InFlight, KeepsTheOrderOfEachInstance) {
  Problem plan = plan_of({{0}, {1, {0}}});
  const Problem three = in_flight(plan, 3);
  ASSERT_EQ(three.launches.size(), 6U);
  EXPECT_EQ(three.launches[5].stream.value, 5U);
  EXPECT_EQ(three.launches[5].after, (std::vector<LaunchId>{LaunchId{4}}));
  EXPECT_EQ(stages_of(three).size(), 1U);
}

TEST(InFlight, IsNotForThreadsPlacedByHand) {
  EXPECT_THROW((void)in_flight(instantiate(*find_protocol("mp"), {}), 2), InputError);
}

}  // namespace
}  // namespace fencewise
