// A filter leaves out final states, whatever the quantifier and the engine.
#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/simulate.h"
#include "checker/testing/matchers.h"
#include "kernels/core/builder.h"
#include "protocols/parts.h"

namespace fencewise::testing {
namespace {

// Two CTAs leave 1 or 2 in x.
Problem one_or_two(Quantifier quantifier, int value, bool filtered = true) {
  KernelBuilder k("last_wins");
  k.st(k.global("x", Type::u32)[0], k.ctaid() + 1, relaxed(Scope::gpu));
  Problem problem;
  problem.name = "last-wins";
  problem.kernels = {k.build()};
  problem.buffers = {protocols::workspace("x", Type::u32, 1, InitialContents::Kind::zero)};
  problem.launches.emplace_back().grid.x = 2;
  const BufferTerm x(BufferId{0});
  problem.contract.quantifier = quantifier;
  problem.contract.assertions = {{.text = "x", .formula = x[0] == value, .when = When::plan_end}};
  if (filtered) problem.contract.filter = x[0] == 1;
  return problem;
}

class Filter : public ::testing::TestWithParam<Engine> {
 protected:
  [[nodiscard]] static Verdict answer(const Problem& problem) {
    CheckOptions options;
    options.engine = GetParam();
    const CheckResult result = check(problem, options);
    EXPECT_EQ(result.unexplored, "");
    return result.verdict;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Filter, ::testing::Values(Engine::graph, Engine::view),
                         [](const auto& i) { return i.param == Engine::graph ? "graph" : "view"; });

TEST_P(Filter, OfAlwaysLeavesOutStates) {
  EXPECT_EQ(answer(one_or_two(Quantifier::always, 1, false)), Verdict::violated);
  EXPECT_EQ(answer(one_or_two(Quantifier::always, 1)), Verdict::verified);
  EXPECT_EQ(answer(one_or_two(Quantifier::always, 2)), Verdict::violated);
}

TEST_P(Filter, OfExistsLeavesOutStates) {
  EXPECT_EQ(answer(one_or_two(Quantifier::exists, 2, false)), Verdict::verified);
  EXPECT_EQ(answer(one_or_two(Quantifier::exists, 2)), Verdict::violated);
  EXPECT_EQ(answer(one_or_two(Quantifier::exists, 1)), Verdict::verified);
}

TEST_P(Filter, OfNeverLeavesOutStates) {
  EXPECT_EQ(answer(one_or_two(Quantifier::never, 2, false)), Verdict::violated);
  EXPECT_EQ(answer(one_or_two(Quantifier::never, 2)), Verdict::verified);
  EXPECT_EQ(answer(one_or_two(Quantifier::never, 1)), Verdict::violated);
}

TEST(FilterOfARun, LeavesOutStates) {
  Schedule last_is_one;
  last_is_one.finish_order = std::vector<std::uint32_t>{0, 1};  // leaves 2
  EXPECT_TRUE(simulate(one_or_two(Quantifier::always, 1), last_is_one).back().ok);
  EXPECT_FALSE(simulate(one_or_two(Quantifier::always, 1, false), last_is_one).back().ok);
}

}  // namespace
}  // namespace fencewise::testing
