// A matrix of bits, rows padded to whole words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fencewise::view {

class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), width_((columns + 63) / 64), words_(rows * width_, 0) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t width() const { return width_; }  // words of a row
  [[nodiscard]] std::span<std::uint64_t> row(std::size_t r) { return std::span(words_).subspan(r * width_, width_); }
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t r) const { return std::span(words_).subspan(r * width_, width_); }
  void set(std::size_t r, std::size_t c) { words_[r * width_ + c / 64] |= std::uint64_t{1} << (c % 64); }
  [[nodiscard]] bool has(std::size_t r, std::size_t c) const { return (words_[r * width_ + c / 64] >> (c % 64) & 1U) != 0; }

  [[nodiscard]] BitMatrix transposed() const {
    BitMatrix t(columns_, rows_);
    std::array<std::uint64_t, 64> block;
    for (std::size_t top = 0; top < rows_; top += 64)
      for (std::size_t w = 0; w < width_; ++w) {
        const std::size_t high = std::min<std::size_t>(64, rows_ - top), wide = std::min<std::size_t>(64, columns_ - w * 64);
        block.fill(0);
        for (std::size_t r = 0; r < high; ++r) block[r] = words_[(top + r) * width_ + w];
        transpose(block);
        for (std::size_t c = 0; c < wide; ++c) t.words_[(w * 64 + c) * t.width_ + top / 64] = block[c];
      }
    return t;
  }

 private:
  // Swaps halves across the diagonal, then quarters within the halves, down to single bits.
  static void transpose(std::array<std::uint64_t, 64>& block) {
    std::uint64_t low = 0xffff'ffffU;
    for (unsigned size = 32; size != 0; size /= 2, low ^= low << size)
      for (std::size_t r = 0; r < 64; r = (r + size + 1) & ~std::size_t{size}) {
        const std::uint64_t differs = (block[r] >> size ^ block[r + size]) & low;
        block[r] ^= differs << size;
        block[r + size] ^= differs;
      }
  }

  std::size_t rows_ = 0, columns_ = 0, width_ = 0;
  std::vector<std::uint64_t> words_;
};

[[nodiscard]] inline bool has_bit(std::span<const std::uint64_t> bits, std::size_t n) { return (bits[n / 64] >> (n % 64) & 1U) != 0; }

inline void set_bit(std::span<std::uint64_t> bits, std::size_t n, bool value = true) {
  const std::uint64_t bit = std::uint64_t{1} << (n % 64);
  bits[n / 64] = value ? bits[n / 64] | bit : bits[n / 64] & ~bit;
}

template <class F> void each_bit(std::span<const std::uint64_t> bits, F&& f) {
  for (std::size_t w = 0; w < bits.size(); ++w)
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) f(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
}

// Whether all bits of `a` are in `b`.
[[nodiscard]] inline bool within(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t w = 0; w < a.size(); ++w)
    if ((a[w] & ~b[w]) != 0) return false;
  return true;
}

// Whether the rows have a bit in common.
[[nodiscard]] inline bool meet(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t w = 0; w < a.size(); ++w)
    if ((a[w] & b[w]) != 0) return true;
  return false;
}

// By the first bit that only one of them has: its row comes first. Columns without any bit don't matter.
[[nodiscard]] inline bool comes_first(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t w = 0; w < a.size(); ++w)
    if (const std::uint64_t differs = a[w] ^ b[w]; differs != 0) return (a[w] & differs & (~differs + 1)) != 0;
  return false;
}

}  // namespace fencewise::view
