// k5 and k5v: 8x8 results a thread, tiles loaded row after row.
#include "kernels/gemm/tile.h"
#include "kernels/gemm/tiled.h"

namespace fencewise::gemm {

Kernel square_of_results(SharedReads reads) {
  constexpr int bm = 128, bn = 128, bk = 8, tm = 8, tn = 8, threads = 256;
  constexpr int a_rows = threads / bk, b_rows = threads / bn;  // rows that the block loads at a time
  const bool vector_b = reads == SharedReads::vector_b;
  KernelBuilder k(vector_b ? "gemm-k5v" : "gemm-k5");
  const Matrices m(k);
  const Array as = k.shared("As", Type::f32, bm * bk);
  const Array bs = k.shared("Bs", Type::f32, bk * bn);
  const Val t = k.tid();
  const Val first_row = k.ctaid_y() * bm, first_col = k.ctaid() * bn;
  const Val trow = t / (bn / tn), tcol = t % (bn / tn);
  const Val as_rows = trow * (tm * bk), bs_cols = tcol * tn;
  const Val a = k.var("a", Type::u32, (first_row + t / bk) * m.depth + t % bk);
  const Val b = k.var("b", Type::u32, t / bn * m.n + first_col + t % bn);
  Results sums(k, tm, tn);

  const auto load_tiles = [&] {
    for (int r = 0; r < bm; r += a_rows) k.st(as[t + r * bk], k.ld(m.a[a + m.depth * r]));
    for (int r = 0; r < bk; r += b_rows) k.st(bs[t + r * bn], k.ld(m.b[b + m.n * r]));
  };
  const auto read_b = [&](int d) {
    std::vector<Val> row;
    if (vector_b) {
      append(row, k.ld_vector(bs[bs_cols + d * bn], 4));
      append(row, k.ld_vector(bs[bs_cols + (d * bn + 4)], 4));
    } else {
      for (int j = 0; j < tn; ++j) row.push_back(k.ld(bs[bs_cols + (d * bn + j)]));
    }
    return row;
  };
  const auto read_a = [&](int d) {
    std::vector<Val> column;
    for (int i = 0; i < tm; ++i) column.push_back(k.ld(as[as_rows + (i * bk + d)]));
    return column;
  };

  k.for_step(0, m.depth, bk, [&](const Val&) {
    load_tiles();
    k.bar_sync();
    for (int d = 0; d < bk; ++d) {
      const std::vector<Val> column = read_a(d), row = read_b(d);
      sums.add_outer_product(column, row);
    }
    k.bar_sync();
    k.set(a, a + bk);
    k.set(b, b + m.n * bk);
  });
  for (int i = 0; i < tm; ++i)
    for (int j = 0; j < tn; ++j)
      k.st(m.c[(first_row + trow * tm + i) * m.n + first_col + bs_cols + j], sums.at(i, j));
  return k.build();
}

}  // namespace fencewise::gemm
