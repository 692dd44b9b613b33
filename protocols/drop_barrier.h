// Which of its barriers a kernel needs: a variant for each, which leaves it out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/kernel.h"
#include "protocols/protocol.h"

namespace fencewise::protocols {

// Without the n-th barrier: what goes wrong, from which parameters on, and what a check must answer.
struct DroppedBarrier {
  std::string summary;
  std::vector<Need> needs;
  Expectation ptx, sc;
};

// Appends drop-barrier-1, drop-barrier-2, ... in the order of kernels/core/without_barrier.h.
[[nodiscard]] std::vector<Variant> with_dropped_barriers(std::vector<Variant> variants,
                                                         const std::vector<DroppedBarrier>& dropped);

// The kernel without the barrier that the variant names; the kernel itself where it names none.
[[nodiscard]] Kernel as_variant(Kernel kernel, std::string_view variant);

}  // namespace fencewise::protocols
