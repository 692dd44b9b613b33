#include "kernels/frontend/ptx/operands.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "kernels/frontend/ptx/number.h"

namespace fencewise::ptx {
namespace {

const std::unordered_map<std::string_view, SpecialRegister>& special_registers() {
  using S = SpecialRegister;
  static const std::unordered_map<std::string_view, S> table{{"%tid.x", S::tid_x},
                                                             {"%tid.y", S::tid_y},
                                                             {"%tid.z", S::tid_z},
                                                             {"%ntid.x", S::ntid_x},
                                                             {"%ntid.y", S::ntid_y},
                                                             {"%ntid.z", S::ntid_z},
                                                             {"%ctaid.x", S::ctaid_x},
                                                             {"%ctaid.y", S::ctaid_y},
                                                             {"%ctaid.z", S::ctaid_z},
                                                             {"%nctaid.x", S::nctaid_x},
                                                             {"%nctaid.y", S::nctaid_y},
                                                             {"%nctaid.z", S::nctaid_z},
                                                             {"%laneid", S::laneid},
                                                             {"%warpid", S::warpid},
                                                             {"%nwarpid", S::nwarpid},
                                                             {"%lanemask_eq", S::lanemask_eq},
                                                             {"%lanemask_le", S::lanemask_le},
                                                             {"%lanemask_lt", S::lanemask_lt},
                                                             {"%lanemask_ge", S::lanemask_ge},
                                                             {"%lanemask_gt", S::lanemask_gt},
                                                             {"%clock", S::clock},
                                                             {"%clock_hi", S::clock},
                                                             {"%clock64", S::clock},
                                                             {"%globaltimer", S::clock},
                                                             {"%globaltimer_lo", S::clock},
                                                             {"%globaltimer_hi", S::clock}};
  return table;
}

// Special registers end in no number, but for %envreg3 and %pm1: what else does is a register that was not declared.
bool is_special(const std::string& name) {
  if (!name.starts_with('%')) return false;
  return name.find_first_of("0123456789") == std::string::npos || name.starts_with("%envreg") ||
         name.starts_with("%reserved_smem") || name.starts_with("%pm");
}

bool is_sink(const Operand& operand) {
  return operand.kind == Operand::Kind::name && operand.token.text == "_";
}

}  // namespace

const Operand& Operands::at(std::size_t n) const {
  if (n < instruction_->operands.size()) return instruction_->operands[n];
  const Token& opcode = instruction_->opcode;
  diagnostics_.error(opcode.at, fmt::format("found {} operand{} of {}; expected more", count(),
                                            count() == 1 ? "" : "s", quoted(opcode.text)));
}

void Operands::unknown(const Token& name) const {
  diagnostics_.error(name.at, fmt::format("found {}; expected a name that is declared", quoted(name.text)));
}

Symbol Operands::symbol(const Token& name) {
  if (const auto found = names_.find(name.text)) return *found;
  unknown(name);
}

RegisterId Operands::register_named(const Token& name) {
  const Symbol found = symbol(name);
  if (const auto* reg = std::get_if<RegisterId>(&found)) return *reg;
  diagnostics_.error(name.at, fmt::format("found {}; expected a register", quoted(name.text)));
}

const Variable* Operands::variable(const Operand& operand) {
  if (operand.kind != Operand::Kind::name) return nullptr;
  const auto found = names_.find(operand.token.text);
  const auto* variable = found ? std::get_if<const Variable*>(&*found) : nullptr;
  return variable == nullptr ? nullptr : *variable;
}

LabelId Operands::label(std::size_t n) {
  const Token& name = at(n).token;
  const Symbol found = symbol(name);
  if (const auto* id = std::get_if<LabelId>(&found)) return *id;
  diagnostics_.error(name.at, fmt::format("found {}; expected a label", quoted(name.text)));
}

std::optional<fencewise::Operand> Operands::special(const Operand& operand) const {
  const std::string& name = operand.token.text;
  if (name == "WARP_SZ") return fencewise::Operand::imm(32);
  if (const auto it = special_registers().find(name); it != special_registers().end()) return it->second;
  return std::nullopt;
}

fencewise::Operand Operands::named_value(const Operand& operand, Type type) {
  const auto found = names_.find(operand.token.text);
  if (!found) {
    if (const auto known = special(operand)) return *known;
    if (is_special(operand.token.text)) throw Refusal(operand.token.text);
    if (param_named(operand.token.text)) throw Refusal("the address of a parameter");
    unknown(operand.token);
  }
  if (const auto* reg = std::get_if<RegisterId>(&*found)) {
    if (pointers_.contains(reg->value)) throw Refusal("the address of a parameter");
    return *reg;
  }
  const auto* variable = std::get_if<const Variable*>(&*found);
  if (variable == nullptr) throw Refusal("the address of a label");
  const auto place = memory_.find(**variable);
  if (!place) throw Refusal(fmt::format("the address of {}", operand.token.text));
  const std::uint64_t offset = place->offset + static_cast<std::uint64_t>(operand.offset);
  const bool in_window = place->space == StateSpace::shared || place->space == StateSpace::local;
  if (in_window) return fencewise::Operand::imm(truncate(type, offset));
  return fencewise::Operand::address_of(place->array, offset);
}

fencewise::Operand Operands::value(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::integer:
      return fencewise::Operand::imm(truncate(type, integer_bits(operand.token.text)));
    case Operand::Kind::real: {
      const Type real = is_float(type) ? type : size_of(type) == 8 ? Type::f64 : Type::f32;
      return fencewise::Operand::imm(real_bits(operand.token.text, real));
    }
    case Operand::Kind::name: break;
    case Operand::Kind::address:
    case Operand::Kind::vector:
    case Operand::Kind::list:
      diagnostics_.error(operand.token.at, fmt::format("found {}; expected a register or a number",
                                                       quoted(operand.token.text)));
  }
  const fencewise::Operand found = named_value(operand, type);
  if (!operand.negated) return found;
  const RegisterId negation = emitter_.temporary(Type::pred);
  emitter_.emit(
      Arithmetic{.op = Arith::bit_not, .type = Type::pred, .dst = negation, .a = found, .b = {}, .c = {}});
  return negation;
}

