// Problems, expressions and formulas.
#include <fmt/format.h>

#include "kernels/core/printer.h"

namespace fencewise {
namespace {

std::string buffer_name(BufferId id, const Problem& problem) {
  return id.value < problem.buffers.size() ? problem.buffers[id.value].name : fmt::format("?{}", id.value);
}

// --- expressions and formulas: the C++ spelling, with ranges as lo..<hi and registers as P0:r1 ---

const char* symbol(BinaryExpr::Op op) {
  switch (op) {
    case BinaryExpr::Op::add: return "+";
    case BinaryExpr::Op::sub: return "-";
    case BinaryExpr::Op::mul: return "*";
    case BinaryExpr::Op::div: return "/";
    case BinaryExpr::Op::rem: return "%";
  }
  return "?";
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

// How tightly a node holds together; what needs no parentheses is 3.
int strength(const Expr& expr) {
  const auto* binary = std::get_if<BinaryExpr>(&expr.node);
  if (binary == nullptr) return 3;
  return binary->op == BinaryExpr::Op::add || binary->op == BinaryExpr::Op::sub ? 1 : 2;
}

int strength(const Formula& formula) {
  const auto* node = std::get_if<AndOr>(&formula.node);
  if (node == nullptr || node->operands.size() == 1) return 3;
  return node->conjunction ? 2 : 1;
}

class ExprPrinter {
 public:
  explicit ExprPrinter(const Problem& problem) : problem_(problem) {}

  std::string operator()(const Number& number) const { return fmt::format("{}", number.value); }
  std::string operator()(const Variable& variable) const { return variable.name; }
  std::string operator()(const Element& element) const {
    const std::string buffer = buffer_name(element.buffer, problem_);
    const std::string index = show(element.index, 0);
    return element.at_entry ? fmt::format("{}.at_entry({})", buffer, index)
                            : fmt::format("{}[{}]", buffer, index);
  }
  std::string operator()(const ThreadRegister& r) const {
    return fmt::format("P{}:{}", r.thread, register_name(r));
  }
  std::string operator()(const BinaryExpr& binary) const {
    const int own = binary.op == BinaryExpr::Op::add || binary.op == BinaryExpr::Op::sub ? 1 : 2;
    return fmt::format("{} {} {}", show(binary.left, own), symbol(binary.op), show(binary.right, own + 1));
  }
  std::string operator()(const SumExpr& sum) const {
    return fmt::format("sum({} in {}..<{}: {})", sum.variable, show(sum.lo, 3), show(sum.hi, 3),
                       show(sum.body, 0));
  }

  // In parentheses when it holds together less than `least`.
  [[nodiscard]] std::string show(const ExprPtr& expr, int least) const {
    if (expr == nullptr) return "?";
    const std::string text = std::visit(*this, expr->node);
    return strength(*expr) < least ? "(" + text + ")" : text;
  }

 private:
  [[nodiscard]] std::string register_name(const ThreadRegister& r) const {
    const Kernel* kernel = kernel_of(r.thread);
    if (kernel == nullptr || r.reg.value >= kernel->registers.size()) return fmt::format("?{}", r.reg.value);
    const std::string name = print(r.reg, *kernel);
    return name.substr(1);
  }
  [[nodiscard]] const Kernel* kernel_of(std::uint32_t thread) const {
    if (problem_.launches.empty()) return nullptr;
    const Launch& last = problem_.launches.back();
    if (!last.placed.empty() && thread >= last.placed.size()) return nullptr;
    const KernelId id = last.placed.empty() ? last.kernel : last.placed[thread].kernel;
    return id.value < problem_.kernels.size() ? &problem_.kernels[id.value] : nullptr;
  }

  const Problem& problem_;
};

class FormulaPrinter {
 public:
  explicit FormulaPrinter(const Problem& problem) : exprs_(problem) {}

  std::string operator()(const Comparison& comparison) const {
    return fmt::format("{} {} {}", exprs_.show(comparison.left, 0), symbol(comparison.op),
                       exprs_.show(comparison.right, 0));
  }
  std::string operator()(const Not& negation) const {
    return fmt::format("!({})", show(negation.operand, 0));
  }
  std::string operator()(const AndOr& node) const {
    if (node.operands.empty()) return node.conjunction ? "true" : "false";
    std::string text;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (i > 0) text += node.conjunction ? " && " : " || ";
      text += show(node.operands[i], node.conjunction ? 2 : 1);
    }
    return text;
  }
  std::string operator()(const ForAll& all) const {
    return fmt::format("forall({} in {}..<{}: {})", all.variable, exprs_.show(all.lo, 3),
                       exprs_.show(all.hi, 3), show(all.body, 0));
  }
  std::string operator()(const Constant& constant) const { return constant.value ? "true" : "false"; }

  [[nodiscard]] std::string show(const FormulaPtr& formula, int least) const {
    if (formula.get() == nullptr)  // `!` and `==` on a FormulaPtr make formulas
      return "?";
    const std::string text = std::visit(*this, formula->node);
    return strength(*formula) < least ? "(" + text + ")" : text;
  }

 private:
  ExprPrinter exprs_;
};

// --- problems ---

const char* name(Role role) {
  switch (role) {
    case Role::input: return "input";
    case Role::output: return "output";
    case Role::workspace: return "workspace";
  }
  return "?";
}

const char* name(When when) {
  switch (when) {
    case When::each_launch: return "each launch";
    case When::each_replay: return "each replay";
    case When::plan_end: return "at the end";
  }
  return "?";
}

const char* name(Quantifier quantifier) {
  switch (quantifier) {
    case Quantifier::always: return "always";
    case Quantifier::exists: return "exists";
    case Quantifier::never: return "never";
  }
  return "?";
}

std::string print_initial(const Buffer& buffer) {
  switch (buffer.initial.kind) {
    case InitialContents::Kind::zero: return "zero";
    case InitialContents::Kind::iota: return "iota";
    case InitialContents::Kind::symbols: return "symbols";
    case InitialContents::Kind::unwritten: return "unwritten";
    case InitialContents::Kind::any: return "any";
    case InitialContents::Kind::values: break;
  }
  constexpr std::size_t shown = 32;
  const std::vector<std::uint64_t>& values = buffer.initial.values;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, values.size()); ++i)
    text += (text.empty() ? "= " : ", ") + print(Operand::imm(values[i]), buffer.element, Kernel{});
  return values.size() <= shown ? text : fmt::format("{}, ... ({} values)", text, values.size());
}

