// Split-K, serial form: every CTA stores its partial results to a workspace and counts itself in; the CTA that counts
// last adds the partials up, in the order of the splits, and resets the counter for the next launch.
//
// These are the steps that protocols and real kernels share. A kernel stores its partials, asks serial_is_last(), and
// lets the last CTA reduce and call serial_reset(). Each step can be left out or weakened: that is what a protocol's
// variants do. Written as CUDA compiles it: __threadfence() is fence.sc.gpu, atomicAdd is relaxed.gpu, __ldcg is weak.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/core/builder.h"

namespace fencewise {

struct SerialSteps {
  How write_partial = weak, read_partial = cg;
  std::optional<Fence> writer_fence = Fence{Order::sc, Scope::gpu};  // every thread, before the barrier
  bool barrier_before_count = true;
  std::optional<Fence> leader_fence;  // thread 0, after the barrier
  How increment = relaxed(Scope::gpu);
  std::optional<Fence> reader_fence = Fence{Order::sc, Scope::gpu};  // thread 0 of the last CTA
  bool barrier_after_flag = true;
  bool reset = true;
};

// A thread alone in its CTA needs no barrier and no flag to agree with itself.
enum class CtaThreads : std::uint8_t { one, several };

// True for every thread of the CTA that counts last at `counter`. `flag`: one u32 of shared memory.
[[nodiscard]] Val serial_is_last(KernelBuilder& k, const SerialSteps& steps, const Place& counter,
                                 const Val& splits, const Array& flag, CtaThreads threads);
// Thread 0 makes the counter zero again, by a plain store: the launch's end publishes it.
void serial_reset(KernelBuilder& k, const SerialSteps& steps, const Place& counter);

}  // namespace fencewise
