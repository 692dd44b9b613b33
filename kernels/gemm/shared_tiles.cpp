// k3 and k4: tiles of A and B in shared memory, read word by word.
#include "kernels/gemm/tile.h"
#include "kernels/gemm/tiled.h"

namespace fencewise::gemm {

Kernel shared_tiles() {
  constexpr int tile = 32;
  KernelBuilder k("gemm-k3");
  const Matrices m(k);
  const Array as = k.shared("As", Type::f32, tile * tile);
  const Array bs = k.shared("Bs", Type::f32, tile * tile);
  const Val t = k.tid();
  const Val row = t / tile, col = t % tile;
  const Val as_row = row * tile;
  const Val a = k.var("a", Type::u32, (k.ctaid_y() * tile + row) * m.depth + col);
  const Val b = k.var("b", Type::u32, row * m.n + k.ctaid() * tile + col);
  const Val sum = k.var("sum", Type::f32, 0.0F);
  k.for_step(0, m.depth, tile, [&](const Val&) {
    k.st(as[t], k.ld(m.a[a]));
    k.st(bs[t], k.ld(m.b[b]));
    k.bar_sync();
    for (int d = 0; d < tile; ++d) k.set(sum, k.fma(k.ld(as[as_row + d]), k.ld(bs[col + d * tile]), sum));
    k.bar_sync();
    k.set(a, a + tile);
    k.set(b, b + m.n * tile);
  });
  k.st(m.c[(k.ctaid_y() * tile + row) * m.n + k.ctaid() * tile + col], sum);
  return k.build();
}

Kernel column_of_results() {
  constexpr int bm = 64, bn = 64, bk = 8, tm = 8;
  KernelBuilder k("gemm-k4");
  const Matrices m(k);
  const Array as = k.shared("As", Type::f32, bm * bk);
  const Array bs = k.shared("Bs", Type::f32, bk * bn);
  const Val t = k.tid();
  const Val first_row = k.ctaid_y() * bm, first_col = k.ctaid() * bn;
  const Val trow = t / bn, tcol = t % bn;
  const Val as_rows = trow * (tm * bk);
  const Val a = k.var("a", Type::u32, (first_row + t / bk) * m.depth + t % bk);
  const Val b = k.var("b", Type::u32, trow * m.n + first_col + tcol);
  Results sums(k, tm, 1);
  k.for_step(0, m.depth, bk, [&](const Val&) {
    k.st(as[t], k.ld(m.a[a]));
    k.st(bs[t], k.ld(m.b[b]));
    k.bar_sync();
    for (int d = 0; d < bk; ++d) {
      const Val from_b = k.ld(bs[tcol + d * bn]);  // one read serves eight results
      for (int i = 0; i < tm; ++i) sums.add(i, 0, k.ld(as[as_rows + (i * bk + d)]), from_b);
    }
    k.bar_sync();
    k.set(a, a + bk);
    k.set(b, b + m.n * bk);
  });
  for (int i = 0; i < tm; ++i) k.st(m.c[(first_row + trow * tm + i) * m.n + first_col + tcol], sums.at(i, 0));
  return k.build();
}

}  // namespace fencewise::gemm
