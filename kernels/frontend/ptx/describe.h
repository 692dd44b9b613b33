// What was understood of a PTX module, for people: kernels, parameters, memory, and what each synchronization operation
// means in the model.
#pragma once

#include <string>
#include <vector>

#include "kernels/frontend/ptx/lower.h"
#include "kernels/frontend/ptx/program.h"

namespace fencewise::ptx {

[[nodiscard]] std::string describe(const Program& program);

// A commented launch file for one kernel: sizes are guesses to be changed.
[[nodiscard]] std::string launch_file_for(const Program& program, const Function& function);

}  // namespace fencewise::ptx
