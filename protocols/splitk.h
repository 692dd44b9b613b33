// What the split-K protocols have in common: their launch, and the parameters that give its shape.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/splitk/tile.h"
#include "protocols/protocol.h"

namespace fencewise::protocols {

// A tile of the output is computed by `splits` CTAs, each over a share of the inner dimension; a thread of the CTA holds
// the partial sum of one element. CTA (x, y) holds split x of tile y.
struct SplitK {
  std::int64_t splits, threads, tiles;

  [[nodiscard]] SplitkTile tile() const {
    return {static_cast<std::uint32_t>(splits), static_cast<std::uint32_t>(threads)};
  }
};

[[nodiscard]] std::vector<Parameter> splitk_parameters();
[[nodiscard]] SplitK splitk_shape(const Parameters& parameters);
[[nodiscard]] Launch splitk_launch(const SplitK& shape);
// out[tile][t] == sum over s of in[tile][s][t], after each replay.
[[nodiscard]] Assertion splitk_sums(const SplitK& shape, BufferTerm in, BufferTerm out);

}  // namespace fencewise::protocols
