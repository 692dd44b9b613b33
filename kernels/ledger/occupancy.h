// How many blocks of a kernel fit on an SM, and what limits them.
//
// Registers are given to a warp in units of 256, and warps come in fours (one a scheduler); shared memory is given to a
// block in units of 128 bytes, 1024 of which the system takes.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/ledger/device.h"

namespace fencewise {

struct BlockNeeds {
  std::uint32_t threads = 256;
  std::uint32_t registers = 32;    // a thread
  std::uint32_t shared_bytes = 0;  // a block
};

struct Occupancy {
  std::uint32_t blocks = 0;  // an SM; 0: the block doesn't fit at all
  double share = 0;          // resident warps of those that the SM can hold
  std::string_view limit;    // "warps", "blocks", "registers" or "shared memory"
};

[[nodiscard]] Occupancy occupancy(const Device& device, const BlockNeeds& needs);

}  // namespace fencewise
