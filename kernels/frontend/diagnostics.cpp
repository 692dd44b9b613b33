#include "kernels/frontend/diagnostics.h"

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {

std::string Diagnostics::place(Position at) const { return fmt::format("{}:{}:{}", file_, at.line, at.column); }

void Diagnostics::error(Position at, std::string_view message) const { throw InputError(fmt::format("{}: {}", place(at), message)); }

void Diagnostics::not_modelled(Position at, std::string_view message) const {
  throw NotModelled(fmt::format("{}: {}", place(at), message));
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > longest) out += "...";
  return out + "'";
}

}  // namespace fencewise
