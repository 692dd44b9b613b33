#include "kernels/core/problem.h"

#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "tests/support/kernels.h"

namespace fencewise {
namespace {

using Coordinates = std::array<std::uint32_t, 3>;

std::string error_of(const Problem& problem) {
  try {
    (void)bindings_of(problem, problem.launches[0], KernelId{0});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseType, KnowsEveryNameThatATypePrints) {
  for (const Type type : {Type::pred, Type::u8, Type::u16, Type::u32, Type::u64, Type::s8, Type::s16,
                          Type::s32, Type::s64, Type::f32, Type::f64})
    EXPECT_EQ(parse_type(name(type)), type);
  EXPECT_EQ(parse_type("b32"), std::nullopt);
  EXPECT_EQ(parse_type(""), std::nullopt);
}

TEST(FindBuffer, FindsByNameOnly) {
  const Problem problem = testing::split_k();
  EXPECT_EQ(problem.find_buffer("count"), BufferId{2});
  EXPECT_EQ(problem.find_buffer("coun"), std::nullopt);
}

TEST(Threads, OfAGridCountCtaMajorAndXFastest) {
  Launch launch;
  launch.grid = {2, 2, 1};
  launch.block = {2, 1, 2};
  const auto threads = threads_of(launch);
  ASSERT_EQ(threads.size(), 16U);
  EXPECT_EQ(threads[0].tid, (Coordinates{0, 0, 0}));
  EXPECT_EQ(threads[1].tid, (Coordinates{1, 0, 0}));
  EXPECT_EQ(threads[2].tid, (Coordinates{0, 0, 1}));
  EXPECT_EQ(threads[3].index_in_cta, 3U);
  EXPECT_EQ(threads[4].ctaid, (Coordinates{1, 0, 0}));
  EXPECT_EQ(threads[8].ctaid, (Coordinates{0, 1, 0}));
}

TEST(Threads, OfAGridHaveAClusterPerCtaOnOneDevice) {
  Launch launch;
  launch.grid = {1, 3, 1};
  const auto threads = threads_of(launch);
  EXPECT_EQ(threads[2].placement, (Placement{CtaId{2}, ClusterId{2}, DeviceId{0}}));
}

TEST(Threads, PlacedByHandKeepTheirOrderAndCountWithinTheirCta) {
  const Placement left{CtaId{0}, ClusterId{0}, DeviceId{0}}, right{CtaId{5}, ClusterId{1}, DeviceId{1}};
  Launch launch;
  launch.placed = {{KernelId{0}, left}, {KernelId{1}, right}, {KernelId{2}, left}};
  const auto threads = threads_of(launch);
  ASSERT_EQ(threads.size(), 3U);
  EXPECT_EQ(threads[1].kernel, KernelId{1});
  EXPECT_EQ(threads[1].placement, right);
  EXPECT_EQ(threads[1].ctaid, (Coordinates{5, 0, 0}));
  EXPECT_EQ(threads[1].index_in_cta, 0U);
  EXPECT_EQ(threads[2].tid, (Coordinates{1, 0, 0}));
  EXPECT_EQ(threads[2].index_in_cta, 1U);
}

TEST(Bindings, AreByNameUnlessTheLaunchListsBuffers) {
  Problem problem = testing::problem_of(testing::sample_kernel({}));
  const auto by_name = bindings_of(problem, problem.launches[0], KernelId{0});
  ASSERT_EQ(by_name.size(), 3U);
  EXPECT_EQ(by_name[0], BufferId{0});
  EXPECT_EQ(by_name[1], BufferId{1});
  EXPECT_EQ(by_name[2], std::nullopt) << "a shared array has no buffer";

  problem.launches[0].arrays = {BufferId{1}, BufferId{0}};
  const auto listed = bindings_of(problem, problem.launches[0], KernelId{0});
  EXPECT_EQ(listed[0], BufferId{1});
  EXPECT_EQ(listed[1], BufferId{0});
}

TEST(Bindings, NameTheArrayThatHasNoBuffer) {
  Problem problem = testing::problem_of(testing::sample_kernel({}));
  problem.buffers[1].name = "z";
  EXPECT_EQ(error_of(problem), "launch 'main': no buffer named 'y' for the array of kernel 'k'");
}

TEST(Bindings, RefuseTooFewTooManyAndUnknownBuffers) {
  Problem problem = testing::problem_of(testing::sample_kernel({}));
  problem.launches[0].arrays = {BufferId{0}};
  EXPECT_EQ(error_of(problem), "launch 'main': kernel 'k' has more global arrays than the 1 buffers given");
  problem.launches[0].arrays = {BufferId{0}, BufferId{1}, BufferId{0}};
  EXPECT_EQ(error_of(problem), "launch 'main': 3 buffers given, but kernel 'k' has 2 global arrays");
  problem.launches[0].arrays = {BufferId{0}, BufferId{9}};
  EXPECT_EQ(error_of(problem), "launch 'main': buffer number 9 does not exist; there are 2");
}

}  // namespace
}  // namespace fencewise
