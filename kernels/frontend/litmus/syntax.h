// A litmus file as it is written: words, cells and conditions with their places, before anything is looked up.
//
// Source: the grammar described in docs/litmus-format.md (after LitmusPTX.g4 and LitmusAssertions.g4 of Dat3M).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/frontend/diagnostics.h"

namespace fencewise::litmus {

// `x = 3`, `P0:r1 = 3`, `x = &y`, `s @ surface aliases x`.
struct Initial {
  std::optional<Token> thread;  // of a register
  Token name;
  std::optional<Token> proxy;  // of an alias
  Token value;                 // an integer or a location; the target of an alias
};

struct ThreadHeader {
  struct Attribute {
    Token name, number;
  };
  Token thread;
  std::vector<Attribute> attributes;  // cta, cluster, gpu
};

struct Statement {
  Token mnemonic;
  std::vector<Token> operands;
};

struct Cell {
  Position at;
  std::vector<Token> labels;
  std::optional<Statement> statement;
};

struct Row {
  std::vector<Cell> cells;
};

// A condition is a tree in an arena; `root` is the index of its top. Numbers and truth values share the tree: which
// is meant where is checked when it is lowered.
struct ConditionNode {
  enum class Kind : std::uint8_t {
    number,
    location,
    thread_register,
    arithmetic,
    comparison,
    negation,
    conjunction,
    disjunction
  };
  Kind kind = Kind::number;
  Token token;   // number, name, register or operator
  Token thread;  // thread_register
  std::vector<std::uint32_t> children;
  std::uint32_t depth = 1;
  bool parenthesized = false;
};

struct Condition {
  std::vector<ConditionNode> nodes;
  std::uint32_t root = 0;
  std::string text;  // as written, white space collapsed
};

enum class ConditionKind : std::uint8_t { exists, not_exists, forall };

struct SyntaxTree {
  std::string name;
  std::vector<Initial> initials;
  std::vector<ThreadHeader> threads;
  std::vector<Row> rows;
  std::optional<Condition> filter;
  ConditionKind kind = ConditionKind::exists;
  Condition condition;
};

// Throws InputError for what is no litmus file, NotModelled for `final ... with`. Time and memory are linear in the
// text, which may have at most `largest_file` bytes; nesting is bounded.
inline constexpr std::size_t largest_file = std::size_t{1} << 20U;
inline constexpr std::uint32_t deepest_condition = 100;
[[nodiscard]] SyntaxTree parse_syntax(std::string_view text, const Diagnostics& diagnostics);

}  // namespace fencewise::litmus
