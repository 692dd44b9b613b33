#include "kernels/reduction/reverse.h"

#include "kernels/core/builder.h"

namespace fencewise {

Kernel reverse_kernel(std::uint32_t n, ReverseBarrier barrier) {
  KernelBuilder k(barrier == ReverseBarrier::present ? "reverse" : "reverse-no-barrier");
  const Array in = k.global("in", Type::f32);
  const Array out = k.global("out", Type::f32);
  const Array s = k.shared("s", Type::f32, n);
  const Val t = k.tid();
  k.st(s[t], k.ld(in[t]));
  if (barrier == ReverseBarrier::present) k.bar_sync();
  k.st(out[t], k.ld(s[Val(n - 1) - t]));
  return k.build();
}

}  // namespace fencewise
