#include "protocols/splitk.h"

namespace fencewise::protocols {

std::vector<Parameter> splitk_parameters() {
  return {
      {.name = "splits",
       .help = "CTAs that share a tile",
       .standard = 4,
       .min = 1,
       .max = 132,
       .choices = {}},
      {.name = "threads", .help = "threads of a CTA", .standard = 1, .min = 1, .max = 1024, .choices = {}},
      {.name = "tiles", .help = "tiles of the output", .standard = 1, .min = 1, .max = 64, .choices = {}},
      {.name = "replays",
       .help = "launches with the same arguments, one after the other",
       .standard = 1,
       .min = 1,
       .max = 100,
       .choices = {}},
  };
}

SplitK splitk_shape(const Parameters& parameters) {
  return {parameters["splits"], parameters["threads"], parameters["tiles"]};
}

Launch splitk_launch(const SplitK& shape) {
  Launch launch;
  launch.name = "splitk";
  launch.grid = {static_cast<std::uint32_t>(shape.splits), static_cast<std::uint32_t>(shape.tiles), 1};
  launch.block = {static_cast<std::uint32_t>(shape.threads), 1, 1};
  return launch;
}

Assertion splitk_sums(const SplitK& shape, BufferTerm in, BufferTerm out) {
  const std::int64_t S = shape.splits, T = shape.threads;
  const auto element_is_sum = [&](const Term& tile, const Term& t) {
    return out[tile * T + t] == sum("s", 0, S, [&](const Term& s) { return in[(tile * S + s) * T + t]; });
  };
  const auto tile_is_sum = [&](const Term& tile) {
    return forall("t", 0, T, [&](const Term& t) { return element_is_sum(tile, t); });
  };
  return {.text = "out[tile][t] == sum over s of in[tile][s][t]",
          .formula = forall("tile", 0, shape.tiles, tile_is_sum),
          .when = When::each_replay};
}

}  // namespace fencewise::protocols
