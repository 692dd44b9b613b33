// What each PTX instruction means.
//
// One member function for a mnemonic, or for a family of them; each takes the modifiers it understands.
// Sources: PTX ISA 9.1, "Instruction Set" (9.7); for orders and scopes "Memory Consistency Model" (8).
#pragma once

#include <map>
#include <string>

#include "kernels/frontend/ptx/opcode.h"
#include "kernels/frontend/ptx/operands.h"

namespace fencewise::ptx {

class InstructionLowering {
 public:
  InstructionLowering(const Function& function, Names& names, MemoryMap& memory, Emitter& emitter,
                      const Diagnostics& diagnostics);

  // Emits what `instruction` means, or an Unmodelled that names it.
  void lower(const Instruction& instruction);
  void lower(const PrintfCall& call);
  void lower(const AssertCall& call);

 private:
  using Handler = void (InstructionLowering::*)();
  static const std::map<std::string_view, Handler>& handlers();
  void lower_or_refuse();
  void guard_by(const std::optional<Guard>& guard);
  [[nodiscard]] fencewise::Operand shown(const Operand& value, Type type);

  // --- data movement and arithmetic (lower_arithmetic.cpp) ---
  void mov();
  void pack(Type type);
  void unpack(Type type);
  bool move_param_address();
  void cvta();
  void isspacep();
  void cvt();
  void selp();
  void setp();
  void unary(Arith op);
  void binary(Arith op);
  void ternary(Arith op);
  void neg() { unary(Arith::neg); }
  void abs() { unary(Arith::abs); }
  void bit_not() { unary(Arith::bit_not); }
  void brev() { unary(Arith::brev); }
  void sqrt() { rounded_unary(Arith::sqrt); }
  void rcp() { rounded_unary(Arith::rcp); }
  void rounded_unary(Arith op);
  void count(Arith op);
  void popc() { count(Arith::popc); }
  void clz() { count(Arith::clz); }
  void bfind();
  void add() { binary(Arith::add); }
  void sub() { binary(Arith::sub); }
  void div();
  void rem() { binary(Arith::rem); }
  void min() { binary(Arith::min); }
  void max() { binary(Arith::max); }
  void bit_and() { binary(Arith::bit_and); }
  void bit_or() { binary(Arith::bit_or); }
  void bit_xor() { binary(Arith::bit_xor); }
  void mul();
  void mad();
  void fma() { ternary(Arith::fma); }
  void shl() { shift(Arith::shl); }
  void shr() { shift(Arith::shr); }
  void shift(Arith op);
  void bfe();
  void bfi();
  void prmt();
  void shf();
  void lop3();

  // --- memory (lower_memory.cpp) ---
  Access access(std::size_t address);
  void take_hints();
  void ld();
  void ld_param();
  void st();
  void atomic(bool red);
  void atom() { atomic(false); }
  void red() { atomic(true); }
  void fence();
  void membar();
  void ignore();

  // --- control, barriers, warps (lower_control.cpp) ---
  void bra();
  void ret();
  void trap();
  void call();
  void bar();
  void bar_warp_sync();
  void shfl();
  void vote();
  void match();
  void redux();
  void activemask();

  // --- helpers ---
  Type type();               // throws Refusal where the type is not modelled
  void take_nearest_even();  // .rn, and .ftz, which differs on denormals only
  RegisterId arith(Arith op, Type type, fencewise::Operand a, fencewise::Operand b = {},
                   fencewise::Operand c = {});
  void arith_to(RegisterId dst, Arith op, Type type, fencewise::Operand a, fencewise::Operand b = {},
                fencewise::Operand c = {});
  void compare_to(RegisterId dst, Compare op, Type type, fencewise::Operand a, fencewise::Operand b);
  RegisterId compare(Compare op, Type type, fencewise::Operand a, fencewise::Operand b);
  RegisterId convert(Type to, Type from, fencewise::Operand a);
  void convert_to(RegisterId dst, Type to, Type from, fencewise::Operand a);
  void combine_to(RegisterId dst, std::optional<Arith> op, RegisterId comparison, std::size_t predicate);
  fencewise::Operand mask(std::size_t n) { return operands_.value(n, Type::u32); }

  const Diagnostics& diagnostics_;
  MemoryMap& memory_;
  Emitter& emitter_;
  Operands operands_;
  std::map<std::string, unsigned> definitions_;  // how often a name comes first in an instruction
  const Instruction* instruction_ = nullptr;
  Opcode opcode_{""};
};

}  // namespace fencewise::ptx
