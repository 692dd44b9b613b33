// printf as nvcc writes it, made one statement again.
//
// The arguments are stored to local memory, and vprintf gets two addresses: that of the format, a module variable, and that
// of the arguments. Followed are registers that have one value, an address plus a constant, and stores in the straight code
// before the call. Local memory and texts that serve nothing else go, with what computes their addresses: so printf adds
// nothing that could be observed.
#pragma once

#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

[[nodiscard]] Function with_printf_calls(const Module& module, const Function& function);

}  // namespace fencewise::ptx
