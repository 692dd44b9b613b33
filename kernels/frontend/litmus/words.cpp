#include "kernels/frontend/litmus/words.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace fencewise::litmus {
namespace {

bool digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

template <typename Integer> bool parse(std::string_view text, int base, Integer& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

bool is_register(std::string_view text) { return text.starts_with('r') && digits(text.substr(1)); }
bool is_label(std::string_view text) { return text.starts_with("LC") && digits(text.substr(2)); }

bool is_location(std::string_view text) {
  return !is_integer(text) && !is_register(text) && !is_label(text) && !text.starts_with('&');
}

std::uint64_t integer_of(const Token& token, const Diagnostics& diagnostics) {
  std::string_view text = token.text;
  const bool negative = text.starts_with('-');
  if (text.substr(negative ? 1 : 0).starts_with("0x") || text.substr(negative ? 1 : 0).starts_with("0X")) {
    std::uint64_t bits = 0;
    if (parse(text.substr(negative ? 3 : 2), 16, bits)) return negative ? 0 - bits : bits;
  } else if (std::int64_t value = 0; parse(text, 10, value)) {
    return static_cast<std::uint64_t>(value);
  }
  diagnostics.error(token.at,
                    fmt::format("integer {} does not fit; expected one of 64 bits, signed", quoted(text)));
}

std::uint32_t number_of(const Token& token, std::uint32_t largest, const Diagnostics& diagnostics) {
  std::uint32_t value = 0;
  if (parse(token.text, 10, value) && value <= largest) return value;
  diagnostics.error(token.at,
                    fmt::format("found {}; expected a number from 0 to {}", quoted(token.text), largest));
}

}  // namespace fencewise::litmus
