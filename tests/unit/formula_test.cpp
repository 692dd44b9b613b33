// Formulas hold for all values of the symbols or not at all; poison makes nothing true.
#include "checker/properties/formula.h"

#include <bit>
#include <map>

#include <gtest/gtest.h>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

// Buffers in (f32, 4), out (f32, 2), sem (u32, 1), wide (s64, 1); memory that nobody set is poison.
class FormulaTest : public ::testing::Test {
 protected:
  FormulaTest() {
    const auto buffer = [&](const char* name, Type type, std::uint64_t length) {
      Buffer b;
      b.name = name;
      b.element = type;
      b.length = length;
      problem_.buffers.push_back(b);
    };
    buffer("in", Type::f32, 4);
    buffer("out", Type::f32, 2);
    buffer("sem", Type::u32, 1);
    buffer("wide", Type::s64, 1);
    for (std::uint64_t i = 0; i < 4; ++i)
      now_[{0, i}] = terms_.symbol(std::string("in[") + std::to_string(i) + "]");
  }

  Value read(std::map<std::pair<std::uint32_t, std::uint64_t>, Value>& memory, BufferId b, std::uint64_t i) {
    const auto it = memory.find({b.value, i});
    if (it != memory.end()) return it->second;
    return terms_.poison(problem_.buffers[b.value].name + "[" + std::to_string(i) + "]");
  }
  FinalState state() {
    return {.now = [this](BufferId b, std::uint64_t i) { return read(now_, b, i); },
            .at_entry = [this](BufferId b, std::uint64_t i) { return read(entry_, b, i); },
            .reg = {}};
  }
  Truth truth(const FormulaPtr& f) { return holds(*f, state(), terms_, problem_); }
  std::string why(const FormulaPtr& f) { return explain(*f, state(), terms_, problem_); }
  Value in_value(std::uint64_t i) { return now_[{0, i}]; }
  void set(const BufferTerm& b, std::uint64_t i, Value v) { now_[{b.id().value, i}] = v; }

  Terms terms_;
  Problem problem_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Value> now_, entry_;
  const BufferTerm in_{BufferId{0}}, out_{BufferId{1}}, sem_{BufferId{2}}, wide_{BufferId{3}};
  const FormulaPtr sums_ = forall("t", 0, 2, [this](const Term& t) {
    return out_[t] == sum("s", 0, 2, [&](const Term& s) { return in_[t * 2 + s]; });
  });
};

TEST_F(FormulaTest, SumsOfSymbolsCompareAsMultisets) {
  set(out_, 0, terms_.add(Type::f32, in_value(1), in_value(0)));
  set(out_, 1, terms_.add(Type::f32, in_value(2), in_value(3)));
  EXPECT_EQ(truth(sums_), Truth::yes);
  EXPECT_EQ(why(sums_), "");
}

TEST_F(FormulaTest, SaysWhatASumMissed) {
  set(out_, 0, terms_.add(Type::f32, in_value(1), in_value(0)));
  set(out_, 1, in_value(2));
  EXPECT_EQ(truth(sums_), Truth::no);
  EXPECT_EQ(why(sums_), "out[1] = in[2], expected in[2] + in[3]");
}

TEST_F(FormulaTest, PoisonMakesAComparisonFalseAndItsNegationToo) {
  EXPECT_EQ(truth(sem_[0] == 0), Truth::no);
  EXPECT_EQ(truth(!(sem_[0] == 0)), Truth::no);
  EXPECT_EQ(why(sem_[0] == 0), "sem[0] was never written, expected 0");
}

TEST_F(FormulaTest, ThePoisonOfAnotherPlaceIsNamed) {
  set(out_, 0, terms_.poison("ws[3]"));
  EXPECT_EQ(why(out_[0] == in_[0]), "out[0] = poison (ws[3]), expected in[0]");
}

TEST_F(FormulaTest, KeepsWhenAPlaceWasNotWritten) {
  set(out_, 1, terms_.poison("out was never written in replay 2"));
  EXPECT_EQ(why(out_[1] == in_[0]), "out[1] was never written in replay 2, expected in[0]");
}

TEST_F(FormulaTest, DifferentTermsAreNotEqualAndMayNotDiffer) {
  EXPECT_EQ(truth(in_[0] == in_[1]), Truth::no);
  EXPECT_EQ(truth(in_[0] != in_[1]), Truth::undecided);
  EXPECT_EQ(truth(in_[0] < in_[1]), Truth::undecided);
  EXPECT_EQ(truth(in_[0] == in_[0]), Truth::yes);
}

