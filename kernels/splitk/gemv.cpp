#include "kernels/splitk/gemv.h"

#include <vector>

#include <fmt/format.h>

#include "kernels/core/builder.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

struct Gemv {
  const SplitkGemv& shape;
  KernelBuilder k;
  Array a, x, y, partials, sem, flag;
  Val columns, lane, first_row;  // first_row: of the warp

  explicit Gemv(const SplitkGemv& s)
      : shape(s),
        k(std::holds_alternative<SerialSteps>(s.form) ? "splitk-gemv" : "splitk-gemv-atomic"),
        a(k.global("A", Type::f32)),
        x(k.global("x", Type::f32)),
        y(k.global("y", Type::f32)),
        partials(k.global(std::holds_alternative<SerialSteps>(s.form) ? "ws" : "acc", Type::f32)),
        sem(k.global("sem", Type::u32)),
        flag(k.shared("flag", Type::u32, 1)),
        columns(k.param("columns", Type::u32)),
        lane(k.tid() % 32),
        first_row(k.ctaid() * Val(shape.rows_per_block()) + k.tid() / 32 * Val(shape.rows_per_warp)) {}

  [[nodiscard]] Val rows() { return k.nctaid() * Val(shape.rows_per_block()); }
  [[nodiscard]] Place counter(bool per_tile = true) { return sem[per_tile ? k.ctaid() : Val(0)]; }

  // The warp's sums over its slice of the columns, in lane 0.
  std::vector<Val> dot_products() {
    const Val depth = columns / Val(shape.splits);
    const Val first = k.special(SpecialRegister::ctaid_y) * depth;
    std::vector<Val> sums;
    for (std::uint32_t r = 0; r < shape.rows_per_warp; ++r) sums.push_back(k.var("sum", Type::f32, 0.0F));
    k.for_step(first, first + depth, 32, [&](const Val& i) {
      const Val at = i + lane;
      const Val xi = k.ld(x[at]);
      for (std::uint32_t r = 0; r < shape.rows_per_warp; ++r)
        k.set(sums[r], k.fma(k.ld(a[(first_row + Val(r)) * columns + at]), xi, sums[r]));
    });
    for (Val& sum : sums) sum = warp_sum(sum);
    return sums;
  }

  Val warp_sum(Val sum) {
    for (int distance = 16; distance >= 1; distance /= 2) {
      const Val other = k.shfl(ShuffleMode::down, sum, distance);
      k.compute(1);
      sum = sum + other;
    }
    return sum;
  }

  // One thread for each row of the block.
  void each_row_of_last(const Val& last, const std::function<void(const Val& row)>& write) {
    const Val mine = k.tid() < Val(shape.rows_per_block());
    k.if_(last && mine, [&] { write(k.ctaid() * Val(shape.rows_per_block()) + k.tid()); });
  }

  void finish(const SerialSteps& steps) {
    const std::vector<Val> sums = dot_products();
    const Val slice = k.special(SpecialRegister::ctaid_y) * rows() + first_row;
    k.masked(lane == 0, [&] {
      for (std::uint32_t r = 0; r < shape.rows_per_warp; ++r)
        k.st(partials[slice + Val(r)], sums[r], steps.write_partial);
    });
    const Place count = counter(steps.counter_per_tile);
    const Val last = serial_is_last(k, steps, count, Val(shape.splits), flag, CtaThreads::several);
    each_row_of_last(last, [&](const Val& row) {
      const Val total = k.var("total", Type::f32, 0.0F);
      k.for_(0, Val(shape.splits), [&](const Val& s) {
        const Val part = k.ld(partials[s * rows() + row], steps.read_partial);
        k.compute(1);
        k.set(total, total + part);
      });
      k.st(y[row], total);
    });
    k.if_(last, [&] { serial_reset(k, steps, count); });
  }

  void finish(const AtomicSteps& steps) {
    const std::vector<Val> sums = dot_products();
    k.masked(lane == 0, [&] {
      for (std::uint32_t r = 0; r < shape.rows_per_warp; ++r)
        k.red(AtomicOp::add, partials[first_row + Val(r)], sums[r], steps.add);
    });
    const Val last = atomic_is_last(k, steps, counter(), Val(shape.splits), flag, CtaThreads::several);
    each_row_of_last(last, [&](const Val& row) {
      k.st(y[row], k.ld(partials[row]));
      atomic_rezero(k, steps, partials[row]);
    });
    k.if_(last, [&] { atomic_reset(k, steps, counter()); });
  }
};

void check(const SplitkGemv& g) {
  if (g.threads == 0 || g.threads % 32 != 0 || g.threads > 1024)
    throw InputError(fmt::format("splitk-gemv has a multiple of 32 threads up to 1024, not {}", g.threads));
  if (g.splits == 0 || g.splits > 65535)
    throw InputError(fmt::format("splitk-gemv can't have {} splits", g.splits));
  if (g.rows_per_warp == 0 || g.rows_per_warp > 32)
    throw InputError(fmt::format("splitk-gemv has 1 to 32 rows a warp, not {}", g.rows_per_warp));
}

}  // namespace

Kernel splitk_gemv_kernel(const SplitkGemv& gemv) {
  check(gemv);
  Gemv g(gemv);
  std::visit([&](const auto& steps) { g.finish(steps); }, gemv.form);
  return g.k.build();
}

Dim3 splitk_gemv_grid(const SplitkGemv& gemv, std::int64_t rows, std::int64_t columns) {
  check(gemv);
  constexpr std::int64_t largest = std::int64_t{1} << 29;  // floats in 2 GiB
  const std::int64_t row_step = gemv.rows_per_block(), column_step = std::int64_t{32} * gemv.splits;
  if (rows <= 0 || rows % row_step != 0 || rows >= largest)
    throw InputError(fmt::format("splitk-gemv needs rows to be a positive multiple of {} below 2^29, not {}",
                                 row_step, rows));
  if (columns <= 0 || columns % column_step != 0 || columns >= largest)
    throw InputError(fmt::format(
        "splitk-gemv with {} splits needs columns to be a positive multiple of {} below 2^29, not {}",
        gemv.splits, column_step, columns));
  if (rows * columns >= largest || rows * gemv.splits >= largest)
    throw InputError(fmt::format("splitk-gemv of {} x {} needs a buffer of 2 GiB or more", rows, columns));
  return {static_cast<std::uint32_t>(rows / row_step), gemv.splits, 1};
}

}  // namespace fencewise
