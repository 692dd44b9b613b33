// A litmus condition becomes a formula of the contract language.
#pragma once

#include <vector>

#include "kernels/core/contract.h"
#include "kernels/frontend/litmus/locations.h"
#include "kernels/frontend/litmus/registers.h"
#include "kernels/frontend/litmus/syntax.h"

namespace fencewise::litmus {

// Throws InputError for a thread, register or location that the test has not, and where a number stands for a truth
// value or the other way round; NotModelled for a location on the right of a comparison, which is its address.
[[nodiscard]] FormulaPtr lower_condition(const Condition& condition, const std::vector<Registers>& threads,
                                         const Locations& locations, const Diagnostics& diagnostics);

}  // namespace fencewise::litmus
