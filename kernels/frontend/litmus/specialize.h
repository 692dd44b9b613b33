// Turns a small problem of any source into the shape of a litmus test, by running what its launch fixes.
//
// Each thread becomes a kernel of its own in which special registers, parameters and all that follows from them are
// constants: loops over constant ranges are unrolled, branches on constants are taken, and every access has a location
// of its own (`ws[2]` becomes ws_2; a shared array's element has one location a CTA). What depends on memory stays.
// Barriers get one instance for each occurrence. Registers that the contract reads keep their names' order.
//
// Not exact in two points, both of which the dialect can't say: integers are taken as 64-bit numbers (a program
// that relies on unsigned wrap-around becomes another one), and memory that nobody wrote holds 0.
#pragma once

#include "kernels/core/problem.h"

namespace fencewise::litmus {

// Throws NotModelled, naming what has no form in the dialect or what is too large.
[[nodiscard]] Problem specialize(const Problem& problem);

}  // namespace fencewise::litmus
