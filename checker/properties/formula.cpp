#include "checker/properties/formula.h"

#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/fits.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

// A number written in a formula has no type until it meets one; it counts as s64.
struct Typed {
  Value value;
  Type type = Type::s64;
  bool literal = false;
};

// The variables bound by forall and sum, innermost last.
using Bindings = std::vector<std::pair<std::string, std::int64_t>>;

Compare negated(Compare op) {
  switch (op) {
    case Compare::eq: return Compare::ne;
    case Compare::ne: return Compare::eq;
    case Compare::lt: return Compare::ge;
    case Compare::le: return Compare::gt;
    case Compare::gt: return Compare::le;
    case Compare::ge: return Compare::lt;
  }
  return Compare::eq;
}

Arith arith_of(BinaryExpr::Op op) {
  switch (op) {
    case BinaryExpr::Op::add: return Arith::add;
    case BinaryExpr::Op::sub: return Arith::sub;
    case BinaryExpr::Op::mul: return Arith::mul;
    case BinaryExpr::Op::div: return Arith::div;
    case BinaryExpr::Op::rem: return Arith::rem;
  }
  return Arith::add;
}

// What a contract may cost: the numbers that its foralls and sums go through, in all.
constexpr std::uint64_t most_bound = 10'000'000;

class Evaluator {
 public:
  Evaluator(const FinalState& state, Terms& terms, const Problem& problem)
      : state_(state), terms_(terms), problem_(problem) {}

  // The truth of `formula`, or of its negation where not `positive`.
  Truth truth(const Formula& formula, bool positive) {
    const At at(where_, formula.where);
    return std::visit([&](const auto& node) { return truth_of(node, positive); }, formula.node);
  }

  // A range of forall or sum. Throws where a bound is not a number.
  std::pair<std::int64_t, std::int64_t> range(const ExprPtr& lo, const ExprPtr& hi) {
    return {bound(lo), bound(hi)};
  }

  Typed value(const Expr& expr) {
    const At at(where_, expr.where);
    return std::visit([&](const auto& node) { return value_of(node); }, expr.node);
  }

  Truth compare(const Comparison& comparison, bool positive) {
    Typed left = value(*comparison.left), right = value(*comparison.right);
    require_in_order(comparison.op, left, right);
    require_in_order(comparison.op, right, left);
    const Type type = unify(left, right);
    if (left.value.is_unknown() || right.value.is_unknown()) return Truth::undecided;
    if (terms_.is_poison(left.value) || terms_.is_poison(right.value)) return Truth::no;
    const Compare op = positive ? comparison.op : negated(comparison.op);
    if (const auto decided = terms_.compare(op, type, left.value, right.value))
      return *decided ? Truth::yes : Truth::no;
    return op == Compare::eq ? Truth::no : Truth::undecided;
  }

  void bind(const std::string& variable, std::int64_t number) {
    if (++bound_ > most_bound)
      fail("the foralls and sums of the contract go through more than {} numbers; expected smaller ranges", most_bound);
    bindings_.emplace_back(variable, number);
  }
  void unbind() { bindings_.pop_back(); }
  [[nodiscard]] const Bindings& bindings() const { return bindings_; }
  [[nodiscard]] std::string text(const Typed& t) const { return terms_.to_string(t.value, t.type); }
  [[nodiscard]] bool is_poison(const Typed& t) const { return terms_.is_poison(t.value); }
  [[nodiscard]] std::string origin_of_poison(const Typed& t) const {
    return is_poison(t) ? terms_.origin_of_poison(t.value) : "";
  }

