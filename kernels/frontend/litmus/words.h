// The words of the dialect: what a token is, told by its spelling alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/frontend/diagnostics.h"

namespace fencewise::litmus {

[[nodiscard]] bool is_integer(std::string_view text);   // -12, 0x1f
[[nodiscard]] bool is_register(std::string_view text);  // r and digits
[[nodiscard]] bool is_label(std::string_view text);     // LC and digits
[[nodiscard]] bool is_location(std::string_view text);  // any other word

// The bits of an integer of 64 bits; decimal ones are signed. Throws InputError when it is wider.
[[nodiscard]] std::uint64_t integer_of(const Token& token, const Diagnostics& diagnostics);
// An integer from 0 up to and with `largest`.
[[nodiscard]] std::uint32_t number_of(const Token& token, std::uint32_t largest,
                                      const Diagnostics& diagnostics);

}  // namespace fencewise::litmus
