// printf and failed asserts as nvcc writes them, each made one statement again.
//
// The arguments of a printf are stored to local memory, and vprintf gets two addresses: that of the format, a module variable, and
// that of the arguments. Followed are registers that have one value, an address plus a constant, and the one store that reaches the
// call. __assertfail gets addresses of texts. Local memory and texts that serve nothing else go, with what computes their addresses:
// so neither adds anything that could be observed.
#pragma once

#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

[[nodiscard]] Function with_printf_calls(const Module& module, const Function& function);

}  // namespace fencewise::ptx
