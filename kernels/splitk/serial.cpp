#include "kernels/splitk/serial.h"

#include "kernels/core/optional_fence.h"

namespace fencewise {

Val serial_is_last(KernelBuilder& k, const SerialSteps& steps, const Place& counter, const Val& splits,
                   const Array& flag, CtaThreads threads) {
  const bool several = threads == CtaThreads::several;
  fence(k, steps.writer_fence);
  if (several && steps.barrier_before_count) k.bar_sync();
  const Val last = k.var("last", Type::pred, false);
  k.if_(k.tid() == 0, [&] {
    fence(k, steps.leader_fence);
    const Val ticket = k.var("ticket", Type::u32, k.atom(AtomicOp::add, counter, 1, steps.increment));
    k.set(last, ticket == splits - 1);
    k.if_(last, [&] { fence(k, steps.reader_fence); });
    if (several) k.st(flag[0], last);
  });
  if (several) {
    if (steps.barrier_after_flag) k.bar_sync();
    k.set(last, k.ld(flag[0], "flag") != 0);
  }
  return last;
}

void serial_reset(KernelBuilder& k, const SerialSteps& steps, const Place& counter) {
  if (!steps.reset) return;
  k.if_(k.tid() == 0, [&] { k.st(counter, 0); });
}

Kernel splitk_serial_kernel(const SplitkTile& shape, const SerialSteps& steps) {
  const Val S = shape.splits, T = shape.threads;

  KernelBuilder k("splitk_serial");
  const Array in = k.global("in", Type::f32), ws = k.global("ws", Type::f32);
  const Array sem = k.global("sem", Type::u32), out = k.global("out", Type::f32);
  const Array is_last = k.shared("is_last", Type::u32, 1);
  const Val t = k.tid(), split = k.ctaid(), tile = k.ctaid_y();
  const auto slot = [&](const Val& s) { return (tile * S + s) * T + t; };
  const Place counter = sem[steps.counter_per_tile ? tile : Val(0)];

  const Val mine = k.var("mine", Type::u32, slot(split));
  const Val part = k.ld(in[mine], "part");
  k.st(ws[mine], part, steps.write_partial);

  const Val last = serial_is_last(k, steps, counter, S, is_last, cta_threads(shape));
  k.if_(last, [&] {
    const Val sum = k.var("sum", Type::f32, 0);
    k.for_(0, S, [&](const Val& s) { k.set(sum, sum + k.ld(ws[slot(s)], "partial", steps.read_partial)); });
    k.st(out[tile * T + t], sum);
    // No barrier before the reset: the others read partials, not the counter. The next launch comes after all.
    serial_reset(k, steps, counter);
  });
  return k.build();
}

}  // namespace fencewise
