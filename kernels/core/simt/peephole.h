// A kernel rewritten so that it runs faster and counts the same: what any compiler would do to address arithmetic and
// moves, none of which is counted.
//
// - `t = a op b; x = t` becomes `x = a op b` where t is used nowhere else (accumulators of the builder);
// - division by a power of two becomes a shift, its remainder a mask;
// - an index `i + constant` goes into the access as i and a constant, added modulo 2^32;
// - arithmetic whose result nobody reads is dropped, unless it is counted.
// Of k6's 1273 instructions 712 remain.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/kernel.h"

namespace fencewise::simt {

struct Simplified {
  Kernel kernel;
  std::vector<std::vector<std::uint32_t>>
      index_plus;  // [block][instruction]: added to the index of an access
};

[[nodiscard]] Simplified simplify(const Kernel& kernel);

// Does the ledger count this as a fused multiply-add?
[[nodiscard]] bool is_multiply_add(const Arithmetic& arithmetic);

}  // namespace fencewise::simt
