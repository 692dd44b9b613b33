// The smallest shape of a protocol that fails: bugs are shown with the fewest threads.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/check.h"
#include "checker/cli/subject.h"

namespace fencewise {

// Threads of all launches and replays: what "smaller" means.
[[nodiscard]] std::uint64_t threads_of(const Problem& problem);

struct Shrunk {
  Subject subject;  // with the smaller parameters
  Problem problem;
  CheckResult result;
};

// Tries the protocol's numeric parameters from the smallest launch up (threads of all launches and replays), each no larger than
// in `subject`, and gives the first whose finding is of this kind. What is tried, and so the answer, is the same in each
// run, if `allowed` does not end it: a shape is given up after a fixed number of graphs and states. No value: none smaller fails, or
// was found to.
[[nodiscard]] std::optional<Shrunk> shrink(const Subject& subject, const CheckOptions& options, FindingKind kind, const Limits& allowed,
                                           const Progress& progress);

// These limits, or less: what a shape is given up after.
[[nodiscard]] Limits quick_look(Limits limits);

}  // namespace fencewise
