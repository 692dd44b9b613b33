#include "kernels/frontend/launchfile/expression.h"

#include <charconv>
#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include "kernels/core/fits.h"
#include "kernels/frontend/ptx/number.h"
#include "kernels/frontend/nested.h"

namespace fencewise::launchfile {
namespace {

using namespace tao::pegtl;  // NOLINT: the grammar reads as one

using Kind = Node::Kind;

struct Builder {
  std::vector<Node> stack;
  std::vector<Token> operators;  // and bound variables
  Position base;                 // where the text stands
  std::uint32_t nesting = 0;
};

struct SyntaxFailure {
  const char* expected;
  position at;
};

// --- Grammar, from the tightest to the loosest ---

struct gap : star<space> {};
template <typename Word> struct keyword : seq<Word, not_at<identifier_other>> {};
struct kw_forall : keyword<string<'f', 'o', 'r', 'a', 'l', 'l'>> {};
struct kw_all : keyword<string<'a', 'l', 'l'>> {};
struct kw_sum : keyword<string<'s', 'u', 'm'>> {};
struct kw_old : keyword<string<'o', 'l', 'd'>> {};
struct kw_in : keyword<string<'i', 'n'>> {};

template <typename Rule> using nested = nested_up_to<deepest_expression, Rule>;

struct formula;
struct whole : seq<formula> {};
struct operand : seq<formula> {};

struct number_text
    : seq<sor<seq<one<'0'>, one<'x', 'X'>, plus<xdigit>>, plus<digit>>, not_at<identifier_other>> {};
struct name_text : seq<not_at<sor<kw_forall, kw_all, kw_sum, kw_old>>, identifier> {};
struct open_paren : one<'('> {};
struct close_paren : one<')'> {};
struct close_bracket : one<']'> {};
struct index : seq<one<'['>, gap, must<operand>, must<close_bracket>> {};
struct parentheses : seq<one<'('>, gap, must<operand>, must<close_paren>> {};

struct bound_name : identifier {};
struct in_word : kw_in {};
struct dots : string<'.', '.'> {};
struct colon : one<':'> {};
struct range : seq<bound_name, gap, must<in_word>, gap, must<operand>, must<dots>, gap, must<operand>,
                   must<colon>, gap> {};
struct range_first : seq<range> {};
struct is_range : at<identifier, gap, kw_in> {};

struct sum_over : seq<is_range, must<range_first>, must<operand>> {};
struct sum_each : operand {};
struct sum_body : sor<sum_over, sum_each> {};
struct sum_call : seq<kw_sum, gap, must<open_paren>, gap, must<sum_body>, must<close_paren>> {};
struct all_body : seq<formula> {};
struct all_call : seq<kw_all, gap, must<open_paren>, gap, must<all_body>, must<close_paren>> {};
struct old_body : seq<formula> {};
struct old_call : seq<kw_old, gap, must<open_paren>, gap, must<old_body>, must<close_paren>> {};
struct forall_body : seq<formula> {};
struct forall_call : seq<kw_forall, gap, must<range_first>, must<forall_body>> {};

struct primary;
struct negative_operand : seq<primary> {};
struct negative : seq<one<'-'>, gap, must<negative_operand>> {};
struct not_operand : seq<primary> {};
struct negation : seq<one<'!'>, not_at<one<'='>>, gap, must<not_operand>> {};
struct element : seq<name_text, gap, opt<index>> {};
struct primary
    : seq<sor<number_text, nested<forall_call>, nested<all_call>, nested<sum_call>, nested<old_call>,
              nested<element>, nested<parentheses>, nested<negative>, nested<negation>>,
          gap> {};

struct times : one<'*', '/', '%'> {};
struct factor : primary {};
struct product_tail : seq<times, gap, must<factor>> {};
struct product : seq<primary, star<product_tail>> {};
struct plus_minus : one<'+', '-'> {};
struct term : product {};
struct sum_tail : seq<plus_minus, gap, must<term>> {};
struct sum : seq<product, star<sum_tail>> {};
struct comparator
    : sor<string<'=', '='>, string<'!', '='>, string<'<', '='>, string<'>', '='>, one<'<', '>'>> {};
struct compared : sum {};
struct comparison_tail : seq<comparator, gap, must<compared>> {};
struct comparison : seq<sum, opt<comparison_tail>> {};
struct and_operand : comparison {};
struct and_tail : seq<string<'&', '&'>, gap, must<and_operand>> {};
struct and_level : seq<comparison, star<and_tail>> {};
struct or_operand : and_level {};
struct or_tail : seq<string<'|', '|'>, gap, must<or_operand>> {};
struct formula : seq<and_level, star<or_tail>, gap> {};
struct text_end : eof {};
struct text : seq<gap, must<whole>, must<text_end>> {};

template <typename Rule> constexpr const char* expectation = nullptr;
template <> constexpr const char* expectation<nesting_limit> = "an expression nested less deeply";
template <> constexpr const char* expectation<whole> = "an expression";
template <> constexpr const char* expectation<operand> = "an expression";
template <> constexpr const char* expectation<close_bracket> = "']' or an operator";
template <> constexpr const char* expectation<open_paren> = "'('";
template <> constexpr const char* expectation<close_paren> = "')' or an operator";
template <> constexpr const char* expectation<in_word> = "'in' and a range such as 0..4";
template <> constexpr const char* expectation<dots> = "'..' and the end of the range";
template <> constexpr const char* expectation<colon> = "':' behind the range";
template <> constexpr const char* expectation<range_first> = "a variable and its range, such as i in 0..4:";
template <> constexpr const char* expectation<sum_body> = "what to add, such as i in 0..4: part[i]";
template <> constexpr const char* expectation<all_body> = "a condition such as sem == 0";
template <> constexpr const char* expectation<old_body> = "what to read before the launch";
template <> constexpr const char* expectation<forall_body> = "a condition";
template <> constexpr const char* expectation<negative_operand> = "a value";
template <> constexpr const char* expectation<not_operand> = "a condition";
template <> constexpr const char* expectation<factor> = "a value";
template <> constexpr const char* expectation<term> = "a value";
template <> constexpr const char* expectation<compared> = "a value to compare with";
template <> constexpr const char* expectation<and_operand> = "a condition behind '&&'";
template <> constexpr const char* expectation<or_operand> = "a condition behind '||'";
template <> constexpr const char* expectation<text_end> = "an operator, or the end of the expression";

template <typename Rule> struct control : normal<Rule> {
  template <typename Input, typename... States>
  [[noreturn]] static void raise(const Input& in, States&&... /*states*/) {
    static_assert(expectation<Rule> != nullptr, "a rule that must match says what it wants");
    throw SyntaxFailure{expectation<Rule>, in.position()};
  }
};

// --- Building the tree ---

// A place within the text as a place of the file. The text is on one line of it, or its own lines count.
Position place_in_file(const position& at, Position base) {
  const auto line = static_cast<std::uint32_t>(at.line), column = static_cast<std::uint32_t>(at.column);
  return {base.line + line - 1, line == 1 ? base.column + column - 1 : column};
}

template <typename Input> Token token_of(const Input& in, const Builder& b) {
  return {in.string(), place_in_file(in.position(), b.base)};
}

// The last `count` nodes become children of a new one.
void reduce(Builder& b, Kind kind, std::size_t count, Token token) {
  Node node{kind, std::move(token), {}};
  const auto first = b.stack.end() - static_cast<std::ptrdiff_t>(count);
  node.children.assign(std::make_move_iterator(first), std::make_move_iterator(b.stack.end()));
  b.stack.erase(first, b.stack.end());
  b.stack.push_back(std::move(node));
}

Token take_operator(Builder& b) {
  Token token = std::move(b.operators.back());
  b.operators.pop_back();
  return token;
}

template <typename Rule> struct action : nothing<Rule> {};
template <auto Apply> struct with_token {
  template <typename Input> static void apply(const Input& in, Builder& b) { Apply(b, token_of(in, b)); }
};
template <auto Apply> struct without_token {
  static void apply0(Builder& b) { Apply(b); }
};
template <Kind kind>
struct binary : without_token<[](Builder& b) { reduce(b, kind, 2, take_operator(b)); }> {};
struct remember : with_token<[](Builder& b, Token t) { b.operators.push_back(std::move(t)); }> {};

template <>
struct action<number_text> : with_token<[](Builder& b, Token t) {
  b.stack.push_back({Kind::number, std::move(t), {}});
}> {};
template <>
struct action<name_text> : with_token<[](Builder& b, Token t) {
  b.stack.push_back({Kind::name, std::move(t), {}});
}> {};
template <>
struct action<index> : without_token<[](Builder& b) {
  Token name = b.stack[b.stack.size() - 2].token;
  reduce(b, Kind::element, 2, std::move(name));
}> {};
template <> struct action<bound_name> : remember {};
template <> struct action<times> : remember {};
template <> struct action<plus_minus> : remember {};
template <> struct action<comparator> : remember {};
template <> struct action<product_tail> : binary<Kind::arithmetic> {};
template <> struct action<sum_tail> : binary<Kind::arithmetic> {};
template <> struct action<comparison_tail> : binary<Kind::comparison> {};
template <>
struct action<and_tail> : without_token<[](Builder& b) { reduce(b, Kind::conjunction, 2, {}); }> {};
template <>
struct action<or_tail> : without_token<[](Builder& b) { reduce(b, Kind::disjunction, 2, {}); }> {};
template <>
struct action<sum_over> : without_token<[](Builder& b) { reduce(b, Kind::sum, 3, take_operator(b)); }> {};
template <>
struct action<forall_call> : without_token<[](Builder& b) { reduce(b, Kind::forall, 3, take_operator(b)); }> {
};
template <>
struct action<sum_each> : with_token<[](Builder& b, Token t) { reduce(b, Kind::sum_all, 1, std::move(t)); }> {
};
template <>
struct action<all_body> : with_token<[](Builder& b, Token t) { reduce(b, Kind::all, 1, std::move(t)); }> {};
template <>
struct action<old_body> : with_token<[](Builder& b, Token t) { reduce(b, Kind::old, 1, std::move(t)); }> {};
template <>
struct action<negative_operand>
    : with_token<[](Builder& b, Token t) { reduce(b, Kind::negative, 1, std::move(t)); }> {};
template <>
struct action<not_operand>
    : with_token<[](Builder& b, Token t) { reduce(b, Kind::negation, 1, std::move(t)); }> {};

// The word, or else the one character, at `text[at]`.
std::string found_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the expression";
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::size_t end = at + 1;
  if (is_word(text[at]))
    while (end < text.size() && is_word(text[end])) ++end;
  return fencewise::quoted(text.substr(at, end - at));
}

std::uint32_t depth_of(const Node& node, std::uint32_t limit) {
  std::uint32_t depth = 1;
  for (const Node& child : node.children)
    if (limit > 0) depth = std::max(depth, 1 + depth_of(child, limit - 1));
  return depth;
}

}  // namespace

