// A warp that reads shared memory in one pattern: what the bank rules are measured with.
#pragma once

#include <cstdint>

#include "kernels/core/kernel.h"

namespace fencewise {

// One warp; lane l loads `width` words from word l / group * stride of `s`. Global arrays: out (32 * width floats).
struct BankProbe {
  std::uint32_t stride = 1;
  std::uint32_t width = 1;  // words: 1, 2 or 4
  std::uint32_t group = 1;  // this many lanes share an address; 32 is a broadcast
};
[[nodiscard]] Kernel bank_probe(const BankProbe& probe);

}  // namespace fencewise
