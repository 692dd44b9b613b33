// k6 and k7: float4 from and to memory, As transposed so that a thread's column of A is contiguous.
#include "kernels/gemm/tile.h"
#include "kernels/gemm/tiled.h"

namespace fencewise::gemm {

Kernel vectorized(Layout layout) {
  constexpr int bm = 128, bn = 128, bk = 8, tm = 8, tn = 8;
  const bool plain = layout == Layout::plain;
  // 128 words a row put both halves of a warp's stores into one bank; 132 keep rows of float4 aligned and part them.
  const int pitch = plain ? bm : bm + 4;
  // Eight columns in a row are a stride of eight words: two lanes meet in each bank. Four and four don't.
  const int quad_step = plain ? tn : 4;
  const int second_quad = plain ? 4 : bn / 2;
  KernelBuilder k(plain ? "gemm-k6" : "gemm-k7");
  const Matrices m(k);
  const Array as = k.shared("As", Type::f32, static_cast<std::uint64_t>(bk * pitch));
  const Array bs = k.shared("Bs", Type::f32, bk * bn);
  const Val t = k.tid();
  const Val first_row = k.ctaid_y() * bm, first_col = k.ctaid() * bn;
  const Val trow = t / (bn / tn), tcol = t % (bn / tn);
  const Val as_rows = trow * tm, bs_cols = tcol * quad_step;
  const Val a_row = t / (bk / 4), a_quad = t % (bk / 4);
  const Val b_row = t / (bn / 4), b_quad = t % (bn / 4);
  const Val as_store = a_quad * (4 * pitch) + a_row, bs_store = t * 4;
  const Val a = k.var("a", Type::u32, (first_row + a_row) * m.depth + a_quad * 4);
  const Val b = k.var("b", Type::u32, b_row * m.n + first_col + b_quad * 4);
  Results sums(k, tm, tn);

  const auto load_tiles = [&] {
    const std::vector<Val> from_a = k.ld_vector(m.a[a], 4);
    for (int q = 0; q < 4; ++q) k.st(as[as_store + q * pitch], from_a[static_cast<std::size_t>(q)]);
    k.st_vector(bs[bs_store], k.ld_vector(m.b[b], 4));
  };
  k.for_step(0, m.depth, bk, [&](const Val&) {
    load_tiles();
    k.bar_sync();
    for (int d = 0; d < bk; ++d) {
      std::vector<Val> column = k.ld_vector(as[as_rows + d * pitch], 4);
      append(column, k.ld_vector(as[as_rows + (d * pitch + 4)], 4));
      std::vector<Val> row = k.ld_vector(bs[bs_cols + d * bn], 4);
      append(row, k.ld_vector(bs[bs_cols + (d * bn + second_quad)], 4));
      sums.add_outer_product(column, row);
    }
    k.bar_sync();
    k.set(a, a + bk);
    k.set(b, b + m.n * bk);
  });
  for (int i = 0; i < tm; ++i) {
    const Val c = (first_row + trow * tm + i) * m.n + first_col + bs_cols;
    k.st_vector(m.c[c], sums.quad(i, 0));
    k.st_vector(m.c[c + second_quad], sums.quad(i, 4));
  }
  return k.build();
}

}  // namespace fencewise::gemm
