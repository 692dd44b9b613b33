// Runs a problem's launches on the SIMT executor, on real data: one schedule of many, with counters.
//
// Symbols become small whole numbers from a seed, so that sums of floats are exact; what nobody wrote is filled with a
// pattern that is no likely result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/problem.h"
#include "kernels/core/simt/run.h"

namespace fencewise::launchfile {

using Memory = std::vector<std::vector<std::byte>>;  // [buffer]

struct ExecutedLaunch {
  std::uint32_t replay = 1;  // from 1
  std::size_t launch = 0;    // Problem::launches
  RunResult result;
};

struct Execution {
  Memory at_entry;                       // as the last replay found it
  Memory memory;                         // as it left it
  std::vector<ExecutedLaunch> launches;  // until the first fault
};

// Throws NotModelled for instructions without an executor.
[[nodiscard]] Execution execute(const Problem& problem, std::uint64_t seed, unsigned workers);

// One element, as the buffer's type has it.
[[nodiscard]] std::uint64_t element_of(const Buffer& buffer, const std::vector<std::byte>& bytes,
                                       std::uint64_t index);

}  // namespace fencewise::launchfile
