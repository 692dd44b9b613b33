// One small program, explored by the graph explorer and by the brute-force oracle: do they say the same?
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kernels/core/problem.h"
#include "memmodel/model.h"
#include "tests/support/oracle.h"

namespace fencewise::testing {

struct Comparison {
  // Why there is nothing to compare (too large for the oracle, not modelled by the explorer); empty: they were compared.
  std::string skipped;
  // What differs; empty: they agree on verdict, existence of a race, stuck threads and final states. Under model sc plain
  // interleaving agrees too.
  std::string difference;
  OracleAnswer expected;
};

// The contract is ignored: a program is violated here if it has a race or can hang.
[[nodiscard]] Comparison compare(const Problem& problem, Model model, const OracleLimits& limits = {});

// Adds what the generator of litmus tests does not draw: barriers that some threads may miss, that more come to than are
// needed, or that are crossed; a second name of a location; other proxies and their fences. The same seed, the same result.
[[nodiscard]] Problem vary(Problem problem, std::uint64_t seed);

// A smaller problem that still `fails`: without threads, instructions, branches that it does not need, and with accesses as
// weak and scopes as wide as it allows. Every step is a local change; stops where none helps.
[[nodiscard]] Problem shrink(Problem problem, const std::function<bool(const Problem&)>& fails);

// As a litmus test where the dialect can say it, else as the printer shows it.
[[nodiscard]] std::string show(const Problem& problem);

// How a sample of programs spreads, so that a reader sees what was compared.
class Spread {
 public:
  void count(const Comparison& comparison);
  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t compared_ = 0, racy_ = 0, stuck_ = 0, candidates_ = 0, consistent_ = 0, most_ = 0;
  std::map<std::string, std::uint64_t> skipped_;        // reason -> programs
  std::map<std::size_t, std::uint64_t> states_;         // final states -> programs
  std::map<std::uint64_t, std::uint64_t> sizes_;        // candidates, next power of 10 -> programs
};

// FENCEWISE_TEST_SCALE=small, or built with a sanitizer.
[[nodiscard]] bool small_scale();

// Where random programs begin: FENCEWISE_TEST_SEED, or 1.
[[nodiscard]] std::uint64_t first_seed();

}  // namespace fencewise::testing
