// Time of a split-K GEMV as a function of the number of splits: waves of CTAs against the traffic of the reduction.
//
// A matrix-vector product is bound by memory. A CTA reads its slice at its share of the bandwidth (an SM's part, over
// the blocks that share the SM), wave after wave; splitting K gives more, smaller CTAs. What splitting costs:
// serial form: each partial tile is written and read once, and each CTA counts itself;
// atomic form: each partial is an atomic add, each CTA counts itself, and the accumulator is zeroed again.
// Atomics go one a clock and SM. Latency (launch, fences, the last CTA's wait) is not modelled.
#pragma once

#include <cstdint>

#include "kernels/ledger/device.h"

namespace fencewise {

struct SplitkShape {
  std::uint64_t rows = 256;
  std::uint64_t columns = 65536;
  std::uint64_t rows_per_block = 16;
  std::uint64_t blocks_per_sm = 1;

  [[nodiscard]] std::uint64_t row_blocks() const { return rows / rows_per_block; }
};

struct SplitkCost {
  std::uint64_t splits = 1;
  std::uint64_t ctas = 0;
  std::uint64_t waves = 0;
  double work = 0;                    // seconds, as all below
  std::uint64_t workspace_bytes = 0;  // serial
  std::uint64_t serial_atomics = 0, atomic_atomics = 0;
  std::uint64_t rezero_bytes = 0;  // atomic
  double workspace = 0, serial_counting = 0;
  double atomic_adds = 0, rezero = 0;

  [[nodiscard]] double serial() const { return work + workspace + serial_counting; }
  [[nodiscard]] double atomic() const { return work + atomic_adds + rezero; }
};

[[nodiscard]] SplitkCost splitk_cost(const SplitkShape& shape, std::uint64_t splits, const Device& device);

}  // namespace fencewise
