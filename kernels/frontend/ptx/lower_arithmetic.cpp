// Moves, conversions, comparisons and arithmetic.
#include <fmt/format.h>

#include "kernels/frontend/ptx/lower_instruction.h"
#include "kernels/frontend/ptx/number.h"

namespace fencewise::ptx {

using Value = fencewise::Operand;

// --- moves ---

void InstructionLowering::mov() {
  const Type type = this->type();
  if (operands_.at(0).kind == Operand::Kind::vector) return unpack(type);
  if (operands_.at(1).kind == Operand::Kind::vector) return pack(type);
  if (move_param_address()) return;
  const Value source = operands_.value(1, type);
  arith_to(operands_.result(0, type), Arith::mov, type, source);
}

// `mov.b64 %rd, param` and `add.s64 %rd2, %rd, 8`: known here, and nothing at run time. Only where the register has
// no other value.
bool InstructionLowering::move_param_address() {
  const auto pointer = operands_.param_at(operands_.at(1));
  if (!pointer) return false;
  if (instruction_->guard || definitions_[operands_.at(0).token.text] != 1)
    throw Refusal("the address of a parameter");
  operands_.remember_param(operands_.register_named(operands_.at(0).token), *pointer);
  return true;
}

namespace {

Type unsigned_of_size(std::size_t bytes) {
  switch (bytes) {
    case 1: return Type::u8;
    case 2: return Type::u16;
    case 4: return Type::u32;
    case 8: return Type::u64;
    default: throw Refusal();
  }
}

// The type of each of `count` parts of a packed register.
Type part_of(Type whole, std::size_t count) {
  if (count == 0 || size_of(whole) % count != 0) throw Refusal();
  return unsigned_of_size(size_of(whole) / count);
}

}  // namespace

// {a, b} = whole, low parts first.
void InstructionLowering::unpack(Type type) {
  const auto& parts = operands_.at(0).elements;
  const Type part = part_of(type, parts.size()), whole = unsigned_of_size(size_of(type));
  const Value source = arith(Arith::mov, whole, operands_.value(1, type));
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const Value shifted =
        n == 0 ? source : Value(arith(Arith::shr, whole, source, Value::imm(n * size_of(part) * 8)));
    convert_to(operands_.result(parts[n], part), part, whole, shifted);
  }
}

// whole = {a, b}.
void InstructionLowering::pack(Type type) {
  const auto& parts = operands_.at(1).elements;
  const Type part = part_of(type, parts.size()), whole = unsigned_of_size(size_of(type));
  Value packed = convert(whole, part, operands_.value(parts[0], part));
  for (std::size_t n = 1; n < parts.size(); ++n) {
    const RegisterId wide = convert(whole, part, operands_.value(parts[n], part));
    packed = arith(Arith::bit_or, whole, packed,
                   arith(Arith::shl, whole, wide, Value::imm(n * size_of(part) * 8)));
  }
  arith_to(operands_.result(0, type), Arith::mov, type, packed);
}

namespace {

std::optional<StateSpace> take_window(Opcode& opcode) {
  return opcode.take<StateSpace>(
      {{"shared", StateSpace::shared}, {"shared::cta", StateSpace::shared}, {"local", StateSpace::local}});
}

constexpr std::uint64_t window_mask = 0xffff'ffffU;

}  // namespace

// Global addresses are generic as they are. A window begins at a multiple of 2^32: an address within it is the low half.
void InstructionLowering::cvta() {
  const bool to = opcode_.take("to");
  if (const auto space = take_window(opcode_)) {
    const Type type = this->type();
    const RegisterId dst = operands_.result(0, type);
    const Value source = operands_.value(1, type);
    if (to) return arith_to(dst, Arith::bit_and, type, source, Value::imm(window_mask));
    const auto window = memory_.window(*space);
    if (!window) throw Refusal("a window without a variable");
    return arith_to(dst, Arith::add, type, Value::address_of(*window), source);
  }
  if (!opcode_.take("global") && !opcode_.take("const")) throw Refusal();
  const Type type = this->type();
  const Value source = operands_.value(1, type);
  arith_to(operands_.result(0, type), Arith::mov, type, source);
}

