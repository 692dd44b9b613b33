// Walks over the instructions of a kernel.
#pragma once

#include "kernels/core/kernel.h"

namespace fencewise {

// Calls f(InstructionRef, instruction) for each, block by block.
template <class F> void each_instruction(const Kernel& kernel, F&& f) {
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (std::uint32_t n = 0; n < kernel.blocks[b].instructions.size(); ++n)
      f(InstructionRef{BlockId{b}, n}, kernel.blocks[b].instructions[n]);
}

}  // namespace fencewise
