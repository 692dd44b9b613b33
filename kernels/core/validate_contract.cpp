// The formulas of a contract: ids in range, variables bound, nothing left out.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/validate.h"

namespace fencewise {
namespace {

class FormulaChecker {
 public:
  FormulaChecker(const Problem& problem, std::string where) : problem_(problem), where_(std::move(where)) {}

  void check(const FormulaPtr& formula) {
    if (formula.get() == nullptr) fail("a part of the formula is missing");
    std::visit(*this, formula->node);
  }
  void check(const ExprPtr& expr) {
    if (expr.get() == nullptr) fail("a part of the expression is missing");
    std::visit(*this, expr->node);
  }

  void operator()(const Comparison& comparison) {
    check(comparison.left);
    check(comparison.right);
  }
  void operator()(const Not& negation) { check(negation.operand); }
  void operator()(const AndOr& node) {
    for (const FormulaPtr& operand : node.operands) check(operand);
  }
  void operator()(const ForAll& all) { check_binding(all); }
  void operator()(const Constant&) {}

  void operator()(const Number&) {}
  void operator()(const Variable& variable) {
    if (std::find(bound_.begin(), bound_.end(), variable.name) == bound_.end())
      fail("variable '{}' is not bound by sum or forall", variable.name);
  }
  void operator()(const Element& element) {
    if (element.buffer.value >= problem_.buffers.size())
      fail("buffer number {} does not exist; there are {}", element.buffer.value, problem_.buffers.size());
    check(element.index);
  }
  void operator()(const ThreadRegister& r) {
    const Kernel& kernel = kernel_of(r.thread);
    if (r.reg.value >= kernel.registers.size())
      fail("thread {} has no register {}; there are {}", r.thread, r.reg.value, kernel.registers.size());
  }
  void operator()(const BinaryExpr& binary) {
    check(binary.left);
    check(binary.right);
  }
  void operator()(const SumExpr& sum) { check_binding(sum); }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, const Args&... args) const {
    throw InputError(where_ + ": " + fmt::vformat(format, fmt::make_format_args(args...)));
  }

  template <class Binder> void check_binding(const Binder& binder) {
    check(binder.lo);
    check(binder.hi);
    bound_.push_back(binder.variable);
    check(binder.body);
    bound_.pop_back();
  }

  // Registers are those of the last launch.
  [[nodiscard]] const Kernel& kernel_of(std::uint32_t thread) const {
    const Launch& last = problem_.launches.back();
    const std::uint64_t threads =
        last.placed.empty() ? last.grid.count() * last.block.count() : last.placed.size();
    if (thread >= threads) fail("thread {} does not exist; the last launch has {}", thread, threads);
    return problem_.kernels[(last.placed.empty() ? last.kernel : last.placed[thread].kernel).value];
  }

  const Problem& problem_;
  std::string where_;
  std::vector<std::string> bound_;
};

std::string title(const Assertion& assertion) {
  return assertion.text.empty() ? "an assertion" : fmt::format("assertion '{}'", assertion.text);
}

}  // namespace

void validate_contract(const Problem& problem) {
  for (const Assertion& assertion : problem.contract.assertions)
    FormulaChecker(problem, title(assertion)).check(assertion.formula);
  if (problem.contract.filter.get() != nullptr)
    FormulaChecker(problem, "the filter").check(problem.contract.filter);
  for (const BufferId id : problem.contract.restored)
    if (id.value >= problem.buffers.size())
      throw InputError(fmt::format("restored: buffer number {} does not exist; there are {}", id.value,
                                   problem.buffers.size()));
}

}  // namespace fencewise
