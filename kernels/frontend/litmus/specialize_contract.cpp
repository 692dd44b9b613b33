#include "kernels/frontend/litmus/specialize_contract.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise::litmus {
namespace {

constexpr std::int64_t largest_range = 4096;

template <typename Node> ExprPtr expr(Node node) {
  return std::make_shared<const Expr>(Expr{std::move(node)});
}
template <typename Node> FormulaPtr formula(Node node) {
  return std::make_shared<const Formula>(Formula{std::move(node)});
}

std::int64_t apply(BinaryExpr::Op op, std::int64_t a, std::int64_t b) {
  // Unsigned, so that overflow wraps as the machine does.
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  switch (op) {
    case BinaryExpr::Op::add: return static_cast<std::int64_t>(x + y);
    case BinaryExpr::Op::sub: return static_cast<std::int64_t>(x - y);
    case BinaryExpr::Op::mul: return static_cast<std::int64_t>(x * y);
    case BinaryExpr::Op::div:
    case BinaryExpr::Op::rem: break;
  }
  if (b == 0 || b == -1) throw NotModelled("a division by 0 or -1 in a condition");
  return op == BinaryExpr::Op::div ? a / b : a % b;
}

const Number* constant(const ExprPtr& e) { return std::get_if<Number>(&e->node); }

bool reads_memory(const Expr& e) {
  if (std::holds_alternative<Element>(e.node)) return true;
  const auto* binary = std::get_if<BinaryExpr>(&e.node);
  return binary != nullptr && (reads_memory(*binary->left) || reads_memory(*binary->right));
}

Compare mirrored(Compare op) {
  switch (op) {
    case Compare::lt: return Compare::gt;
    case Compare::gt: return Compare::lt;
    case Compare::le: return Compare::ge;
    case Compare::ge: return Compare::le;
    case Compare::eq:
    case Compare::ne: return op;
  }
  return op;
}

// Expands what ranges over constants. The environment binds the variables of the sums and quantifiers around.
class Expander {
 public:
  Expander(const RegisterNames& registers, ScalarLocations& locations)
      : registers_(registers), locations_(locations) {}

  FormulaPtr expand(const FormulaPtr& f) {
    return std::visit([this](const auto& node) { return expand(node); }, f->node);
  }

 private:
  FormulaPtr expand(const Comparison& c) {
    ExprPtr left = expand(c.left);
    ExprPtr right = expand(c.right);
    if (!reads_memory(*right)) return formula(Comparison{c.op, left, right});
    if (!reads_memory(*left)) return formula(Comparison{mirrored(c.op), right, left});
    return formula(Comparison{c.op, expr(BinaryExpr{BinaryExpr::Op::sub, left, right}), expr(Number{0})});
  }
  FormulaPtr expand(const Not& n) { return formula(Not{expand(n.operand)}); }
  FormulaPtr expand(const AndOr& node) {
    AndOr result{node.conjunction, {}};
    for (const FormulaPtr& operand : node.operands) result.operands.push_back(expand(operand));
    return formula(std::move(result));
  }
  FormulaPtr expand(const ForAll& all) {
    AndOr result{true, {}};
    each(all.variable, all.lo, all.hi, [&] { result.operands.push_back(expand(all.body)); });
    return formula(std::move(result));
  }
  FormulaPtr expand(const Constant& c) { return formula(c); }

  ExprPtr expand(const ExprPtr& e) {
    return std::visit([this](const auto& node) { return value(node); }, e->node);
  }

  ExprPtr value(const Number& n) { return expr(n); }
  ExprPtr value(const ThreadRegister& r) {
    return expr(ThreadRegister{r.thread, registers_[r.thread].at(r.reg.value)});
  }
  ExprPtr value(const Variable& v) { return expr(Number{variables_.at(v.name)}); }
  ExprPtr value(const Element& e) {
    const std::int64_t index = number(e.index);
    const auto position = static_cast<std::uint64_t>(index);
    if (e.at_entry) return expr(Number{static_cast<std::int64_t>(locations_.initial(e.buffer, position))});
    return expr(Element{locations_.element(e.buffer, position), expr(Number{0}), false});
  }
  ExprPtr value(const BinaryExpr& b) { return combine(b.op, expand(b.left), expand(b.right)); }
  ExprPtr value(const SumExpr& sum) {
    ExprPtr total;
    each(sum.variable, sum.lo, sum.hi, [&] {
      ExprPtr part = expand(sum.body);
      total = total ? combine(BinaryExpr::Op::add, total, part) : std::move(part);
    });
    return total ? total : expr(Number{0});
  }

