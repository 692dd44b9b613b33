// What both forms of split-K do once thread 0 knows whether its CTA came last.
#pragma once

#include "kernels/core/builder.h"

namespace fencewise {

// All threads of the CTA take `last` from the flag that thread 0 wrote.
inline void share_flag(KernelBuilder& k, const Val& last, const Array& flag, bool barrier) {
  if (barrier) k.bar_sync();
  k.set(last, k.ld(flag[0], "flag") != 0);
}

}  // namespace fencewise
