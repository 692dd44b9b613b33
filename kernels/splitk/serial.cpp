#include "kernels/splitk/serial.h"

#include "kernels/splitk/count.h"

namespace fencewise {
namespace {

void emit(KernelBuilder& k, const std::optional<Fence>& fence) {
  if (fence) k.fence(fence->order, fence->scope);
}

}  // namespace

Val serial_is_last(KernelBuilder& k, const SerialSteps& steps, const Place& counter, const Val& splits,
                   const Array& flag, CtaThreads threads) {
  const bool several = threads == CtaThreads::several;
  emit(k, steps.writer_fence);
  if (several && steps.barrier_before_count) k.bar_sync();
  const Val last = k.var("last", Type::pred, false);
  k.if_(k.tid() == 0, [&] {
    emit(k, steps.leader_fence);
    const Val ticket = k.var("ticket", Type::u32, k.atom(AtomicOp::add, counter, 1, steps.increment));
    k.set(last, ticket == splits - 1);
    k.if_(last, [&] { emit(k, steps.reader_fence); });
    if (several) k.st(flag[0], last);
  });
  if (several) share_flag(k, last, flag, steps.barrier_after_flag);
  return last;
}

void serial_reset(KernelBuilder& k, const SerialSteps& steps, const Place& counter) {
  if (steps.reset) k.if_(k.tid() == 0, [&] { k.st(counter, 0); });
}

}  // namespace fencewise
