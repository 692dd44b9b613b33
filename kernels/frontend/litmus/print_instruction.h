// Instructions of a litmus-shaped kernel in the dialect.
#pragma once

#include <string>

#include "kernels/core/kernel.h"

namespace fencewise::litmus {

// Throws NotModelled for what the dialect has no form for. Not for branches, which need their block (print.cpp).
[[nodiscard]] std::string print_instruction(const Instruction& instruction, const Kernel& kernel);

// A register's name, or a signed number. Throws NotModelled for anything else.
[[nodiscard]] std::string print_value(const Operand& operand, const Kernel& kernel);

// `beq` for eq and so on.
[[nodiscard]] std::string branch_name(Compare compare);
[[nodiscard]] Compare inverse(Compare compare);

}  // namespace fencewise::litmus
