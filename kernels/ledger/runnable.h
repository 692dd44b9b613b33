// The kernels that `fencewise run` knows by name, with their parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ledger/prepared.h"

namespace fencewise {

struct RunnableParameter {
  std::string name;
  std::int64_t standard = 0;
  std::string help;
};

using RunnableValues = std::map<std::string, std::int64_t, std::less<>>;

struct RunnableKernel {
  std::string name;     // "reduction-1"
  std::string summary;  // one line
  std::vector<RunnableParameter> parameters;
  // Takes a value for each parameter. Throws InputError for values that don't fit.
  std::function<PreparedRun(const RunnableValues&)> prepare;
};

// reduction-1 … reduction-6, gemm-k1 … gemm-k9, gemm-k5v, splitk-gemv, splitk-gemv-atomic, reverse, reverse-no-barrier.
[[nodiscard]] const std::vector<RunnableKernel>& runnable_kernels();
// Null: there is none.
[[nodiscard]] const RunnableKernel* find_runnable(std::string_view name);

// The kernel changed as `variant` says: drop-barrier-1, drop-barrier-2, ... Throws InputError for any other name.
void apply_variant(PreparedRun& prepared, std::string_view variant);

// With `given` ("n=512") over the standard values. Throws InputError for what is unknown or no number.
[[nodiscard]] PreparedRun prepare(const RunnableKernel& kernel, const std::vector<std::string>& given);

}  // namespace fencewise
