#include "kernels/frontend/ptx/syntax.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include "kernels/frontend/ptx/number.h"
#include "kernels/frontend/nested.h"

namespace fencewise::ptx {
namespace {

using namespace tao::pegtl;  // NOLINT: the grammar reads as one

// --- What the actions fill ---

struct Builder {
  Module tree;
  std::vector<std::vector<Operand>> frames{1};  // operands read so far; one frame for each open bracket
  std::vector<std::uint64_t> numbers;           // of the directive that is read
  std::string text;                             // quoted, or a section's name
  std::string inlined_function;
  Variable variable;
  Function function;
  std::optional<Guard> guard;
  bool guard_negated = false;
  bool external = false;
  std::uint32_t nesting = 0;
  std::uint64_t unique = 0;

  void add(Statement statement) { function.body.push_back(std::move(statement)); }
};

struct SyntaxFailure {
  const char* expected;
  position at;
};

// --- Words ---

struct line_comment : seq<string<'/', '/'>, until<eolf>> {};
struct comment_end : until<string<'*', '/'>> {};
struct block_comment : seq<string<'/', '*'>, must<comment_end>> {};
struct gap : star<sor<plus<space>, line_comment, block_comment>> {};

struct word_other : sor<alnum, one<'_', '$'>> {};
struct name : sor<seq<alpha, star<word_other>>, seq<one<'_', '$', '%'>, star<word_other>>> {};
struct dotted_name : seq<name, star<one<'.'>, name>> {};
template <typename Text> struct directive : seq<one<'.'>, Text, not_at<word_other>> {};

struct hexadecimal : seq<one<'0'>, one<'x', 'X'>, plus<xdigit>> {};
struct binary : seq<one<'0'>, one<'b', 'B'>, plus<one<'0', '1'>>> {};
struct unsigned_integer : seq<sor<hexadecimal, binary, plus<digit>>, opt<one<'U'>>, not_at<word_other>> {};
struct integer : seq<opt<one<'-'>>, unsigned_integer> {};
struct real_bits : seq<one<'0'>, sor<seq<one<'f', 'F'>, rep<8, xdigit>>, seq<one<'d', 'D'>, rep<16, xdigit>>>,
                       not_at<word_other>> {};
struct real_decimal : seq<plus<digit>, one<'.'>, star<digit>,
                          opt<one<'e', 'E'>, opt<one<'+', '-'>>, plus<digit>>, not_at<word_other>> {};
struct real : seq<opt<one<'-'>>, sor<real_bits, real_decimal>> {};
struct number : seq<unsigned_integer> {};  // of a directive
struct quoted_text : until<at<one<'"'>>> {};
struct quote_end : one<'"'> {};
struct quotation : seq<one<'"'>, quoted_text, must<quote_end>> {};

template <typename Rule> struct comma_list : seq<Rule, gap, star<one<','>, gap, must<Rule>, gap>> {};

struct semicolon : one<';'> {};
struct open_brace : one<'{'> {};
struct close_brace : one<'}'> {};

template <typename Rule> using nested = nested_up_to<deepest_nesting, Rule>;

// --- Operands ---

struct operand;
struct operand_list : comma_list<operand> {};

struct negated_name : seq<one<'!'>, gap, name> {};
struct plain_name : dotted_name {};
struct second_name : name {};
struct offset : seq<sor<seq<one<'+'>, gap>, at<one<'-'>>>, integer> {};
struct named_operand
    : seq<sor<negated_name, plain_name>, gap, opt<sor<seq<one<'|'>, gap, must<second_name>>, offset>>> {};
struct integer_operand : integer {};
struct real_operand : real {};

struct open_address : one<'['> {};
struct close_address : one<']'> {};
struct address : seq<open_address, gap, must<operand_list>, must<close_address>> {};
struct open_vector : one<'{'> {};
struct close_vector : one<'}'> {};
struct vector_operand : seq<open_vector, gap, must<operand_list>, must<close_vector>> {};
struct open_list : one<'('> {};
struct close_list : one<')'> {};
struct list_operand : seq<open_list, gap, opt<operand_list>, must<close_list>> {};
struct operand : sor<real_operand, integer_operand, named_operand, nested<address>, nested<vector_operand>,
                     nested<list_operand>> {};

// --- Instructions ---

struct guard_mark : seq<one<'@'>, gap, opt<one<'!'>>> {};
struct guard_predicate : name {};
struct guard : seq<guard_mark, gap, must<guard_predicate>, gap> {};
struct opcode : seq<alpha, star<sor<word_other, one<'.'>, string<':', ':'>>>> {};
struct instruction_end : one<';'> {};
struct opcode_after_guard : seq<opcode> {};
struct instruction_tail : seq<gap, opt<operand_list>, must<instruction_end>> {};
struct instruction
    : sor<seq<guard, must<opcode_after_guard>, instruction_tail>, seq<opcode, instruction_tail>> {};

struct label_name : name {};
struct label : seq<at<name, gap, one<':'>>, label_name, gap, one<':'>> {};

// --- Declarations ---

struct type : seq<one<'.'>,
                  sor<string<'p', 'r', 'e', 'd'>,
                      seq<one<'b', 'u', 's', 'f'>, plus<digit>, opt<one<'x'>, plus<digit>>>,
                      seq<string<'b', 'f', '1', '6'>, opt<string<'x', '2'>>>,
                      string<'t', 'e', 'x', 'r', 'e', 'f'>, string<'s', 'u', 'r', 'f', 'r', 'e', 'f'>,
                      string<'s', 'a', 'm', 'p', 'l', 'e', 'r', 'r', 'e', 'f'>>,
                  not_at<word_other>> {};
struct declared_type : type {};
struct vector_length : one<'2', '4', '8'> {};
struct declared_vector : seq<string<'.', 'v'>, vector_length, not_at<word_other>> {};
struct alignment : integer {};
struct declared_alignment : seq<directive<string<'a', 'l', 'i', 'g', 'n'>>, gap, must<alignment>> {};
struct attribute_end : until<one<')'>> {};
struct attribute : seq<directive<string<'a', 't', 't', 'r', 'i', 'b', 'u', 't', 'e'>>, gap, one<'('>,
                       must<attribute_end>> {};
struct pointer_mark : directive<string<'p', 't', 'r'>> {};
struct pointer_space
    : directive<sor<string<'g', 'l', 'o', 'b', 'a', 'l'>, string<'s', 'h', 'a', 'r', 'e', 'd'>,
                    string<'l', 'o', 'c', 'a', 'l'>, string<'c', 'o', 'n', 's', 't'>>> {};
struct declared_pointer : seq<pointer_mark, gap, opt<pointer_space>> {};
struct declaration_words
    : star<sor<declared_alignment, attribute, declared_vector, declared_pointer, declared_type>, gap> {};

struct declared_name : name {};
struct range_length : unsigned_integer {};
struct range_end : one<'>'> {};
struct declared_range : seq<one<'<'>, gap, must<range_length>, gap, must<range_end>> {};
struct extent : unsigned_integer {};
struct open_extent : success {};
struct extent_end : one<']'> {};
struct declared_extent : seq<one<'['>, gap, sor<extent, open_extent>, gap, must<extent_end>> {};
struct declarator : seq<declared_name, gap, opt<declared_range, gap>, star<declared_extent, gap>> {};

struct initializer;
struct generic_open : seq<string<'g', 'e', 'n', 'e', 'r', 'i', 'c'>, gap, one<'('>> {};
struct generic_close : one<')'> {};
struct generic_initializer
    : seq<generic_open, gap, must<named_operand>, gap, must<generic_close>, gap, opt<offset>> {};
struct plain_initializer : sor<real_operand, integer_operand, named_operand> {};
struct initializer_list : seq<open_brace, gap, opt<comma_list<initializer>>, must<close_brace>> {};
struct initializer : sor<nested<initializer_list>, generic_initializer, plain_initializer> {};
struct initial_value : seq<one<'='>, gap, must<initializer>> {};

struct space_word : sor<string<'s', 'h', 'a', 'r', 'e', 'd'>, string<'g', 'l', 'o', 'b', 'a', 'l'>,
                        string<'l', 'o', 'c', 'a', 'l'>, string<'c', 'o', 'n', 's', 't'>,
                        string<'p', 'a', 'r', 'a', 'm'>, string<'t', 'e', 'x'>> {};
struct declared_space : directive<space_word> {};
struct one_variable : seq<declarator, opt<initial_value>> {};
struct variable
    : seq<declared_space, gap, declaration_words, must<comma_list<one_variable>>, must<semicolon>> {};

struct register_space : directive<string<'r', 'e', 'g'>> {};
struct one_register : declarator {};
struct registers
    : seq<register_space, gap, declaration_words, must<comma_list<one_register>>, must<semicolon>> {};

// --- Directives ---

struct loc_function : seq<name, opt<gap, one<'+'>, gap, unsigned_integer>> {};
struct inlined_at
    : seq<one<','>, gap, string<'f', 'u', 'n', 'c', 't', 'i', 'o', 'n', '_', 'n', 'a', 'm', 'e'>, gap,
          must<loc_function>, gap, one<','>, gap, string<'i', 'n', 'l', 'i', 'n', 'e', 'd', '_', 'a', 't'>,
          gap, rep<3, number, gap>> {};
struct loc_numbers : rep<3, number, gap> {};
struct loc_word : directive<string<'l', 'o', 'c'>> {};
struct loc : seq<loc_word, gap, must<loc_numbers>, opt<inlined_at>> {};

struct pragma_text : quotation {};
struct pragma
    : seq<directive<string<'p', 'r', 'a', 'g', 'm', 'a'>>, gap, comma_list<pragma_text>, must<semicolon>> {};
// Said about indirect calls and branches, which are not modelled where they are made.
struct prototype_end : until<one<';'>> {};
struct prototype
    : seq<directive<sor<string<'c', 'a', 'l', 'l', 'p', 'r', 'o', 't', 'o', 't', 'y', 'p', 'e'>,
                        string<'c', 'a', 'l', 'l', 't', 'a', 'r', 'g', 'e', 't', 's'>,
                        string<'b', 'r', 'a', 'n', 'c', 'h', 't', 'a', 'r', 'g', 'e', 't', 's'>>>,
          must<prototype_end>> {};

struct statement;
struct scope_begin : one<'{'> {};
struct scope_end : one<'}'> {};
struct statements : star<statement, gap> {};
struct scope : seq<scope_begin, gap, statements, must<scope_end>> {};
struct statement
    : sor<loc, label, registers, variable, pragma, prototype, nested<scope>, instruction, semicolon> {};

struct function_word
    : sor<directive<string<'e', 'n', 't', 'r', 'y'>>, directive<string<'f', 'u', 'n', 'c'>>> {};
struct parameter_space : sor<directive<string<'p', 'a', 'r', 'a', 'm'>>, directive<string<'r', 'e', 'g'>>> {};
struct one_parameter : seq<parameter_space, gap, declaration_words, must<declarator>> {};
struct parameter : one_parameter {};
struct parameters_end : one<')'> {};
struct parameters : seq<one<'('>, gap, opt<comma_list<parameter>>, must<parameters_end>> {};
struct result : one_parameter {};
struct results : seq<one<'('>, gap, opt<comma_list<result>>, must<parameters_end>> {};
struct function_name : name {};
struct tuning : seq<one<'.'>, name, gap, opt<comma_list<number>>> {};  // .maxntid 128, 1, 1
struct body_begin : one<'{'> {};
struct body_end : one<'}'> {};
struct body : seq<body_begin, gap, statements, must<body_end>> {};
struct function_end : sor<semicolon, body> {};
struct noreturn : directive<string<'n', 'o', 'r', 'e', 't', 'u', 'r', 'n'>> {};
struct function : seq<function_word, gap, opt<noreturn, gap>, opt<results, gap>, must<function_name>, gap,
                      opt<parameters, gap>, star<sor<pragma, tuning>, gap>, must<function_end>> {};

struct version_text : seq<plus<digit>, one<'.'>, plus<digit>> {};
struct version : seq<directive<string<'v', 'e', 'r', 's', 'i', 'o', 'n'>>, gap, must<version_text>> {};
struct target_text : seq<name, star<gap, one<','>, gap, name>> {};
struct target : seq<directive<string<'t', 'a', 'r', 'g', 'e', 't'>>, gap, must<target_text>> {};
struct address_bits : sor<string<'3', '2'>, string<'6', '4'>> {};
struct address_size : seq<directive<string<'a', 'd', 'd', 'r', 'e', 's', 's', '_', 's', 'i', 'z', 'e'>>, gap,
                          must<address_bits>> {};
struct file_word : directive<string<'f', 'i', 'l', 'e'>> {};
struct file_number : number {};
struct file_text : quotation {};
struct file_entry
    : seq<file_word, gap, must<number>, gap, must<file_text>, gap, opt<one<','>, gap, comma_list<number>>> {};
struct section_name : seq<opt<one<'.'>>, name> {};
struct section_text : until<at<one<'}'>>> {};
struct section : seq<directive<string<'s', 'e', 'c', 't', 'i', 'o', 'n'>>, gap, must<section_name>, gap,
                     must<open_brace>, must<section_text>, must<close_brace>> {};
struct alias_end : until<one<';'>> {};
struct alias : seq<directive<string<'a', 'l', 'i', 'a', 's'>>, must<alias_end>> {};
struct extern_word : directive<string<'e', 'x', 't', 'e', 'r', 'n'>> {};
struct linkage : sor<extern_word, directive<string<'v', 'i', 's', 'i', 'b', 'l', 'e'>>,
                     directive<string<'w', 'e', 'a', 'k'>>, directive<string<'c', 'o', 'm', 'm', 'o', 'n'>>> {
};
struct linkage_start : success {};
struct linked : seq<linkage_start, star<linkage, gap>, sor<function, variable>> {};
struct module_loc : seq<loc_word, gap, must<loc_numbers>, opt<inlined_at>> {};

struct module_item : sor<file_entry, section, module_loc, pragma, alias, linked> {};
struct module_end : eof {};
struct module_rule : seq<gap, must<version>, gap, must<target>, gap, opt<address_size, gap>,
                         star<module_item, gap>, must<module_end>> {};

// --- What a rule that must match wants ---

template <typename Rule> constexpr const char* expectation = nullptr;
template <> constexpr const char* expectation<comment_end> = "'*/' to close a comment";
template <> constexpr const char* expectation<quote_end> = "'\"' to close the text";
template <>
constexpr const char* expectation<operand> = "an operand: a register, a number, [address] or {vector}";
template <>
constexpr const char* expectation<operand_list> = "an operand: a register, a number, [address] or {vector}";
template <> constexpr const char* expectation<second_name> = "a predicate behind '|'";
template <>
constexpr const char* expectation<close_address> = "']' to close the address, or an offset such as +4";
template <> constexpr const char* expectation<close_vector> = "'}' to close the vector, or ','";
template <> constexpr const char* expectation<close_list> = "')' to close the list, or ','";
template <> constexpr const char* expectation<guard_predicate> = "a predicate behind '@'";
template <> constexpr const char* expectation<opcode_after_guard> = "an instruction behind the guard";
template <> constexpr const char* expectation<instruction_end> = "';' to end the instruction, or an operand";
template <> constexpr const char* expectation<nesting_limit> = "braces nested less deeply";
template <> constexpr const char* expectation<alignment> = "an alignment in bytes";
template <> constexpr const char* expectation<attribute_end> = "')' to close the attribute";
template <> constexpr const char* expectation<range_length> = "how many registers there are, such as <8>";
template <> constexpr const char* expectation<range_end> = "'>' behind the number of registers";
template <> constexpr const char* expectation<extent_end> = "']' to close the array's length";
template <> constexpr const char* expectation<named_operand> = "a symbol";
template <> constexpr const char* expectation<generic_close> = "')' behind generic(symbol";
template <> constexpr const char* expectation<initializer> = "a value, a symbol or a list in braces";
template <> constexpr const char* expectation<close_brace> = "'}' to close the list, or ','";
template <>
constexpr const char* expectation<comma_list<one_variable>> = "a name for the variable, behind its type";
template <> constexpr const char* expectation<one_variable> = "a name behind ','";
template <>
constexpr const char* expectation<comma_list<one_register>> = "a name for the register, behind its type";
template <> constexpr const char* expectation<one_register> = "a name behind ','";
template <> constexpr const char* expectation<semicolon> = "';' to end the declaration";
template <> constexpr const char* expectation<loc_function> = "the inlined function's name";
template <> constexpr const char* expectation<loc_numbers> = "a file, a line and a column";
template <> constexpr const char* expectation<pragma_text> = "a text in quotes";
template <> constexpr const char* expectation<prototype_end> = "';' to end the prototype";
template <> constexpr const char* expectation<scope_end> = "an instruction, a declaration, or '}'";
template <> constexpr const char* expectation<declarator> = "a name for the parameter, behind its type";
template <> constexpr const char* expectation<parameter> = "a parameter, such as .param .u64 p";
template <> constexpr const char* expectation<result> = "a result, such as .param .b32 r";
template <> constexpr const char* expectation<parameters_end> = "')' to close the parameters, or ','";
template <> constexpr const char* expectation<function_name> = "the function's name";
template <> constexpr const char* expectation<function_end> = "'{' and the function's body, or ';'";
template <>
constexpr const char* expectation<body_end> = "an instruction, a declaration, or '}' to end the function";
template <> constexpr const char* expectation<version> = "a PTX module that begins with .version";
template <> constexpr const char* expectation<version_text> = "a version such as 9.0";
template <> constexpr const char* expectation<target> = ".target behind .version";
template <> constexpr const char* expectation<target_text> = "a target such as sm_90";
template <> constexpr const char* expectation<address_bits> = "32 or 64";
template <> constexpr const char* expectation<number> = "a number";
template <> constexpr const char* expectation<file_text> = "a path in quotes";
template <> constexpr const char* expectation<section_name> = "the section's name";
template <> constexpr const char* expectation<open_brace> = "'{' to open the section";
template <> constexpr const char* expectation<section_text> = "'}' to close the section";
template <> constexpr const char* expectation<alias_end> = "';' to end the alias";
template <>
constexpr const char* expectation<module_end> =
    ".visible, .entry, .func, .global or another directive of a module";

template <typename Rule> struct control : normal<Rule> {
  template <typename Input, typename... States>
  [[noreturn]] static void raise(const Input& in, States&&... /*states*/) {
    static_assert(expectation<Rule> != nullptr, "a rule that must match says what it wants");
    throw SyntaxFailure{expectation<Rule>, in.position()};
  }
};

// --- What a rule that has matched adds to the tree ---

template <typename Input> Token token_of(const Input& in) {
  const position at = in.position();
  return {in.string(), {static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)}};
}

template <typename Rule> struct action : nothing<Rule> {};

// Most actions only hand a token on; this says to whom. Apply is a function (Builder&, Token).
template <auto Apply> struct with_token {
  template <typename Input> static void apply(const Input& in, Builder& builder) {
    Apply(builder, token_of(in));
  }
};
template <auto Apply> struct without_token {
  static void apply0(Builder& builder) { Apply(builder); }
};

void add_operand(Builder& b, Operand::Kind kind, Token token) {
  Operand operand;
  operand.kind = kind;
  operand.token = std::move(token);
  b.frames.back().push_back(std::move(operand));
}

// What was read since the bracket opened becomes one operand.
void close_frame(Builder& b, Operand::Kind kind, Token token) {
  std::vector<Operand> elements = std::move(b.frames.back());
  b.frames.pop_back();
  add_operand(b, kind, std::move(token));
  b.frames.back().back().elements = std::move(elements);
}

std::vector<Operand> take_operands(Builder& b) { return std::exchange(b.frames.back(), {}); }

std::uint64_t take_number(Builder& b) {
  const std::uint64_t n = b.numbers.back();
  b.numbers.pop_back();
  return n;
}

using Kind = Operand::Kind;

template <>
struct action<number> : with_token<[](Builder& b, Token t) { b.numbers.push_back(integer_bits(t.text)); }> {};
template <>
struct action<quoted_text> : with_token<[](Builder& b, Token t) { b.text = std::move(t.text); }> {};

template <>
struct action<integer_operand>
    : with_token<[](Builder& b, Token t) { add_operand(b, Kind::integer, std::move(t)); }> {};
template <>
struct action<real_operand>
    : with_token<[](Builder& b, Token t) { add_operand(b, Kind::real, std::move(t)); }> {};
template <>
struct action<plain_name>
    : with_token<[](Builder& b, Token t) { add_operand(b, Kind::name, std::move(t)); }> {};
template <>
struct action<negated_name> : with_token<[](Builder& b, Token t) {
  t.text.erase(0, t.text.find_first_not_of("! \t\r\n"));
  add_operand(b, Kind::name, std::move(t));
  b.frames.back().back().negated = true;
}> {};
template <>
struct action<second_name>
    : with_token<[](Builder& b, Token t) { b.frames.back().back().second = std::move(t); }> {};
template <>
struct action<offset> : with_token<[](Builder& b, Token t) {
  const std::size_t start = t.text.find_first_not_of("+ \t\r\n");
  b.frames.back().back().offset =
      static_cast<std::int64_t>(integer_bits(std::string_view(t.text).substr(start)));
}> {};

template <> struct action<open_address> : without_token<[](Builder& b) { b.frames.emplace_back(); }> {};
template <> struct action<open_vector> : without_token<[](Builder& b) { b.frames.emplace_back(); }> {};
template <> struct action<open_list> : without_token<[](Builder& b) { b.frames.emplace_back(); }> {};
template <>
struct action<address>
    : with_token<[](Builder& b, Token t) { close_frame(b, Kind::address, std::move(t)); }> {};
template <>
struct action<vector_operand>
    : with_token<[](Builder& b, Token t) { close_frame(b, Kind::vector, std::move(t)); }> {};
template <>
struct action<list_operand>
    : with_token<[](Builder& b, Token t) { close_frame(b, Kind::list, std::move(t)); }> {};

template <>
struct action<guard_mark> : with_token<[](Builder& b, Token t) { b.guard_negated = t.text.back() == '!'; }> {
};
template <>
struct action<guard_predicate> : with_token<[](Builder& b, Token t) {
  b.guard = Guard{std::move(t), b.guard_negated};
}> {};
template <>
struct action<opcode> : with_token<[](Builder& b, Token t) {
  b.add(Instruction{std::exchange(b.guard, std::nullopt), std::move(t), {}});
}> {};
template <>
struct action<instruction_end> : without_token<[](Builder& b) {
  std::get<Instruction>(b.function.body.back()).operands = take_operands(b);
}> {};
template <>
struct action<label_name> : with_token<[](Builder& b, Token t) { b.add(Label{std::move(t)}); }> {};
template <> struct action<scope_begin> : without_token<[](Builder& b) { b.add(ScopeBegin{}); }> {};
template <> struct action<scope_end> : without_token<[](Builder& b) { b.add(ScopeEnd{}); }> {};

// A declaration's words apply to each of its names.
void begin_declaration(Builder& b, Token space) {
  b.variable = {};
  b.variable.space = space.text.substr(1);
  b.variable.external = b.external;
}
template <> struct action<declared_space> : with_token<begin_declaration> {};
template <> struct action<register_space> : with_token<begin_declaration> {};
template <> struct action<parameter_space> : with_token<begin_declaration> {};
template <>
struct action<declared_type> : with_token<[](Builder& b, Token t) { b.variable.type = std::move(t); }> {};
template <>
struct action<vector_length> : with_token<[](Builder& b, Token t) {
  b.variable.vector = static_cast<std::uint32_t>(t.text[0] - '0');
}> {};
template <>
struct action<alignment>
    : with_token<[](Builder& b, Token t) { b.variable.alignment = integer_bits(t.text); }> {};
template <> struct action<declared_name> {
  template <typename Input> static void apply(const Input& in, Builder& b) {
    if (b.variable.type.text.empty())
      throw SyntaxFailure{"a type such as .u32 before the name", in.position()};
    b.variable.name = token_of(in);
    b.variable.extents.clear();
    b.numbers.clear();
  }
};
template <>
struct action<range_length>
    : with_token<[](Builder& b, Token t) { b.numbers.push_back(integer_bits(t.text)); }> {};
template <>
struct action<extent>
    : with_token<[](Builder& b, Token t) { b.variable.extents.push_back(integer_bits(t.text)); }> {};
template <>
struct action<open_extent> : without_token<[](Builder& b) { b.variable.extents.push_back(0); }> {};

void add_initializers(Builder& b) {
  for (Operand& value : take_operands(b)) b.variable.initializer.push_back({std::move(value), false});
}
template <> struct action<plain_initializer> : without_token<add_initializers> {};
template <>
struct action<generic_initializer> : without_token<[](Builder& b) {
  add_initializers(b);
  b.variable.initializer.back().generic = true;
}> {};
template <>
struct action<one_variable> : without_token<[](Builder& b) {
  Variable v = b.variable;
  b.variable.initializer.clear();
  if (b.function.name.text.empty()) {
    b.tree.variables.push_back(std::move(v));
  } else {
    b.add(std::move(v));
  }
}> {};
template <>
struct action<one_register> : without_token<[](Builder& b) {
  const std::uint64_t count = b.numbers.empty() ? 0 : take_number(b);
  b.add(Registers{b.variable.type, b.variable.name, count});
}> {};
template <>
struct action<parameter> : without_token<[](Builder& b) { b.function.params.push_back(b.variable); }> {};
template <>
struct action<result> : without_token<[](Builder& b) { b.function.results.push_back(b.variable); }> {};

SourcePosition take_position(Builder& b) {
  const auto column = static_cast<std::uint32_t>(take_number(b));
  const auto line = static_cast<std::uint32_t>(take_number(b));
  return {static_cast<std::uint32_t>(take_number(b)), line, column};
}
void clear_numbers(Builder& b) { b.numbers.clear(); }
template <> struct action<loc_word> : without_token<clear_numbers> {};
template <> struct action<file_word> : without_token<clear_numbers> {};
template <>
struct action<loc_function>
    : with_token<[](Builder& b, Token t) { b.inlined_function = std::move(t.text); }> {};
template <>
struct action<loc> : without_token<[](Builder& b) {
  Loc loc;
  if (b.numbers.size() == 6) {
    loc.inlined_at = take_position(b);
    loc.function = std::exchange(b.inlined_function, {});
  }
  loc.at = take_position(b);
  b.add(std::move(loc));
}> {};

template <>
struct action<function_word> : with_token<[](Builder& b, Token t) {
  b.function = {};
  b.function.entry = t.text == ".entry";
}> {};
template <>
struct action<function_name> : with_token<[](Builder& b, Token t) { b.function.name = std::move(t); }> {};
template <> struct action<body> : without_token<[](Builder& b) { b.function.defined = true; }> {};
template <>
struct action<function>
    : without_token<[](Builder& b) { b.tree.functions.push_back(std::exchange(b.function, {})); }> {};
template <> struct action<linkage_start> : without_token<[](Builder& b) { b.external = false; }> {};
template <> struct action<extern_word> : without_token<[](Builder& b) { b.external = true; }> {};
template <> struct action<body_begin> : without_token<[](Builder& b) { b.external = false; }> {};

template <>
struct action<version_text> : with_token<[](Builder& b, Token t) { b.tree.version = std::move(t.text); }> {};
template <>
struct action<target_text> : with_token<[](Builder& b, Token t) { b.tree.target = std::move(t.text); }> {};
template <>
struct action<address_bits>
    : with_token<[](Builder& b, Token t) { b.tree.address_size = integer_bits(t.text); }> {};
template <>
struct action<file_text> : without_token<[](Builder& b) {
  b.tree.files[static_cast<std::uint32_t>(b.numbers.front())] = b.text;
}> {};
template <>
struct action<section_name> : with_token<[](Builder& b, Token t) {
  b.tree.sections.push_back({std::move(t.text), {}});
}> {};
template <>
struct action<section_text>
    : with_token<[](Builder& b, Token t) { b.tree.sections.back().text = std::move(t.text); }> {};

// --- Failures in words ---

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' || c == '$';
}

// The word, or else the one character, at `text[at]`.
std::string found_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the file";
  std::size_t end = at + 1;
  if (is_word(text[at]))
    while (end < text.size() && is_word(text[end])) ++end;
  return quoted(text.substr(at, end - at));
}

}  // namespace

Module parse_syntax(std::string_view text, const Diagnostics& diagnostics) {
  if (text.size() > largest_file)
    diagnostics.error(
        {1, 1}, fmt::format("found a file of {} bytes; expected at most {}", text.size(), largest_file));
  memory_input<> in(text.data(), text.data() + text.size(), diagnostics.file());
  Builder builder;
  try {
    (void)parse<module_rule, action, control>(in, builder);
  } catch (const SyntaxFailure& failure) {
    diagnostics.error(
        {static_cast<std::uint32_t>(failure.at.line), static_cast<std::uint32_t>(failure.at.column)},
        fmt::format("found {}; expected {}", found_at(text, failure.at.byte), failure.expected));
  }
  return std::move(builder.tree);
}

}  // namespace fencewise::ptx
