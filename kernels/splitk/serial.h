// Split-K, serial form: every CTA of a tile leaves its partial sums in a workspace and counts itself in. The one that
// counts last adds all of them up, in the order of the splits, and resets the counter for the next launch.
//
// The steps are shared: a kernel stores its partials, asks serial_is_last(), and lets the last CTA reduce and call
// serial_reset(). splitk_serial_kernel() is all of it with nothing around; gemv.h is a real kernel made of the same.
// Each step can be left out or weakened: that is what a protocol's variants do. Written as CUDA compiles it:
// __threadfence() is fence.sc.gpu, atomicAdd is atom.relaxed.gpu, __ldcg is a weak load, the reset is a plain store.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/core/builder.h"
#include "kernels/splitk/tile.h"

namespace fencewise {

struct SerialSteps {
  How write_partial = weak, read_partial = cg;
  std::optional<Fence> writer_fence = Fence{Order::sc, Scope::gpu};  // every thread, before the barrier
  bool barrier_before_count = true;
  std::optional<Fence> leader_fence;  // thread 0, after the barrier
  How increment = relaxed(Scope::gpu);
  bool counter_per_tile = true;  // false: all tiles count on the first counter
  std::optional<Fence> reader_fence = Fence{Order::sc, Scope::gpu};  // thread 0 of the last CTA
  bool barrier_after_flag = true;
  bool reset = true;
};

// True for every thread of the CTA that counts last at `counter`. `flag`: one u32 of shared memory.
[[nodiscard]] Val serial_is_last(KernelBuilder& k, const SerialSteps& steps, const Place& counter,
                                 const Val& splits, const Array& flag, CtaThreads threads);
// Thread 0 makes the counter zero again, by a plain store: the launch's end publishes it.
void serial_reset(KernelBuilder& k, const SerialSteps& steps, const Place& counter);

// Global arrays: in, ws (f32[tile][split][thread]), sem (u32[tile]), out (f32[tile][thread]).
[[nodiscard]] Kernel splitk_serial_kernel(const SplitkTile& tile, const SerialSteps& steps);

}  // namespace fencewise
