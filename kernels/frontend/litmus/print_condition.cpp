#include "kernels/frontend/litmus/print_condition.h"

#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise::litmus {
namespace {

[[noreturn]] void no_condition_for(std::string_view what) {
  throw NotModelled(fmt::format("a litmus condition has no form for {}", what));
}

const char* symbol(Compare op) {
  switch (op) {
    case Compare::eq: return "==";
    case Compare::ne: return "!=";
    case Compare::lt: return "<";
    case Compare::le: return "<=";
    case Compare::gt: return ">";
    case Compare::ge: return ">=";
  }
  return "?";
}

const char* symbol(BinaryExpr::Op op) {
  switch (op) {
    case BinaryExpr::Op::add: return "+";
    case BinaryExpr::Op::sub: return "-";
    case BinaryExpr::Op::mul: return "*";
    case BinaryExpr::Op::div: return "/";
    case BinaryExpr::Op::rem: no_condition_for("a remainder");
  }
  return "?";
}

// Parentheses stand around every operation inside another, which reads back as the same tree.
class ConditionPrinter {
 public:
  explicit ConditionPrinter(const Problem& problem) : problem_(problem) {}

  std::string show(const FormulaPtr& formula) const {
    return std::visit([&](const auto& node) { return show(node); }, formula->node);
  }
  std::string show(const Comparison& c) const {
    return fmt::format("{} {} {}", show(c.left, true), symbol(c.op), show(c.right, false));
  }
  std::string show(const Not& negation) const { return fmt::format("~({})", show(negation.operand)); }
  std::string show(const AndOr& node) const {
    if (node.operands.empty()) return show(Constant{node.conjunction});
    std::string text;
    for (const FormulaPtr& operand : node.operands) {
      if (!text.empty()) text += node.conjunction ? " /\\ " : " \\/ ";
      const bool nested = std::holds_alternative<AndOr>(operand->node);
      text += nested ? "(" + show(operand) + ")" : show(operand);
    }
    return text;
  }
  std::string show(const ForAll&) const { no_condition_for("forall over a range"); }
  std::string show(const Constant& constant) const { return constant.value ? "0 == 0" : "0 != 0"; }

 private:
  std::string show(const ExprPtr& expr, bool left) const {
    return std::visit([&](const auto& node) { return show(node, left); }, expr->node);
  }
  static std::string show(const Number& number, bool) { return fmt::format("{}", number.value); }
  static std::string show(const Variable&, bool) { no_condition_for("a variable"); }
  static std::string show(const SumExpr&, bool) { no_condition_for("a sum"); }
  std::string show(const Element& element, bool left) const {
    const Buffer& buffer = problem_.buffers[element.buffer.value];
    if (!left) no_condition_for(fmt::format("a location on the right of a comparison ('{}')", buffer.name));
    if (element.at_entry) no_condition_for(fmt::format("a value at entry ('{}')", buffer.name));
    return buffer.name;
  }
  std::string show(const ThreadRegister& r, bool) const {
    const KernelId kernel = problem_.launches.front().placed[r.thread].kernel;
    return fmt::format("P{}:{}", r.thread, problem_.kernels[kernel.value][r.reg].name);
  }
  std::string show(const BinaryExpr& b, bool left) const {
    return fmt::format("{} {} {}", operand(b.left, left), symbol(b.op), operand(b.right, left));
  }
  std::string operand(const ExprPtr& expr, bool left) const {
    const std::string text = show(expr, left);
    return std::holds_alternative<BinaryExpr>(expr->node) ? "(" + text + ")" : text;
  }

  const Problem& problem_;
};

}  // namespace

std::string print_condition(const Formula& formula, const Problem& problem) {
  return std::visit([&](const auto& node) { return ConditionPrinter(problem).show(node); }, formula.node);
}

}  // namespace fencewise::litmus
