// Several instances of a plan in flight: is it safe to launch again before the last launch has ended?
//
// As a host program does that launches on several streams with one workspace: each instance has streams, inputs and outputs of
// its own, and the workspace that says so (Buffer::own_in_flight); the rest of the workspace is there once. The contract must
// hold of each instance.
#pragma once

#include <cstdint>

#include "kernels/core/problem.h"

namespace fencewise {

// Instance 1 keeps its names; of instance 2 they are "out#2", launches likewise. Throws InputError for threads placed by hand,
// which have no launch to repeat, and for contracts that are no promise (litmus conditions).
[[nodiscard]] Problem in_flight(const Problem& problem, std::uint32_t instances);

}  // namespace fencewise