  // What a literal becomes where it meets `type`: signed or not, its bits must be there.
  [[nodiscard]] Value as_type(Value literal, Type type) const {
    if (!is_float(type)) {
      if (!fits(type, static_cast<std::int64_t>(literal.bits())))
        fail("the contract has {} where {} is meant, which can't hold it", static_cast<std::int64_t>(literal.bits()), name(type));
      return Value::number(truncate(type, literal.bits()));
    }
    const Arithmetic convert{
        .op = Arith::cvt, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}, .from = Type::s64};
    return Value::number(compute(convert, literal.bits(), 0, 0));
  }

 private:
  // Where the innermost part of a formula that is evaluated is written, for messages.
  class At {
   public:
    At(const std::string*& current, const std::string& here) : current_(current), before_(current) {
      if (!here.empty()) current = &here;
    }
    ~At() { current_ = before_; }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    const std::string*& current_;
    const std::string* before_;
  };
  template <class... Args> [[noreturn]] void fail(fmt::format_string<Args...> format, const Args&... args) const {
    const std::string what = fmt::vformat(format, fmt::make_format_args(args...));
    throw InputError(where_ == nullptr ? what : fmt::format("{}: {}", *where_, what));
  }

  // Equal are bits, so -1 may be said of u32. In an order it has no place.
  void require_in_order(Compare op, const Typed& literal, const Typed& other) const {
    if (op == Compare::eq || op == Compare::ne || !literal.literal || other.literal || is_float(other.type)) return;
    const auto number = static_cast<std::int64_t>(literal.value.bits());
    if (!holds(other.type, number))
      fail("the contract compares {} with {}, which is none of its numbers, by an order", name(other.type), number);
  }

  // Gives both sides one type: a literal takes the other's, else the wider one wins.
  Type unify(Typed& a, Typed& b) const {
    if (a.literal && b.literal) return Type::s64;
    if (a.literal) {
      a = {as_type(a.value, b.type), b.type, false};
      return b.type;
    }
    if (b.literal) {
      b = {as_type(b.value, a.type), a.type, false};
      return a.type;
    }
    if (is_float(a.type) != is_float(b.type)) fail("a formula of the contract mixes {} and {}", name(a.type), name(b.type));
    return size_of(b.type) > size_of(a.type) ? b.type : a.type;
  }

  Truth truth_of(const Comparison& node, bool positive) { return compare(node, positive); }
  Truth truth_of(const Not& node, bool positive) { return truth(*node.operand, !positive); }
  Truth truth_of(const Constant& node, bool positive) {
    return node.value == positive ? Truth::yes : Truth::no;
  }

  Truth truth_of(const AndOr& node, bool positive) {
    const bool all = node.conjunction == positive;
    const Truth decisive = all ? Truth::no : Truth::yes;
    Truth result = all ? Truth::yes : Truth::no;
    for (const FormulaPtr& operand : node.operands) {
      const Truth t = truth(*operand, positive);
      if (t == decisive) return t;
      if (t == Truth::undecided) result = t;
    }
    return result;
  }

  Truth truth_of(const ForAll& node, bool positive) {
    const Truth decisive = positive ? Truth::no : Truth::yes;
    Truth result = positive ? Truth::yes : Truth::no;
    const auto [lo, hi] = range(node.lo, node.hi);
    for (std::int64_t n = lo; n < hi; ++n) {
      bind(node.variable, n);
      const Truth t = truth(*node.body, positive);
      unbind();
      if (t == decisive) return t;
      if (t == Truth::undecided) result = t;
    }
    return result;
  }

  std::int64_t bound(const ExprPtr& expr) {
    const Typed t = value(*expr);
    if (t.value.is_number()) return static_cast<std::int64_t>(t.value.bits());
    fail("a range of the contract ends at {}, which is no number", text(t));
  }

  Typed value_of(const Number& node) {
    return {Value::number(static_cast<std::uint64_t>(node.value)), Type::s64, true};
  }

  Typed value_of(const Variable& node) {
    for (auto it = bindings_.rbegin(); it != bindings_.rend(); ++it)
      if (it->first == node.name) return value_of(Number{it->second});
    fail("'{}' is not bound by a forall or sum of the contract", node.name);
  }

  Typed value_of(const Element& node) {
    const Buffer& buffer = problem_.buffers.at(node.buffer.value);
    const Typed index = value(*node.index);
    if (!index.value.is_number()) return {undecided_index(index), buffer.element, false};
    if (index.value.bits() >= buffer.length)
      fail("the contract reads {}[{}], but {} has {} element{}", buffer.name, text(index), buffer.name, buffer.length,
           buffer.length == 1 ? "" : "s");
    const auto& read = node.at_entry ? state_.at_entry : state_.now;
    return {read(node.buffer, index.value.bits()), buffer.element, false};
  }

  // An element at an index that is no number: poison stays poison.
  [[nodiscard]] Value undecided_index(const Typed& index) const {
    return is_poison(index) ? index.value : Terms::unknown();
  }

  Typed value_of(const ThreadRegister& node) {
    if (!state_.reg) return {Terms::unknown(), Type::s64, false};
    return {state_.reg(node.thread, node.reg), type_of(node), false};
  }

  [[nodiscard]] Type type_of(const ThreadRegister& node) const {
    const Launch& last = problem_.launches.back();
    const KernelId kernel = last.placed.empty() ? last.kernel : last.placed.at(node.thread).kernel;
    return problem_.kernels.at(kernel.value).registers.at(node.reg.value).type;
  }

  Typed value_of(const BinaryExpr& node) {
    return combine(arith_of(node.op), value(*node.left), value(*node.right));
  }

  Typed combine(Arith op, Typed a, Typed b) {
    if ((op == Arith::div || op == Arith::rem) && b.literal && b.value.bits() == 0) fail("the contract divides by zero");
    const bool literal = a.literal && b.literal;
    const Type type = unify(a, b);
    // Both operands count as present: without them a term forgets what it was divided by.
    const Arithmetic instruction{
        .op = op, .type = type, .dst = {}, .a = Operand::imm(0), .b = Operand::imm(0), .c = {}};
    return {terms_.apply(instruction, a.value, b.value, Value()), type, literal};
  }

  Typed value_of(const SumExpr& node) {
    const auto [lo, hi] = range(node.lo, node.hi);
    Typed total = value_of(Number{0});
    for (std::int64_t n = lo; n < hi; ++n) {
      bind(node.variable, n);
      const Typed term = value(*node.body);
      unbind();
      total = n == lo ? term : combine(Arith::add, total, term);
    }
    return total;
  }

  const FinalState& state_;
  Terms& terms_;
  const Problem& problem_;
  Bindings bindings_;
  const std::string* where_ = nullptr;
  std::uint64_t bound_ = 0;  // numbers that variables stood for
};