RegisterId Operands::result(const Operand& operand, Type type) {
  if (is_sink(operand)) return emitter_.temporary(type);
  if (operand.kind != Operand::Kind::name)
    diagnostics_.error(operand.token.at,
                       fmt::format("found {}; expected a register", quoted(operand.token.text)));
  const RegisterId reg = register_named(operand.token);
  if (pointers_.contains(reg.value)) throw Refusal("changing the address of a parameter");
  return reg;
}

std::optional<RegisterId> Operands::second_result(std::size_t n) {
  const auto& second = at(n).second;
  if (!second || second->text == "_") return std::nullopt;
  return register_named(*second);
}

Address Operands::address(std::size_t n, StateSpace space) {
  const Operand& operand = at(n);
  if (operand.kind != Operand::Kind::address)
    diagnostics_.error(operand.token.at,
                       fmt::format("found {}; expected an [address]", quoted(operand.token.text)));
  const Operand& base = operand.elements.front();
  if (base.kind != Operand::Kind::name) throw Refusal("an absolute address");
  Address address;
  address.offset = base.offset;
  const bool in_window = space == StateSpace::shared || space == StateSpace::local;
  if (in_window) {
    address.array = memory_.window(space);
    if (!address.array)
      throw Refusal(
          fmt::format("{} memory without a variable", space == StateSpace::shared ? "shared" : "local"));
  }
  if (const Variable* v = variable(base)) {
    const auto place = memory_.find(*v);
    if (!place) throw Refusal(fmt::format("access to {}", v->name.text));
    address.array = place->array;
    address.offset += static_cast<std::int64_t>(place->offset);
    const bool as_declared =
        space == place->space || (space == StateSpace::generic && place->space == StateSpace::global);
    if (!as_declared)
      diagnostics_.error(
          base.token.at,
          fmt::format("found {}, a .{} variable; expected one of the instruction's state space",
                      quoted(v->name.text), v->space));
    return address;
  }
  Operand without_offset = base;
  without_offset.offset = 0;
  address.index = value(without_offset, Type::u64);
  if (!address.array && !address.index.is_register()) throw Refusal("this address");
  return address;
}

std::optional<std::size_t> Operands::param_named(const std::string& name) const {
  const auto it = std::find_if(function_.params.begin(), function_.params.end(),
                               [&](const Variable& p) { return p.name.text == name; });
  if (it == function_.params.end()) return std::nullopt;
  return static_cast<std::size_t>(it - function_.params.begin());
}

std::optional<ParamPointer> Operands::param_at(const Operand& operand) {
  if (operand.kind != Operand::Kind::name) return std::nullopt;
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  const auto found = names_.find(operand.token.text);
  if (!found) {
    if (const auto param = param_named(operand.token.text)) return ParamPointer{*param, offset};
    return std::nullopt;
  }
  const auto* reg = std::get_if<RegisterId>(&*found);
  const auto pointer = reg == nullptr ? pointers_.end() : pointers_.find(reg->value);
  if (pointer == pointers_.end()) return std::nullopt;
  return ParamPointer{pointer->second.param, pointer->second.offset + offset};
}

}  // namespace fencewise::ptx
