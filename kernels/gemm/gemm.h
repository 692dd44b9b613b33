// SGEMM in steps, C = A·B, row major, square as the ledgers have it: after Simon Boehm, "How to Optimize a CUDA
// Matmul Kernel for cuBLAS-like Performance" (alpha 1, beta 0, C is not read).
//
// All sum over k ascending with fused multiply-adds from 0, so that all give the same bits as the plain triple loop.
// k1 … k6 are his kernels; k5v is k5 with vector reads of Bs; k7 … k9 are the rungs above.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/core/kernel.h"
#include "kernels/core/problem.h"

namespace fencewise {

enum class GemmVersion : std::uint8_t { k1, k2, k3, k4, k5, k5v, k6, k7, k8, k9 };

struct GemmVariant {
  GemmVersion version = GemmVersion::k1;
  std::string_view name;                   // "k5v"
  std::string_view title;                  // "register tile 8x8, scalar shared loads"
  std::uint32_t tile_m = 32, tile_n = 32;  // of C, a block
  std::uint32_t tile_k = 1;                // of a step; n is a multiple of all three
  Dim3 block;
  std::uint32_t registers = 32;    // a thread, assumed for the occupancy
  std::uint32_t shared_bytes = 0;  // a block
};

[[nodiscard]] std::span<const GemmVariant> gemm_variants();
[[nodiscard]] const GemmVariant& variant_of(GemmVersion version);
// "k6" or "gemm-k6".
[[nodiscard]] std::optional<GemmVersion> parse_gemm_version(std::string_view name);

// Global arrays A (n·depth floats), B (depth·n), C (n·n); parameters n, depth (u32), depth a multiple of tile_k.
[[nodiscard]] Kernel gemm_kernel(GemmVersion version);
// Throws InputError where n is not a positive multiple of the tile, or n·n floats exceed 2 GiB.
[[nodiscard]] Dim3 gemm_grid(const GemmVariant& variant, std::int64_t n);
// Throws InputError where the columns of A are no positive multiple of the tile's.
void check_gemm_depth(const GemmVariant& variant, std::int64_t depth);

}  // namespace fencewise
