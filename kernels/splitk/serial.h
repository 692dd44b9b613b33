// Split-K, serial form: every CTA stores its partial results to a workspace and takes a ticket; the CTA with the last
// ticket adds the slices up in a fixed order, and makes the counter ready for the next launch.
//
// These are the steps that protocols and real kernels share. A kernel stores its partials, asks serial_is_last(), and
// lets the last CTA reduce and call serial_reset(). Each step can be left out or weakened: that is what a protocol's
// variants do.
#pragma once

#include <optional>

#include "kernels/core/builder.h"

namespace fencewise {

struct FenceStep {
  Order order = Order::sc;
  Scope scope = Scope::gpu;
};

struct SerialSteps {
  How partial_stores = weak;
  std::optional<FenceStep> release = FenceStep{};    // before the ticket is taken; __threadfence() is fence.sc.gpu
  bool only_leader_releases = false;                 // thread 0 alone, after the barrier, instead of every thread
  bool barrier_before_ticket = true;                 // all threads have stored before thread 0 counts
  How ticket = relaxed(Scope::gpu);                  // atomicAdd
  std::optional<FenceStep> acquire = FenceStep{};    // thread 0, after the ticket
  bool barrier_after_flag = true;                    // all threads read what thread 0 wrote
  How partial_loads = cg;                            // __ldcg: weak
  bool reset = true;
};

// True for every thread of the CTA that came last at `counter`. `flag`: one u32 of shared memory.
[[nodiscard]] Val serial_is_last(KernelBuilder& k, const SerialSteps& steps, const Place& counter, const Val& splits,
                                 const Array& flag);
// Thread 0 makes the counter zero again, by a plain store as CUDA code does: the launch's end publishes it.
void serial_reset(KernelBuilder& k, const SerialSteps& steps, const Place& counter);

}  // namespace fencewise
