// A PTX file, or a CUDA file that nvcc makes one of, and the launch file that says how its kernels run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/problem.h"
#include "kernels/frontend/launchfile/expression.h"
#include "kernels/frontend/ptx/program.h"

namespace fencewise {

struct CudaSource {
  std::string file;                     // .ptx or .cu
  std::string launch;                   // empty: the .toml file of the same name
  std::vector<std::string> nvcc_args;   // of a .cu file
  launchfile::Constants constants;      // that override the launch file's
  std::optional<std::int64_t> replays;  // that override the launch file's
  bool ptx_lines = false;
};

[[nodiscard]] bool is_cuda_file(const std::string& file);
// "n=4", "m=2". Throws InputError for what is no number, and for names given twice.
[[nodiscard]] launchfile::Constants constants_of(const std::vector<std::string>& params);
// Separated by spaces.
[[nodiscard]] std::vector<std::string> words(const std::string& text);
// Throws InputError where the file is no PTX module, and for a .cu file where nvcc is missing or refuses it.
[[nodiscard]] ptx::Program read_program(const std::string& file, const std::vector<std::string>& nvcc_args);
// The PTX itself; of a .cu file what nvcc makes of it. Throws likewise, but for what is no PTX module.
[[nodiscard]] std::string ptx_text_of(const std::string& file, const std::vector<std::string>& nvcc_args);
[[nodiscard]] Problem problem_of(const CudaSource& source);
// " --launch l.toml --param n=4", with what the user gave.
[[nodiscard]] std::string arguments_of(const CudaSource& source);
// What a report keeps of it, and back.
[[nodiscard]] std::map<std::string, std::string> texts_of(const CudaSource& source);
[[nodiscard]] CudaSource cuda_source_of(const std::string& file,
                                        const std::map<std::string, std::string>& texts);

}  // namespace fencewise
