#include "kernels/splitk/atomic.h"

namespace fencewise {

Val atomic_is_last(KernelBuilder& k, const AtomicSteps& steps, const Place& counter, const Val& splits,
                   const Array& flag) {
  if (steps.barrier_before_count) k.bar_sync();
  k.if_(k.tid() == 0, [&] {
    const Val ticket = k.atom(AtomicOp::add, counter, 1, steps.count);
    k.st(flag[0], ticket == splits - 1);
  });
  if (steps.barrier_after_flag) k.bar_sync();
  return k.ld(flag[0]) != 0;
}

Val atomic_take(KernelBuilder& k, const AtomicSteps& steps, const Place& place) {
  const Val sum = k.ld(place);
  if (steps.rezero) k.st(place, 0);
  return sum;
}

void atomic_reset(KernelBuilder& k, const AtomicSteps& steps, const Place& counter) {
  if (!steps.reset) return;
  k.if_(k.tid() == 0, [&] { static_cast<void>(k.atom(AtomicOp::exch, counter, 0)); });
}

}  // namespace fencewise
