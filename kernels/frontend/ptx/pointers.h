// Which parameters of a kernel are pointers, and what is done through them.
//
// Found by following 64-bit values through moves, additions and selections to the addresses of accesses, without regard
// to the order of instructions: a guess that serves for showing and for a first launch file, not for a verdict.
#pragma once

#include <map>
#include <vector>

#include "kernels/core/kernel.h"

namespace fencewise::ptx {

struct PointerUse {
  bool read = false, written = false, atomic = false;
  std::map<Type, unsigned> types;  // of the accesses, with how many there are

  [[nodiscard]] bool used() const { return read || written || atomic; }
  [[nodiscard]] Type element() const;  // the most frequent type
};

// [param]
[[nodiscard]] std::vector<PointerUse> pointer_uses(const Kernel& kernel);

}  // namespace fencewise::ptx
