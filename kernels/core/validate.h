// Is this a program, and a problem, at all? What passes can be printed, interpreted and explored without further
// checks of ids, shapes and sizes; what an execution does (bounds, divergence, races) is the checker's business.
//
// Throws InputError with one line that names the kernel, the instruction and its source line when known:
// "splitk.cpp:42: kernel 'splitk', 'ld.release.gpu.u32 %r, x[0]': a load is weak, relaxed or acquire".
// Throws NotModelled, worded likewise, for what PTX allows and this program doesn't model (a barrier number in a
// register).
#pragma once

#include <cstdint>

#include "kernels/core/problem.h"

namespace fencewise {

inline constexpr std::uint64_t max_threads_per_cta = 1024;
inline constexpr std::uint64_t max_threads = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_bytes = std::uint64_t{1}
                                           << 30;  // of all buffers; of a kernel's own arrays
inline constexpr std::uint32_t max_replays = 1'000'000;

// What can be said of a kernel without its launch.
void validate(const Kernel& kernel);
// Every kernel, then buffers, launches with each kernel's barriers, contract.
void validate(const Problem& problem);

// The formulas of the contract alone, for a problem whose kernels, buffers and launches are valid.
void validate_contract(const Problem& problem);

}  // namespace fencewise