// Writes numbers in the place of bound variables, so that "out[t]" reads "out[2]".
class Substitution {
 public:
  explicit Substitution(const Bindings& bindings) : bindings_(bindings) {}

  ExprPtr operator()(const ExprPtr& expr) const {
    return std::make_shared<const Expr>(
        std::visit([&](const auto& node) { return Expr{replaced(node)}; }, expr->node));
  }

 private:
  using Node = decltype(Expr::node);
  Node replaced(const Number& node) const { return node; }
  Node replaced(const ThreadRegister& node) const { return node; }
  Node replaced(const Variable& node) const {
    for (auto it = bindings_.rbegin(); it != bindings_.rend(); ++it)
      if (it->first == node.name) return Number{it->second};
    return node;
  }
  Node replaced(const Element& node) const { return folded(node); }
  Node replaced(const BinaryExpr& node) const {
    return BinaryExpr{node.op, (*this)(node.left), (*this)(node.right)};
  }
  Node replaced(const SumExpr& node) const {
    Bindings inner;
    for (const auto& binding : bindings_)
      if (binding.first != node.variable) inner.push_back(binding);
    const Substitution within(inner);
    return SumExpr{node.variable, (*this)(node.lo), (*this)(node.hi), within(node.body)};
  }

  Element folded(const Element& node) const {
    const ExprPtr index = (*this)(node.index);
    if (const auto number = number_of(*index))
      return Element{node.buffer, std::make_shared<const Expr>(Expr{Number{*number}}), node.at_entry};
    return Element{node.buffer, index, node.at_entry};
  }

