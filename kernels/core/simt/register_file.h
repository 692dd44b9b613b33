// Where each register of a kernel lives while the executor runs it.
//
// A warp's registers are 32 lanes in a row: 4 bytes a lane, 8 for 64-bit types; predicates are one word of bits.
// Unrolled kernels name hundreds of temporaries. Those that live inside one block share places (linear scan), so
// that a warp's registers stay in the first-level cache; k6 names 833 and takes 90 places.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/core/simt/lanes.h"

namespace fencewise::simt {

inline constexpr std::uint32_t not_a_register = 0xffff'ffffU;

// Of a register in a warp's area; 0 for a predicate.
[[nodiscard]] constexpr std::uint32_t lane_bytes(Type type) {
  return type == Type::pred ? 0 : size_of(type) <= 4 ? 4 : 8;
}

struct RegisterPlace {
  Slot slot = not_a_register;  // byte offset in the warp's area; for predicates the number of the word
  std::uint32_t bytes = 4;     // a lane; 0 for predicates
  bool live_at_entry = false;  // may be read before it is written: starts as register_initial or 0
};

struct RegisterFile {
  std::vector<RegisterPlace> places;  // [register]; unused ones have no slot
  std::uint32_t bytes = 0;            // of a warp's area
  std::uint32_t predicates = 0;       // words
};

// Offsets start at `first`, in bytes.
[[nodiscard]] RegisterFile assign_registers(const Kernel& kernel, std::uint32_t first);

}  // namespace fencewise::simt
