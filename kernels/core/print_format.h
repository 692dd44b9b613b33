// printf's formats, as C has them: which arguments they take, and the text they make.
//
// Source: CUDA C++ Programming Guide, "Formatted Output": %[flags][width][.precision][size]type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/core/instruction.h"

namespace fencewise {

// An argument as a variadic function is passed it: at least 32 bits wide, floats as f64, texts (%s) and pointers as their address.
struct FormatArgument {
  Type type = Type::s32;
  bool text = false;
  friend bool operator==(const FormatArgument&, const FormatArgument&) = default;
};

// In order; the `*` of a width or precision takes one too. What is no conversion takes none.
[[nodiscard]] std::vector<FormatArgument> arguments_of(std::string_view format);

// Bits of a number, or the text to put in its place: that of a %s, or what a value is called that is no number.
using Shown = std::variant<std::uint64_t, std::string>;
[[nodiscard]] std::string formatted(std::string_view format,
                                    const std::function<Shown(std::size_t argument)>& shown);

// What `print` shows, whose format is known. `shown` tells the arguments that are operands; where there is none it is `?`.
[[nodiscard]] std::string formatted(const Print& print,
                                    const std::function<Shown(std::size_t argument, Type type)>& shown);

// As a C literal: "block 3 done\n", with its quotes.
[[nodiscard]] std::string quoted_literal(std::string_view text);

}  // namespace fencewise