Node parse_expression(std::string_view source, Position at, const Diagnostics& diagnostics) {
  if (source.size() > longest_expression)
    diagnostics.error(at, fmt::format("found an expression of {} characters; expected at most {}",
                                      source.size(), longest_expression));
  memory_input<> in(source.data(), source.data() + source.size(), "");
  Builder builder;
  builder.base = at;
  try {
    (void)parse<text, action, control>(in, builder);
  } catch (const SyntaxFailure& failure) {
    diagnostics.error(
        place_in_file(failure.at, at),
        fmt::format("found {}; expected {}", found_at(source, failure.at.byte), failure.expected));
  }
  // A chain such as 1+1+1+... is a tree as deep as it is long.
  constexpr std::uint32_t deepest = deepest_expression * 10;
  if (depth_of(builder.stack.front(), deepest) >= deepest)
    diagnostics.error(at, fmt::format("found an expression of more than {} operators; expected a shorter one",
                                      deepest - 1));
  return std::move(builder.stack.front());
}

// --- Numbers ---

namespace {

// The result in 64 bits; no value: it overflows, or there is none.
std::optional<std::int64_t> calculate(char op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case '+': overflow = __builtin_add_overflow(a, b, &result); break;
    case '-': overflow = __builtin_sub_overflow(a, b, &result); break;
    case '*': overflow = __builtin_mul_overflow(a, b, &result); break;
    default:
      if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
      return op == '/' ? a / b : a % b;
  }
  return overflow ? std::nullopt : std::optional(result);
}

}  // namespace

