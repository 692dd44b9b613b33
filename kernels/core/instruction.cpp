#include "kernels/core/instruction.h"

namespace fencewise {

bool is_terminator(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  return std::holds_alternative<Branch>(operation) || std::holds_alternative<CondBranch>(operation) ||
         std::holds_alternative<Exit>(operation) || std::holds_alternative<Trap>(operation);
}

}  // namespace fencewise
