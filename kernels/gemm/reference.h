// The plain products that GEMM kernels are judged by, and the data they are run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fencewise {

// Floats in [-1, 1), the same for the same seed.
[[nodiscard]] std::vector<float> random_matrix(std::size_t elements, std::uint64_t seed);

// a has n rows, b n columns. The triple loop, sums over k ascending with std::fma from 0. Every kernel gives these bits.
[[nodiscard]] std::vector<float> fma_product(std::span<const float> a, std::span<const float> b,
                                             std::uint32_t n);
// The same in double, without rounding of the products.
[[nodiscard]] std::vector<double> double_product(std::span<const float> a, std::span<const float> b,
                                                 std::uint32_t n);

}  // namespace fencewise