void InstructionLowering::isspacep() {
  const auto space = take_window(opcode_);
  if (!space) throw Refusal();
  const RegisterId dst = operands_.result(0, Type::pred);
  const auto window = memory_.window(*space);
  if (!window) return arith_to(dst, Arith::mov, Type::pred, Value::imm(0));
  const RegisterId offset =
      arith(Arith::sub, Type::u64, operands_.value(1, Type::u64), Value::address_of(*window));
  arith_to(dst, Arith::mov, Type::pred, compare(Compare::le, Type::u64, offset, Value::imm(window_mask)));
}

// --- conversions ---

void InstructionLowering::cvt() {
  const bool nearest = opcode_.take("rn"), zero = opcode_.take("rzi");
  opcode_.take("ftz");
  const Type to = type(), from = type();
  const bool integers = !is_float(to) && !is_float(from);
  if ((!is_float(to) && is_float(from) && !zero) || (is_float(to) && zero)) throw Refusal();
  if (is_float(to) && !nearest && size_of(to) < 8 && (!is_float(from) || to != from)) throw Refusal();
  if (integers && (nearest || zero)) throw Refusal();
  const Value source = operands_.value(1, from);
  convert_to(operands_.result(0, to), to, from, source);
}

void InstructionLowering::selp() {
  const Type type = this->type();
  const Value a = operands_.value(1, type), b = operands_.value(2, type), condition = operands_.predicate(3);
  arith_to(operands_.result(0, type), Arith::selp, type, a, b, condition);
}

// --- comparisons ---

namespace {

// A comparison as one or two of the core's, or what it is not.
struct Comparison {
  Compare op = Compare::eq;
  bool negated = false;                // of a number with a NaN it is true
  std::optional<Compare> alternative;  // or this one
  bool self = false;                   // of each operand with itself: num, nan
};

std::optional<Comparison> take_comparison(Opcode& opcode, bool real) {
  if (const auto plain = opcode.take<Compare>({{"eq", Compare::eq},
                                               {"lt", Compare::lt},
                                               {"le", Compare::le},
                                               {"gt", Compare::gt},
                                               {"ge", Compare::ge},
                                               {"lo", Compare::lt},
                                               {"ls", Compare::le},
                                               {"hi", Compare::gt},
                                               {"hs", Compare::ge},
                                               {"neu", Compare::ne}}))
    return Comparison{*plain, false, std::nullopt, false};
  if (opcode.take("ne"))
    return real ? Comparison{Compare::lt, false, Compare::gt, false}
                : Comparison{Compare::ne, false, std::nullopt, false};
  if (opcode.take("equ")) return Comparison{Compare::lt, true, Compare::gt, false};
  if (const auto inverse = opcode.take<Compare>(
          {{"ltu", Compare::ge}, {"leu", Compare::gt}, {"gtu", Compare::le}, {"geu", Compare::lt}}))
    return Comparison{*inverse, true, std::nullopt, false};
  if (opcode.take("num")) return Comparison{Compare::eq, false, std::nullopt, true};
  if (opcode.take("nan")) return Comparison{Compare::eq, true, std::nullopt, true};
  return std::nullopt;
}

Type unsigned_of(Type type) {
  switch (type) {
    case Type::s16: return Type::u16;
    case Type::s32: return Type::u32;
    case Type::s64: return Type::u64;
    default: return type;
  }
}

}  // namespace

// dst = comparison, or comparison op predicate.
void InstructionLowering::combine_to(RegisterId dst, std::optional<Arith> op, RegisterId comparison,
                                     std::size_t predicate) {
  if (op) return arith_to(dst, *op, Type::pred, comparison, operands_.predicate(predicate));
  arith_to(dst, Arith::mov, Type::pred, comparison);
}

