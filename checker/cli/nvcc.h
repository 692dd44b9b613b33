// nvcc, where it is installed.
#pragma once

#include <string>
#include <vector>

namespace fencewise {

// The path of nvcc: on PATH, else in CUDA_HOME or /usr/local/cuda. Empty: there is none.
[[nodiscard]] std::string find_nvcc();

// `nvcc -ptx -O3 -lineinfo FILE`, with `args` behind. Throws InputError with nvcc's first complaint, or naming what is missing.
[[nodiscard]] std::string compile_to_ptx(const std::string& file, const std::vector<std::string>& args);

}  // namespace fencewise
