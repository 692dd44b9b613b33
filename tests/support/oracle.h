// The brute-force oracle: every behaviour of a small program by trying everything and keeping what the axioms accept.
//
// It guesses. For each thread it runs all paths under all values that its reads might return; it combines the traces of the
// threads in every way, tries every source for every read, every partial order of the writes of a location, every order of
// the morally strong fence.sc, and asks the axioms. Nothing is pruned by an argument about the model: not which writes may be
// seen, not that the least coherence order is enough, not that relations only grow. It shares with the graph explorer the
// interpreter of one thread and the relations of memmodel, and nothing else.
//
// For one launch of a few threads with forward branches. The values a read may return are those that some write to its
// location may write, found to a fixed point that stops after as many rounds as an execution has writes: no value is
// justified by a longer chain (No-Thin-Air).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "kernels/core/problem.h"
#include "memmodel/model.h"

namespace fencewise::testing {

struct OracleAnswer {
  std::set<std::string> final_states;  // as CheckResult::final_states spells them; of executions in which every thread ends
  bool race = false;                   // some consistent execution, stuck ones included, has a data race
  bool stuck = false;                  // in some consistent execution a barrier is never met
  std::uint64_t candidates = 0;        // executions put before the axioms
  std::uint64_t consistent = 0;        // those accepted
};

struct OracleLimits {
  std::uint64_t candidates = 1'000'000;
  std::uint64_t combinations = 20'000'000;  // of traces, most of which fit no reads-from
};

// No value: over a limit, or outside what the oracle knows (loops, warp operations, faults, mixed sizes, barrier
// reductions, more than four writes to a location, more than one launch).
[[nodiscard]] std::optional<OracleAnswer> brute_force(const Problem& problem, Model model, const OracleLimits& limits = {});

}  // namespace fencewise::testing
