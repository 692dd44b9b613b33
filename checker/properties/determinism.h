// Whether outputs depend on the order of execution: the question as a problem of its own, and where two answers differ.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "checker/explore/memory_image.h"
#include "kernels/core/problem.h"

namespace fencewise {

// The problem in which two orders of a sum differ: sums of floats are ordered expressions, and inputs of floats are symbols,
// since numbers might add up to the same by chance. Nothing is asked of the contract, which speaks of sums in some order.
// Throws InputError where there is no output.
[[nodiscard]] Problem with_ordered_sums(const Problem& problem);

// The first element of an output that two memories don't have alike.
[[nodiscard]] std::optional<std::pair<BufferId, std::uint64_t>> difference_of_outputs(const Problem& problem,
                                                                                      const MemoryImage& a,
                                                                                      const MemoryImage& b);

}  // namespace fencewise
