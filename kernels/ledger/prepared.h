// A kernel with its launch and its data, ready to run, and what its result must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/simt/run.h"
#include "kernels/gemm/gemm.h"
#include "kernels/reduction/reduction.h"
#include "kernels/reduction/reverse.h"
#include "kernels/splitk/gemv.h"

namespace fencewise {

struct PreparedBuffer {
  std::string name;
  std::vector<std::byte> bytes;
};

struct PreparedRun {
  Kernel kernel;
  Dim3 grid, block;
  std::vector<PreparedBuffer> buffers;  // [global array of the kernel, in order]
  std::vector<std::uint64_t> params;
  // Of the buffers after the run, for the data that came with it.
  std::function<bool(const PreparedRun&)> is_right;
};

// Changes the buffers.
[[nodiscard]] RunResult run(PreparedRun& prepared, unsigned workers = 1);

// A buffer as numbers. The view lives as long as the buffer.
template <class T> [[nodiscard]] std::span<T> contents(PreparedBuffer& buffer) {
  return {reinterpret_cast<T*>(buffer.bytes.data()), buffer.bytes.size() / sizeof(T)};
}
template <class T> [[nodiscard]] std::span<const T> contents(const PreparedBuffer& buffer) {
  return {reinterpret_cast<const T*>(buffer.bytes.data()), buffer.bytes.size() / sizeof(T)};
}

// n floats, i mod 7: their sum is exact. Throws InputError where n is no positive multiple of what a block adds.
[[nodiscard]] PreparedRun prepare_reduction(const ReductionShape& reduction, std::int64_t n);
// n floats, 0 … n-1.
[[nodiscard]] PreparedRun prepare_reverse(std::int64_t n, const ReverseSteps& steps);
// A and x of small whole numbers: the sums are exact in any order.
[[nodiscard]] PreparedRun prepare_splitk_gemv(const SplitkGemv& gemv, std::int64_t rows,
                                              std::int64_t columns);

// A (n x depth) and B (depth x n), and their products.
struct GemmData {
  std::uint32_t n = 0;
  std::vector<float> a, b, fma_product;
  std::vector<double> double_product;
};
[[nodiscard]] GemmData gemm_data(std::uint32_t n, std::uint32_t depth);
[[nodiscard]] inline GemmData gemm_data(std::uint32_t n) { return gemm_data(n, n); }
// Right: the same bits as the triple loop with fma.
[[nodiscard]] PreparedRun prepare_gemm(GemmVersion version, const GemmData& data);
[[nodiscard]] double largest_error(const PreparedRun& gemm, const GemmData& data);

}  // namespace fencewise
