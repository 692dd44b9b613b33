// The view explorer against the graph explorer: on random programs, with each reduction on and off, on the catalogue, and on
// litmus suites. Where it does not decline they must agree on the verdict, the existence of a race and, for race-free programs,
// the set of final states.
//
// A mismatch is shrunk and printed. FENCEWISE_TEST_SEED=n begins the random programs elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "tests/support/differential.h"
#include "tests/support/engines.h"
#include "tests/support/random_protocol.h"

namespace fencewise::testing {
namespace {

std::uint64_t first_seed() {
  const char* seed = std::getenv("FENCEWISE_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1;
}

void report(const Problem& problem, const EngineComparison& comparison) {
  const Problem small = shrink(problem, [&](const Problem& p) { return !compare_engines(p).difference.empty(); });
  ADD_FAILURE() << "the engines disagree about " << problem.name << "\n"
                << show(small) << compare_engines(small).difference << "before it was shrunk:\n"
                << comparison.difference;
}

struct Family {
  const char* name;
  Problem (*draw)(std::uint64_t seed);
  std::uint64_t programs;
};
constexpr Family families[] = {
    {"placed", random_placed, 2600},
    {"grid", random_grid, 1600},
    {"symmetric", random_symmetric, 800},
    {"litmus", random_litmus, 1500},
};

TEST(View, AgreesWithTheGraphExplorerOnRandomPrograms) {
  EngineSpread all;
  for (const Family& family : families) {
    EngineSpread spread;
    const std::uint64_t programs = small_scale() ? family.programs / 20 : family.programs;
    std::uint64_t seed = first_seed();
    for (; spread.compared() < programs && !HasFailure(); ++seed) {
      const Problem problem = family.draw(seed);
      const EngineComparison comparison = compare_engines(problem);
      spread.count(comparison);
      all.count(comparison);
      if (!comparison.difference.empty()) report(problem, comparison);
    }
    std::cout << fmt::format("{}, seeds {} to {}: {}\n", family.name, first_seed(), seed - 1, spread.text());
  }
  std::cout << "in all: " << all.text() << "\n";
}

}  // namespace
}  // namespace fencewise::testing
