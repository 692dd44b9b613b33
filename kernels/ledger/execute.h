// Runs the built-in kernels on their standard data and judges the results.
#pragma once

#include <cstdint>

#include "kernels/ledger/prepared.h"

namespace fencewise {

struct Executed {
  RunResult run;
  bool right = false;  // the result is exactly what it must be; false after a fault
};
[[nodiscard]] Executed execute(PreparedRun prepared, unsigned workers = 1);

struct ExecutedGemm {
  RunResult run;
  bool same_bits = false;    // as the triple loop with fma
  double largest_error = 0;  // against the product in double
};
[[nodiscard]] ExecutedGemm execute_gemm(GemmVersion version, const GemmData& data, unsigned workers = 1);

}  // namespace fencewise
