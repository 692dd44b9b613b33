// A kernel with one of its barriers left out: does it need it?
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/kernel.h"

namespace fencewise {

// Every block-wide barrier of a kernel, as a reader of its source meets them: branches before what follows them, a loop's
// body before what follows it. A barrier in a loop is one, a loop that was unrolled has one a step.
[[nodiscard]] std::vector<InstructionRef> barriers_of(const Kernel& kernel);

// The n-th barrier left out, counted from 1. Throws InputError where the kernel has fewer.
[[nodiscard]] Kernel without_barrier(const Kernel& kernel, std::size_t n);

// The name of the variant that drops the n-th barrier, "drop-barrier-2", and the n of such a name.
[[nodiscard]] std::string drop_barrier_name(std::size_t n);
[[nodiscard]] std::optional<std::size_t> dropped_barrier(std::string_view variant);

}  // namespace fencewise
