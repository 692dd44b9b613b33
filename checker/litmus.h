// Runs one litmus test: does its final statement hold, does every execution end, which final states are reachable.
//
// The final statement speaks of executions in which every thread has finished. Liveness: no thread can wait for ever at a
// barrier, or spin for ever on values that are coherence-maximal.
#pragma once

#include <string>
#include <vector>

#include "checker/check.h"

namespace fencewise {

struct LitmusOutcome {
  Verdict statement = Verdict::verified;  // verified: it holds; violated: it does not
  Verdict liveness = Verdict::verified;   // verified: every execution ends
  std::string reason;                     // of what is inconclusive
  bool not_modelled = false;              // inconclusive since the test asks for what is not modelled
  CheckResult details;
};

// `all_states`: explore on after the answer is known, and collect the reachable final states.
[[nodiscard]] LitmusOutcome run_litmus(const Problem& test, Model model, bool all_states, const Limits& limits = {},
                                       const Progress& progress = {});

}  // namespace fencewise
