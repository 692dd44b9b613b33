// Parallel sums, each version removing what held up the one before: after Mark Harris, "Optimizing Parallel Reduction
// in CUDA". A block adds `threads` elements (twice as many from version 4 on) and thread 0 writes the partial sum.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/core/kernel.h"

namespace fencewise {

enum class ReductionVersion : std::uint8_t {
  interleaved_divergent = 1,   // tid % 2s == 0: every warp stays busy with few lanes
  interleaved_contiguous = 2,  // index 2·s·tid: full warps, but strided words meet in the banks
  sequential = 3,              // tid < s: neither
  two_per_thread = 4,          // half the blocks; each thread adds two elements while it loads
  warp_shuffle = 5,            // the last 64 sums by one warp's shuffles, without barriers
  warp_synchronous = 6,        // the last 64 by one warp through shared memory, without __syncwarp(): wrong
};
inline constexpr int reduction_versions = 6;

struct ReductionShape {
  ReductionVersion version = ReductionVersion::interleaved_divergent;
  std::uint32_t threads = 256;  // a power of two; at least 64 for the versions with a warp's tail
};

// Global arrays: in (elements_per_block a block), out (one a block), floats.
// Throws InputError for a number of threads that the version can't have.
[[nodiscard]] Kernel reduction_kernel(const ReductionShape& reduction);
[[nodiscard]] std::uint32_t elements_per_block(const ReductionShape& reduction);
[[nodiscard]] std::string name_of(ReductionVersion version);  // "reduction-1"

}  // namespace fencewise
