#include "kernels/gemm/gemm.h"

#include <array>
#include <numeric>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/gemm/tiled.h"

namespace fencewise {
namespace {

using enum GemmVersion;

constexpr std::int64_t largest = 23168;  // n·n floats stay below 2 GiB

constexpr std::uint32_t tile_bytes(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  return 4 * k * (m + n);
}

// Registers: 27, 37 and 41 as nvcc takes them; from k5 on TM·TN + TM + TN + 24, and 8 or 16 more where the next tile
// waits in registers.
constexpr auto variants = std::to_array<GemmVariant>({
    {k1, "k1", "naive, a warp along rows of C", 32, 32, 1, {32, 32, 1}, 27, 0},
    {k2, "k2", "naive, a warp along a row of C", 32, 32, 1, {1024, 1, 1}, 27, 0},
    {k3, "k3", "32x32 tiles in shared memory", 32, 32, 32, {1024, 1, 1}, 37, tile_bytes(32, 32, 32)},
    {k4, "k4", "8 results a thread", 64, 64, 8, {512, 1, 1}, 41, tile_bytes(64, 64, 8)},
    {k5,
     "k5",
     "8x8 results a thread, scalar shared loads",
     128,
     128,
     8,
     {256, 1, 1},
     104,
     tile_bytes(128, 128, 8)},
    {k5v, "k5v", "k5 with Bs read as float4", 128, 128, 8, {256, 1, 1}, 104, tile_bytes(128, 128, 8)},
    {k6, "k6", "float4 everywhere, As transposed", 128, 128, 8, {256, 1, 1}, 104, tile_bytes(128, 128, 8)},
    {k7, "k7", "k6 without bank conflicts", 128, 128, 8, {256, 1, 1}, 104, tile_bytes(132, 128, 8)},
    {k8,
     "k8",
     "warp tiles of 64x64, 8x16 results a thread",
     128,
     128,
     8,
     {128, 1, 1},
     176,
     tile_bytes(132, 128, 8)},
    {k9, "k9", "k8 with two shared buffers", 128, 128, 8, {128, 1, 1}, 192, 2 * tile_bytes(132, 128, 8)},
});

}  // namespace

std::span<const GemmVariant> gemm_variants() { return variants; }
const GemmVariant& variant_of(GemmVersion version) { return variants[static_cast<std::size_t>(version)]; }

std::optional<GemmVersion> parse_gemm_version(std::string_view name) {
  if (name.starts_with("gemm-")) name.remove_prefix(5);
  for (const GemmVariant& v : variants)
    if (v.name == name) return v.version;
  return std::nullopt;
}

Kernel gemm_kernel(GemmVersion version) {
  switch (version) {
    case k1: return gemm::naive(gemm::NaiveMapping::warp_along_column);
    case k2: return gemm::naive(gemm::NaiveMapping::warp_along_row);
    case k3: return gemm::shared_tiles();
    case k4: return gemm::column_of_results();
    case k5: return gemm::square_of_results(gemm::SharedReads::scalar);
    case k5v: return gemm::square_of_results(gemm::SharedReads::vector_b);
    case k6: return gemm::vectorized(gemm::Layout::plain);
    case k7: return gemm::vectorized(gemm::Layout::conflict_free);
    case k8: return gemm::warp_tiles(gemm::Buffers::one);
    case k9: return gemm::warp_tiles(gemm::Buffers::two);
  }
  throw InternalError("an unknown GEMM version");
}

Dim3 gemm_grid(const GemmVariant& v, std::int64_t n) {
  const std::int64_t step = std::lcm(std::lcm<std::int64_t>(v.tile_m, v.tile_n), std::int64_t{v.tile_k});
  if (n <= 0 || n > largest || n % step != 0)
    throw InputError(fmt::format("gemm-{} needs n to be a multiple of {} from {} to {}, not {}", v.name, step,
                                 step, largest, n));
  const auto size = static_cast<std::uint32_t>(n);
  return {size / v.tile_n, size / v.tile_m, 1};
}

void check_gemm_depth(const GemmVariant& v, std::int64_t depth) {
  if (depth <= 0 || depth > largest || depth % v.tile_k != 0)
    throw InputError(fmt::format("gemm-{} needs depth to be a multiple of {} from {} to {}, not {}", v.name,
                                 v.tile_k, v.tile_k, largest, depth));
}

}  // namespace fencewise
