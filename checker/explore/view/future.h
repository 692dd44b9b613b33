// What a thread may still do, from each instruction on: which kinds of access to which array, which fences. What nobody can do
// any more need not be remembered.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/explore/view/hierarchy.h"
#include "kernels/core/flow.h"

namespace fencewise::view {

// Kinds of access, as bits.
struct Doing {
  static constexpr std::uint8_t weak_read = 1, weak_write = 2, strong_read = 4, strong_write = 8;
  static constexpr std::uint8_t narrow = 16;   // a strong access at a scope below the widest that is used
  static constexpr std::uint8_t acquire = 32;  // a read that acquires
  static constexpr std::uint8_t any_message = 64;  // a strong read that may return any message: a load, or a cas that fails
  static constexpr std::uint8_t ordered = 128;  // a strong access whose place among others may matter: no relaxed red.add
  static constexpr std::uint8_t everything = 255;
  static constexpr std::uint8_t any_read = weak_read | strong_read, any_write = weak_write | strong_write;
  static constexpr std::uint8_t any_weak = weak_read | weak_write;
};

class Future {
 public:
  Future(const Kernel& kernel, const Hierarchy& hierarchy);

  // Doing bits on an array from `ref` on, that instruction included; `anywhere`: by addresses that name no array.
  [[nodiscard]] std::uint8_t on(ArrayId array, InstructionRef ref) const { return at(ref).arrays[array.value]; }
  [[nodiscard]] std::uint8_t anywhere(InstructionRef ref) const { return at(ref).anywhere; }
  [[nodiscard]] bool acquire_fence(InstructionRef ref) const { return at(ref).acquire_fence; }
  [[nodiscard]] bool fence_sc(InstructionRef ref) const { return at(ref).fence_sc; }
  [[nodiscard]] bool strong_write(InstructionRef ref) const { return at(ref).strong_write; }

  struct Facts {
    std::vector<std::uint8_t> arrays;  // [array]
    std::uint8_t anywhere = 0;
    bool acquire_fence = false, fence_sc = false, strong_write = false;
    friend bool operator==(const Facts&, const Facts&) = default;
  };

 private:
  [[nodiscard]] const Facts& at(InstructionRef ref) const { return facts_[ref.block.value][ref.index]; }
  std::vector<std::vector<Facts>> facts_;  // [block][instruction]
};

}  // namespace fencewise::view
