#include "kernels/reduction/bank_probe.h"

#include "kernels/core/builder.h"

namespace fencewise {

Kernel bank_probe(const BankProbe& probe) {
  KernelBuilder k("bank-probe");
  const Array out = k.global("out", Type::f32);
  const Array s = k.shared("s", Type::f32, std::uint64_t{32} / probe.group * probe.stride + probe.width);
  const Val lane = k.tid();
  const Val word = lane / Val(probe.group) * Val(probe.stride);
  if (probe.width == 1) {
    k.st(out[lane], k.ld(s[word]));
  } else {
    const auto width = static_cast<int>(probe.width);
    k.st_vector(out[lane * width], k.ld_vector(s[word], width));
  }
  return k.build();
}

}  // namespace fencewise
