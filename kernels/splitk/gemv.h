// y = A·x with the columns of A split over CTAs: the real kernel behind the protocols splitk-serial and splitk-atomic.
//
// ctaid.x is a block of rows, ctaid.y a slice of the columns. A warp adds up `rows_per_warp` rows of its slice, lane
// by lane and then by shuffles; lane 0 hands the row's partial sum to the protocol.
#pragma once

#include <cstdint>
#include <variant>

#include "kernels/core/kernel.h"
#include "kernels/core/problem.h"
#include "kernels/splitk/atomic.h"
#include "kernels/splitk/serial.h"

namespace fencewise {

struct SplitkGemv {
  std::uint32_t splits = 4;
  std::uint32_t threads = 128;  // a multiple of 32
  std::uint32_t rows_per_warp = 4;
  std::variant<SerialSteps, AtomicSteps> form = {};

  [[nodiscard]] std::uint32_t rows_per_block() const { return threads / 32 * rows_per_warp; }
};

// Global arrays A (rows·columns floats), x, y, then: serial ws (splits·rows floats), atomic acc (rows floats, zero);
// then sem (one u32 a block of rows, zero). Parameter columns (u32).
[[nodiscard]] Kernel splitk_gemv_kernel(const SplitkGemv& gemv);
// Throws InputError where rows and columns don't fit the blocks: rows a multiple of rows_per_block(), columns of
// 32 · splits.
[[nodiscard]] Dim3 splitk_gemv_grid(const SplitkGemv& gemv, std::int64_t rows, std::int64_t columns);

}  // namespace fencewise
