// The expression language of launch files: what must hold, and numbers computed from the file's constants.
//
//   formula     f || f   f && f   !f   (f)   e == e   != < <= > >=   forall i in e..e: f   all(f)
//   expression  e + e   - * / %   -e   (e)   12   0x1f   name   buffer[e]   old(e)   sum(i in e..e: e)   sum(e)
//
// `old(e)` reads memory as the launch found it. In all(...) and the one-operand sum(...) a buffer without an index is
// each of its elements: all(sem == 0), sum(part).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/contract.h"
#include "kernels/core/problem.h"
#include "kernels/frontend/diagnostics.h"

namespace fencewise::launchfile {

struct Node {
  enum class Kind : std::uint8_t {
    number,
    name,
    element,
    old,
    negative,
    arithmetic,
    sum,
    sum_all,
    comparison,
    negation,
    conjunction,
    disjunction,
    forall,
    all,
  };
  Kind kind = Kind::number;
  Token token;  // the number, name or operator; the bound variable of forall and sum
  std::vector<Node> children;
};

using Constants = std::map<std::string, std::int64_t>;

inline constexpr std::uint32_t deepest_expression = 100;
inline constexpr std::size_t longest_expression = 10'000;  // characters

// `at` is where the text stands in its file. Throws InputError.
[[nodiscard]] Node parse_expression(std::string_view text, Position at, const Diagnostics& diagnostics);

// A number from constants alone. Throws InputError for everything else, and for overflow.
[[nodiscard]] std::int64_t evaluate(const Node& node, const Constants& constants,
                                    const Diagnostics& diagnostics);
// A formula over the buffers. Throws InputError where it is none, or names what is not declared.
[[nodiscard]] FormulaPtr lower_formula(const Node& node, const Constants& constants,
                                       const std::vector<Buffer>& buffers, const Diagnostics& diagnostics);

}  // namespace fencewise::launchfile
