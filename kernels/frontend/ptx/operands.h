// The operands of one instruction, looked up: registers, immediates, special registers, addresses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/core/instruction.h"
#include "kernels/frontend/diagnostics.h"
#include "kernels/frontend/ptx/emitter.h"
#include "kernels/frontend/ptx/memory_map.h"
#include "kernels/frontend/ptx/names.h"
#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

// An instruction that is right and not modelled; what() says which part of it, empty: all of it.
class Refusal : public std::runtime_error {
 public:
  explicit Refusal(const std::string& what = "") : std::runtime_error(what) {}
};

// A register that holds the address of a parameter, which only `ld.param` may use.
struct ParamPointer {
  std::size_t param = 0;
  std::uint64_t offset = 0;
};

class Operands {
 public:
  Operands(const Function& function, Names& names, MemoryMap& memory, Emitter& emitter,
           const Diagnostics& diagnostics)
      : function_(function), names_(names), memory_(memory), emitter_(emitter), diagnostics_(diagnostics) {}

  void of(const Instruction& instruction) { instruction_ = &instruction; }
  [[nodiscard]] std::size_t count() const { return instruction_->operands.size(); }
  // Throws InputError where the instruction has too few.
  [[nodiscard]] const Operand& at(std::size_t n) const;

  // What an instruction reads as `type`.
  [[nodiscard]] fencewise::Operand value(const Operand& operand, Type type);
  [[nodiscard]] fencewise::Operand value(std::size_t n, Type type) { return value(at(n), type); }
  // A predicate, negated into a temporary where `!` says so.
  [[nodiscard]] fencewise::Operand predicate(std::size_t n) { return value(n, Type::pred); }
  // Where a result goes; for `_` a temporary of that type.
  [[nodiscard]] RegisterId result(const Operand& operand, Type type);
  [[nodiscard]] RegisterId result(std::size_t n, Type type) { return result(at(n), type); }
  // q of p|q.
  [[nodiscard]] std::optional<RegisterId> second_result(std::size_t n);
  [[nodiscard]] Address address(std::size_t n, StateSpace space);
  [[nodiscard]] RegisterId register_named(const Token& name);
  // The variable that an operand names, if it is one.
  [[nodiscard]] const Variable* variable(const Operand& operand);
  [[nodiscard]] LabelId label(std::size_t n);

  // --- parameters ---
  // The parameter that `[p + offset]`, or a register with its address, points to. No value: none of the kernel's.
  [[nodiscard]] std::optional<ParamPointer> param_at(const Operand& operand);
  void remember_param(RegisterId reg, ParamPointer pointer) { pointers_[reg.value] = pointer; }

 private:
  [[nodiscard]] std::optional<std::size_t> param_named(const std::string& name) const;
  [[nodiscard]] fencewise::Operand named_value(const Operand& operand, Type type);
  [[nodiscard]] std::optional<fencewise::Operand> special(const Operand& operand) const;
  [[nodiscard]] Symbol symbol(const Token& name);
  [[noreturn]] void unknown(const Token& name) const;

  const Function& function_;
  Names& names_;
  MemoryMap& memory_;
  Emitter& emitter_;
  const Diagnostics& diagnostics_;
  const Instruction* instruction_ = nullptr;
  std::map<std::uint32_t, ParamPointer> pointers_;
};

}  // namespace fencewise::ptx
