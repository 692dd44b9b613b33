// Split-K, atomic form: every CTA adds its partials to an accumulator and counts itself; the CTA that counts last moves
// the sums out, and puts accumulator and counter back to zero for the next launch.
//
// The steps that protocols and real kernels share; see serial.h.
#pragma once

#include <optional>

#include "kernels/core/builder.h"

namespace fencewise {

struct AtomicSteps {
  How add = relaxed(Scope::gpu);
  bool barrier_before_count = true;        // all threads have added before thread 0 counts
  How count = acq_rel(Scope::gpu);
  bool barrier_after_flag = true;
  bool rezero = true;                      // the accumulator, by a plain store
  bool reset = true;                       // the counter, by atom.exch
};

// True for every thread of the CTA that came last at `counter`. `flag`: one u32 of shared memory.
[[nodiscard]] Val atomic_is_last(KernelBuilder& k, const AtomicSteps& steps, const Place& counter, const Val& splits,
                                 const Array& flag);
// The sum at `place`, which is zero afterwards.
[[nodiscard]] Val atomic_take(KernelBuilder& k, const AtomicSteps& steps, const Place& place);
void atomic_reset(KernelBuilder& k, const AtomicSteps& steps, const Place& counter);

}  // namespace fencewise
