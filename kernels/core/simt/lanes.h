// Loops over the 32 lanes of a warp: the executor's arithmetic.
//
// A register of a warp is 32 lanes of 4 or 8 bytes in a row, 64-byte aligned; a predicate is one bit a lane. The
// functions compute all 32 lanes: where some are inactive the result is blended into the destination afterwards.
// Each function is compiled twice, for the baseline and for x86-64-v3 (AVX2 and FMA), and the loader picks one: in
// tests/bench/simt_bench.cpp that makes k2 twice and k6 seven times as fast.
// Numbers come out as compute() and compare_numbers() of value.h give them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/core/instruction.h"

namespace fencewise::simt {

inline constexpr std::uint32_t warp_lanes = 32;
inline constexpr std::uint32_t all_lanes = 0xffff'ffffU;

template <class F> void each_lane(std::uint32_t mask, const F& f) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) f(static_cast<std::uint32_t>(std::countr_zero(rest)));
}

// dst may be the same register as an operand. Operands that the operation doesn't take are not read.
using LaneFunction = void (*)(void* dst, const void* a, const void* b, const void* c);
using CompareFunction = std::uint32_t (*)(const void* a, const void* b);

// Null where there is no vector form; the caller then computes lane by lane.
[[nodiscard]] LaneFunction lane_function(Arith op, Type type);
[[nodiscard]] LaneFunction convert_function(Type to, Type from);
[[nodiscard]] CompareFunction compare_function(Compare op, Type type);

// dst[lane] = mask has lane ? a[lane] : b[lane]; lanes of 4 or 8 bytes.
void select_lanes(void* dst, const void* a, const void* b, std::uint32_t mask, std::uint32_t bytes);
void fill_lanes(void* dst, std::uint64_t value, std::uint32_t bytes);

// A register as an offset into one of two areas: bit 0 chooses (0 the warp's registers, 1 the constants).
using Slot = std::uint32_t;
struct Registers {
  std::byte* area[2] = {nullptr, nullptr};
  [[nodiscard]] std::byte* at(Slot slot) const { return area[slot & 1U] + (slot & ~1U); }
};

struct FmaOperands {
  Slot dst, a, b, c;
};
// Runs `count` fused multiply-adds on f32 one after the other, all lanes: saves a dispatch each.
void fma_run(const Registers& registers, const FmaOperands* run, std::uint32_t count);

// True if index[lane] - base == relative[lane] (mod 2^32) for each lane of the mask.
[[nodiscard]] bool is_shifted(const void* index, std::uint32_t base, const std::int32_t* relative,
                              std::uint32_t mask);

}  // namespace fencewise::simt
