// Runs a problem as a test run or a simulator would: interleaving only, one schedule a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/problem.h"
#include "kernels/core/verdict.h"

namespace fencewise {

// What one replay of a run showed.
struct SimulatedReplay {
  std::uint32_t replay = 1;
  std::vector<std::uint32_t> finish_order;  // CTAs
  std::vector<std::string> inputs;          // "in[0] = 7", as generated
  std::vector<std::string> outputs;         // "out[0] = 12"
  bool ok = true;
  std::string problem;  // what failed: "out[0] = 7, expected 12"
};

struct Schedule {
  std::optional<std::vector<std::uint32_t>> finish_order;  // CTAs, every CTA once; else random
  std::uint64_t seed = 1;
};

// Symbols become random small numbers drawn from the seed. Runs all replays. Deterministic for a seed.
[[nodiscard]] std::vector<SimulatedReplay> simulate(const Problem& problem, const Schedule& schedule);

}  // namespace fencewise
