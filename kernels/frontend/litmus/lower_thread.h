// One column of a litmus test becomes a kernel.
#pragma once

#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/frontend/litmus/locations.h"
#include "kernels/frontend/litmus/registers.h"
#include "kernels/frontend/litmus/syntax.h"

namespace fencewise::litmus {

// The cells of one thread, in order; empty ones left out.
using Column = std::vector<const Cell*>;

// Mentions every register that the column names.
void collect_registers(const Column& column, Registers& registers);

// `registers` are numbered and `kernel` has them; fills blocks and arrays, adds locations that nothing declares,
// and marks the registers that are written. Throws InputError.
void lower_thread(const Column& column, Position end, Registers& registers, Locations& locations,
                  Kernel& kernel, const Diagnostics& diagnostics);

}  // namespace fencewise::litmus