namespace {

std::int64_t number_at(const Token& token, const Diagnostics& diagnostics) {
  const std::string& text = token.text;
  const bool hex = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(), bits, hex ? 16 : 10);
  const bool decimal_fits = hex || bits <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (error == std::errc::result_out_of_range || !decimal_fits)
    diagnostics.error(token.at, fmt::format("found {}; expected a number of 64 bits", fencewise::quoted(text)));
  return static_cast<std::int64_t>(ptx::integer_bits(text));
}

std::int64_t calculated(const Token& op, std::int64_t a, std::int64_t b, const Diagnostics& diagnostics) {
  if (const auto result = calculate(op.text.front(), a, b)) return *result;
  diagnostics.error(op.at, fmt::format("found {}, which overflows or divides by zero here; expected a number of 64 bits", fencewise::quoted(op.text)));
}

}  // namespace

std::int64_t evaluate(const Node& node, const Constants& constants, const Diagnostics& diagnostics) {
  const auto child = [&](std::size_t n) { return evaluate(node.children[n], constants, diagnostics); };
  switch (node.kind) {
    case Kind::number: return number_at(node.token, diagnostics);
    case Kind::name:
      if (const auto it = constants.find(node.token.text); it != constants.end()) return it->second;
      diagnostics.error(node.token.at, fmt::format("found {}; expected a number or a name of [constants]",
                                                   fencewise::quoted(node.token.text)));
    case Kind::negative: return calculated({"-", node.token.at}, 0, child(0), diagnostics);
    case Kind::arithmetic: return calculated(node.token, child(0), child(1), diagnostics);
    default: diagnostics.error(node.token.at, "found a condition or a buffer; expected a number");
  }
}