void InstructionLowering::setp() {
  const bool as_unsigned = opcode_.has("lo") || opcode_.has("ls") || opcode_.has("hi") || opcode_.has("hs");
  const auto op =
      opcode_.take<Arith>({{"and", Arith::bit_and}, {"or", Arith::bit_or}, {"xor", Arith::bit_xor}});
  opcode_.take("ftz");
  Type type = this->type();
  if (as_unsigned) type = unsigned_of(type);
  const auto comparison = take_comparison(opcode_, is_float(type));
  if (!comparison) throw Refusal();
  const Value a = operands_.value(1, type), b = operands_.value(2, type);
  const bool plain = !op && !comparison->alternative && !comparison->negated && !comparison->self &&
                     !operands_.second_result(0);
  if (plain) return compare_to(operands_.result(0, Type::pred), comparison->op, type, a, b);
  RegisterId holds = comparison->self ? arith(Arith::bit_and, Type::pred, compare(Compare::eq, type, a, a),
                                              compare(Compare::eq, type, b, b))
                                      : compare(comparison->op, type, a, b);
  if (comparison->alternative)
    holds = arith(Arith::bit_or, Type::pred, holds, compare(*comparison->alternative, type, a, b));
  if (comparison->negated) holds = arith(Arith::bit_not, Type::pred, holds);
  const auto second = operands_.second_result(0);
  const std::optional<RegisterId> fails =
      second ? std::optional(arith(Arith::bit_not, Type::pred, holds)) : std::nullopt;
  // The predicate that is combined may be one of the results: read it before either is written.
  const RegisterId first_value = emitter_.temporary(Type::pred);
  combine_to(first_value, op, holds, 3);
  if (second) combine_to(*second, op, *fails, 3);
  arith_to(operands_.result(0, Type::pred), Arith::mov, Type::pred, first_value);
}

// --- arithmetic ---

void InstructionLowering::unary(Arith op) {
  opcode_.take("ftz");
  const Type type = this->type();
  const Value a = operands_.value(1, type);
  arith_to(operands_.result(0, type), op, type, a);
}

void InstructionLowering::rounded_unary(Arith op) {
  if (!opcode_.has("rn")) throw Refusal();
  take_nearest_even();
  unary(op);
}

void InstructionLowering::binary(Arith op) {
  if (op == Arith::add && operands_.param_at(operands_.at(1)) &&
      operands_.at(2).kind == Operand::Kind::integer) {
    ParamPointer pointer = *operands_.param_at(operands_.at(1));
    if (definitions_[operands_.at(0).token.text] != 1) throw Refusal("the address of a parameter");
    (void)type();
    pointer.offset += integer_bits(operands_.at(2).token.text);
    return operands_.remember_param(operands_.register_named(operands_.at(0).token), pointer);
  }
  take_nearest_even();
  const Type type = this->type();
  const Value a = operands_.value(1, type), b = operands_.value(2, type);
  arith_to(operands_.result(0, type), op, type, a, b);
}

void InstructionLowering::ternary(Arith op) {
  take_nearest_even();
  const Type type = this->type();
  const Value a = operands_.value(1, type), b = operands_.value(2, type), c = operands_.value(3, type);
  arith_to(operands_.result(0, type), op, type, a, b, c);
}

void InstructionLowering::div() {
  const bool nearest = opcode_.has("rn"), real = opcode_.has("f32") || opcode_.has("f64");
  if (real && !nearest) throw Refusal();
  binary(Arith::div);
}

namespace {

Type widened(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: throw Refusal();
  }
}

}  // namespace

void InstructionLowering::mul() {
  const bool wide = opcode_.take("wide"), high = opcode_.take("hi");
  opcode_.take("lo");
  if (!wide) return binary(high ? Arith::mul_hi : Arith::mul);
  const Type type = this->type();
  const Value a = operands_.value(1, type), b = operands_.value(2, type);
  arith_to(operands_.result(0, widened(type)), Arith::mul_wide, type, a, b);
}