  // An index that is arithmetic on numbers.
  static std::optional<std::int64_t> number_of(const Expr& expr) {
    if (const auto* number = std::get_if<Number>(&expr.node)) return number->value;
    const auto* binary = std::get_if<BinaryExpr>(&expr.node);
    if (binary == nullptr) return std::nullopt;
    const auto a = number_of(*binary->left), b = number_of(*binary->right);
    if (!a || !b) return std::nullopt;
    const Arithmetic op{.op = arith_of(binary->op), .type = Type::s64, .dst = {}, .a = {}, .b = {}, .c = {}};
    return static_cast<std::int64_t>(
        compute(op, static_cast<std::uint64_t>(*a), static_cast<std::uint64_t>(*b), 0));
  }

  const Bindings& bindings_;
};

std::string_view must_be(Compare op) {
  switch (op) {
    case Compare::eq: return "expected";
    case Compare::ne: return "must not be";
    case Compare::lt: return "must be less than";
    case Compare::le: return "must be at most";
    case Compare::gt: return "must be more than";
    case Compare::ge: return "must be at least";
  }
  return "expected";
}

class Explainer {
 public:
  Explainer(const FinalState& state, Terms& terms, const Problem& problem)
      : evaluator_(state, terms, problem), problem_(problem) {}

  // Empty if the formula (or its negation, where not `positive`) holds.
  std::string explain(const Formula& formula, bool positive) {
    if (evaluator_.truth(formula, positive) == Truth::yes) return {};
    return std::visit([&](const auto& node) { return why(node, positive); }, formula.node);
  }

 private:
  std::string why(const Constant& node, bool) {
    return node.value ? "true must not hold" : "false can't hold";
  }
  std::string why(const Not& node, bool positive) { return explain(*node.operand, !positive); }

  std::string why(const AndOr& node, bool positive) {
    const bool all = node.conjunction == positive;
    std::string text;
    for (const FormulaPtr& operand : node.operands) {
      const std::string part = explain(*operand, positive);
      if (part.empty()) continue;
      if (all) return part;  // one that fails is enough
      if (!text.empty()) text += "; and ";
      text += part;
    }
    return text.empty() ? "an empty disjunction can't hold" : text;
  }

  std::string why(const ForAll& node, bool positive) {
    const auto [lo, hi] = evaluator_.range(node.lo, node.hi);
    for (std::int64_t n = lo; positive && n < hi; ++n) {
      evaluator_.bind(node.variable, n);
      const std::string part = explain(*node.body, true);
      evaluator_.unbind();
      if (!part.empty()) return part;
    }
    const Formula whole{node};
    return fmt::format("{} must not hold", print(whole, problem_));
  }

  std::string why(const Comparison& node, bool positive) {
    const Comparison asked{positive ? node.op : negated(node.op), node.left, node.right};
    const Typed left = evaluator_.value(*asked.left);
    Typed right = evaluator_.value(*asked.right);
    const std::string name = print(*Substitution(evaluator_.bindings())(asked.left), problem_);
    if (right.literal && !left.literal) right = {evaluator_.as_type(right.value, left.type), left.type, false};
    return fmt::format("{}, {} {}", is_or_was(name, left), must_be(asked.op), evaluator_.text(right));
  }

  // "out[0] = 3", or that nobody wrote it, where its poison says so.
  [[nodiscard]] std::string is_or_was(const std::string& name, const Typed& left) const {
    if (left.literal) return evaluator_.text(left);
    const std::string origin = evaluator_.origin_of_poison(left);
    const std::string buffer = name.substr(0, name.find('['));
    if (origin == name || origin == buffer) return name + " was never written";
    const std::size_t never = origin.find(" was never written");
    if (never != std::string::npos && origin.starts_with(buffer)) return name + origin.substr(never);
    return fmt::format("{} = {}", name, evaluator_.text(left));
  }

  Evaluator evaluator_;
  const Problem& problem_;
};

}  // namespace

Truth holds(const Formula& formula, const FinalState& state, Terms& terms, const Problem& problem) {
  return Evaluator(state, terms, problem).truth(formula, true);
}

std::string explain(const Formula& formula, const FinalState& state, Terms& terms, const Problem& problem) {
  return Explainer(state, terms, problem).explain(formula, true);
}

}  // namespace fencewise
