// A launch file and a PTX module together: a problem.
#pragma once

#include <string>
#include <string_view>

#include "kernels/core/problem.h"
#include "kernels/frontend/launchfile/launch_file.h"
#include "kernels/frontend/ptx/lower.h"
#include "kernels/frontend/ptx/program.h"

namespace fencewise::launchfile {

// Buffers are those of the file, then the module's variables that the launched kernels use. Throws InputError, with a
// place in the launch file, where they don't fit; NotModelled for what is asked and not modelled.
[[nodiscard]] Problem build_problem(const LaunchFile& file, const ptx::Program& program, ptx::Lines lines,
                                    const Diagnostics& diagnostics);

}  // namespace fencewise::launchfile
