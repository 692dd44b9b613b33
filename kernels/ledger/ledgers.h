// The ledgers of `fencewise ledger`: functions from options to tables. docs/ledgers.md tells how to read them.
//
// All figures are simulated or computed: the same in every run. Bad options throw InputError.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ledger/table.h"

namespace fencewise {

// What shared-memory patterns cost: strides, and the access patterns of the GEMM kernels.
[[nodiscard]] Ledger banks_ledger();

struct SyncOptions {
  std::int64_t threads = 256;
};
// What the in-order race detector sees: reverse with and without its barrier, reductions 5 and 6.
[[nodiscard]] Ledger sync_ledger(const SyncOptions& options = {});

struct ReductionOptions {
  std::int64_t n = std::int64_t{1} << 18;
  std::int64_t threads = 256;
  std::string device = "a100";
  unsigned workers = 1;
};
[[nodiscard]] Ledger reduction_ledger(const ReductionOptions& options = {});

struct GemmOptions {
  std::vector<std::int64_t> sizes{128, 256};
  std::int64_t at = 4096;  // the size of the model, a multiple of the largest of `sizes`
  std::string device = "a6000";
  unsigned workers = 1;
};
[[nodiscard]] Ledger gemm_ledger(const GemmOptions& options = {});

// Results a thread computes against what shared memory must deliver, on every device.
[[nodiscard]] Ledger tiles_ledger();

struct SplitkOptions {
  std::int64_t rows = 256;
  std::int64_t columns = 65536;
  std::int64_t rows_per_block = 16;
  std::int64_t blocks_per_sm = 1;
  std::int64_t max_splits = 64;
  std::string device = "h100";
};
// Predicted time of split-K GEMV against the number of splits, in either form.
[[nodiscard]] Ledger splitk_ledger(const SplitkOptions& options = {});

}  // namespace fencewise
