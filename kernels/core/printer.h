// Programs, problems and formulas as text: near PTX, stable, made to be read and compared by tests.
//
//   @%p atom.relaxed.gpu.add.u32 %ticket, sem[%tile], 1      array[index], index in elements
//   ld.weak.u8 %b, [sem + %i*2 + 1]                          array + bytes, where that is not an index
//   ld.weak.shared.u32 %x, s[0]                              a state space other than global is named
//   @!%p bra loop; bra done                                  a conditional branch names both ways
//
// Ids out of range print as %?7 and the like, so that what validate() refuses can still be shown.
#pragma once

#include <string>

#include "kernels/core/kernel.h"
#include "kernels/core/problem.h"

namespace fencewise {

struct PrintOptions {
  bool source_lines = false;  // `// file:line` behind each instruction that has one
};

// One line, without line end.
[[nodiscard]] std::string print(const Instruction& instruction, const Kernel& kernel);
// Declarations, then blocks with their labels. Ends with a line end.
[[nodiscard]] std::string print(const Kernel& kernel, const PrintOptions& options = {});
// Buffers, launches, contract, then every kernel. Ends with a line end.
[[nodiscard]] std::string print(const Problem& problem, const PrintOptions& options = {});
[[nodiscard]] std::string print(const Expr& expr, const Problem& problem);
[[nodiscard]] std::string print(const Formula& formula, const Problem& problem);

[[nodiscard]] std::string print(const Operand& operand, Type type, const Kernel& kernel);
[[nodiscard]] std::string print(const Address& address, const Kernel& kernel);
[[nodiscard]] std::string print(RegisterId reg, const Kernel& kernel);
// The block's label, or b<number> when it has none.
[[nodiscard]] std::string label_of(BlockId block, const Kernel& kernel);

// "splitk.cpp:42", "mp.litmus:7:14", or empty when unknown.
[[nodiscard]] std::string print(const SourceLine& where, const Kernel& kernel);
// "in acquire(), from k.cu:12, in step(), from k.cu:40", innermost first. Empty: it is in no function that was inlined.
[[nodiscard]] std::string print_callers(const SourceLine& where, const Kernel& kernel);
// Where a message about an instruction begins: "splitk.cpp:42: kernel 'splitk', 'fence.sc.gpu'"; when the line is
// unknown "kernel 'splitk', entry:3 'fence.sc.gpu'".
[[nodiscard]] std::string describe(const Kernel& kernel, InstructionRef ref);

}  // namespace fencewise
