// An array reversed through a buffer that threads share: write your element, meet at the barrier, read the element of
// your opposite. The smallest kernel that needs its barrier.
#pragma once

#include <cstdint>

#include "kernels/core/kernel.h"

namespace fencewise {

// Without the barrier a lockstep run still gives the right array. That is the lesson: only a race detector tells.
struct ReverseSteps {
  bool barrier = true;
  bool across_ctas = false;  // a CTA a thread, and the buffer in global memory: the barrier waits for nobody
};

// n threads, in one CTA or in as many. Global arrays: in, out and, across CTAs, buf (n floats each).
[[nodiscard]] Kernel reverse_kernel(std::uint32_t n, const ReverseSteps& steps = {});

}  // namespace fencewise
