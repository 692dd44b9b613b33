// An array reversed through shared memory: the smallest kernel that needs its barrier.
#pragma once

#include <cstdint>

#include "kernels/core/kernel.h"

namespace fencewise {

// One block of n threads. Global arrays: in, out (n floats each).
// Without the barrier a lockstep run still gives the right array. That is the lesson: only a race detector tells.
enum class ReverseBarrier : bool { omitted, present };
[[nodiscard]] Kernel reverse_kernel(std::uint32_t n, ReverseBarrier barrier);

}  // namespace fencewise