  static ExprPtr combine(BinaryExpr::Op op, const ExprPtr& a, const ExprPtr& b) {
    if (const Number* x = constant(a), *y = constant(b); x != nullptr && y != nullptr)
      return expr(Number{apply(op, x->value, y->value)});
    return expr(BinaryExpr{op, a, b});
  }

  std::int64_t number(const ExprPtr& e) {
    const ExprPtr expanded = expand(e);
    if (const Number* n = constant(expanded)) return n->value;
    throw NotModelled("a litmus condition has no form for an index or range that depends on memory");
  }

  template <typename Body>
  void each(const std::string& variable, const ExprPtr& lo, const ExprPtr& hi, const Body& body) {
    const std::int64_t first = number(lo);
    const std::int64_t end = number(hi);
    if (end > first && end - first > largest_range)
      throw NotModelled(fmt::format("the range of '{}' is too large for a litmus condition", variable));
    const auto outer =
        variables_.find(variable) == variables_.end() ? std::nullopt : std::optional(variables_[variable]);
    for (std::int64_t i = first; i < end; ++i) {
      variables_[variable] = i;
      body();
    }
    if (outer) variables_[variable] = *outer;
  }

  const RegisterNames& registers_;
  ScalarLocations& locations_;
  std::map<std::string, std::int64_t> variables_;
};

void collect(const Formula& f, std::vector<ThreadRegister>& out);

void collect(const Expr& e, std::vector<ThreadRegister>& out) {
  if (const auto* r = std::get_if<ThreadRegister>(&e.node)) out.push_back(*r);
  if (const auto* b = std::get_if<BinaryExpr>(&e.node)) {
    collect(*b->left, out);
    collect(*b->right, out);
  }
  if (const auto* s = std::get_if<SumExpr>(&e.node)) collect(*s->body, out);
}

void collect(const Formula& f, std::vector<ThreadRegister>& out) {
  if (const auto* c = std::get_if<Comparison>(&f.node)) {
    collect(*c->left, out);
    collect(*c->right, out);
  }
  if (const auto* n = std::get_if<Not>(&f.node)) collect(*n->operand, out);
  if (const auto* a = std::get_if<AndOr>(&f.node)) {
    for (const FormulaPtr& operand : a->operands) collect(*operand, out);
  }
  if (const auto* all = std::get_if<ForAll>(&f.node)) collect(*all->body, out);
}

// "As the launch found it", for each element that must be restored.
void restore(const Problem& problem, ScalarLocations& locations, AndOr& all) {
  for (const BufferId buffer : problem.contract.restored) {
    const std::uint64_t length = problem.buffers[buffer.value].length;
    if (length > largest_range)
      throw NotModelled(
          fmt::format("'{}' is too large for a litmus condition", problem.buffers[buffer.value].name));
    for (std::uint64_t i = 0; i < length; ++i) {
      const ExprPtr element = expr(Element{locations.element(buffer, i), expr(Number{0}), false});
      all.operands.push_back(formula(Comparison{
          Compare::eq, element, expr(Number{static_cast<std::int64_t>(locations.initial(buffer, i))})}));
    }
  }
}

}  // namespace

std::vector<ThreadRegister> registers_of(const Contract& contract) {
  std::vector<ThreadRegister> result;
  for (const Assertion& assertion : contract.assertions) collect(*assertion.formula, result);
  if (contract.filter.get() != nullptr) collect(*contract.filter, result);
  return result;
}

Contract specialize_contract(const Problem& problem, const RegisterNames& registers,
                             ScalarLocations& locations) {
  const Contract& contract = problem.contract;
  const bool always = contract.quantifier == Quantifier::always;
  if (!always && (contract.assertions.size() != 1 || !contract.restored.empty())) {
    throw NotModelled("a litmus test that asks for a final state has one condition");
  }
  Expander expander(registers, locations);
  AndOr all{true, {}};
  for (const Assertion& assertion : contract.assertions)
    all.operands.push_back(expander.expand(assertion.formula));
  restore(problem, locations, all);

  Contract result;
  result.quantifier = contract.quantifier;
  if (contract.filter.get() != nullptr) result.filter = expander.expand(contract.filter);
  const FormulaPtr condition = all.operands.size() == 1 ? all.operands.front() : formula(std::move(all));
  result.assertions.push_back({"", condition, When::plan_end});
  return result;
}

}  // namespace fencewise::litmus
