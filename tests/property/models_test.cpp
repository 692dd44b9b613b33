// Models that are stated differently and show the same: on programs without proxies the two published ones agree, and `ptx`
// agrees with them on programs without the points in which it differs.
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "kernels/frontend/litmus/generate.h"
#include "tests/support/differential.h"

namespace fencewise {
namespace {

std::set<std::string> all_states_of(const Problem& problem, Model model) {
  CheckOptions options;
  options.model = model;
  options.races = Races::off;
  options.stop_at_first = false;
  options.collect_states = true;
  const CheckResult result = check(problem, options);
  return {result.final_states.begin(), result.final_states.end()};
}

GeneratorOptions options() {
  GeneratorOptions result;
  result.max_operations = 6;
  return result;
}

// v6.0 has an axiom SC-per-Location and a Fence-SC axiom that says something; v7.5 has plain program order in base causality.
TEST(PublishedModels, ShowTheSameWithoutProxies) {
  const std::uint64_t seeds = testing::small_scale() ? 100 : 2000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Problem problem = generate_litmus(seed, options());
    problem.contract = {};
    ASSERT_EQ(all_states_of(problem, Model::ptx_v6_0), all_states_of(problem, Model::ptx_v7_5))
        << "seed " << seed << "\n"
        << testing::show(problem);
  }
}

// What is left of the differences without fence.sc, atomics and barriers (fence.sc as acquire-release fence, reds, cas, re-arming).
TEST(ThePublishedModelsAndPtx, ShowTheSameWhereTheyAreNotMeantToDiffer) {
  GeneratorOptions without = options();
  without.atomics = without.barriers = false;
  const std::uint64_t seeds = testing::small_scale() ? 100 : 2000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Problem problem = generate_litmus(seed, without);
    problem.contract = {};
    for (Kernel& kernel : problem.kernels)
      for (Block& block : kernel.blocks)
        for (Instruction& instruction : block.instructions)
          if (auto* fence = std::get_if<Fence>(&instruction.operation)) fence->order = Order::acq_rel;
    ASSERT_EQ(all_states_of(problem, Model::ptx), all_states_of(problem, Model::ptx_v7_5)) << "seed " << seed << "\n"
                                                                                   << testing::show(problem);
  }
}

}  // namespace
}  // namespace fencewise