// --- Formulas ---

namespace {

class Lowering {
 public:
  Lowering(const Constants& constants, const std::vector<Buffer>& buffers, const Diagnostics& diagnostics)
      : constants_(constants), buffers_(buffers), diagnostics_(diagnostics) {}

  FormulaPtr formula(const Node& node) {
    switch (node.kind) {
      case Kind::comparison: return comparison(node);
      case Kind::negation: return make(node, Not{formula(node.children[0])});
      case Kind::conjunction:
        return make(node, AndOr{true, {formula(node.children[0]), formula(node.children[1])}});
      case Kind::disjunction:
        return make(node, AndOr{false, {formula(node.children[0]), formula(node.children[1])}});
      case Kind::forall: {
        const ExprPtr lo = expression(node.children[0]), hi = expression(node.children[1]);
        bound_.push_back(node.token.text);
        const FormulaPtr body = formula(node.children[2]);
        bound_.pop_back();
        return make(node, ForAll{node.token.text, lo, hi, body});
      }
      case Kind::all: {
        const Each each(*this, node);
        return make(node, ForAll{each_name, number(0), number(each.length), formula(node.children[0])});
      }
      default: break;
    }
    diagnostics_.error(node.token.at,
                       fmt::format("found {}; expected a condition", fencewise::quoted(node.token.text)));
  }

 private:
  static constexpr const char* each_name = "each";

  // Within all(...) and sum(...): a buffer without an index is its element number `each`.
  struct Each {
    Each(Lowering& l, const Node& node) : lowering(l), length(l.common_length(node)) { ++lowering.each_; }
    ~Each() { --lowering.each_; }
    Each(const Each&) = delete;
    Each& operator=(const Each&) = delete;
    Lowering& lowering;
    std::int64_t length;
  };

  [[nodiscard]] FormulaPtr make(const Node& at, decltype(Formula::node) node) const {
    return std::make_shared<const Formula>(Formula{std::move(node), diagnostics_.place(at.token.at)});
  }
  [[nodiscard]] ExprPtr make_expr(const Node& at, decltype(Expr::node) node) const {
    return std::make_shared<const Expr>(Expr{std::move(node), diagnostics_.place(at.token.at)});
  }
  static ExprPtr number(std::int64_t n) { return std::make_shared<const Expr>(Expr{Number{n}}); }

