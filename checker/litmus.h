// Runs one litmus test: does its final statement hold, does every execution end, which final states are reachable.
//
// The final statement speaks of executions in which every thread has finished. Liveness: no thread can wait for ever at a
// barrier, and no run that the progress model allows goes on for ever. Execution graphs tell that of loops that only read; where a
// loop writes, or progress is not fair, the states of the view explorer do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/check.h"

namespace fencewise {

// Options that can change an answer.
struct LitmusOptions {
  Model model = Model::ptx;
  // Rounds of a loop, per thread. Two are enough for the public suites; the third shows that nothing hangs on it.
  std::uint32_t loop_bound = 3;
  // Who is promised to go on: for liveness.
  ProgressModels progress{};
  bool collect_states = false;  // fill details.final_states
};

struct LitmusOutcome {
  Verdict statement = Verdict::verified;  // verified: it holds; violated: it does not
  Verdict liveness = Verdict::verified;   // verified: every execution ends
  std::string reason;                     // of what is inconclusive
  bool not_modelled = false;              // inconclusive since the test asks for what the model does not have
  CheckResult details;
};

// Explores everything, also after the answer is known.
[[nodiscard]] LitmusOutcome run_litmus(const Problem& test, const LitmusOptions& options,
                                       const Limits& limits = {}, const Progress& progress = {});

// An execution that decides the test: one that satisfies the condition (exists, ~exists), or fails it (forall), or else one
// that never ends. No value: there is none, the answer is about all executions. `outcome` is that of the same test and options.
[[nodiscard]] std::optional<Finding> litmus_witness(const Problem& test, const LitmusOutcome& outcome,
                                                    const LitmusOptions& options, const Limits& limits = {},
                                                    const Progress& progress = {});

}  // namespace fencewise
