#include "kernels/gemm/reference.h"

#include <cmath>

#include "kernels/core/simt/multiversion.h"

namespace fencewise {
namespace {

// row += a · b, n elements.
FENCEWISE_CLONES void add_row(float* __restrict row, float a, const float* __restrict b, std::uint32_t n) {
  for (std::uint32_t j = 0; j < n; ++j) row[j] = std::fma(a, b[j], row[j]);
}
FENCEWISE_CLONES void add_row_double(double* __restrict row, double a, const float* __restrict b,
                                     std::uint32_t n) {
  for (std::uint32_t j = 0; j < n; ++j) row[j] += a * static_cast<double>(b[j]);
}

}  // namespace

std::vector<float> random_matrix(std::size_t elements, std::uint64_t seed) {
  std::vector<float> matrix(elements);
  std::uint64_t state = seed;
  for (float& x : matrix) {  // splitmix64
    state += 0x9e37'79b9'7f4a'7c15U;
    std::uint64_t z = (state ^ (state >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d0'49bb'1331'11ebU;
    x = static_cast<float>((z ^ (z >> 31U)) >> 40U) * 0x1p-23F - 1.0F;
  }
  return matrix;
}

std::vector<float> fma_product(std::span<const float> a, std::span<const float> b, std::uint32_t n) {
  std::vector<float> c(std::size_t{n} * n);
  const std::size_t depth = a.size() / n;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < depth; ++k) add_row(&c[i * n], a[i * depth + k], &b[k * n], n);
  return c;
}

std::vector<double> double_product(std::span<const float> a, std::span<const float> b, std::uint32_t n) {
  std::vector<double> c(std::size_t{n} * n);
  const std::size_t depth = a.size() / n;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < depth; ++k)
      add_row_double(&c[i * n], static_cast<double>(a[i * depth + k]), &b[k * n], n);
  return c;
}

}  // namespace fencewise