  [[nodiscard]] std::optional<BufferId> buffer(const std::string& name) const {
    for (std::uint32_t b = 0; b < buffers_.size(); ++b)
      if (buffers_[b].name == name) return BufferId{b};
    return std::nullopt;
  }

  void bare_buffers(const Node& node, std::vector<std::pair<BufferId, const Node*>>& found) const {
    if (const auto id = node.kind == Kind::name ? buffer(node.token.text) : std::nullopt)
      found.emplace_back(*id, &node);
    for (std::size_t n = node.kind == Kind::element ? 1 : 0; n < node.children.size(); ++n)
      bare_buffers(node.children[n], found);
  }

  [[nodiscard]] std::int64_t common_length(const Node& node) const {
    std::vector<std::pair<BufferId, const Node*>> found;
    bare_buffers(node.children[0], found);
    if (found.empty())
      diagnostics_.error(node.token.at,
                         "found no buffer without an index; expected one, whose elements are meant");
    const std::uint64_t length = buffers_[found.front().first.value].length;
    for (const auto& [id, at] : found)
      if (buffers_[id.value].length != length)
        diagnostics_.error(at->token.at,
                           fmt::format("found {} of {} elements; expected {} as before",
                                       fencewise::quoted(at->token.text), buffers_[id.value].length, length));
    return static_cast<std::int64_t>(length);
  }

  FormulaPtr comparison(const Node& node) {
    static const std::map<std::string_view, Compare> table{{"==", Compare::eq}, {"!=", Compare::ne},
                                                           {"<", Compare::lt},  {"<=", Compare::le},
                                                           {">", Compare::gt},  {">=", Compare::ge}};
    const Compare op = table.at(node.token.text);
    const Comparison result{op, expression(node.children[0]), expression(node.children[1])};
    const bool order = op != Compare::eq && op != Compare::ne;
    require_number(node.children[0], result.left, result.right, order);
    require_number(node.children[1], result.right, result.left, order);
    return make(node, result);
  }

  // The integer type of the elements that an expression reads. No value: it reads none, or floats.
  [[nodiscard]] std::optional<Type> type_of(const ExprPtr& expr) const {
    if (const auto* read = std::get_if<Element>(&expr->node)) {
      const Type type = buffers_[read->buffer.value].element;
      return is_float(type) ? std::nullopt : std::optional(type);
    }
    if (const auto* sum = std::get_if<SumExpr>(&expr->node)) return type_of(sum->body);
    const auto* both = std::get_if<BinaryExpr>(&expr->node);
    if (both == nullptr) return std::nullopt;
    const auto left = type_of(both->left), right = type_of(both->right);
    return left && right ? (size_of(*right) > size_of(*left) ? right : left) : left ? left : right;
  }

  // A number beside an expression is one that its type can hold. Equality looks at bits, an order at numbers.
  void require_number(const Node& at, const ExprPtr& value, const ExprPtr& beside, bool order) const {
    const auto* number = std::get_if<Number>(&value->node);
    const auto type = number == nullptr ? std::nullopt : type_of(beside);
    if (!type || (order ? holds(*type, number->value) : fits(*type, number->value))) return;
    diagnostics_.error(at.token.at, fmt::format("found {}; expected a number {}", number->value,
                                                order ? fmt::format("of {}, which is compared by an order", name(*type))
                                                      : fmt::format("that {} can hold", name(*type))));
  }

  ExprPtr arithmetic(const Node& node) {
    static const std::map<std::string_view, BinaryExpr::Op> table{{"+", BinaryExpr::Op::add},
                                                                  {"-", BinaryExpr::Op::sub},
                                                                  {"*", BinaryExpr::Op::mul},
                                                                  {"/", BinaryExpr::Op::div},
                                                                  {"%", BinaryExpr::Op::rem}};
    const BinaryExpr result{table.at(node.token.text), expression(node.children[0]), expression(node.children[1])};
    require_number(node.children[0], result.left, result.right, false);
    require_number(node.children[1], result.right, result.left, false);
    const auto* left = std::get_if<Number>(&result.left->node);
    const auto* right = std::get_if<Number>(&result.right->node);
    const bool divides = result.op == BinaryExpr::Op::div || result.op == BinaryExpr::Op::rem;
    if ((divides && right != nullptr && right->value == 0) || (left != nullptr && right != nullptr))
      return number(calculated(node.token, left == nullptr ? 0 : left->value, right->value));
    return make_expr(node, result);
  }

