// A GEMM ledger at another size without running it, exactly.
//
// Doubling n doubles the steps of each block and quadruples the blocks: what happens in steps grows with the cube,
// what happens once a thread (the store of C, the guard) with the square. Address patterns repeat, so lines, sectors
// and wavefronts follow. Holds for sizes that are multiples of the tile.
#pragma once

#include <cstdint>

#include "kernels/core/simt/counters.h"

namespace fencewise {

// `counters` of a run at n, for `factor`·n. Throws InputError if a warp was not full (then lanes don't scale) or the
// result would overflow 64 bits.
[[nodiscard]] Counters scale_gemm(const Counters& counters, std::uint64_t factor);

// The largest relative difference between two ledgers' counters.
[[nodiscard]] double deviation(const Counters& a, const Counters& b);

// A counter per 1000 multiply-adds.
[[nodiscard]] double per_thousand_fma(std::uint64_t count, const Counters& counters);

}  // namespace fencewise
