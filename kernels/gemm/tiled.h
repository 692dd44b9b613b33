// The GEMM kernels themselves. Blocks tile C: ctaid.x counts tiles along a row, ctaid.y along a column (k1 as Boehm has
// it: ctaid.x and tid.x count rows).
#pragma once

#include "kernels/core/kernel.h"

namespace fencewise::gemm {

enum class NaiveMapping { warp_along_column, warp_along_row };
[[nodiscard]] Kernel naive(NaiveMapping mapping);  // k1, k2

[[nodiscard]] Kernel shared_tiles();       // k3
[[nodiscard]] Kernel column_of_results();  // k4

enum class SharedReads { scalar, vector_b };
[[nodiscard]] Kernel square_of_results(SharedReads reads);  // k5, k5v

// conflict_free: As rows of 132 words, and a thread's columns in two groups of four.
enum class Layout { plain, conflict_free };
[[nodiscard]] Kernel vectorized(Layout layout);  // k6, k7

enum class Buffers { one, two };
[[nodiscard]] Kernel warp_tiles(Buffers buffers);  // k8, k9

}  // namespace fencewise::gemm
