#include "kernels/splitk/serial.h"

namespace fencewise {

Val serial_is_last(KernelBuilder& k, const SerialSteps& steps, const Place& counter, const Val& splits,
                   const Array& flag) {
  const auto fence = [&](const std::optional<FenceStep>& step) {
    if (step) k.fence(step->order, step->scope);
  };
  if (!steps.only_leader_releases) fence(steps.release);
  if (steps.barrier_before_ticket) k.bar_sync();
  k.if_(k.tid() == 0, [&] {
    if (steps.only_leader_releases) fence(steps.release);
    const Val ticket = k.atom(AtomicOp::add, counter, 1, steps.ticket);
    fence(steps.acquire);
    k.st(flag[0], ticket == splits - 1);
  });
  if (steps.barrier_after_flag) k.bar_sync();
  return k.ld(flag[0]) != 0;
}

void serial_reset(KernelBuilder& k, const SerialSteps& steps, const Place& counter) {
  if (steps.reset) k.if_(k.tid() == 0, [&] { k.st(counter, 0); });
}

}  // namespace fencewise
