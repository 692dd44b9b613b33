#include "kernels/gemm/tile.h"
#include "kernels/gemm/tiled.h"

namespace fencewise::gemm {

Kernel naive(NaiveMapping mapping) {
  const bool column = mapping == NaiveMapping::warp_along_column;
  KernelBuilder k(column ? "gemm-k1" : "gemm-k2");
  const Matrices m(k);
  const Val row = column ? k.ctaid() * 32 + k.tid() : k.ctaid_y() * 32 + k.tid() / 32;
  const Val col = column ? k.ctaid_y() * 32 + k.tid_y() : k.ctaid() * 32 + k.tid() % 32;
  k.if_(row < m.n && col < m.n, [&] {
    const Val a = k.var("a", Type::u32, row * m.depth);  // walks along A's row
    const Val b = k.var("b", Type::u32, col);            // walks down B's column
    const Val sum = k.var("sum", Type::f32, 0.0F);
    k.for_(0, m.depth, [&](const Val&) {
      k.set(sum, k.fma(k.ld(m.a[a]), k.ld(m.b[b]), sum));
      k.set(a, a + 1);
      k.set(b, b + m.n);
    });
    k.st(m.c[row * m.n + col], sum);
  });
  return k.build();
}

}  // namespace fencewise::gemm
