// A fence that a variant may leave out.
#pragma once

#include <optional>

#include "kernels/core/builder.h"

namespace fencewise {

inline void fence(KernelBuilder& k, const std::optional<Fence>& fence, Here here = Here::current()) {
  if (fence) k.fence(fence->order, fence->scope, here);
}

}  // namespace fencewise
