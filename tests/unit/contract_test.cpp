#include "kernels/core/contract.h"

#include <gtest/gtest.h>

#include "kernels/core/printer.h"
#include "tests/support/kernels.h"

namespace fencewise {
namespace {

const BufferTerm in{BufferId{0}};
const BufferTerm count{BufferId{2}};
const BufferTerm out{BufferId{3}};

std::string shown(const FormulaPtr& formula) { return print(*formula, testing::split_k()); }
std::string shown(const Term& term) { return print(*term.expr(), testing::split_k()); }

TEST(Terms, KeepOnlyTheParenthesesTheyNeed) {
  EXPECT_EQ(shown(out[0] + in[1] * 2), "out[0] + in[1] * 2");
  EXPECT_EQ(shown((out[0] + in[1]) * 2), "(out[0] + in[1]) * 2");
  EXPECT_EQ(shown(out[0] - (in[1] - 2)), "out[0] - (in[1] - 2)");
  EXPECT_EQ(shown(out[0] - in[1] - 2), "out[0] - in[1] - 2");
  EXPECT_EQ(shown(Term(7) / (Term(4) % 3)), "7 / (4 % 3)");
}

TEST(Terms, TellTheEntryOfALaunchFromItsEnd) {
  EXPECT_EQ(shown(count[0] == count.at_entry(0)), "count[0] == count.at_entry(0)");
  EXPECT_TRUE(std::get<Element>(count.at_entry(0).expr()->node).at_entry);
  EXPECT_FALSE(std::get<Element>(count[0].expr()->node).at_entry);
}

TEST(Terms, SumBindsItsVariableOverAHalfOpenRange) {
  const Term total = sum("s", 0, 4, [](const Term& s) { return in[s * 2]; });
  EXPECT_EQ(shown(total), "sum(s in 0..<4: in[s * 2])");
  const auto& node = std::get<SumExpr>(total.expr()->node);
  EXPECT_EQ(node.variable, "s");
  EXPECT_EQ(std::get<Number>(node.hi->node).value, 4);
}

TEST(Terms, ShowARegisterByItsThreadAndName) {
  const Term ticket(std::make_shared<const Expr>(Expr{ThreadRegister{1, RegisterId{1}}}));
  EXPECT_EQ(shown(ticket), "P1:ticket");
}

TEST(Formulas, CompareTerms) {
  EXPECT_EQ(shown(in[0] == 1), "in[0] == 1");
  EXPECT_EQ(shown(in[0] != 1), "in[0] != 1");
  EXPECT_EQ(shown(in[0] < 1), "in[0] < 1");
  EXPECT_EQ(shown(in[0] <= 1), "in[0] <= 1");
}

TEST(Formulas, AndBindsTighterThanOr) {
  const FormulaPtr a = in[0] == 1, b = in[1] == 2, c = in[2] == 3;
  EXPECT_EQ(shown((a && b) || c), "in[0] == 1 && in[1] == 2 || in[2] == 3");
  EXPECT_EQ(shown(a && (b || c)), "in[0] == 1 && (in[1] == 2 || in[2] == 3)");
  EXPECT_EQ(shown(!a), "!(in[0] == 1)");
}

TEST(Formulas, ForAllBindsItsVariable) {
  EXPECT_EQ(shown(forall("t", 0, Term(2) + 2, [](const Term& t) { return out[t] == in[t]; })),
            "forall(t in 0..<(2 + 2): out[t] == in[t])");
}

TEST(Formulas, AnEmptyConjunctionIsTrueAndAnEmptyDisjunctionFalse) {
  EXPECT_EQ(print(Formula{AndOr{true, {}}}, testing::split_k()), "true");
  EXPECT_EQ(print(Formula{AndOr{false, {}}}, testing::split_k()), "false");
}

// `!` and `==` on a FormulaPtr build formulas. A formula that may be missing is tested by get() or as a condition.
TEST(Formulas, AreTestedForNullByGet) {
  const FormulaPtr missing;
  EXPECT_EQ(missing.get(), nullptr);
  EXPECT_FALSE(static_cast<bool>(missing));
  EXPECT_TRUE(static_cast<bool>(!missing));
}

}  // namespace
}  // namespace fencewise
