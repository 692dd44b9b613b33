// `fencewise run` on a PTX or CUDA file: the launches of its launch file on the SIMT executor.
#pragma once

#include <cstdint>
#include <string>

#include "checker/cli/cuda_source.h"

namespace fencewise {

struct CudaRun {
  CudaSource source;
  std::uint64_t seed = 1;
  unsigned workers = 1;
  std::string json;  // file or "-"; empty: none
};

// The exit code: 0 where nothing faults and what must hold does.
[[nodiscard]] int run_cuda(const CudaRun& options);

}  // namespace fencewise
