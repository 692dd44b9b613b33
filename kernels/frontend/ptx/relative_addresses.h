// Addresses relative to their array, where they can be told apart.
//
// PTX computes whole addresses in registers. Where every register that an array's address flows into holds an address of
// that array alone, and nothing but address arithmetic is done with it, the kernel means the same with offsets in the
// place of addresses: `ld [%rd4]` becomes `ld [ws + %rd4]`. The explorers then know which arrays an instruction may
// touch, bounds are those of the array, and what is shown names it. Arrays for which that fails keep their addresses.
#pragma once

#include "kernels/core/kernel.h"

namespace fencewise::ptx {

// Linear in the instructions, times the length of the longest chain of copies.
void make_addresses_relative(Kernel& kernel);

}  // namespace fencewise::ptx
