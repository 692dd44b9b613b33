#include "kernels/frontend/ptx/lower_instruction.h"

#include <fmt/format.h>

namespace fencewise::ptx {
namespace {

std::map<std::string, unsigned> count_definitions(const Function& function) {
  std::map<std::string, unsigned> counts;
  for (const Statement& statement : function.body)
    if (const auto* i = std::get_if<Instruction>(&statement); i != nullptr && !i->operands.empty())
      ++counts[i->operands[0].token.text];
  return counts;
}

}  // namespace

InstructionLowering::InstructionLowering(const Function& function, Names& names, MemoryMap& memory,
                                         Emitter& emitter, const Diagnostics& diagnostics)
    : diagnostics_(diagnostics),
      memory_(memory),
      emitter_(emitter),
      operands_(function, names, memory, emitter, diagnostics),
      definitions_(count_definitions(function)) {}

const std::map<std::string_view, InstructionLowering::Handler>& InstructionLowering::handlers() {
  using L = InstructionLowering;
  static const std::map<std::string_view, Handler> table{
      {"abs", &L::abs},         {"activemask", &L::activemask},
      {"add", &L::add},         {"and", &L::bit_and},
      {"atom", &L::atom},       {"bar", &L::bar},
      {"barrier", &L::bar},     {"bfe", &L::bfe},
      {"bfi", &L::bfi},         {"bfind", &L::bfind},
      {"bra", &L::bra},         {"brev", &L::brev},
      {"brkpt", &L::trap},      {"call", &L::call},
      {"clz", &L::clz},         {"cvt", &L::cvt},
      {"cvta", &L::cvta},       {"div", &L::div},
      {"exit", &L::ret},        {"fence", &L::fence},
      {"fma", &L::fma},         {"isspacep", &L::isspacep},
      {"ld", &L::ld},           {"lop3", &L::lop3},
      {"mad", &L::mad},         {"match", &L::match},
      {"max", &L::max},         {"membar", &L::membar},
      {"min", &L::min},         {"mov", &L::mov},
      {"mul", &L::mul},         {"nanosleep", &L::ignore},
      {"neg", &L::neg},         {"not", &L::bit_not},
      {"or", &L::bit_or},       {"popc", &L::popc},
      {"prefetch", &L::ignore}, {"prefetchu", &L::ignore},
      {"prmt", &L::prmt},       {"rcp", &L::rcp},
      {"red", &L::red},         {"redux", &L::redux},
      {"rem", &L::rem},         {"ret", &L::ret},
      {"selp", &L::selp},       {"setp", &L::setp},
      {"shf", &L::shf},         {"shfl", &L::shfl},
      {"shl", &L::shl},         {"shr", &L::shr},
      {"sqrt", &L::sqrt},       {"st", &L::st},
      {"sub", &L::sub},         {"trap", &L::trap},
      {"vote", &L::vote},       {"xor", &L::bit_xor}};
  return table;
}

void InstructionLowering::lower(const Instruction& instruction) {
  instruction_ = &instruction;
  opcode_ = Opcode(instruction.opcode.text);
  operands_.of(instruction);
  guard_by(instruction.guard);
  const std::size_t mark = emitter_.mark();
  try {
    lower_or_refuse();
  } catch (const Refusal& refusal) {
    emitter_.rewind(mark);
    const std::string what = refusal.what();
    emitter_.emit(Unmodelled{fmt::format("{}:{}: {}{}", diagnostics_.file(), instruction.opcode.at.line,
                                         instruction.opcode.text, what.empty() ? "" : " (" + what + ")")});
  }
}

void InstructionLowering::guard_by(const std::optional<Guard>& guard) {
  emitter_.under(std::nullopt);
  if (guard) emitter_.under(fencewise::Guard{operands_.register_named(guard->predicate), guard->negated});
}

void InstructionLowering::lower_or_refuse() {
  const auto handler = handlers().find(opcode_.mnemonic());
  if (handler == handlers().end()) throw Refusal();
  (this->*handler->second)();
  if (!opcode_.modifiers().empty()) throw Refusal("." + opcode_.modifiers().front() + "");
}

Type InstructionLowering::type() {
  if (const auto type = opcode_.take_type()) return *type;
  throw Refusal();
}

void InstructionLowering::take_nearest_even() {
  opcode_.take("rn");
  opcode_.take("ftz");
}

void InstructionLowering::arith_to(RegisterId dst, Arith op, Type type, fencewise::Operand a,
                                   fencewise::Operand b, fencewise::Operand c) {
  emitter_.emit(Arithmetic{.op = op, .type = type, .dst = dst, .a = a, .b = b, .c = c});
}

RegisterId InstructionLowering::arith(Arith op, Type type, fencewise::Operand a, fencewise::Operand b,
                                      fencewise::Operand c) {
  const RegisterId dst = emitter_.temporary(type);
  arith_to(dst, op, type, a, b, c);
  return dst;
}

void InstructionLowering::compare_to(RegisterId dst, Compare op, Type type, fencewise::Operand a,
                                     fencewise::Operand b) {
  emitter_.emit(
      Arithmetic{.op = Arith::setp, .type = type, .dst = dst, .a = a, .b = b, .c = {}, .compare = op});
}

RegisterId InstructionLowering::compare(Compare op, Type type, fencewise::Operand a, fencewise::Operand b) {
  const RegisterId dst = emitter_.temporary(Type::pred);
  compare_to(dst, op, type, a, b);
  return dst;
}

void InstructionLowering::convert_to(RegisterId dst, Type to, Type from, fencewise::Operand a) {
  emitter_.emit(Arithmetic{.op = Arith::cvt, .type = to, .dst = dst, .a = a, .b = {}, .c = {}, .from = from});
}

RegisterId InstructionLowering::convert(Type to, Type from, fencewise::Operand a) {
  const RegisterId dst = emitter_.temporary(to);
  convert_to(dst, to, from, a);
  return dst;
}

}  // namespace fencewise::ptx
