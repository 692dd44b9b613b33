#include "kernels/core/print_format.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include <fmt/format.h>
#include <fmt/printf.h>

namespace fencewise {
namespace {

// "%-5.*lld", taken apart.
struct Conversion {
  std::string flags, width,
      precision;       // width and precision: digits, "*", or empty; a precision with its dot
  unsigned longs = 0;  // l or ll, and what is as wide: z, t, j
  char letter = 0;
};

// Reads the conversion that begins at `at`, the place behind its `%`, and moves behind it. No value: it is none.
std::optional<Conversion> conversion_at(std::string_view format, std::size_t& at) {
  Conversion c;
  std::size_t n = at;
  const auto take = [&](std::string_view any_of) {
    std::string taken;
    while (n < format.size() && any_of.find(format[n]) != std::string_view::npos) taken += format[n++];
    return taken;
  };
  const auto take_number = [&] {
    return n < format.size() && format[n] == '*' ? std::string(1, format[n++]) : take("0123456789");
  };
  c.flags = take("-+ #0");
  c.width = take_number();
  if (n < format.size() && format[n] == '.') {
    ++n;
    c.precision = "." + take_number();
  }
  for (const char size : take("hlzjt")) c.longs += static_cast<unsigned>(size != 'h');
  if (n == format.size() || std::string_view("cdiouxXpeEfFgGaAs").find(format[n]) == std::string_view::npos)
    return std::nullopt;
  c.letter = format[n++];
  at = n;
  return c;
}

bool takes_argument(const std::string& number) { return number.ends_with('*'); }

FormatArgument argument_of(const Conversion& c) {
  switch (c.letter) {
    case 'c': return {Type::s32, false};
    case 'd':
    case 'i': return {c.longs != 0 ? Type::s64 : Type::s32, false};
    case 's': return {Type::u64, true};
    case 'p': return {Type::u64, false};
    case 'o':
    case 'u':
    case 'x':
    case 'X': return {c.longs != 0 ? Type::u64 : Type::u32, false};
    default: return {Type::f64, false};
  }
}

// Calls literal(text) and conversion(c) for the parts of a format, in order. What is no conversion is literal.
template <class Literal, class Convert>
void each_part(std::string_view format, const Literal& literal, const Convert& conversion) {
  for (std::size_t at = 0; at < format.size();) {
    const std::size_t percent = std::min(format.find('%', at), format.size());
    literal(format.substr(at, percent - at));
    at = percent + 1;
    if (percent == format.size()) return;
    if (at < format.size() && format[at] == '%') {
      literal("%");
      ++at;
    } else if (const auto c = conversion_at(format, at)) {
      conversion(*c);
    } else {
      literal("%");
    }
  }
}

std::string converted(const Conversion& c, const std::string& width, const std::string& precision,
                      const Shown& shown) {
  if (const auto* text = std::get_if<std::string>(&shown); text != nullptr && c.letter != 's') return *text;
  const std::string spec = "%" + c.flags + width + precision;
  const std::string of_text =
      fmt::format("%{}{}{}s", c.flags.find('-') == std::string::npos ? "" : "-", width, precision);
  if (const auto* text = std::get_if<std::string>(&shown)) return fmt::sprintf(of_text, *text);
  const std::uint64_t bits = std::get<std::uint64_t>(shown);
  const Type type = argument_of(c).type;
  if (c.letter == 'p' || c.letter == 's') return fmt::sprintf(of_text, fmt::format("{:#x}", bits));
  if (c.letter == 'c') return fmt::sprintf(of_text, std::string(1, static_cast<char>(bits)));
  if (is_float(type)) return fmt::sprintf(spec + c.letter, std::bit_cast<double>(bits));
  if (is_signed(type)) return fmt::sprintf(spec + c.letter, static_cast<std::int64_t>(truncate(type, bits)));
  return fmt::sprintf(spec + c.letter, truncate(type, bits));
}

}  // namespace

std::vector<FormatArgument> arguments_of(std::string_view format) {
  std::vector<FormatArgument> all;
  each_part(
      format, [](std::string_view) {},
      [&](const Conversion& c) {
        for (const std::string& number : {c.width, c.precision})
          if (takes_argument(number)) all.push_back({Type::s32, false});
        all.push_back(argument_of(c));
      });
  return all;
}

std::string formatted(std::string_view format, const std::function<Shown(std::size_t argument)>& shown) {
  std::string text;
  std::size_t argument = 0;
  // An asterisk becomes the number that it takes; without one it goes.
  const auto number = [&](const std::string& written) -> std::string {
    constexpr std::int64_t widest = 1000;
    const std::size_t digits = written.starts_with('.') ? 1 : 0;
    std::int64_t n = 0;
    if (takes_argument(written)) {
      const Shown given = shown(argument++);
      const auto* bits = std::get_if<std::uint64_t>(&given);
      if (bits == nullptr) return "";
      n = static_cast<std::int64_t>(truncate(Type::s32, *bits));
    } else if (written.size() == digits) {
      return written;
    } else {
      for (const char c : written.substr(digits)) n = std::min(10 * n + (c - '0'), widest);
    }
    if (digits != 0 && n < 0) return "";  // as if there were none
    return fmt::format("{}{}", written.substr(0, digits), std::clamp(n, -widest, widest));
  };
  each_part(
      format, [&](std::string_view literal) { text += literal; },
      [&](const Conversion& c) {
        const std::string width = number(c.width), precision = number(c.precision);
        text += converted(c, width, precision, shown(argument++));
      });
  return text;
}

std::string formatted(const Print& print,
                      const std::function<Shown(std::size_t argument, Type type)>& shown) {
  const std::vector<FormatArgument> taken = arguments_of(*print.format);
  return formatted(*print.format, [&](std::size_t n) -> Shown {
    if (const auto* text = std::get_if<std::string>(&print.arguments[n])) return *text;
    return std::get<Operand>(print.arguments[n]).present() ? shown(n, taken[n].type) : Shown("?");
  });
}

std::string quoted_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': literal += "\\n"; break;
      case '\t': literal += "\\t"; break;
      case '\r': literal += "\\r"; break;
      case '"': literal += "\\\""; break;
      case '\\': literal += "\\\\"; break;
      default:
        if (std::iscntrl(static_cast<unsigned char>(c)) != 0)
          literal += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
          literal += c;
    }
  }
  return literal + '"';
}

}  // namespace fencewise
