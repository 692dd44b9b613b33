// Tidies the blocks that specialization leaves: chains become one block, the end comes last.
#pragma once

#include <vector>

#include "kernels/core/kernel.h"

namespace fencewise::litmus {

// `blocks[0]` is the entry; every exit is the block `exit`. Blocks that nothing reaches go.
[[nodiscard]] std::vector<Block> tidy(std::vector<Block> blocks, BlockId exit);

}  // namespace fencewise::litmus
