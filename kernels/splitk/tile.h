// Split-K with nothing around it: each thread of a tile's CTAs brings one partial sum, as the epilogue of a GEMM does.
#pragma once

#include <cstdint>

namespace fencewise {

// CTA (x, y) holds split x of tile y; each of its threads holds the partial sum of one element.
struct SplitkTile {
  std::uint32_t splits = 4;
  std::uint32_t threads = 1;
};

// A thread alone in its CTA needs no barrier and no flag to agree with itself: fewer events.
enum class CtaThreads : std::uint8_t { one, several };
[[nodiscard]] constexpr CtaThreads cta_threads(const SplitkTile& tile) {
  return tile.threads == 1 ? CtaThreads::one : CtaThreads::several;
}

}  // namespace fencewise
