// Random litmus tests: small, well-formed, and made to disagree about.
//
// The same seed and options give the same test on every platform. Tests mix all semantics, scopes, fences, atomics,
// dependencies through registers and forward branches, barriers and placements; they have no loops, so that every
// execution ends or waits at a barrier.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/core/problem.h"

namespace fencewise {

struct GeneratorOptions {
  std::uint32_t min_threads = 2;
  std::uint32_t max_threads = 3;
  std::uint32_t max_instructions = 3;  // memory operations of a thread, at least 1 each; fences come on top
  std::uint32_t max_operations = 8;    // memory operations of all threads together
  std::uint32_t max_locations = 2;
  bool fences = true;
  bool one_sided_fences = false;  // fence.acquire and fence.release, which Dat3M's dialect lacks
  bool atomics = true;            // add, exch, cas, and red
  bool dependencies = true;       // stored values that depend on loaded ones
  bool branches = true;           // forward branches on loaded values
  bool barriers = true;
  bool volatiles = false;  // ld.volatile, st.volatile
  bool clusters = false;   // cluster scope and placement
  bool several_gpus = true;
};

// Throws InputError for options without a test (no threads, no locations).
[[nodiscard]] std::string generate_litmus_text(std::uint64_t seed, const GeneratorOptions& options);
[[nodiscard]] Problem generate_litmus(std::uint64_t seed, const GeneratorOptions& options);

}  // namespace fencewise
