// The final states of a litmus test as its condition sees them, as herd lists them.
#pragma once

#include <string>
#include <vector>

#include "kernels/core/problem.h"

namespace fencewise {

struct ObservedState {
  std::string text;        // "1:r0=1; 1:r1=0;"
  bool satisfies = false;  // the condition
};

// `final_states` as CheckResult has them (every register and location), reduced to the registers and locations that the
// condition names; all that a test can name where it names none. Without those that the filter leaves out. Sorted, each once.
[[nodiscard]] std::vector<ObservedState> observed_states(const Problem& test,
                                                         const std::vector<std::string>& final_states);

}  // namespace fencewise
