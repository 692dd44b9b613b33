// A PTX kernel in the program representation.
//
// What is not modelled becomes an Unmodelled instruction that names itself with its file and line, so that a check is
// inconclusive only where a thread reaches it. Throws InputError for names that are not declared and for operands that
// an instruction can't have.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/frontend/ptx/emitter.h"
#include "kernels/frontend/ptx/memory_map.h"
#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

enum class Lines : std::uint8_t {
  cuda,
  ptx
};  // which source lines instructions carry; cuda where there are any

struct LoweredKernel {
  Kernel kernel;
  std::vector<std::uint64_t> params;         // values of the kernel's params, where there were arguments
  std::vector<const Variable*> globals;      // the module's variables that it uses
  std::vector<std::vector<Origin>> origins;  // [block][instruction]
};

// `arguments` may be null: for showing the kernel alone.
[[nodiscard]] LoweredKernel lower(const Module& module, const Function& function, const Arguments* arguments,
                                  Lines lines, const Diagnostics& diagnostics);

}  // namespace fencewise::ptx
