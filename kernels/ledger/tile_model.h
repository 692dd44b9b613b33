// Register tiles of a GEMM against shared memory: a thread that computes TM x TN results reads TM + TN words for TM·TN
// multiply-adds.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/ledger/device.h"
#include "kernels/ledger/occupancy.h"

namespace fencewise {

struct Tile {
  std::uint32_t rows = 1, columns = 1;  // TM, TN

  [[nodiscard]] double bytes_per_fma() const;     // of shared memory
  [[nodiscard]] std::uint32_t registers() const;  // assumed: TM·TN + TM + TN + 24
};

[[nodiscard]] std::span<const Tile> tiles();  // 1x1, 2x2, 4x4, 8x4, 8x8, 16x8

// What shared memory delivers for each multiply-add that the SM can do.
[[nodiscard]] double bytes_per_fma_fed(const Device& device);
[[nodiscard]] bool is_fed(const Tile& tile, const Device& device);
// Blocks of 256 threads with 8192 bytes of shared memory.
[[nodiscard]] Occupancy occupancy_of(const Tile& tile, const Device& device);

}  // namespace fencewise
