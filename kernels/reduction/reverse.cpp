#include "kernels/reduction/reverse.h"

#include "kernels/core/builder.h"

namespace fencewise {

Kernel reverse_kernel(std::uint32_t n, const ReverseSteps& steps) {
  KernelBuilder k("reverse");
  const Array in = k.global("in", Type::f32);
  const Array out = k.global("out", Type::f32);
  const Array buf = steps.across_ctas ? k.global("buf", Type::f32) : k.shared("buf", Type::f32, n);
  const Val t = steps.across_ctas ? k.ctaid() : k.tid();

  k.st(buf[t], k.ld(in[t], "mine"));
  if (steps.barrier) k.bar_sync();
  k.st(out[t], k.ld(buf[Val(n - 1) - t], "opposite"));
  return k.build();
}

}  // namespace fencewise