TEST_F(FormulaTest, UnknownValuesLeaveItUndecidedUnlessAnotherPartDecides) {
  set(sem_, 0, Terms::unknown());
  EXPECT_EQ(truth(sem_[0] == 0), Truth::undecided);
  EXPECT_EQ(truth(sem_[0] == 0 && in_[0] == in_[1]), Truth::no);
  EXPECT_EQ(truth(sem_[0] == 0 || in_[0] == in_[0]), Truth::yes);
  EXPECT_EQ(truth(sem_[0] == 0 || in_[0] == in_[1]), Truth::undecided);
}

TEST_F(FormulaTest, LiteralsTakeTheTypeTheyMeet) {
  set(out_, 0, Value::number(std::bit_cast<std::uint32_t>(2.0F)));
  set(sem_, 0, Value::number(0xffff'ffffU));
  set(wide_, 0, Value::number(static_cast<std::uint64_t>(-3)));
  EXPECT_EQ(truth(out_[0] == 2), Truth::yes);
  EXPECT_EQ(truth(out_[0] + 1 == 3), Truth::yes);
  EXPECT_EQ(truth(sem_[0] == -1), Truth::yes);  // wraps as u32
  EXPECT_EQ(truth(wide_[0] < 0), Truth::yes);
  EXPECT_EQ(truth(sem_[0] < 0), Truth::no);
  EXPECT_EQ(why(out_[0] == 5), "out[0] = 2, expected 5");
}

TEST_F(FormulaTest, EntryAndEndAreTwoMemories) {
  set(sem_, 0, Value::number(1));
  entry_[{2, 0}] = Value::number(0);
  EXPECT_EQ(truth(sem_[0] == sem_.at_entry(0)), Truth::no);
  EXPECT_EQ(truth(sem_[0] == sem_.at_entry(0) + 1), Truth::yes);
  EXPECT_EQ(why(sem_[0] == sem_.at_entry(0)), "sem[0] = 1, expected 0");
}

TEST_F(FormulaTest, NegationGoesDownToTheComparisons) {
  set(sem_, 0, Value::number(1));
  EXPECT_EQ(truth(!(sem_[0] == 1 && sem_[0] < 5)), Truth::no);
  EXPECT_EQ(why(!(sem_[0] == 1 && sem_[0] < 5)),
            "sem[0] = 1, must not be 1; and sem[0] = 1, must be at least 5");
  EXPECT_EQ(truth(!(sem_[0] == 2 || sem_[0] == 3)), Truth::yes);
  EXPECT_EQ(truth(!forall("i", 0, 3, [&](const Term& i) { return sem_[0] == i; })), Truth::yes);
}

TEST_F(FormulaTest, ARangeThatIsEmptyHoldsAndSumsToZero) {
  EXPECT_EQ(truth(forall("i", 2, 2, [&](const Term& i) { return in_[i] == 7; })), Truth::yes);
  set(sem_, 0, Value::number(0));
  EXPECT_EQ(truth(sem_[0] == sum("i", 0, 0, [&](const Term& i) { return in_[i]; })), Truth::yes);
}

TEST_F(FormulaTest, DividingBySomethingElseGivesAnotherTerm) {
  const Value x = terms_.symbol("x");
  set(wide_, 0, x);
  set(sem_, 0, x);
  EXPECT_EQ(truth(wide_[0] / 2 == wide_[0] / 3), Truth::no);
  EXPECT_EQ(truth(wide_[0] % 2 == wide_[0] % 2), Truth::yes);
}

TEST_F(FormulaTest, RefusesAnIndexOutsideItsBuffer) {
  try {
    (void)truth(in_[4] == 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the contract reads in[4], but in has 4 elements");
  }
}

TEST_F(FormulaTest, RefusesAMixOfFloatsAndIntegers) {
  set(sem_, 0, Value::number(1));
  EXPECT_THROW((void)truth(in_[0] == sem_[0]), InputError);
}

TEST_F(FormulaTest, RefusesWhatCannotBeMeant) {
  set(sem_, 0, Value::number(42));
  EXPECT_EQ(truth(sem_[0] == Term(42)), Truth::yes);
  EXPECT_THROW((void)truth(sem_[0] == Term(4'294'967'338)), InputError) << "42 is its low half";
  EXPECT_EQ(truth(sem_[0] == Term(-1)), Truth::no) << "0xffffffff";
  EXPECT_THROW((void)truth(sem_[0] / Term(0) == Term(42)), InputError);
  EXPECT_THROW((void)truth(forall("i", 0, 4'000'000'000, [this](const Term&) { return sem_[0] == Term(42); })), InputError);
}

}  // namespace
}  // namespace fencewise
