// Numbers as PTX writes them, as bits.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/core/type.h"

namespace fencewise::ptx {

// 12, -1, 0x1f, 017, 0b11, 7U. Beyond 64 bits it wraps.
[[nodiscard]] std::uint64_t integer_bits(std::string_view text);
// 0f3F800000, 0d..., 1.5, as the bits of `type`, which is f32 or f64. A literal is 64 bits wide unless 0f says 32.
[[nodiscard]] std::uint64_t real_bits(std::string_view text, Type type);

}  // namespace fencewise::ptx
