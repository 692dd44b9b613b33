#include "kernels/core/simt/access_pattern.h"

#include <algorithm>
#include <bit>

namespace fencewise::simt {
namespace {

bool has(std::uint32_t mask, std::uint32_t lane) { return (mask >> lane & 1U) != 0; }

Shape shape_of(const AccessPattern& p) {
  if (p.mask != 0xffff'ffffU) return Shape::general;
  bool dense = true, grouped = true;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    dense &= p.bytes[lane] == std::int64_t{lane} * p.width;
    grouped &= p.bytes[lane] == p.bytes[lane & ~7U];
  }
  return dense ? Shape::dense : grouped ? Shape::grouped : Shape::general;
}

std::vector<WordRun> word_runs(const AccessPattern& p) {
  std::vector<std::int32_t> words;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t w = 0; has(p.mask, lane) && w < p.width / 4; ++w)
      words.push_back(static_cast<std::int32_t>(p.bytes[lane] / 4 + w));
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<WordRun> runs;
  for (const std::int32_t word : words) {
    if (!runs.empty() && runs.back().first + static_cast<std::int32_t>(runs.back().count) == word)
      ++runs.back().count;
    else
      runs.push_back({word, 1});
  }
  return runs;
}

void analyse(AccessPattern& p) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (!has(p.mask, lane)) continue;
    p.bytes[lane] = std::int64_t{p.relative[lane]} * p.scale;
    p.lowest = std::min(p.lowest, p.bytes[lane]);
    p.highest = std::max(p.highest, p.bytes[lane]);
    p.misalignment |= static_cast<std::uint64_t>(p.bytes[lane]);
  }
  p.shape = shape_of(p);
  // A pattern that doesn't fit any shared array is a fault there, and needs no analysis.
  constexpr std::int64_t window = std::int64_t{1} << 31;
  if (!p.words() || p.lowest < -window || p.highest > window) return;
  std::array<std::int64_t, 32> first_word{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) first_word[lane] = p.bytes[lane] / 4;
  p.wavefronts = smem_wavefronts(first_word, p.mask, p.width / 4);
  p.runs = word_runs(p);
}

std::uint64_t hash(const std::array<std::int32_t, 32>& relative, std::uint32_t mask, std::uint32_t scale,
                   std::uint32_t width) {
  std::uint64_t h = (std::uint64_t{mask} << 32U) ^ (std::uint64_t{scale} << 8U) ^ width;
  for (const std::int32_t r : relative)
    h = (std::rotl(h, 5) ^ static_cast<std::uint32_t>(r)) * 0x9e37'79b9'7f4a'7c15U;
  return h;
}

}  // namespace

const Transactions& AccessPattern::transactions_at(std::int64_t base) {
  const auto shift = static_cast<std::uint64_t>(base) % 128;
  Transactions& t = transactions[shift];
  if (t.lines == 0) {
    std::array<std::int64_t, 32> address{};
    // Any base that is right modulo 128 and leaves no address negative.
    const std::int64_t start = (-lowest + 127) / 128 * 128 + static_cast<std::int64_t>(shift);
    for (std::uint32_t lane = 0; lane < 32; ++lane) address[lane] = start + bytes[lane];
    t = gmem_transactions(address, mask, width);
  }
  return t;
}

AccessPattern& PatternTable::find(const std::array<std::int32_t, 32>& relative, std::uint32_t mask,
                                  std::uint32_t scale, std::uint32_t width) {
  const std::uint64_t key = hash(relative, mask, scale, width);
  const auto [first, last] = index_.equal_range(key);
  for (auto it = first; it != last; ++it) {
    const AccessPattern& p = *it->second;
    if (p.relative == relative && p.mask == mask && p.scale == scale && p.width == width) return *it->second;
  }
  AccessPattern& p = *patterns_.emplace_back(std::make_unique<AccessPattern>());
  p.relative = relative;
  p.mask = mask;
  p.scale = scale;
  p.width = width;
  analyse(p);
  index_.emplace(key, &p);
  return p;
}

void PatternTable::clear() {
  patterns_.clear();
  index_.clear();
}

}  // namespace fencewise::simt
