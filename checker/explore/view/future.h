// What a thread may still do, from each instruction on: which kinds of access to which array, which fences. What nobody can do
// any more need not be remembered.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/explore/symmetry.h"
#include "checker/explore/view/hierarchy.h"
#include "kernels/core/flow.h"

namespace fencewise::view {

// Kinds of access, as bits.
using DoingBits = std::uint16_t;
struct Doing {
  static constexpr DoingBits weak_read = 1, weak_write = 2, strong_read = 4, strong_write = 8;
  static constexpr DoingBits narrow = 16;   // a strong access at a scope below the widest that is used
  static constexpr DoingBits acquire = 32;  // a read that acquires
  static constexpr DoingBits any_message = 64;  // a strong read that may return any message: a load, or a cas that fails
  static constexpr DoingBits ordered = 128;  // a strong access whose place among others may matter: no relaxed red.add of its like
  // A strong write that passes on what earlier releases of its location left: none that releases itself, at the widest scope, lies
  // before it or is it.
  static constexpr DoingBits passes_on = 256;
  static constexpr DoingBits everything = 511;
  static constexpr DoingBits any_read = weak_read | strong_read, any_write = weak_write | strong_write;
  static constexpr DoingBits any_weak = weak_read | weak_write;
};

// Whether the kernel has a poll: a strong load that control may come back to with the same address and no other access or meeting
// on the way.
[[nodiscard]] bool may_poll(const Kernel& kernel);

class Future {
 public:
  // `single`: [array] it is a single location. `symmetry` may be null; else it tells which accesses stay within the slots of the
  // thread's own CTA.
  // `domain`: where sums of floats are ordered, their additions are too.
  Future(const Kernel& kernel, const Hierarchy& hierarchy, const std::vector<bool>& single, const Symmetry* symmetry, ValueDomain domain);

  // Doing bits on an array from `ref` on, that instruction included; `anywhere`: by addresses that name no array.
  [[nodiscard]] DoingBits on(ArrayId array, InstructionRef ref) const {
    return static_cast<DoingBits>(at(ref).arrays[array.value] | at(ref).own[array.value]);
  }
  // On the slots of other CTAs.
  [[nodiscard]] DoingBits on_others(ArrayId array, InstructionRef ref) const { return at(ref).arrays[array.value]; }
  [[nodiscard]] DoingBits anywhere(InstructionRef ref) const { return at(ref).anywhere; }
  [[nodiscard]] bool acquire_fence(InstructionRef ref) const { return at(ref).acquire_fence; }
  [[nodiscard]] bool fence_sc(InstructionRef ref) const { return at(ref).fence_sc; }
  // A strong write that passes on what release fences left so far.
  [[nodiscard]] bool passes_fences(InstructionRef ref) const { return at(ref).passes_fences; }

  // Whether the thread may exit before it passes a barrier of all threads of its CTA, and whether it may come to one, or to an
  // operation of its warp: neither waits for who has exited.
  [[nodiscard]] bool leaves(InstructionRef ref) const { return at(ref).leaves; }
  [[nodiscard]] bool meets(InstructionRef ref) const { return at(ref).meets; }

  struct Facts {
    std::vector<DoingBits> arrays;  // [array]
    std::vector<DoingBits> own;     // [array] by addresses that stay within the CTA's own slots
    DoingBits anywhere = 0;
    bool acquire_fence = false, fence_sc = false, passes_fences = false;
    bool leaves = false;  // it may exit without passing a barrier of all threads of its CTA
    bool meets = false;   // it may come to such a barrier, or to an operation of its warp
    friend bool operator==(const Facts&, const Facts&) = default;
  };

  // Whether the instruction is a poll.
  [[nodiscard]] bool polls(InstructionRef ref) const { return polls_[ref.block.value][ref.index]; }

 private:
  [[nodiscard]] const Facts& at(InstructionRef ref) const { return facts_[ref.block.value][ref.index]; }
  std::vector<std::vector<Facts>> facts_;  // [block][instruction]
  std::vector<std::vector<bool>> polls_;   // [block][instruction]
};

}  // namespace fencewise::view
