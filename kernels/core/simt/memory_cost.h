// What one warp instruction costs in the memory system: wavefronts of shared memory, lines and sectors of global memory.
//
// Shared memory has 32 banks of 4-byte words; a word's bank is its index mod 32, from the start of its array. A lane
// accesses w = 1, 2 or 4 consecutive, aligned words, and the instruction goes in w phases: phase p is the lanes
// p*32/w ... (p+1)*32/w - 1. A phase takes as many wavefronts as the fullest bank has *distinct* words (one word read
// by several lanes is a broadcast); without conflicts it takes one, which is the ideal. Phases without an active lane
// take none. A stride of s words takes gcd(s, 32).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

namespace fencewise {

struct Wavefronts {
  std::uint32_t taken = 0;
  std::uint32_t ideal = 0;
  friend bool operator==(const Wavefronts&, const Wavefronts&) = default;
};

// first_word[lane] is the word that the lane's access begins with; only lanes of `mask` count.
[[nodiscard]] Wavefronts smem_wavefronts(std::span<const std::int64_t, 32> first_word, std::uint32_t mask,
                                         std::uint32_t width);
// For one pattern, all lanes active: smem_wavefronts([](int lane) { return 2 * lane; }, 1) is {2, 1}.
[[nodiscard]] Wavefronts smem_wavefronts(const std::function<std::int64_t(std::uint32_t)>& first_word,
                                         std::uint32_t width);

struct Transactions {
  std::uint32_t lines = 0;    // distinct address / 128
  std::uint32_t sectors = 0;  // distinct address / 32
  friend bool operator==(const Transactions&, const Transactions&) = default;
};

// Byte addresses; each lane of `mask` accesses `bytes` bytes. There is no cache.
[[nodiscard]] Transactions gmem_transactions(std::span<const std::int64_t, 32> address, std::uint32_t mask,
                                             std::uint32_t bytes);

}  // namespace fencewise
