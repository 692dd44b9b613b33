#include "checker/litmus_states.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "checker/properties/formula.h"

namespace fencewise {
namespace {

const Kernel& kernel_of(const Problem& test, std::uint32_t thread) {
  const Launch& launch = test.launches.back();
  return test.kernels[launch.placed.empty() ? launch.kernel.value : launch.placed.at(thread).kernel.value];
}

std::string register_name(const Problem& test, std::uint32_t thread, RegisterId reg) {
  return fmt::format("{}:{}", thread, kernel_of(test, thread).registers.at(reg.value).name);
}

// Registers that no test can name: what jumps were lowered to.
std::set<std::string, std::less<>> predicates(const Problem& test) {
  std::set<std::string, std::less<>> names;
  for (std::uint32_t thread = 0; thread < test.launches.back().placed.size(); ++thread) {
    const auto& registers = kernel_of(test, thread).registers;
    for (std::uint32_t n = 0; n < registers.size(); ++n)
      if (registers[n].type == Type::pred) names.insert(register_name(test, thread, RegisterId{n}));
  }
  return names;
}

std::string element_name(const Problem& test, BufferId buffer, std::uint64_t index) {
  const Buffer& b = test.buffers.at(buffer.value);
  return b.length == 1 ? b.name : fmt::format("{}[{}]", b.name, index);
}

// What a formula reads.
class Subjects {
 public:
  explicit Subjects(const Problem& test) : test_(test) {}

  void add(const Formula& formula) {
    std::visit([this](const auto& node) { add_node(node); }, formula.node);
  }
  [[nodiscard]] const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  void add_node(const Comparison& node) {
    add(*node.left);
    add(*node.right);
  }
  void add_node(const Not& node) { add(*node.operand); }
  void add_node(const AndOr& node) {
    for (const FormulaPtr& operand : node.operands) add(*operand);
  }
  void add_node(const ForAll& node) { add(*node.body); }
  void add_node(const Constant&) {}

  void add(const Expr& expr) {
    std::visit([this](const auto& node) { add_node(node); }, expr.node);
  }
  void add_node(const Number&) {}
  void add_node(const Variable&) {}
  // A litmus test's locations have one element each; of anything longer all are shown.
  void add_node(const Element& node) {
    for (std::uint64_t i = 0; i < test_.buffers.at(node.buffer.value).length; ++i)
      names_.insert(element_name(test_, node.buffer, i));
  }
  void add_node(const ThreadRegister& node) { names_.insert(register_name(test_, node.thread, node.reg)); }
  void add_node(const BinaryExpr& node) {
    add(*node.left);
    add(*node.right);
  }
  void add_node(const SumExpr& node) { add(*node.body); }

  const Problem& test_;
  std::set<std::string, std::less<>> names_;
};

using Fields = std::map<std::string, std::string, std::less<>>;  // "1:r0" -> "2"

// Calls f(name, value) for each of "0:r0=2; x=1;".
template <class F> void each_field(std::string_view state, F&& f) {
  while (!state.empty()) {
    const std::string_view field = state.substr(0, state.find(';'));
    state.remove_prefix(std::min(field.size() + 1, state.size()));
    while (state.starts_with(' ')) state.remove_prefix(1);
    const std::size_t equals = field.find('=');
    f(field.substr(0, equals), field.substr(equals + 1));
  }
}

// Values that are no number (poison) are unknown, which satisfies nothing.
Value value_of(const Fields& fields, const std::string& name) {
  const auto it = fields.find(name);
  if (it == fields.end()) return Terms::unknown();
  const std::string& text = it->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? Value::number(static_cast<std::uint64_t>(number)) : Terms::unknown();
}

// What a condition asks of one final state.
class Judge {
 public:
  explicit Judge(const Problem& test) : test_(test), terms_(test.domain) {}

  bool passes_filter(const Fields& fields) {
    const Formula* filter = test_.contract.filter.get();
    return filter == nullptr || is_true(*filter, fields);
  }
  bool satisfies(const Fields& fields) {
    return std::all_of(test_.contract.assertions.begin(), test_.contract.assertions.end(),
                       [&](const Assertion& assertion) { return is_true(*assertion.formula, fields); });
  }

 private:
  bool is_true(const Formula& formula, const Fields& fields) {
    const FinalState state{
        [&](BufferId b, std::uint64_t i) { return value_of(fields, element_name(test_, b, i)); },
        [](BufferId, std::uint64_t) { return Terms::unknown(); },
        [&](std::uint32_t thread, RegisterId reg) { return value_of(fields, register_name(test_, thread, reg)); }};
    return holds(formula, state, terms_, test_) == Truth::yes;
  }

  const Problem& test_;
  Terms terms_;
};

}  // namespace

std::vector<ObservedState> observed_states(const Problem& test,
                                           const std::vector<std::string>& final_states) {
  Subjects subjects(test);
  for (const Assertion& assertion : test.contract.assertions) subjects.add(*assertion.formula);
  Judge judge(test);
  const auto hidden = predicates(test);
  std::map<std::string, bool> states;
  for (const std::string& state : final_states) {
    Fields fields;
    std::string text;
    each_field(state, [&](std::string_view name, std::string_view value) {
      fields.emplace(name, value);
      if (subjects.names().empty() ? hidden.contains(name) : !subjects.names().contains(name)) return;
      text += fmt::format("{}{}={};", text.empty() ? "" : " ", name, value);
    });
    if (judge.passes_filter(fields)) states.emplace(text, judge.satisfies(fields));
  }
  std::vector<ObservedState> result;
  for (const auto& [text, satisfied] : states) result.push_back({text, satisfied});
  return result;
}

}  // namespace fencewise
