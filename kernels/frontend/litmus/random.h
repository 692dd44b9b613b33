// Random numbers that are the same on every platform, which std::uniform_int_distribution isn't.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencewise::litmus {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  // From 0 up to and without `bound`, which is small enough that the bias of a remainder doesn't matter.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

  template <typename T, std::size_t N> const T& pick(const T (&choices)[N]) {
    return choices[below(static_cast<std::uint32_t>(N))];
  }  // NOLINT

 private:
  std::uint64_t state_;
};

}  // namespace fencewise::litmus
