// Hashes of what is the same for interchangeable CTAs.
#pragma once

#include <cstdint>

namespace fencewise {

[[nodiscard]] inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9e37'79b9'7f4a'7c15U + (a << 6U) + (a >> 2U))) * 0xbf58'476d'1ce4'e5b9U;
  x ^= x >> 31U;
  return x * 0x94d0'49bb'1331'11ebU;
}

}  // namespace fencewise
