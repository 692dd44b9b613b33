#include "kernels/ledger/prepared.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/gemm/reference.h"

namespace fencewise {
namespace {

constexpr std::int64_t most_floats = (std::int64_t{1} << 29) - 1;  // a buffer stays below 2 GiB

template <class T> PreparedBuffer buffer_of(std::string name, const std::vector<T>& data) {
  PreparedBuffer buffer{std::move(name), {}};
  const auto bytes = std::as_bytes(std::span(data));
  buffer.bytes.assign(bytes.begin(), bytes.end());
  return buffer;
}

PreparedBuffer floats(std::string name, std::size_t count, float value = 0) {
  return buffer_of(std::move(name), std::vector<float>(count, value));
}

// i mod 7: small whole numbers, so that float sums of a block are exact.
std::vector<float> counting(std::size_t count) {
  std::vector<float> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<float>(i % 7);
  return data;
}

// Whole numbers from -3 to 3. With either sign, so that also the sum of 2^29 products stays below 2^24 and is exact.
std::vector<float> small_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<float> data = random_matrix(count, seed);
  for (float& x : data) x = std::round(3 * x);
  return data;
}

template <class T> bool equal(std::span<const T> a, std::span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

RunResult run(PreparedRun& prepared, unsigned workers) {
  RunConfig config{.grid = prepared.grid,
                   .block = prepared.block,
                   .buffers = {},
                   .params = prepared.params,
                   .workers = workers};
  for (PreparedBuffer& buffer : prepared.buffers) config.buffers.emplace_back(buffer.bytes);
  return run(prepared.kernel, config);
}

PreparedRun prepare_reduction(const ReductionShape& reduction, std::int64_t n) {
  Kernel kernel = reduction_kernel(reduction);
  const std::uint32_t block_elements = elements_per_block(reduction);
  if (n <= 0 || n > most_floats || n % block_elements != 0)
    throw InputError(
        fmt::format("{} with {} threads needs n to be a positive multiple of {} below 2^29, not {}",
                    name_of(reduction.version), reduction.threads, block_elements, n));
  const std::vector<float> in = counting(static_cast<std::size_t>(n));
  const double sum = std::accumulate(in.begin(), in.end(), 0.0);
  const std::size_t blocks = in.size() / block_elements;
  return {.kernel = std::move(kernel),
          .grid = {static_cast<std::uint32_t>(blocks), 1, 1},
          .block = {reduction.threads, 1, 1},
          .buffers = {buffer_of("in", in), floats("out", blocks)},
          .params = {},
          .is_right = [sum](const PreparedRun& p) {
            const auto out = contents<float>(p.buffers[1]);
            return std::accumulate(out.begin(), out.end(), 0.0) == sum;
          }};
}

PreparedRun prepare_reverse(std::int64_t n, const ReverseSteps& steps) {
  if (n < 1 || n > 1024) throw InputError(fmt::format("reverse needs 1 to 1024 threads, not {}", n));
  std::vector<float> in(static_cast<std::size_t>(n));
  std::iota(in.begin(), in.end(), 0.0F);
  std::vector<float> reversed(in.rbegin(), in.rend());
  const auto threads = static_cast<std::uint32_t>(n);
  const Dim3 one, all{threads, 1, 1};
  std::vector<PreparedBuffer> buffers{buffer_of("in", in), floats("out", in.size())};
  if (steps.across_ctas) buffers.push_back(floats("buf", in.size()));
  return {.kernel = reverse_kernel(threads, steps),
          .grid = steps.across_ctas ? all : one,
          .block = steps.across_ctas ? one : all,
          .buffers = std::move(buffers),
          .params = {},
          .is_right = [reversed = std::move(reversed)](const PreparedRun& p) {
            return equal(contents<float>(p.buffers[1]), std::span<const float>(reversed));
          }};
}

PreparedRun prepare_splitk_gemv(const SplitkGemv& gemv, std::int64_t rows, std::int64_t columns) {
  const Dim3 grid = splitk_gemv_grid(gemv, rows, columns);
  const auto m = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(columns);
  const std::vector<float> a = small_numbers(m * k, 1), x = small_numbers(k, 2);
  std::vector<float> product(m);
  for (std::size_t i = 0; i < m; ++i)
    product[i] = std::inner_product(x.begin(), x.end(), a.begin() + static_cast<std::ptrdiff_t>(i * k), 0.0F);
  const bool serial = std::holds_alternative<SerialSteps>(gemv.form);
  return {.kernel = splitk_gemv_kernel(gemv),
          .grid = grid,
          .block = {gemv.threads, 1, 1},
          .buffers = {buffer_of("A", a), buffer_of("x", x), floats("y", m, -1),
                      serial ? floats("ws", m * gemv.splits, -1) : floats("acc", m),
                      buffer_of("sem", std::vector<std::uint32_t>(grid.x))},
          .params = {static_cast<std::uint64_t>(columns)},
          .is_right = [product = std::move(product)](const PreparedRun& p) {
            const auto sem = contents<std::uint32_t>(p.buffers[4]);
            const bool reset = std::all_of(sem.begin(), sem.end(), [](std::uint32_t s) { return s == 0; });
            return reset && equal(contents<float>(p.buffers[2]), std::span<const float>(product));
          }};
}

GemmData gemm_data(std::uint32_t n, std::uint32_t depth) {
  const std::size_t elements = std::size_t{n} * depth;
  GemmData data{.n = n,
                .a = random_matrix(elements, 1),
                .b = random_matrix(elements, 2),
                .fma_product = {},
                .double_product = {}};
  data.fma_product = fma_product(data.a, data.b, n);
  data.double_product = double_product(data.a, data.b, n);
  return data;
}

PreparedRun prepare_gemm(GemmVersion version, const GemmData& data) {
  const GemmVariant& variant = variant_of(version);
  const std::size_t depth = data.a.size() / data.n;
  check_gemm_depth(variant, static_cast<std::int64_t>(depth));
  return {.kernel = gemm_kernel(version),
          .grid = gemm_grid(variant, data.n),
          .block = variant.block,
          .buffers = {buffer_of("A", data.a), buffer_of("B", data.b), floats("C", data.fma_product.size())},
          .params = {data.n, depth},
          .is_right = [product = data.fma_product](const PreparedRun& p) {
            return std::memcmp(p.buffers[2].bytes.data(), product.data(), product.size() * sizeof(float)) ==
                   0;
          }};
}

double largest_error(const PreparedRun& gemm, const GemmData& data) {
  const auto c = contents<float>(gemm.buffers[2]);
  double error = 0;
  for (std::size_t i = 0; i < c.size(); ++i)
    error = std::max(error, std::abs(static_cast<double>(c[i]) - data.double_product[i]));
  return error;
}

}  // namespace fencewise