std::string print_buffer(const Buffer& buffer, const Problem& problem) {
  std::string text = fmt::format("buffer {}: {}[{}], {}, ", buffer.name, name(buffer.element), buffer.length,
                                 name(buffer.role));
  if (!buffer.alias_of)
    return text + print_initial(buffer) + (buffer.own_in_flight ? ", own in flight\n" : "\n");
  return fmt::format("{}{} of {}\n", text, buffer.own_address ? "alias" : "view",
                     buffer_name(*buffer.alias_of, problem));
}

std::string print(const Dim3& dim) {
  if (dim.z != 1) return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
  return dim.y != 1 ? fmt::format("{}x{}", dim.x, dim.y) : fmt::format("{}", dim.x);
}

std::string kernel_name(KernelId id, const Problem& problem) {
  return id.value < problem.kernels.size() ? problem.kernels[id.value].name : fmt::format("?{}", id.value);
}

std::string print_placed(const Launch& launch, const Problem& problem) {
  std::string text;
  for (std::size_t i = 0; i < launch.placed.size(); ++i) {
    const auto& [kernel, at] = launch.placed[i];
    text += fmt::format("  P{}: {} at cta {}, cluster {}, device {}\n", i, kernel_name(kernel, problem),
                        at.cta.value, at.cluster.value, at.device.value);
  }
  return text;
}

std::string print_arguments(const Launch& launch, const Problem& problem) {
  std::string text;
  for (const BufferId id : launch.arrays)
    text += (text.empty() ? "  arrays " : ", ") + buffer_name(id, problem);
  if (!text.empty()) text += "\n";
  if (launch.kernel.value >= problem.kernels.size()) return text;
  const Kernel& kernel = problem.kernels[launch.kernel.value];
  for (std::size_t i = 0; i < launch.params.size() && i < kernel.params.size(); ++i)
    text += fmt::format("  {} = {}\n", kernel.params[i].name,
                        print(Operand::imm(launch.params[i]), kernel.params[i].type, kernel));
  return text;
}

// ", stream 1, after launches 1, 2" (counted from 1, as reports do)
std::string print_order(const Launch& launch) {
  std::string text = launch.stream.value == 0 ? "" : fmt::format(", stream {}", launch.stream.value);
  for (const LaunchId earlier : launch.after)
    text += fmt::format("{} {}", earlier == launch.after.front() ? ", after launch" : ",", earlier.value + 1);
  return text;
}

std::string print_launch(const Launch& launch, const Problem& problem) {
  const std::string warp = launch.warp_size == 1 ? "" : fmt::format(", warp {}", launch.warp_size);
  const std::string shape = launch.placed.empty()
                                ? fmt::format("{}, grid {}, block {}", kernel_name(launch.kernel, problem),
                                              print(launch.grid), print(launch.block))
                                : fmt::format("{} placed threads", launch.placed.size());
  return fmt::format("launch {}: {}{}{}\n{}{}", launch.name, shape, warp, print_order(launch), print_placed(launch, problem),
                     print_arguments(launch, problem));
}

std::string print_contract(const Problem& problem) {
  const Contract& contract = problem.contract;
  const FormulaPrinter formulas(problem);
  std::string text;
  if (contract.filter.get() != nullptr) text += fmt::format("filter {}\n", formulas.show(contract.filter, 0));
  for (const Assertion& assertion : contract.assertions)
    text += fmt::format("{} {}: {}\n", name(contract.quantifier), name(assertion.when),
                        formulas.show(assertion.formula, 0));
  for (const BufferId id : contract.restored) text += fmt::format("restored {}\n", buffer_name(id, problem));
  return text;
}

}  // namespace

std::string print(const Expr& expr, const Problem& problem) {
  return std::visit(ExprPrinter(problem), expr.node);
}

std::string print(const Formula& formula, const Problem& problem) {
  return std::visit(FormulaPrinter(problem), formula.node);
}

std::string print(const Problem& problem, const PrintOptions& options) {
  std::string text = fmt::format("problem {}\n", problem.name);
  if (problem.replays != 1) text += fmt::format("replays {}\n", problem.replays);
  if (problem.domain == ValueDomain::expressions) text += "domain expressions\n";
  for (const Buffer& buffer : problem.buffers) text += print_buffer(buffer, problem);
  for (const Launch& launch : problem.launches) text += print_launch(launch, problem);
  text += print_contract(problem);
  for (const Kernel& kernel : problem.kernels) text += "\n" + print(kernel, options);
  return text;
}

}  // namespace fencewise
