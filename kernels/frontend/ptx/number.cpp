#include "kernels/frontend/ptx/number.h"

#include <bit>
#include <cstdlib>
#include <string>

namespace fencewise::ptx {
namespace {

bool starts_with_any(std::string_view text, std::string_view lower, std::string_view upper) {
  return text.starts_with(lower) || text.starts_with(upper);
}

std::uint64_t digits(std::string_view text, std::uint64_t base) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c == 'U') break;
    const auto digit = static_cast<std::uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    value = value * base + digit;
  }
  return value;
}

}  // namespace

std::uint64_t integer_bits(std::string_view text) {
  if (text.starts_with('-')) return 0 - integer_bits(text.substr(1));
  if (starts_with_any(text, "0x", "0X")) return digits(text.substr(2), 16);
  if (starts_with_any(text, "0b", "0B")) return digits(text.substr(2), 2);
  const bool octal = text.size() > 1 && text[0] == '0' && text[1] != 'U';
  return octal ? digits(text.substr(1), 8) : digits(text, 10);
}

std::uint64_t real_bits(std::string_view text, Type type) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double value = 0;
  if (starts_with_any(text, "0f", "0F")) {
    const auto bits = static_cast<std::uint32_t>(digits(text.substr(2), 16));
    if (type == Type::f32 && !negative) return bits;  // a NaN keeps its payload
    value = static_cast<double>(std::bit_cast<float>(bits));
  } else if (starts_with_any(text, "0d", "0D")) {
    value = std::bit_cast<double>(digits(text.substr(2), 16));
  } else {
    value = std::strtod(std::string(text).c_str(), nullptr);
  }
  if (negative) value = -value;
  return type == Type::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                           : std::bit_cast<std::uint64_t>(value);
}

}  // namespace fencewise::ptx
