// What others measured, to hold the models against.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/gemm/gemm.h"
#include "kernels/ledger/device.h"

namespace fencewise {

// GFLOP/s of k1 … k6 on an RTX A6000 at n = 4096: Simon Boehm, "How to Optimize a CUDA Matmul Kernel for cuBLAS-like
// Performance". k5v is his k5, whose compiler read Bs by vectors. There too: autotuned 19721.0, warp tiling 21779.3,
// cuBLAS 23249.6, with other tiles than k7 … k9 have.
[[nodiscard]] std::optional<double> measured_gflops(GemmVersion version, std::uint64_t n,
                                                    const Device& device);

}  // namespace fencewise