  std::int64_t calculated(const Token& op, std::int64_t a, std::int64_t b) const {
    return fencewise::launchfile::calculated(op, a, b, diagnostics_);
  }

  ExprPtr named(const Node& node) {
    const std::string& name = node.token.text;
    for (const std::string& variable : bound_)
      if (variable == name) return make_expr(node, Variable{name});
    if (const auto it = constants_.find(name); it != constants_.end()) return number(it->second);
    const auto id = buffer(name);
    if (!id)
      diagnostics_.error(node.token.at,
                         fmt::format("found {}; expected a buffer, a constant or a bound variable",
                                     fencewise::quoted(name)));
    const bool single = buffers_[id->value].length == 1;
    if (each_ == 0 && !single)
      diagnostics_.error(node.token.at,
                         fmt::format("found {} without an index; expected {}[...], or all(...) around it",
                                     fencewise::quoted(name), name));
    return make_expr(node, Element{*id, each_ == 0 ? number(0) : make_expr(node, Variable{each_name}), old_});
  }

  ExprPtr element(const Node& node) {
    const auto id = buffer(node.token.text);
    if (!id)
      diagnostics_.error(node.token.at,
                         fmt::format("found {}; expected a buffer", fencewise::quoted(node.token.text)));
    ExprPtr index = expression(node.children[1]);
    const std::uint64_t length = buffers_[id->value].length;
    if (const auto* n = std::get_if<Number>(&index->node); n != nullptr && static_cast<std::uint64_t>(n->value) >= length)
      diagnostics_.error(node.token.at, fmt::format("found {}[{}]; {} has {} element{}", node.token.text, n->value, node.token.text, length,
                                                    length == 1 ? "" : "s"));
    return make_expr(node, Element{*id, std::move(index), old_});
  }

  ExprPtr old(const Node& node) {
    const bool before = std::exchange(old_, true);
    ExprPtr result = expression(node.children[0]);
    old_ = before;
    return result;
  }

  ExprPtr sum(const Node& node) {
    const ExprPtr lo = expression(node.children[0]), hi = expression(node.children[1]);
    bound_.push_back(node.token.text);
    const ExprPtr body = expression(node.children[2]);
    bound_.pop_back();
    return make_expr(node, SumExpr{node.token.text, lo, hi, body});
  }

  ExprPtr expression(const Node& node) {
    switch (node.kind) {
      case Kind::number: return number(number_at(node.token, diagnostics_));
      case Kind::name: return named(node);
      case Kind::element: return element(node);
      case Kind::old: return old(node);
      case Kind::negative: {
        const ExprPtr value = expression(node.children[0]);
        if (const auto* n = std::get_if<Number>(&value->node)) return number(calculated({"-", node.token.at}, 0, n->value));
        return make_expr(node, BinaryExpr{BinaryExpr::Op::sub, number(0), value});
      }
      case Kind::arithmetic: return arithmetic(node);
      case Kind::sum: return sum(node);
      case Kind::sum_all: {
        const Each each(*this, node);
        return make_expr(node, SumExpr{each_name, number(0), number(each.length), expression(node.children[0])});
      }
      default: break;
    }
    diagnostics_.error(node.token.at, fmt::format("found {}, a condition; expected a value",
                                                  fencewise::quoted(node.token.text)));
  }

  const Constants& constants_;
  const std::vector<Buffer>& buffers_;
  const Diagnostics& diagnostics_;
  std::vector<std::string> bound_;
  bool old_ = false;
  unsigned each_ = 0;
};

}  // namespace

FormulaPtr lower_formula(const Node& node, const Constants& constants, const std::vector<Buffer>& buffers,
                         const Diagnostics& diagnostics) {
  return Lowering(constants, buffers, diagnostics).formula(node);
}

}  // namespace fencewise::launchfile
