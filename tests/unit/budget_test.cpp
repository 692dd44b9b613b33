#include "checker/explore/budget.h"

#include <atomic>

#include <gtest/gtest.h>

namespace fencewise {
namespace {

// How many steps a budget lets through, of a million.
std::uint64_t steps_let_through(Budget& budget) {
  SearchStats stats;
  while (stats.steps < 1'000'000) {
    ++stats.steps;
    if (!budget.spend(stats)) break;
  }
  return stats.steps;
}

TEST(Budget, OfAPartEndsAfterItsSteps) {
  Budget whole({}, {});
  Budget part(whole, 5000);
  EXPECT_EQ(steps_let_through(part), 5000U);
  EXPECT_TRUE(part.exhausted());
  EXPECT_FALSE(whole.exhausted()) << whole.reason();
}

// The search that completes a counterexample went on after the limits of the search it is a part of.
TEST(Budget, OfAPartEndsWithTheWhole) {
  std::atomic<bool> stop = false;
  Budget whole({}, {nullptr, &stop});
  Budget part(whole, 1'000'000);
  stop = true;
  EXPECT_LT(steps_let_through(part), 1000U);
  EXPECT_EQ(part.reason(), "interrupted");
  EXPECT_EQ(whole.reason(), "interrupted");

  Budget used_up({.memory_bytes = 1}, {});
  Budget of_that(used_up, 1'000'000);
  EXPECT_LT(steps_let_through(of_that), 1000U);
  EXPECT_EQ(used_up.reason(), of_that.reason());
  EXPECT_FALSE(used_up.reason().empty());
}

TEST(Budget, RefusesMemoryThatIsAboutToBeTaken) {
  Budget budget({.memory_bytes = std::uint64_t{1} << 40U}, {});
  EXPECT_TRUE(budget.goes_on(1U << 20U));
  EXPECT_FALSE(budget.goes_on(std::uint64_t{1} << 41U));
  EXPECT_NE(budget.reason().find("--max-memory"), std::string::npos) << budget.reason();
}

}  // namespace
}  // namespace fencewise
