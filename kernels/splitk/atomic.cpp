#include "kernels/splitk/atomic.h"

#include "kernels/splitk/count.h"

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
  if (several) share_flag(k, last, flag, steps.barrier_after_flag);
  return last;
}

void atomic_rezero(KernelBuilder& k, const AtomicSteps& steps, const Place& place) {
  if (steps.rezero) k.st(place, 0);
}

void atomic_reset(KernelBuilder& k, const AtomicSteps& steps, const Place& counter) {
  if (!steps.reset) return;
  k.if_(k.tid() == 0, [&] { static_cast<void>(k.atom(AtomicOp::exch, counter, 0)); });
}

}  // namespace fencewise
