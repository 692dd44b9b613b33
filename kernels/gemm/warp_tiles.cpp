// k8 and k9: each warp owns a 64x64 tile of C, each thread 8 x 16 results of it; k9 loads the next tiles while it
// computes, with one barrier a step instead of two.
#include "kernels/gemm/tile.h"
#include "kernels/gemm/tiled.h"

namespace fencewise::gemm {
namespace {

constexpr int bm = 128, bn = 128, bk = 8, wm = 64, wn = 64, tm = 8, tn = 16, threads = 128;
constexpr int pitch = bm + 4;
constexpr int lanes_per_row = 4;      // lanes along a row of the warp's tile: 8 x 4 lanes, 8 rows each
constexpr int group = wn / (tn / 4);  // a thread's columns are four quads, `group` columns apart
constexpr int as_words = bk * pitch, bs_words = bk * bn;

struct WarpTiles {
  KernelBuilder k;
  Matrices m;
  Array as, bs;
  Val t, first_row, first_col, rows, cols;  // rows, cols: the thread's first ones within the block's tile
  Val a, b, as_store;
  Results sums;

  explicit WarpTiles(Buffers buffers)
      : k(buffers == Buffers::one ? "gemm-k8" : "gemm-k9"),
        m(k),
        as(k.shared("As", Type::f32, as_words * (buffers == Buffers::one ? 1 : 2))),
        bs(k.shared("Bs", Type::f32, bs_words * (buffers == Buffers::one ? 1 : 2))),
        t(k.tid()),
        first_row(k.ctaid_y() * bm),
        first_col(k.ctaid() * bn),
        rows(t / 32 / (bn / wn) * wm + t % 32 / lanes_per_row * tm),
        cols(t / 32 % (bn / wn) * wn + t % lanes_per_row * 4),
        a(k.var("a", Type::u32, (first_row + t / (bk / 4)) * m.depth + t % (bk / 4) * 4)),
        b(k.var("b", Type::u32, t / (bn / 4) * m.n + first_col + t % (bn / 4) * 4)),
        as_store(t % (bk / 4) * (4 * pitch) + t / (bk / 4)),
        sums(k, tm, tn) {}

  // The block loads half of either tile at a time; a thread's part is two float4 of A, then two of B.
  std::vector<std::vector<Val>> load_global() {
    std::vector<std::vector<Val>> quads;
    for (int half = 0; half < 2; ++half)
      quads.push_back(k.ld_vector(m.a[a + m.depth * (half * threads / (bk / 4))], 4));
    for (int half = 0; half < 2; ++half)
      quads.push_back(k.ld_vector(m.b[b + m.n * (half * threads / (bn / 4))], 4));
    return quads;
  }

  void store_shared(const std::vector<std::vector<Val>>& quads, const Val& as_buffer, const Val& bs_buffer) {
    for (int half = 0; half < 2; ++half) {
      const Val column = as_buffer + as_store;
      for (int q = 0; q < 4; ++q)
        k.st(as[column + (q * pitch + half * threads / (bk / 4))],
             quads[static_cast<std::size_t>(half)][static_cast<std::size_t>(q)]);
    }
    for (int half = 0; half < 2; ++half)
      k.st_vector(bs[bs_buffer + t * 4 + half * threads * 4], quads[static_cast<std::size_t>(2 + half)]);
  }

  void advance() {
    k.set(a, a + bk);
    k.set(b, b + m.n * bk);
  }

  void multiply(const Val& as_buffer, const Val& bs_buffer) {
    const Val as_rows = as_buffer + rows, bs_cols = bs_buffer + cols;
    for (int d = 0; d < bk; ++d) {
      std::vector<Val> column, row;
      for (int i = 0; i < tm; i += 4) append(column, k.ld_vector(as[as_rows + (d * pitch + i)], 4));
      for (int j = 0; j < tn / 4; ++j) append(row, k.ld_vector(bs[bs_cols + (d * bn + j * group)], 4));
      sums.add_outer_product(column, row);
    }
  }

  void write_results() {
    for (int i = 0; i < tm; ++i) {
      const Val c = (first_row + rows + i) * m.n + first_col + cols;
      for (int j = 0; j < tn / 4; ++j) k.st_vector(m.c[c + j * group], sums.quad(i, 4 * j));
    }
  }

  void one_buffer() {
    k.for_step(0, m.depth, bk, [&](const Val&) {
      store_shared(load_global(), 0, 0);
      k.bar_sync();
      multiply(0, 0);
      k.bar_sync();
      advance();
    });
  }

  // Buffer 0 holds the even steps, 1 the odd ones. What is read in a step was stored in the one before; what is
  // stored in a step was read for the last time before the barrier that began it.
  void two_buffers() {
    const Val as_now = k.var("as_now", Type::u32, 0), bs_now = k.var("bs_now", Type::u32, 0);
    const Val as_next = k.var("as_next", Type::u32, as_words),
              bs_next = k.var("bs_next", Type::u32, bs_words);
    store_shared(load_global(), as_now, bs_now);
    k.bar_sync();
    k.for_step(bk, m.depth, bk, [&](const Val&) {
      advance();
      const std::vector<std::vector<Val>> next = load_global();
      multiply(as_now, bs_now);
      store_shared(next, as_next, bs_next);
      k.bar_sync();
      k.set(as_now, as_next);
      k.set(bs_now, bs_next);
      k.set(as_next, Val(as_words) - as_now);
      k.set(bs_next, Val(bs_words) - bs_now);
    });
    multiply(as_now, bs_now);
  }
};

}  // namespace

Kernel warp_tiles(Buffers buffers) {
  WarpTiles w(buffers);
  buffers == Buffers::one ? w.one_buffer() : w.two_buffers();
  w.write_results();
  return w.k.build();
}

}  // namespace fencewise::gemm
