// Split-K, atomic form: every CTA of a tile adds its partials to an accumulator and counts itself in. The one that
// counts last moves the sums out, and leaves accumulator and counter at zero for the next launch.
//
// Shared steps and a kernel with nothing around them, as in serial.h. The additions are relaxed; the count releases and
// acquires, so that the last CTA may read the sums weakly.
#pragma once

#include "kernels/core/builder.h"
#include "kernels/splitk/tile.h"

namespace fencewise {

struct AtomicSteps {
  How add = relaxed(Scope::gpu);
  bool barrier_before_count = true;
  How increment = acq_rel(Scope::gpu);
  bool barrier_after_flag = true;
  bool rezero = true;  // the accumulator, by a plain store
  bool reset = true;   // the counter, by atom.exch
};

// True for every thread of the CTA that counts last at `counter`. `flag`: one u32 of shared memory.
[[nodiscard]] Val atomic_is_last(KernelBuilder& k, const AtomicSteps& steps, const Place& counter,
                                 const Val& splits, const Array& flag, CtaThreads threads);
// Leaves zero at `place`. Each thread its own element, after its own read: no barrier.
void atomic_rezero(KernelBuilder& k, const AtomicSteps& steps, const Place& place);
void atomic_reset(KernelBuilder& k, const AtomicSteps& steps, const Place& counter);

// Global arrays: in (f32[tile][split][thread]), acc (f32[tile][thread]), sem (u32[tile]), out (f32[tile][thread]).
[[nodiscard]] Kernel splitk_atomic_kernel(const SplitkTile& tile, const AtomicSteps& steps);

}  // namespace fencewise
