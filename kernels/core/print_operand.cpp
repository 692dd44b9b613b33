// Names, operands and addresses.
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kernels/core/printer.h"

namespace fencewise {
namespace {

constexpr std::array<const char*, 21> special_names{
    "%tid.x",   "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",      "%ntid.z",      "%ctaid.x",
    "%ctaid.y", "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",    "%laneid",      "%warpid",
    "%nwarpid", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%clock"};
static_assert(special_names.size() == static_cast<std::size_t>(SpecialRegister::clock) + 1);

std::string named(const std::string& name, const char* sigil, std::uint32_t index) {
  return name.empty() ? fmt::format("{}{}", sigil, index) : name;
}

template <class Decl>
std::string lookup(const std::vector<Decl>& table, std::uint32_t index, const char* sigil) {
  return index < table.size() ? named(table[index].name, sigil, index) : fmt::format("?{}{}", sigil, index);
}

// Shortest text that reads back as the same number, and is seen to be no integer.
template <class Float> std::string print_float(Float number, std::uint64_t bits) {
  if (!std::isfinite(number))
    return fmt::format("0{}{:0{}x}", sizeof(Float) == 4 ? 'f' : 'd', bits, sizeof(Float) * 2);
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string print_immediate(std::uint64_t raw, Type type) {
  const std::uint64_t bits = truncate(type, raw);
  if (type == Type::f32) return print_float(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), bits);
  if (type == Type::f64) return print_float(std::bit_cast<double>(bits), bits);
  if (is_signed(type)) return fmt::format("{}", static_cast<std::int64_t>(bits));
  const bool top_bit = type != Type::pred && (bits >> (size_of(type) * 8 - 1) & 1U) != 0;
  return top_bit ? fmt::format("{:#x}", bits) : fmt::format("{}", bits);
}

std::string print_address_of(const Operand& operand, const Kernel& kernel) {
  const std::string array = lookup(kernel.arrays, operand.index, "a");
  return operand.bits == 0 ? "&" + array : fmt::format("&{}+{}", array, operand.bits);
}

// " + 4", " - 4" or nothing.
std::string signed_term(std::int64_t number, const char* space) {
  if (number == 0) return "";
  const std::uint64_t magnitude =
      number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  return fmt::format("{}{}{}{}", space, number < 0 ? '-' : '+', space, magnitude);
}

// The address with a constant index folded into the offset.
Address folded(const Address& address) {
  if (address.index.kind != Operand::Kind::immediate) return address;
  Address result = address;
  result.index = Operand();
  result.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(address.offset) +
                                            address.index.bits * address.scale);
  return result;
}

bool is_element(const Address& address, std::uint32_t element_size) {
  const auto size = static_cast<std::int64_t>(element_size);
  if (address.offset % size != 0) return false;
  return address.index.present() ? address.scale == element_size : address.offset >= 0;
}

std::string print_element(const Address& address, std::uint32_t element_size, const Kernel& kernel) {
  const std::int64_t elements = address.offset / static_cast<std::int64_t>(element_size);
  if (!address.index.present()) return fmt::format("{}", elements);
  return print(address.index, Type::s64, kernel) + signed_term(elements, "");
}

std::string print_bytes(const Address& address, const std::string& array, const Kernel& kernel) {
  std::string text = array;
  if (address.index.present()) {
    text += text.empty() ? "" : " + ";
    text += print(address.index, Type::s64, kernel);
    if (address.scale != 1) text += fmt::format("*{}", address.scale);
  }
  if (text.empty()) return fmt::format("[{}]", address.offset);
  return fmt::format("[{}{}]", text, signed_term(address.offset, " "));
}

// The variable of an array of parts, where the address is a constant.
std::optional<std::string> print_part(const Address& place, const Kernel& kernel) {
  if (place.index.present() || place.offset < 0) return std::nullopt;
  const ArrayPart* part = part_at(kernel[*place.array].parts, static_cast<std::uint64_t>(place.offset));
  if (part == nullptr) return std::nullopt;
  const std::uint64_t offset = static_cast<std::uint64_t>(place.offset) - part->offset;
  if (offset % size_of(part->element) != 0) return std::nullopt;
  return fmt::format("{}[{}]", part->name, offset / size_of(part->element));
}

}  // namespace

std::string print(RegisterId reg, const Kernel& kernel) {
  if (reg.value >= kernel.registers.size()) return fmt::format("%?{}", reg.value);
  const std::string& name = kernel[reg].name;
  if (name.empty()) return fmt::format("%_{}", reg.value);
  return name.front() == '%' ? name : "%" + name;
}

std::string label_of(BlockId block, const Kernel& kernel) {
  if (block.value >= kernel.blocks.size()) return fmt::format("?b{}", block.value);
  return named(kernel.blocks[block.value].label, "b", block.value);
}

std::string print(const Operand& operand, Type type, const Kernel& kernel) {
  switch (operand.kind) {
    case Operand::Kind::none: return "_";
    case Operand::Kind::reg: return print(operand.reg(), kernel);
    case Operand::Kind::immediate: return print_immediate(operand.bits, type);
    case Operand::Kind::special:
      return operand.index < special_names.size() ? special_names[operand.index]
                                                  : fmt::format("%?s{}", operand.index);
    case Operand::Kind::param: return lookup(kernel.params, operand.index, "p");
    case Operand::Kind::address_of: return print_address_of(operand, kernel);
  }
  return "?";
}

std::string print(const Address& address, const Kernel& kernel) {
  const Address place = folded(address);
  if (!place.array) return print_bytes(place, "", kernel);
  const std::string array = lookup(kernel.arrays, place.array->value, "a");
  if (place.array->value >= kernel.arrays.size()) return print_bytes(place, array, kernel);
  if (const auto part = print_part(place, kernel)) return *part;
  const std::uint32_t element_size = size_of(kernel[*place.array].element);
  if (!is_element(place, element_size) || !kernel[*place.array].parts.empty()) return print_bytes(place, array, kernel);
  return fmt::format("{}[{}]", array, print_element(place, element_size, kernel));
}

std::string print(const SourceLine& where, const Kernel& kernel) {
  if (where.line == 0 || where.file >= kernel.files.size()) return "";
  if (where.column == 0) return fmt::format("{}:{}", kernel.files[where.file], where.line);
  return fmt::format("{}:{}:{}", kernel.files[where.file], where.line, where.column);
}

std::string print_callers(const SourceLine& where, const Kernel& kernel) {
  std::string text;
  for (std::uint32_t n = where.inlined; n != 0 && n <= kernel.inlined.size(); n = kernel.inlined[n - 1].at.inlined) {
    const InlinedCall& call = kernel.inlined[n - 1];
    text += fmt::format("{}in {}(), from {}", text.empty() ? "" : ", ", call.function.empty() ? "a function" : call.function,
                        print(call.at, kernel));
  }
  return text;
}

std::string describe(const Kernel& kernel, InstructionRef ref) {
  const Instruction& instruction = kernel.at(ref);
  const std::string where = print(instruction.where, kernel);
  const std::string text = print(instruction, kernel);
  if (!where.empty()) return fmt::format("{}: kernel '{}', '{}'", where, kernel.name, text);
  return fmt::format("kernel '{}', {}:{} '{}'", kernel.name, label_of(ref.block, kernel), ref.index, text);
}

}  // namespace fencewise
