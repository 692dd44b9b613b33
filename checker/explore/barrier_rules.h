// What PTX asks of threads that are at barriers of their CTA at a time. What breaks it has no defined outcome.
//
// Source: PTX ISA 9.1, "bar, barrier" (9.7.13.1): one thread count for a barrier; no thread comes back to a barrier that still
// counts its arrival; reductions are not mixed with others; the lanes of a warp come to an aligned barrier together.
#pragma once

#include "kernels/core/address_space.h"
#include "memmodel/execution_graph.h"

namespace fencewise {

// A thread at a barrier of its CTA.
struct AtBarrier {
  ThreadId thread = 0;
  InstructionRef where;
};

[[nodiscard]] const Barrier& barrier_of(const LaunchImage& image, const AtBarrier& at);

// Two threads of one phase, of which one takes part in a reduction and the other does not.
[[nodiscard]] bool mixes_reduction(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b);
// Two lanes of one warp at different instructions, an aligned barrier among them.
[[nodiscard]] bool parts_lanes(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b);

}  // namespace fencewise
