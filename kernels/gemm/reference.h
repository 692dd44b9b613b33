// The plain products that GEMM kernels are judged by, and the data they are run on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fencewise {

// n·n floats in [-1, 1), the same for the same seed.
[[nodiscard]] std::vector<float> random_matrix(std::uint32_t n, std::uint64_t seed);

// The triple loop, sums over k ascending with std::fma from 0. Every kernel gives these bits.
[[nodiscard]] std::vector<float> fma_product(std::span<const float> a, std::span<const float> b,
                                             std::uint32_t n);
// The same in double, without rounding of the products.
[[nodiscard]] std::vector<double> double_product(std::span<const float> a, std::span<const float> b,
                                                 std::uint32_t n);

}  // namespace fencewise