void InstructionLowering::mad() {
  const bool wide = opcode_.take("wide");
  opcode_.take("lo");
  if (!wide) return ternary(Arith::mad);
  const Type type = this->type();
  const Value a = operands_.value(1, type), b = operands_.value(2, type),
              c = operands_.value(3, widened(type));
  arith_to(operands_.result(0, widened(type)), Arith::mad_wide, type, a, b, c);
}

void InstructionLowering::shift(Arith op) {
  const Type type = this->type();
  const Value a = operands_.value(1, type), amount = operands_.value(2, Type::u32);
  arith_to(operands_.result(0, type), op, type, a, amount);
}

// --- bits ---

void InstructionLowering::count(Arith op) {
  const Type type = this->type();
  const Value a = operands_.value(1, type);
  arith_to(operands_.result(0, Type::u32), op, type, a);
}

// The highest bit that is set (or differs from the sign), all ones if there is none; with .shiftamt how far to shift it
// to the top.
void InstructionLowering::bfind() {
  const bool shift_amount = opcode_.take("shiftamt");
  if (!shift_amount) return count(Arith::bfind);
  const Type type = this->type();
  const RegisterId found = emitter_.temporary(Type::u32);
  arith_to(found, Arith::bfind, type, operands_.value(1, type));
  const RegisterId amount = arith(Arith::sub, Type::u32, Value::imm(size_of(type) * 8 - 1), found);
  const RegisterId none = compare(Compare::eq, Type::u32, found, Value::imm(0xffff'ffffU));
  arith_to(operands_.result(0, Type::u32), Arith::selp, Type::u32, found, amount, none);
}

void InstructionLowering::bfe() {
  const Type type = this->type();
  const Value a = operands_.value(1, type), at = operands_.value(2, Type::u32),
              length = operands_.value(3, Type::u32);
  arith_to(operands_.result(0, type), Arith::bfe, type, a, at, length);
}

// d = b with `length` bits of a at `position`; only where both are numbers in the text.
void InstructionLowering::bfi() {
  const Type type = this->type();
  const Value a = operands_.value(1, type), b = operands_.value(2, type);
  const Value position = operands_.value(3, Type::u32), length = operands_.value(4, Type::u32);
  const bool constant = position.kind == Value::Kind::immediate && length.kind == Value::Kind::immediate;
  if (!constant || position.bits > 63) throw Refusal();
  const std::uint64_t field = length.bits > 63 ? ~std::uint64_t{0} : (std::uint64_t{1} << length.bits) - 1;
  const Value mask = Value::imm(field << position.bits), others = Value::imm(~(field << position.bits));
  const RegisterId inserted = arith(Arith::bit_and, type, arith(Arith::shl, type, a, position), mask);
  arith_to(operands_.result(0, type), Arith::bit_or, type, arith(Arith::bit_and, type, b, others), inserted);
}

void InstructionLowering::prmt() { ternary(Arith::prmt); }

void InstructionLowering::shf() {
  const bool left = opcode_.take("l");
  opcode_.take("r");
  if (!opcode_.take("wrap")) throw Refusal();
  ternary(left ? Arith::shf_l : Arith::shf_r);
}

// A table of 8 bits: bit 4a + 2b + c says what comes of the bits a, b and c.
void InstructionLowering::lop3() {
  const Type type = this->type();
  const Value a = operands_.value(1, type), b = operands_.value(2, type), c = operands_.value(3, type);
  const Value table = operands_.value(4, Type::u32);
  if (table.kind != Value::Kind::immediate) throw Refusal();
  Value result = Value::imm(0);
  for (unsigned row = 0; row < 8; ++row) {
    if ((table.bits >> row & 1U) == 0) continue;
    const auto side = [&](Value v, unsigned bit) {
      return (row & bit) != 0 ? v : Value(arith(Arith::bit_not, type, v));
    };
    const RegisterId both = arith(Arith::bit_and, type, side(a, 4), side(b, 2));
    result = arith(Arith::bit_or, type, result, arith(Arith::bit_and, type, both, side(c, 1)));
  }
  arith_to(operands_.result(0, type), Arith::mov, type, result);
}

}  // namespace fencewise::ptx
