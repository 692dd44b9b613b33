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

  [[nodiscard]] ExprPtr operator()(const ExprPtr& expr) const { return std::visit(*this, expr->node); }
  [[nodiscard]] FormulaPtr operator()(const FormulaPtr& formula) const { return std::visit(*this, formula->node); }

  [[nodiscard]] ExprPtr operator()(const Number& n) const { return make_expr(n); }
  [[nodiscard]] ExprPtr operator()(const Variable& v) const { return make_expr(v); }
  [[nodiscard]] ExprPtr operator()(const ThreadRegister& r) const { return make_expr(r); }
  [[nodiscard]] ExprPtr operator()(const Element& e) const {
    return make_expr(Element{other_(e.buffer), (*this)(e.index), e.at_entry});
  }
  [[nodiscard]] ExprPtr operator()(const BinaryExpr& b) const {
    return make_expr(BinaryExpr{b.op, (*this)(b.left), (*this)(b.right)});
  }
  [[nodiscard]] ExprPtr operator()(const SumExpr& s) const {
    return make_expr(SumExpr{s.variable, (*this)(s.lo), (*this)(s.hi), (*this)(s.body)});
  }

  [[nodiscard]] FormulaPtr operator()(const Constant& c) const { return make_formula(c); }
  [[nodiscard]] FormulaPtr operator()(const Comparison& c) const {
    return make_formula(Comparison{c.op, (*this)(c.left), (*this)(c.right)});
  }
  [[nodiscard]] FormulaPtr operator()(const Not& n) const { return make_formula(Not{(*this)(n.operand)}); }
  [[nodiscard]] FormulaPtr operator()(const AndOr& a) const {
    AndOr result{a.conjunction, {}};
    for (const FormulaPtr& operand : a.operands) result.operands.push_back((*this)(operand));
    return make_formula(std::move(result));
  }
  [[nodiscard]] FormulaPtr operator()(const ForAll& a) const {
    return make_formula(ForAll{a.variable, (*this)(a.lo), (*this)(a.hi), (*this)(a.body)});
  }

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
