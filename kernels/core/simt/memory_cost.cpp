#include "kernels/core/simt/memory_cost.h"

#include <algorithm>
#include <vector>

namespace fencewise {
namespace {

constexpr std::uint32_t banks = 32;

// Distinct values of a list of at most 32 * 8 numbers; sorts it.
std::uint32_t count_distinct(std::span<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::uint32_t>(std::unique(values.begin(), values.end()) - values.begin());
}

std::uint32_t fullest_bank(std::span<std::int64_t> words) {
  std::sort(words.begin(), words.end());
  const auto end = std::unique(words.begin(), words.end());
  std::array<std::uint32_t, banks> load{};
  for (auto word = words.begin(); word != end; ++word) ++load[static_cast<std::uint64_t>(*word) % banks];
  return *std::max_element(load.begin(), load.end());
}

std::uint32_t distinct_units(std::span<const std::int64_t, 32> address, std::uint32_t mask,
                             std::uint32_t bytes, std::int64_t unit) {
  std::array<std::int64_t, 32 * 3> units;
  std::size_t n = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    const std::int64_t last = (address[lane] + bytes - 1) / unit;
    for (std::int64_t u = address[lane] / unit; u <= last; ++u) units[n++] = u;
  }
  return count_distinct(std::span(units).first(n));
}

}  // namespace

Wavefronts smem_wavefronts(std::span<const std::int64_t, 32> first_word, std::uint32_t mask,
                           std::uint32_t width) {
  Wavefronts sum;
  const std::uint32_t lanes_per_phase = std::max(1U, 32 / width);
  for (std::uint32_t first = 0; first < 32; first += lanes_per_phase) {
    std::array<std::int64_t, 32> words;
    std::size_t n = 0;
    for (std::uint32_t lane = first; lane < first + lanes_per_phase; ++lane) {
      if ((mask >> lane & 1U) == 0) continue;
      for (std::uint32_t w = 0; w < width; ++w) words[n++] = first_word[lane] + w;
    }
    if (n == 0) continue;
    sum.taken += fullest_bank(std::span(words).first(n));
    sum.ideal += 1;
  }
  return sum;
}

Wavefronts smem_wavefronts(const std::function<std::int64_t(std::uint32_t)>& first_word,
                           std::uint32_t width) {
  std::array<std::int64_t, 32> words;
  for (std::uint32_t lane = 0; lane < 32; ++lane) words[lane] = first_word(lane);
  return smem_wavefronts(words, 0xffff'ffffU, width);
}

Transactions gmem_transactions(std::span<const std::int64_t, 32> address, std::uint32_t mask,
                               std::uint32_t bytes) {
  return {distinct_units(address, mask, bytes, 128), distinct_units(address, mask, bytes, 32)};
}

}  // namespace fencewise
