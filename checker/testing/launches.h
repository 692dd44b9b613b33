// RapidCheck generators of launches and of CTA finish orders, and a run of one finish order:
//
//   const LaunchSize size = *launch_sizes({.ctas = 3, .threads = 2, .replays = 2});
//   const FinishOrder order = *finish_orders(size.ctas);
//   RC_ASSERT(passes(SimulatesOk(problem_of(size), order)));
//
// A case that fails shrinks to the fewest CTAs, threads and replays, and to the order 0, 1, 2, ...
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "checker/simulate.h"
#include "kernels/core/problem.h"

namespace fencewise::testing {

struct LaunchSize {
  std::uint32_t ctas = 1;
  std::uint32_t threads = 1;  // of a CTA
  std::uint32_t replays = 1;
  friend bool operator==(const LaunchSize&, const LaunchSize&) = default;
};
std::ostream& operator<<(std::ostream& out, const LaunchSize& size);

// Sizes from `least` to `most` in every field, both included; small ones first, as RapidCheck does. What can
// be explored in the time of a test is small: at the defaults a split-K protocol takes up to half a second a
// case.
[[nodiscard]] rc::Gen<LaunchSize> launch_sizes(LaunchSize most = {3, 2, 2}, LaunchSize least = {1, 1, 1});

// The CTAs in the order in which they finish.
using FinishOrder = std::vector<std::uint32_t>;

// Permutations of 0 to ctas - 1, all equally likely.
[[nodiscard]] rc::Gen<FinishOrder> finish_orders(std::uint32_t ctas);

// Whether all replays come out right in one run by interleaving, as a test on a machine would see it. It
// finds what depends on the order of CTAs; what only weak memory shows it can't see, so it is no substitute
// for a check. The message of a failure has a line a replay: inputs, finish order, what is wrong.
[[nodiscard]] ::testing::AssertionResult SimulatesOk(const Problem& problem, const Schedule& schedule);
[[nodiscard]] ::testing::AssertionResult SimulatesOk(const Problem& problem, const FinishOrder& order);

}  // namespace fencewise::testing
