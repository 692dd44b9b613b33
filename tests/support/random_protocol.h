// Random synchronization protocols: programs that guard data by flags, counters, locks and barriers, mostly rightly.
//
// A program is a handful of patterns between threads that are placed first: message passing, counting in with a last one,
// try-locks, phases of a barrier, chains of atomics, store buffering, noise. Each side of a pattern is written in one of many
// right ways (or, sometimes, a wrong one): orders, scopes, fences, atomics, loads or spin loops. So most programs are race-free
// and have several final states, which random litmus tests rarely are. The same seed gives the same program.
#pragma once

#include <cstdint>

#include "kernels/core/problem.h"

namespace fencewise::testing {

// Threads placed by hand, each with a kernel of its own.
[[nodiscard]] Problem random_placed(std::uint64_t seed);
// The same as one kernel of a grid, whose threads part ways by their ids; one or two replays.
[[nodiscard]] Problem random_grid(std::uint64_t seed);
// A grid of CTAs that all do the same with slots of their own and shared counters; with a contract on sums, one or two replays.
[[nodiscard]] Problem random_symmetric(std::uint64_t seed);
// A random litmus test whose accesses are made strong and wide with some probability, so that most don't race.
[[nodiscard]] Problem random_litmus(std::uint64_t seed);

// Strong accesses at wide scopes only: load buffering, chains of fence.sc, coherence. Race-free, and often to be declined.
[[nodiscard]] Problem random_stress(std::uint64_t seed);

}  // namespace fencewise::testing
