// Formulas of litmus-shaped problems as litmus conditions.
#pragma once

#include <string>

#include "kernels/core/problem.h"

namespace fencewise::litmus {

// Throws NotModelled for what conditions can't say: a location on the right, sums, quantifiers, remainders.
[[nodiscard]] std::string print_condition(const Formula& formula, const Problem& problem);

}  // namespace fencewise::litmus
