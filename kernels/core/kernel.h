// A kernel: registers, arrays and basic blocks of instructions. Plain data; build it with builder.h or a front end,
// check it with validate.h, show it with printer.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/instruction.h"

namespace fencewise {

struct RegisterDecl {
  std::string name;
  Type type = Type::u32;
};

// A variable within an array, for names: `offset` and `length` in bytes and elements.
struct ArrayPart {
  std::string name;
  Type element = Type::u32;
  std::uint64_t offset = 0;
  std::uint64_t length = 1;
};

// An array as the kernel names it. Global arrays are parameters: a launch binds each to a buffer (problem.h), by
// name unless it says otherwise. Shared arrays belong to the CTA, local ones to the thread; both start unwritten.
struct ArrayDecl {
  std::string name;
  Type element = Type::u32;
  StateSpace space = StateSpace::global;
  std::uint64_t length = 0;  // elements; shared and local only (a global array has its buffer's length)
  // What the array is made of, by offset: a PTX kernel's shared memory is one window of bytes that holds its variables.
  // Empty: it is itself a variable.
  std::vector<ArrayPart> parts{};
};

struct ParamDecl {
  std::string name;
  Type type = Type::u32;
};

struct Block {
  std::string label;
  std::vector<Instruction> instructions;  // the last one is a terminator, no other is
};

// The part that holds the byte at `offset`; null: none.
[[nodiscard]] const ArrayPart* part_at(const std::vector<ArrayPart>& parts, std::uint64_t offset);

// Names one instruction of a kernel.
struct InstructionRef {
  BlockId block;
  std::uint32_t index = 0;
  friend bool operator==(const InstructionRef&, const InstructionRef&) = default;
};

// A call of a function of the user's that was inlined.
struct InlinedCall {
  std::string function;  // empty: unknown
  SourceLine at;
  friend bool operator==(const InlinedCall&, const InlinedCall&) = default;
};

struct Kernel {
  std::string name;
  std::vector<std::string> files;         // source files, as SourceLine::file counts them
  std::vector<InlinedCall> inlined;       // as SourceLine::inlined counts them; those of the caller before its own
  std::vector<ParamDecl> params;
  std::vector<ArrayDecl> arrays;
  std::vector<RegisterDecl> registers;
  std::vector<std::uint64_t> register_initial;  // empty, or one value a register (litmus tests); else 0
  std::vector<Block> blocks;              // blocks[0] is the entry

  [[nodiscard]] const Instruction& at(InstructionRef ref) const {
    return blocks[ref.block.value].instructions[ref.index];
  }
  [[nodiscard]] const RegisterDecl& operator[](RegisterId r) const { return registers[r.value]; }
  [[nodiscard]] const ArrayDecl& operator[](ArrayId a) const { return arrays[a.value]; }
};

}  // namespace fencewise
