// From counted events to time: what each resource would need alone. The largest is the time and names the bound.
//
// The models are rooflines: every resource at its peak, nothing waits for latency, the GPU counts as full. They are
// meant to tell which resource a version saturates, not to foresee a stopwatch.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/core/simt/counters.h"
#include "kernels/ledger/device.h"

namespace fencewise {

struct TimeTerm {
  std::string_view resource;  // "issue", "shared", "memory", "L1", "FMA"
  double seconds = 0;
};

struct Prediction {
  std::vector<TimeTerm> terms;

  [[nodiscard]] const TimeTerm& bound() const;
  [[nodiscard]] double seconds() const { return bound().seconds; }
  [[nodiscard]] double seconds_of(std::string_view resource) const;  // 0 if there is no such term
};

// issue, shared, memory. Data come from device memory once.
[[nodiscard]] Prediction predict_reduction(const Counters& counters, const Device& device);
// issue, L1, shared, FMA. Data come from the caches, so what L1 delivers is the limit, not device memory.
[[nodiscard]] Prediction predict_gemm(const Counters& counters, const Device& device);

// Floating-point operations: 2 n³ for a GEMM.
[[nodiscard]] double gemm_gflops(std::uint64_t n, double seconds);

}  // namespace fencewise
