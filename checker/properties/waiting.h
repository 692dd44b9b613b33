// What is said of threads that wait at barriers for ever.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "checker/explore/partial_execution.h"

namespace fencewise {

struct Waiting {
  ThreadId thread = 0;
  InstructionRef at;
  std::optional<Gathered> gathered;  // of a barrier of the CTA
};

// "'bar.sync 1, 2': 1 of 2 threads has come"
[[nodiscard]] std::string what_it_waits_at(const LaunchContext& context, const Waiting& waiting);
// "CTA 0 thread 1 waits for ever at 'bar.sync 1, 2': 1 of 2 threads has come, 1 has exited; CTA 0 thread 0 waits at 'bar.sync 2, 2'".
// `all`: all that wait, the first of them first; `exited`: threads of its CTA.
[[nodiscard]] std::string waits_for_ever(const LaunchContext& context, std::span<const Waiting> all, std::size_t exited);

}  // namespace fencewise
