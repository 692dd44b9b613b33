#include "kernels/splitk/atomic.h"

namespace fencewise {

Val atomic_is_last(KernelBuilder& k, const AtomicSteps& steps, const Place& counter, const Val& splits,
                   const Array& flag, CtaThreads threads) {
  const bool several = threads == CtaThreads::several;
  if (several && steps.barrier_before_count) k.bar_sync();
  const Val last = k.var("last", Type::pred, false);
  k.if_(k.tid() == 0, [&] {
    const Val ticket = k.var("ticket", Type::u32, k.atom(AtomicOp::add, counter, 1, steps.increment));
    k.set(last, ticket == splits - 1);
    if (several) k.st(flag[0], last);
  });
  if (several) {
    if (steps.barrier_after_flag) k.bar_sync();
    k.set(last, k.ld(flag[0], "flag") != 0);
  }
  return last;
}

void atomic_rezero(KernelBuilder& k, const AtomicSteps& steps, const Place& place) {
  if (steps.rezero) k.st(place, 0);
}

void atomic_reset(KernelBuilder& k, const AtomicSteps& steps, const Place& counter) {
  if (!steps.reset) return;
  k.if_(k.tid() == 0, [&] { static_cast<void>(k.atom(AtomicOp::exch, counter, 0)); });
}

Kernel splitk_atomic_kernel(const SplitkTile& shape, const AtomicSteps& steps) {
  const Val S = shape.splits, T = shape.threads;

  KernelBuilder k("splitk_atomic");
  const Array in = k.global("in", Type::f32), acc = k.global("acc", Type::f32);
  const Array sem = k.global("sem", Type::u32), out = k.global("out", Type::f32);
  const Array is_last = k.shared("is_last", Type::u32, 1);
  const Val t = k.tid(), split = k.ctaid(), tile = k.ctaid_y();
  const Val element = k.var("element", Type::u32, tile * T + t);

  const Val part = k.ld(in[(tile * S + split) * T + t], "part");
  k.red(AtomicOp::add, acc[element], part, steps.add);

  const Val last = atomic_is_last(k, steps, sem[tile], S, is_last, cta_threads(shape));
  k.if_(last, [&] {
    const Val sum = k.ld(acc[element], "sum");
    k.st(out[element], sum);
    atomic_rezero(k, steps, acc[element]);
    atomic_reset(k, steps, sem[tile]);
  });
  return k.build();
}

}  // namespace fencewise
