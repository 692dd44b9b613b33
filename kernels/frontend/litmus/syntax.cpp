#include "kernels/frontend/litmus/syntax.h"

#include <cctype>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include "kernels/frontend/litmus/condition_builder.h"
#include "kernels/frontend/nested.h"

namespace fencewise::litmus {
namespace {

using namespace tao::pegtl;  // NOLINT: the grammar reads as one

// --- What the actions fill ---

struct Builder {
  SyntaxTree tree;
  Token reference_thread;  // of the register whose leaf comes next
  ConditionBuilder condition;
  std::uint32_t nesting = 0;
};

// Thrown where a rule that must match does not. `line_end`: the rule closes something, so that a line break before
// the place is what a reader would call the place.
struct Expectation {
  const char* text = nullptr;
  bool line_end = false;
};
struct SyntaxFailure {
  Expectation expected;
  position at;
};

// --- Words ---

struct comment_end : until<string<'*', ')'>> {};
struct comment : seq<string<'(', '*'>, must<comment_end>> {};
struct config_end : until<string<'>', '>'>> {};
struct config : seq<string<'<', '<'>, must<config_end>> {};
struct gap : star<sor<space, comment, config>> {};

template <typename Word> struct keyword : seq<Word, not_at<identifier_other>> {};
struct kw_exists : keyword<string<'e', 'x', 'i', 's', 't', 's'>> {};
struct kw_forall : keyword<string<'f', 'o', 'r', 'a', 'l', 'l'>> {};
struct kw_final : keyword<string<'f', 'i', 'n', 'a', 'l'>> {};
struct kw_with : keyword<string<'w', 'i', 't', 'h'>> {};
struct kw_not : keyword<string<'n', 'o', 't'>> {};
struct kw_filter : keyword<string<'f', 'i', 'l', 't', 'e', 'r'>> {};
struct kw_locations : keyword<string<'l', 'o', 'c', 'a', 't', 'i', 'o', 'n', 's'>> {};
struct kw_aliases : keyword<string<'a', 'l', 'i', 'a', 's', 'e', 's'>> {};

struct decimal : plus<digit> {};
struct hexadecimal : seq<one<'0'>, one<'x', 'X'>, plus<xdigit>> {};
struct integer : seq<opt<one<'-'>>, sor<hexadecimal, decimal>, not_at<identifier_other>> {};
struct thread_word : sor<identifier, decimal> {};

struct semicolon : one<';'> {};

// --- Header: everything up to the first brace ---

struct test_name : star<not_at<sor<one<'\n', '"', '{'>, string<'(', '*'>>>, any> {};
struct language : sor<keyword<string<'P', 'T', 'X'>>, keyword<string<'p', 't', 'x'>>> {};
struct quoted_text : seq<one<'"'>, until<one<'"'>>> {};
struct header_text : star<sor<comment, quoted_text, not_one<'{'>>> {};
struct open_brace : one<'{'> {};
struct header : seq<must<language>, test_name, header_text, must<open_brace>> {};

// --- Initial state ---

struct initial_name : thread_word {};
struct initial_register : identifier {};
struct initial_equals : one<'='> {};
struct initial_value : seq<opt<one<'&'>>, sor<integer, identifier>> {};
struct initial_proxy : identifier {};
struct alias_keyword : kw_aliases {};
struct alias_target : identifier {};
struct initial_assign : seq<one<'='>, gap, must<initial_value>> {};
struct initial_of_register
    : seq<one<':'>, gap, must<initial_register>, gap, must<initial_equals>, gap, must<initial_value>> {};
struct initial_alias
    : seq<one<'@'>, gap, must<initial_proxy>, gap, must<alias_keyword>, gap, must<alias_target>> {};
struct initial_tail : sor<initial_assign, initial_of_register, initial_alias> {};
struct initial : seq<initial_name, gap, must<initial_tail>, gap> {};
struct initial_end : sor<one<';'>, at<one<'}'>>> {};
struct close_brace : one<'}'> {};
struct initials
    : seq<gap, star<sor<seq<one<';'>, gap>, seq<initial, must<initial_end>, gap>>>, must<close_brace>> {};

// --- Thread columns ---

struct thread_name : thread_word {};
struct thread_at : one<'@'> {};
struct attribute_name : identifier {};
struct attribute_number : seq<decimal, not_at<identifier_other>> {};
struct attribute : seq<must<attribute_name>, gap, must<attribute_number>, gap> {};
struct thread : seq<must<thread_name>, gap, must<thread_at>, gap, attribute, star<one<','>, gap, attribute>> {
};
struct threads_end : one<';'> {};
struct threads : seq<gap, thread, star<one<'|'>, gap, thread>, must<threads_end>> {};

// --- Program ---

struct final_start : sor<kw_exists, kw_forall, kw_final, kw_filter, kw_locations, kw_not, one<'~'>> {};

struct cell_start : success {};
struct label_name : identifier {};
struct label : seq<at<identifier, gap, one<':'>>, label_name, gap, one<':'>, gap> {};
struct mnemonic : seq<not_at<final_start>, identifier, star<one<'.'>, plus<identifier_other>>> {};
struct operand
    : seq<not_at<sor<kw_exists, kw_forall>>, sor<integer, seq<opt<one<'&'>>, identifier>>, not_at<one<'.'>>> {
};
struct operands : seq<operand, gap, star<one<','>, gap, must<operand>, gap>> {};
struct statement : seq<mnemonic, gap, opt<operands>> {};
struct cell : seq<cell_start, gap, star<label>, opt<statement>, gap> {};
struct row_start : success {};
struct row_end : one<';'> {};
struct row : seq<not_at<final_start>, at<sor<identifier_first, one<'|', ';'>>>, row_start, cell,
                 star<one<'|'>, cell>, must<row_end>, gap> {};
struct program : seq<gap, star<row>> {};

// --- Conditions ---

template <typename Rule> using nested = nested_up_to<deepest_condition, Rule>;

struct or_level;
struct not_level;

struct number_leaf : integer {};
struct reference_thread : thread_word {};
struct register_leaf : identifier {};
struct location_leaf : identifier {};
struct thread_register
    : seq<at<thread_word, gap, one<':'>>, reference_thread, gap, one<':'>, gap, must<register_leaf>> {};
struct close_paren : one<')'> {};
struct or_operand : seq<or_level> {};
struct parentheses : seq<one<'('>, gap, must<or_operand>, must<close_paren>> {};
struct primary : seq<sor<nested<parentheses>, thread_register, number_leaf, location_leaf>, gap> {};

struct times : sor<one<'*'>, seq<one<'/'>, not_at<one<'\\'>>>> {};
struct plus_minus : one<'+', '-'> {};
struct factor : primary {};
struct product_tail : seq<times, gap, must<factor>> {};
struct product : seq<primary, star<product_tail>> {};
struct term : product {};
struct sum_tail : seq<plus_minus, gap, must<term>> {};
struct sum : seq<product, star<sum_tail>> {};
struct comparator
    : sor<string<'=', '='>, string<'!', '='>, string<'<', '='>, string<'>', '='>, one<'=', '<', '>'>> {};
struct compared : sum {};
struct comparison_tail : seq<comparator, gap, must<compared>> {};
struct comparison : seq<sum, opt<comparison_tail>> {};
struct not_operand : seq<not_level> {};
struct negation : seq<sor<one<'~'>, kw_not>, gap, must<not_operand>> {};
struct not_level : sor<nested<negation>, comparison> {};
struct and_operand : not_level {};
struct and_tail : seq<string<'/', '\\'>, gap, must<and_operand>> {};
struct and_level : seq<not_level, star<and_tail>> {};
struct or_right : and_level {};
struct or_tail : seq<string<'\\', '/'>, gap, must<or_right>> {};
struct or_level : seq<and_level, star<or_tail>> {};

// --- After the program ---

struct location_list_open : one<'['> {};
struct location_list_close : until<one<']'>> {};
struct location_list
    : seq<kw_locations, gap, must<location_list_open>, must<location_list_close>, gap, opt<semicolon>, gap> {
};
struct filter_text : seq<or_level> {};
struct filter_condition : filter_text {};
struct filter : seq<kw_filter, gap, must<filter_condition>, opt<semicolon>, gap> {};
struct not_exists : seq<sor<one<'~'>, kw_not>, gap, kw_exists> {};
struct exists : kw_exists {};
struct forall : kw_forall {};
struct final_keyword : kw_final {};
struct quantifier : sor<not_exists, exists, forall, final_keyword> {};
struct final_condition : seq<or_level> {};
struct with_clause : kw_with {};
struct file_end : eof {};
struct conclusion : seq<opt<location_list>, opt<filter>, must<quantifier>, gap, must<final_condition>,
                        opt<semicolon>, gap, opt<with_clause>, must<file_end>> {};

struct file : seq<gap, header, initials, threads, program, conclusion> {};

// --- What a rule that must match wants ---

template <typename Rule> constexpr Expectation expectation{};

template <> constexpr Expectation expectation<comment_end>{"'*)' to close a comment"};
template <> constexpr Expectation expectation<config_end>{"'>>' to close a '<<'"};
template <> constexpr Expectation expectation<language>{"a litmus test that begins with PTX"};
template <> constexpr Expectation expectation<open_brace>{"'{' to begin the initial state"};
template <>
constexpr Expectation expectation<initial_tail>{
    "'= value', ':register = value' or '@ proxy aliases location'", true};
template <> constexpr Expectation expectation<initial_register>{"a register (r0, r1, ...)"};
template <> constexpr Expectation expectation<initial_equals>{"'=' and an initial value", true};
template <> constexpr Expectation expectation<initial_value>{"an initial value, such as 0"};
template <> constexpr Expectation expectation<initial_proxy>{"generic, surface, texture or constant"};
template <> constexpr Expectation expectation<alias_keyword>{"'aliases' and a location"};
template <> constexpr Expectation expectation<alias_target>{"the location that is aliased"};
template <> constexpr Expectation expectation<initial_end>{"';' before the next initial value, or '}'", true};
template <> constexpr Expectation expectation<close_brace>{"an initial value such as 'x = 0', or '}'"};
template <> constexpr Expectation expectation<thread_name>{"a thread such as 'P0@cta 0,gpu 0'"};
template <>
constexpr Expectation expectation<thread_at>{"'@' and the thread's place, such as '@cta 0,gpu 0'", true};
template <> constexpr Expectation expectation<attribute_name>{"cta, cluster or gpu with its number"};
template <> constexpr Expectation expectation<attribute_number>{"a number", true};
template <>
constexpr Expectation expectation<threads_end>{"'|' before the next thread, or ';' after the last", true};
template <> constexpr Expectation expectation<operand>{"a register, a location, an integer or a label"};
template <>
constexpr Expectation expectation<row_end>{
    "';' to end the row, '|' before the next cell or ',' before an operand", true};
template <>
constexpr Expectation expectation<quantifier>{
    "an instruction, or exists, ~exists or forall with the final condition"};
template <> constexpr Expectation expectation<final_condition>{"a condition such as (P0:r0 == 1 /\\ x == 2)"};
template <> constexpr Expectation expectation<filter_condition>{"a condition such as (P0:r0 == 1)"};
template <> constexpr Expectation expectation<or_operand>{"a condition or a value"};
template <> constexpr Expectation expectation<close_paren>{"an operator or ')'"};
template <> constexpr Expectation expectation<register_leaf>{"a register (r0, r1, ...)"};
template <> constexpr Expectation expectation<factor>{"a value"};
template <> constexpr Expectation expectation<term>{"a value"};
template <> constexpr Expectation expectation<compared>{"a value to compare with"};
template <> constexpr Expectation expectation<not_operand>{"a condition after the negation"};
template <> constexpr Expectation expectation<and_operand>{"a condition after '/\\'"};
template <> constexpr Expectation expectation<or_right>{"a condition after '\\/'"};
template <> constexpr Expectation expectation<nesting_limit>{"a condition nested less deeply"};
template <> constexpr Expectation expectation<location_list_open>{"'[' and a list of locations"};
template <> constexpr Expectation expectation<location_list_close>{"']' to close the list of locations"};
template <> constexpr Expectation expectation<file_end>{"an operator, or the end of the file"};

template <typename Rule> struct control : normal<Rule> {
  template <typename Input, typename... States>
  [[noreturn]] static void raise(const Input& in, States&&... /*states*/) {
    static_assert(expectation<Rule>.text != nullptr, "a rule that must match says what it wants");
    throw SyntaxFailure{expectation<Rule>, in.position()};
  }
};

// --- What a rule that has matched adds to the tree ---

template <typename Input> Position position_of(const Input& in) {
  const position at = in.position();
  return {static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)};
}

template <typename Input> Token token_of(const Input& in) { return {in.string(), position_of(in)}; }

template <typename Rule> struct action : nothing<Rule> {};

// Most actions only hand a token on; this says to whom. Apply is a static function (Builder&, Token).
template <auto Apply> struct with_token {
  template <typename Input> static void apply(const Input& in, Builder& builder) {
    Apply(builder, token_of(in));
  }
};

template <>
struct action<test_name> : with_token<[](Builder& b, Token t) { b.tree.name = std::move(t.text); }> {};

template <>
struct action<initial_name> : with_token<[](Builder& b, Token t) {
  b.tree.initials.push_back({std::nullopt, std::move(t), std::nullopt, {}});
}> {};
template <>
struct action<initial_register> : with_token<[](Builder& b, Token t) {
  Initial& initial = b.tree.initials.back();
  initial.thread = std::exchange(initial.name, std::move(t));
}> {};
template <>
struct action<initial_value>
    : with_token<[](Builder& b, Token t) { b.tree.initials.back().value = std::move(t); }> {};
template <>
struct action<initial_proxy>
    : with_token<[](Builder& b, Token t) { b.tree.initials.back().proxy = std::move(t); }> {};
template <>
struct action<alias_target>
    : with_token<[](Builder& b, Token t) { b.tree.initials.back().value = std::move(t); }> {};

template <>
struct action<thread_name> : with_token<[](Builder& b, Token t) {
  b.tree.threads.push_back({std::move(t), {}});
}> {};
template <>
struct action<attribute_name> : with_token<[](Builder& b, Token t) {
  b.tree.threads.back().attributes.push_back({std::move(t), {}});
}> {};
template <>
struct action<attribute_number>
    : with_token<[](Builder& b, Token t) { b.tree.threads.back().attributes.back().number = std::move(t); }> {
};

template <> struct action<row_start> {
  static void apply0(Builder& b) { b.tree.rows.emplace_back(); }
};
template <>
struct action<cell_start> : with_token<[](Builder& b, Token t) {
  b.tree.rows.back().cells.push_back({t.at, {}, std::nullopt});
}> {};
template <>
struct action<label_name> : with_token<[](Builder& b, Token t) {
  b.tree.rows.back().cells.back().labels.push_back(std::move(t));
}> {};
template <>
struct action<mnemonic> : with_token<[](Builder& b, Token t) {
  b.tree.rows.back().cells.back().statement = Statement{std::move(t), {}};
}> {};
template <>
struct action<operand> : with_token<[](Builder& b, Token t) {
  b.tree.rows.back().cells.back().statement->operands.push_back(std::move(t));
}> {};

using Kind = ConditionNode::Kind;

template <>
struct action<number_leaf>
    : with_token<[](Builder& b, Token t) { b.condition.leaf(Kind::number, std::move(t)); }> {};
template <>
struct action<location_leaf>
    : with_token<[](Builder& b, Token t) { b.condition.leaf(Kind::location, std::move(t)); }> {};
template <>
struct action<reference_thread> : with_token<[](Builder& b, Token t) { b.reference_thread = std::move(t); }> {
};
template <>
struct action<register_leaf> : with_token<[](Builder& b, Token t) {
  b.condition.leaf(Kind::thread_register, std::move(t), std::move(b.reference_thread));
}> {};
template <>
struct action<times> : with_token<[](Builder& b, Token t) { b.condition.remember(std::move(t)); }> {};
template <>
struct action<plus_minus> : with_token<[](Builder& b, Token t) { b.condition.remember(std::move(t)); }> {};
template <>
struct action<comparator> : with_token<[](Builder& b, Token t) { b.condition.remember(std::move(t)); }> {};
template <> struct action<parentheses> {
  static void apply0(Builder& b) { b.condition.parenthesize(); }
};
template <> struct action<negation> {
  static void apply0(Builder& b) { b.condition.negate(); }
};
template <> struct action<and_tail> {
  static void apply0(Builder& b) { b.condition.connect(Kind::conjunction); }
};
template <> struct action<or_tail> {
  static void apply0(Builder& b) { b.condition.connect(Kind::disjunction); }
};

// A chain such as 1+1+1+... is a tree as deep as it is long.
struct deepening {
  template <typename Input> static void apply(const Input& in, Builder& b, Kind kind) {
    b.condition.binary(kind);
    if (b.condition.depth() > deepest_condition)
      throw SyntaxFailure{expectation<nesting_limit>, in.position()};
  }
};
template <> struct action<product_tail> {
  template <typename Input> static void apply(const Input& in, Builder& b) {
    deepening::apply(in, b, Kind::arithmetic);
  }
};
template <> struct action<sum_tail> {
  template <typename Input> static void apply(const Input& in, Builder& b) {
    deepening::apply(in, b, Kind::arithmetic);
  }
};
template <> struct action<comparison_tail> {
  static void apply0(Builder& b) { b.condition.binary(Kind::comparison); }
};

// --- Whole conditions, with their text ---

std::string collapse(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

template <typename Input> Condition finished(const Input& in, Builder& b) {
  Condition condition = b.condition.take();
  condition.text = collapse(in.string_view());
  return condition;
}

template <> struct action<filter_condition> {
  template <typename Input> static void apply(const Input& in, Builder& b) {
    b.tree.filter = finished(in, b);
  }
};
template <> struct action<final_condition> {
  template <typename Input> static void apply(const Input& in, Builder& b) {
    b.tree.condition = finished(in, b);
  }
};
template <> struct action<not_exists> {
  static void apply0(Builder& b) { b.tree.kind = ConditionKind::not_exists; }
};
template <> struct action<forall> {
  static void apply0(Builder& b) { b.tree.kind = ConditionKind::forall; }
};
struct WithClause {
  position at;
};
template <> struct action<with_clause> {
  template <typename Input> static void apply(const Input& in, Builder& /*builder*/) {
    throw WithClause{in.position()};
  }
};

// --- Failures in words ---

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// The word, or else the one character, at `text[at]`.
std::string found_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the file";
  std::size_t end = at + 1;
  if (is_word(text[at])) {
    while (end < text.size() && is_word(text[end])) ++end;
  }
  return quoted(text.substr(at, end - at));
}

struct FailurePlace {
  Position at;
  std::string found;
};

FailurePlace place_of(const SyntaxFailure& failure, std::string_view text) {
  const Position at{static_cast<std::uint32_t>(failure.at.line),
                    static_cast<std::uint32_t>(failure.at.column)};
  if (!failure.expected.line_end) return {at, found_at(text, failure.at.byte)};
  // Back over white space; if a line break is in it, the place is the end of the line where text last stood.
  std::size_t byte = failure.at.byte;
  std::uint32_t breaks = 0;
  while (byte > 0 && is_space(text[byte - 1])) breaks += text[--byte] == '\n' ? 1U : 0U;
  if (breaks == 0) return {at, found_at(text, failure.at.byte)};
  const std::size_t line_start = byte == 0 ? 0 : text.rfind('\n', byte - 1) + 1;
  return {{at.line - breaks, static_cast<std::uint32_t>(byte - line_start + 1)}, "the end of the line"};
}

}  // namespace

SyntaxTree parse_syntax(std::string_view text, const Diagnostics& diagnostics) {
  if (text.size() > largest_file) {
    diagnostics.error(
        {1, 1}, fmt::format("found a file of {} bytes; expected at most {}", text.size(), largest_file));
  }
  memory_input<> in(text.data(), text.data() + text.size(), diagnostics.file());
  Builder builder;
  try {
    (void)parse<file, action, control>(in, builder);
  } catch (const SyntaxFailure& failure) {
    const FailurePlace place = place_of(failure, text);
    diagnostics.error(place.at, fmt::format("found {}; expected {}", place.found, failure.expected.text));
  } catch (const WithClause& clause) {
    diagnostics.not_modelled(
        {static_cast<std::uint32_t>(clause.at.line), static_cast<std::uint32_t>(clause.at.column)},
        "'final ... with ...' is not modelled; write exists, ~exists or forall");
  }
  builder.tree.name = collapse(builder.tree.name);
  return std::move(builder.tree);
}

}  // namespace fencewise::litmus
