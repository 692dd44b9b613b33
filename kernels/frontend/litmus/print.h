// Problems as litmus tests, in the dialect that parse.h reads.
//
// A problem that has the shape of a litmus test (is_litmus_shaped) is printed as it is, so that
// same(parse_litmus(print_litmus(p)), p). Any other is first specialized for its launch (specialize.h).
#pragma once

#include <string>

#include "kernels/core/problem.h"

namespace fencewise {

// Throws NotModelled, naming what the dialect can't say.
[[nodiscard]] std::string print_litmus(const Problem& problem);

// True if parse_litmus could have made it: one launch of placed threads that have a kernel each, one 64-bit element a
// buffer, registers r<n> of 64 bits, a condition with locations only on the left. Costs a print and a parse.
[[nodiscard]] bool is_litmus_shaped(const Problem& problem);

}  // namespace fencewise
