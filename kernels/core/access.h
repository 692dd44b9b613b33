// The memory access of an instruction, where it has one.
#pragma once

#include <utility>

#include "kernels/core/instruction.h"

namespace fencewise {

// Of a load, store or atomic; null for all others.
[[nodiscard]] inline const Access* access_of(const Instruction& instruction) {
  if (const auto* load = std::get_if<Load>(&instruction.operation)) return &load->access;
  if (const auto* store = std::get_if<Store>(&instruction.operation)) return &store->access;
  if (const auto* atomic = std::get_if<Atomic>(&instruction.operation)) return &atomic->access;
  return nullptr;
}
[[nodiscard]] inline Access* access_of(Instruction& instruction) {
  return const_cast<Access*>(access_of(std::as_const(instruction)));
}

}  // namespace fencewise
