// Hand-made kernels and problems as data, for tests of the core: small, and wrong in just one place when wanted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/problem.h"

namespace fencewise::testing {

// An access to one u32 element; weak unless said otherwise.
[[nodiscard]] Access word(ArrayId array, Operand index, Order order = Order::weak, Scope scope = Scope::gpu);
[[nodiscard]] Instruction load(RegisterId dst, const Access& access);
[[nodiscard]] Instruction store(const Access& access, Operand value);
[[nodiscard]] Instruction arithmetic(Arith op, Type type, RegisterId dst, Operand a, Operand b = Operand(),
                                     Operand c = Operand());
[[nodiscard]] Instruction plain(Operation operation);
[[nodiscard]] Instruction guarded(RegisterId predicate, Instruction instruction);

// A kernel `k` with registers %r0 %r1 (u32), %p (pred), %f (f32), %d (u64), global arrays x and y (u32), a shared
// array s of 32 u32, a param n (u32), and one block: the instructions given, then exit.
namespace sample {
inline constexpr RegisterId r0{0}, r1{1}, p{2}, f{3}, d{4};
inline constexpr ArrayId x{0}, y{1}, s{2};
inline constexpr ParamId n{0};
}  // namespace sample
[[nodiscard]] Kernel sample_kernel(std::vector<Instruction> instructions);

// Control flow only. [block] -> successors: none is exit, one is bra, two are a conditional branch on %p.
[[nodiscard]] Kernel shape(const std::vector<std::vector<std::uint32_t>>& successors);

// One launch of the kernel, warp size 1: a workspace buffer of 4 zero elements for every global array, params 0.
[[nodiscard]] Problem problem_of(Kernel kernel, Dim3 grid = {1, 1, 1}, Dim3 block = {1, 1, 1});

// The split-K semaphore with one thread a CTA: store a part, take a ticket, the last one sums.
[[nodiscard]] Problem split_k();

}  // namespace fencewise::testing
