#include "kernels/core/contract.h"

#include <utility>

namespace fencewise {
namespace {

template <class Node> ExprPtr make_expr(Node node) {
  return std::make_shared<const Expr>(Expr{std::move(node)});
}

template <class Node> FormulaPtr make_formula(Node node) {
  return std::make_shared<const Formula>(Formula{std::move(node)});
}

Term binary(BinaryExpr::Op op, const Term& a, const Term& b) {
  return Term(make_expr(BinaryExpr{op, a.expr(), b.expr()}));
}

FormulaPtr comparison(Compare op, const Term& a, const Term& b) {
  return make_formula(Comparison{op, a.expr(), b.expr()});
}

// Rewrites the buffers of expressions and formulas.
class Rebind {
 public:
  explicit Rebind(const std::function<BufferId(BufferId)>& other) : other_(other) {}

  [[nodiscard]] ExprPtr operator()(const ExprPtr& expr) const {
    return std::make_shared<const Expr>(Expr{std::visit(*this, expr->node), expr->where});
  }
  [[nodiscard]] FormulaPtr operator()(const FormulaPtr& formula) const {
    return std::make_shared<const Formula>(Formula{std::visit(*this, formula->node), formula->where});
  }

  using ExprNode = decltype(Expr::node);
  [[nodiscard]] ExprNode operator()(const Number& n) const { return n; }
  [[nodiscard]] ExprNode operator()(const Variable& v) const { return v; }
  [[nodiscard]] ExprNode operator()(const ThreadRegister& r) const { return r; }
  [[nodiscard]] ExprNode operator()(const Element& e) const { return Element{other_(e.buffer), (*this)(e.index), e.at_entry}; }
  [[nodiscard]] ExprNode operator()(const BinaryExpr& b) const { return BinaryExpr{b.op, (*this)(b.left), (*this)(b.right)}; }
  [[nodiscard]] ExprNode operator()(const SumExpr& s) const { return SumExpr{s.variable, (*this)(s.lo), (*this)(s.hi), (*this)(s.body)}; }

  using FormulaNode = decltype(Formula::node);
  [[nodiscard]] FormulaNode operator()(const Constant& c) const { return c; }
  [[nodiscard]] FormulaNode operator()(const Comparison& c) const { return Comparison{c.op, (*this)(c.left), (*this)(c.right)}; }
  [[nodiscard]] FormulaNode operator()(const Not& n) const { return Not{(*this)(n.operand)}; }
  [[nodiscard]] FormulaNode operator()(const AndOr& a) const {
    AndOr result{a.conjunction, {}};
    for (const FormulaPtr& operand : a.operands) result.operands.push_back((*this)(operand));
    return result;
  }
  [[nodiscard]] FormulaNode operator()(const ForAll& a) const { return ForAll{a.variable, (*this)(a.lo), (*this)(a.hi), (*this)(a.body)}; }

 private:
  const std::function<BufferId(BufferId)>& other_;
};

}  // namespace

FormulaPtr with_buffers(const FormulaPtr& formula, const std::function<BufferId(BufferId)>& other) {
  return Rebind(other)(formula);
}

Term::Term(std::int64_t number) : expr_(make_expr(Number{number})) {}

Term operator+(const Term& a, const Term& b) { return binary(BinaryExpr::Op::add, a, b); }
Term operator-(const Term& a, const Term& b) { return binary(BinaryExpr::Op::sub, a, b); }
Term operator*(const Term& a, const Term& b) { return binary(BinaryExpr::Op::mul, a, b); }
Term operator/(const Term& a, const Term& b) { return binary(BinaryExpr::Op::div, a, b); }
Term operator%(const Term& a, const Term& b) { return binary(BinaryExpr::Op::rem, a, b); }

FormulaPtr operator==(const Term& a, const Term& b) { return comparison(Compare::eq, a, b); }
FormulaPtr operator!=(const Term& a, const Term& b) { return comparison(Compare::ne, a, b); }
FormulaPtr operator<(const Term& a, const Term& b) { return comparison(Compare::lt, a, b); }
FormulaPtr operator<=(const Term& a, const Term& b) { return comparison(Compare::le, a, b); }

FormulaPtr operator&&(const FormulaPtr& a, const FormulaPtr& b) { return make_formula(AndOr{true, {a, b}}); }
FormulaPtr operator||(const FormulaPtr& a, const FormulaPtr& b) { return make_formula(AndOr{false, {a, b}}); }
FormulaPtr operator!(const FormulaPtr& a) { return make_formula(Not{a}); }

Term sum(const std::string& variable, const Term& lo, const Term& hi, const std::function<Term(Term)>& body) {
  const Term inner = body(Term(make_expr(Variable{variable})));
  return Term(make_expr(SumExpr{variable, lo.expr(), hi.expr(), inner.expr()}));
}

FormulaPtr forall(const std::string& variable, const Term& lo, const Term& hi,
                  const std::function<FormulaPtr(Term)>& body) {
  const FormulaPtr inner = body(Term(make_expr(Variable{variable})));
  return make_formula(ForAll{variable, lo.expr(), hi.expr(), inner});
}

Term BufferTerm::operator[](const Term& index) const {
  return Term(make_expr(Element{id_, index.expr(), false}));
}
Term BufferTerm::at_entry(const Term& index) const {
  return Term(make_expr(Element{id_, index.expr(), true}));
}

}  // namespace fencewise
