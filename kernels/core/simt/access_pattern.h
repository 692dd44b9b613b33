// The addresses of one warp instruction, relative to its first active lane, and all that follows from them alone.
//
// Shifting all addresses by a constant rotates the banks and changes no wavefront count; lines and sectors depend on
// the shift only modulo 128 bytes. Kernels repeat few patterns very often, so each is analysed once and then only
// compared (one vector comparison of 32 lanes); k3 and k6 run 13 to 15 times as fast so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernels/core/simt/memory_cost.h"

namespace fencewise::simt {

// How a pattern's data can be moved faster than lane by lane. Only for full warps.
enum class Shape : std::uint8_t {
  general,
  dense,    // lane l at l * width: one contiguous piece
  grouped,  // lanes 8g ... 8g+7 share one address, for each g
};

struct WordRun {  // consecutive words of shared memory
  std::int32_t first = 0;
  std::uint32_t count = 0;
};

struct AccessPattern {
  // What identifies it. relative is in units of the index, 0 for inactive lanes.
  alignas(64) std::array<std::int32_t, 32> relative{};
  std::uint32_t mask = 0;
  std::uint32_t scale = 1;  // bytes
  std::uint32_t width = 4;  // bytes that a lane accesses

  // What follows.
  std::array<std::int64_t, 32> bytes{};  // relative * scale
  std::int64_t lowest = 0, highest = 0;  // of bytes, over the active lanes
  std::uint64_t misalignment = 0;        // all bytes or'ed together
  Shape shape = Shape::general;
  Wavefronts wavefronts;      // only if words() holds
  std::vector<WordRun> runs;  // distinct words, relative to the first lane's; only if words() holds
  std::array<Transactions, 128>
      transactions{};  // [address of the first lane mod 128]; lines 0: not computed yet

  // The access consists of whole 4-byte words.
  [[nodiscard]] bool words() const { return width % 4 == 0 && misalignment % 4 == 0; }
  // Lines and sectors when the first lane accesses the byte at `base`.
  [[nodiscard]] const Transactions& transactions_at(std::int64_t base);
};

// Patterns by what identifies them. Pointers stay valid until the next clear().
class PatternTable {
 public:
  [[nodiscard]] AccessPattern& find(const std::array<std::int32_t, 32>& relative, std::uint32_t mask,
                                    std::uint32_t scale, std::uint32_t width);
  // Kernels with random addresses never repeat a pattern: then the table must not grow for ever.
  [[nodiscard]] bool full() const { return patterns_.size() >= 1024; }
  void clear();

 private:
  std::vector<std::unique_ptr<AccessPattern>> patterns_;
  std::unordered_multimap<std::uint64_t, AccessPattern*> index_;
};

}  // namespace fencewise::simt
