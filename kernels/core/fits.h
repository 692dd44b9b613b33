// Which numbers an integer type can hold.
#pragma once

#include <cstdint>

#include "kernels/core/type.h"

namespace fencewise {

// Whether the number's low bits say it all, read as signed or as unsigned: 0xffffffff and -1 fit both s32 and u32.
[[nodiscard]] constexpr bool fits(Type type, std::int64_t number) {
  const unsigned unused = 64 - 8 * size_of(type);
  const auto bits = static_cast<std::uint64_t>(number) << unused;
  return static_cast<std::int64_t>(bits >> unused) == number || static_cast<std::int64_t>(bits) >> unused == number;
}

// Whether the number is one of the type's values: -1 is none of u32's, 0xffffffff none of s32's.
[[nodiscard]] constexpr bool holds(Type type, std::int64_t number) {
  if (!is_signed(type)) return number >= 0 && fits(type, number);
  const unsigned unused = 64 - 8 * size_of(type);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) << unused) >> unused == number;
}

}  // namespace fencewise
