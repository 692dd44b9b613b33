#include "kernels/frontend/litmus/lower_condition.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/frontend/litmus/placement.h"
#include "kernels/frontend/litmus/words.h"

namespace fencewise::litmus {
namespace {

using Kind = ConditionNode::Kind;

enum class Side : std::uint8_t { left, right };

bool is_truth(Kind kind) {
  return kind == Kind::comparison || kind == Kind::negation || kind == Kind::conjunction ||
         kind == Kind::disjunction;
}

Compare compare_of(const std::string& op) {
  if (op == "!=") return Compare::ne;
  if (op == "<") return Compare::lt;
  if (op == "<=") return Compare::le;
  if (op == ">") return Compare::gt;
  if (op == ">=") return Compare::ge;
  return Compare::eq;  // `=` and `==`
}

BinaryExpr::Op arithmetic_of(const std::string& op) {
  if (op == "-") return BinaryExpr::Op::sub;
  if (op == "*") return BinaryExpr::Op::mul;
  if (op == "/") return BinaryExpr::Op::div;
  return BinaryExpr::Op::add;
}

class ConditionLowering {
 public:
  ConditionLowering(const Condition& condition, const std::vector<Registers>& threads,
                    const Locations& locations, const Diagnostics& diagnostics)
      : condition_(condition), threads_(threads), locations_(locations), diagnostics_(diagnostics) {}

  FormulaPtr formula(std::uint32_t id) const {
    const ConditionNode& node = condition_.nodes[id];
    if (!is_truth(node.kind)) {
      diagnostics_.error(node.token.at,
                         fmt::format("found a value ({}) alone; expected a comparison, such as {} == 1",
                                     quoted(node.token.text), node.token.text));
    }
    if (node.kind == Kind::comparison) {
      return make(Comparison{compare_of(node.token.text), value(node.children[0], Side::left),
                             value(node.children[1], Side::right)});
    }
    if (node.kind == Kind::negation) return make(Not{formula(node.children[0])});
    AndOr chain;
    chain.conjunction = node.kind == Kind::conjunction;
    for (const std::uint32_t child : node.children) chain.operands.push_back(formula(child));
    return make(std::move(chain));
  }

 private:
  template <typename Node> static FormulaPtr make(Node node) {
    return std::make_shared<const Formula>(Formula{std::move(node)});
  }
  template <typename Node> static ExprPtr expr(Node node) {
    return std::make_shared<const Expr>(Expr{std::move(node)});
  }

  ExprPtr value(std::uint32_t id, Side side) const {
    const ConditionNode& node = condition_.nodes[id];
    if (is_truth(node.kind)) {
      diagnostics_.error(
          node.token.at,
          "found a condition where a value stands; expected a register, a location or a number");
    }
    if (node.kind == Kind::arithmetic) {
      return expr(BinaryExpr{arithmetic_of(node.token.text), value(node.children[0], side),
                             value(node.children[1], side)});
    }
    if (node.kind == Kind::number)
      return expr(Number{static_cast<std::int64_t>(integer_of(node.token, diagnostics_))});
    return node.kind == Kind::location ? location(node.token, side) : thread_register(node);
  }

  ExprPtr location(const Token& name, Side side) const {
    if (!is_location(name.text)) {
      diagnostics_.error(name.at, fmt::format("found {} without its thread; expected, for example, P0:{}",
                                              quoted(name.text), name.text));
    }
    const auto buffer = locations_.find(name.text);
    if (!buffer) {
      std::vector<std::string> known;
      for (const Buffer& b : locations_.buffers()) known.push_back(b.name);
      diagnostics_.error(
          name.at, fmt::format("unknown location {}; expected {}", quoted(name.text),
                               known.empty() ? "one of the initial state or the program" : list(known)));
    }
    if (side == Side::right) {
      diagnostics_.not_modelled(
          name.at, fmt::format("a location on the right of a comparison ({}) is its address, which is "
                               "not modelled; write it on the left for its value",
                               quoted(name.text)));
    }
    return expr(Element{*buffer, expr(Number{0}), false});
  }

  ExprPtr thread_register(const ConditionNode& node) const {
    const std::uint32_t thread = thread_number(node.thread, diagnostics_);
    if (thread >= threads_.size()) {
      diagnostics_.error(node.thread.at, fmt::format("no thread {}; expected one from P0 to P{}",
                                                     quoted(node.thread.text), threads_.size() - 1));
    }
    const Registers& registers = threads_[thread];
    if (!is_register(node.token.text)) {
      diagnostics_.error(node.token.at,
                         fmt::format("found {}; expected a register (r0, r1, ...)", quoted(node.token.text)));
    }
    if (!registers.has_value(node.token.text)) {
      const std::vector<std::string> known = registers.with_value();
      diagnostics_.error(
          node.token.at,
          fmt::format("register {} is never written by P{}; expected {}", quoted(node.token.text), thread,
                      known.empty()
                          ? fmt::format("'P{}:{} = 0' in the initial state", thread, node.token.text)
                          : list(known)));
    }
    return expr(ThreadRegister{thread, registers[node.token.text]});
  }

  static std::string list(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    const std::vector<std::string> shown(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
    return fmt::format("{}{}", fmt::join(shown, " or "), names.size() > most ? " or others" : "");
  }

  const Condition& condition_;
  const std::vector<Registers>& threads_;
  const Locations& locations_;
  const Diagnostics& diagnostics_;
};

}  // namespace

FormulaPtr lower_condition(const Condition& condition, const std::vector<Registers>& threads,
                           const Locations& locations, const Diagnostics& diagnostics) {
  return ConditionLowering(condition, threads, locations, diagnostics).formula(condition.root);
}

}  // namespace fencewise::litmus
