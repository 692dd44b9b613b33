// What must hold of a launch plan, as data: formulas over buffers, and what a launch must leave as it found it.
//
// The language is small on purpose; launch files and litmus conditions translate into it. An element expression
// reads the memory as a launch (or the plan) left it; `at_entry` the memory as that launch found it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/core/instruction.h"

namespace fencewise {

struct BufferId {  // Problem::buffers
  std::uint32_t value = 0;
  friend bool operator==(BufferId, BufferId) = default;
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Number {
  std::int64_t value = 0;
};
struct Variable {  // bound by sum or forall
  std::string name;
};
struct Element {
  BufferId buffer;
  ExprPtr index;
  bool at_entry = false;
};
struct ThreadRegister {  // litmus: P0:r1 at the end of the thread
  std::uint32_t thread = 0;
  RegisterId reg;
};
struct BinaryExpr {
  enum class Op : std::uint8_t { add, sub, mul, div, rem } op = Op::add;
  ExprPtr left, right;
};
// Sum over lo <= variable < hi, typed as the elements it reads; in the value domain of the check.
struct SumExpr {
  std::string variable;
  ExprPtr lo, hi, body;
};
struct Expr {
  std::variant<Number, Variable, Element, ThreadRegister, BinaryExpr, SumExpr> node;
  std::string where = {};  // "k.toml:14:9", for messages; empty: not from a file
};

struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

struct Comparison {
  Compare op = Compare::eq;
  ExprPtr left, right;
};
struct Not {
  FormulaPtr operand;
};
struct AndOr {
  bool conjunction = true;
  std::vector<FormulaPtr> operands;
};
struct ForAll {
  std::string variable;
  ExprPtr lo, hi;
  FormulaPtr body;
};
struct Constant {
  bool value = true;
};
struct Formula {
  std::variant<Comparison, Not, AndOr, ForAll, Constant> node;
  std::string where = {};  // as of Expr
};

enum class When : std::uint8_t { each_launch, each_replay, plan_end };

struct Assertion {
  std::string text;  // as a user wrote it, for reports
  FormulaPtr formula;
  When when = When::each_replay;
};

// How a plan's final states are judged. Litmus tests ask `exists` or `never`; protocols `always`.
enum class Quantifier : std::uint8_t { always, exists, never };

struct Contract {
  std::vector<Assertion> assertions;
  Quantifier quantifier = Quantifier::always;
  FormulaPtr filter;                   // only final states that satisfy it count (litmus); may be null
  std::vector<BufferId> restored;      // each replay must leave these as it found them
};

// The same formula of other buffers.
[[nodiscard]] FormulaPtr with_buffers(const FormulaPtr& formula, const std::function<BufferId(BufferId)>& other);

// --- Writing formulas in C++: `forall("t", 0, T, [&](Term t) { return out[t] == sum("s", 0, S, ...); })` ---

class Term {
 public:
  Term(std::int64_t number);  // NOLINT(google-explicit-constructor)
  Term(int number) : Term(static_cast<std::int64_t>(number)) {}  // NOLINT(google-explicit-constructor)
  explicit Term(ExprPtr expr) : expr_(std::move(expr)) {}
  [[nodiscard]] const ExprPtr& expr() const { return expr_; }

 private:
  ExprPtr expr_;
};

[[nodiscard]] Term operator+(const Term& a, const Term& b);
[[nodiscard]] Term operator-(const Term& a, const Term& b);
[[nodiscard]] Term operator*(const Term& a, const Term& b);
[[nodiscard]] Term operator/(const Term& a, const Term& b);
[[nodiscard]] Term operator%(const Term& a, const Term& b);
[[nodiscard]] FormulaPtr operator==(const Term& a, const Term& b);
[[nodiscard]] FormulaPtr operator!=(const Term& a, const Term& b);
[[nodiscard]] FormulaPtr operator<(const Term& a, const Term& b);
[[nodiscard]] FormulaPtr operator<=(const Term& a, const Term& b);
[[nodiscard]] FormulaPtr operator&&(const FormulaPtr& a, const FormulaPtr& b);
[[nodiscard]] FormulaPtr operator||(const FormulaPtr& a, const FormulaPtr& b);
[[nodiscard]] FormulaPtr operator!(const FormulaPtr& a);
[[nodiscard]] Term sum(const std::string& variable, const Term& lo, const Term& hi,
                       const std::function<Term(Term)>& body);
[[nodiscard]] FormulaPtr forall(const std::string& variable, const Term& lo, const Term& hi,
                                const std::function<FormulaPtr(Term)>& body);

// A buffer in a formula: b[i] after the launch, b.at_entry(i) before it.
class BufferTerm {
 public:
  explicit BufferTerm(BufferId id) : id_(id) {}
  [[nodiscard]] Term operator[](const Term& index) const;
  [[nodiscard]] Term at_entry(const Term& index) const;
  [[nodiscard]] BufferId id() const { return id_; }

 private:
  BufferId id_;
};

}  // namespace fencewise
