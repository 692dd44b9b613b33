// `fencewise check` with what it asks of whole launches: entry memory, residency, sweeps, the smallest shape.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.h"

namespace fencewise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;

// Words are split at blanks; there is no shell.
ProcessResult check(const std::string& arguments) {
  std::vector<std::string> argv{FENCEWISE_CLI, "check"};
  std::istringstream words(arguments);
  for (std::string word; words >> word;) argv.push_back(word);
  return testing::run_process(argv);
}

TEST(EntryMemory, NamesWhatIsReliedOn) {
  const ProcessResult serial = check("splitk-serial --initial any");
  EXPECT_EQ(serial.exit_code, 1);
  EXPECT_THAT(serial.out, HasSubstr("needs sem = 0 at entry"));
  const ProcessResult atomic = check("splitk-atomic --initial any");
  EXPECT_EQ(atomic.exit_code, 1);
  EXPECT_THAT(atomic.out, HasSubstr("needs acc = 0, sem = 0 at entry"));
  const ProcessResult reverse = check("reverse --initial any");
  EXPECT_EQ(reverse.exit_code, 0);
  EXPECT_THAT(reverse.out, HasSubstr("relies on nothing in its workspace at entry"));
}

TEST(EntryMemory, MustBeLeftAsItWasFound) {
  const ProcessResult right = check("splitk-serial --clean");
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_THAT(right.out, HasSubstr("needs sem = 0 at entry, and must leave it so"));
  const ProcessResult wrong = check("splitk-serial --clean --variant no-reset --replays 2 -q");
  EXPECT_EQ(wrong.exit_code, 1);
}

TEST(Residency, OfAGridBarrierMustHoldTheWholeGrid) {
  const ProcessResult two = check("grid-barrier-sense --param ctas=3 --resident 2");
  EXPECT_EQ(two.exit_code, 1);
  EXPECT_THAT(two.out, HasSubstr("never starts, since only 2 are resident at a time"));
  EXPECT_EQ(check("grid-barrier-sense --param ctas=3 --resident 3 -q").exit_code, 0);
  const ProcessResult least = check("grid-barrier-sense --param ctas=3 --find-resident");
  EXPECT_EQ(least.exit_code, 0);
  EXPECT_THAT(least.out, HasSubstr("passes with 3 CTAs resident at a time"));
}

TEST(Residency, OfSplitKMayBeOne) {
  EXPECT_THAT(check("splitk-serial --find-resident").out, HasSubstr("passes with 1 CTA resident at a time"));
}

TEST(Sweep, ShowsTheSmallestShapeThatFails) {
  const ProcessResult wrong = check("splitk-serial --variant no-acquire-fence --sweep splits=1..3,threads=1..2");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("the smallest that fails is splits=2 threads=1"));
  const ProcessResult right = check("splitk-serial --sweep splits=1..3");
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_THAT(right.out, HasSubstr("no shape fails"));
}

TEST(Sweep, RefusesWhatIsNoRange) {
  for (const char* sweep : {"splits", "splits=", "splits=a..b", "splits=3..1", "splits=0..2", "splits=1..999999", "frob=1..2",
                            "splits=1..2,splits=1..2", "splits=1..2,", "=1..2"}) {
    const ProcessResult result = check(std::string("splitk-serial --sweep ") + sweep);
    EXPECT_EQ(result.exit_code, 2) << sweep;
    EXPECT_THAT(result.err, HasSubstr("fencewise: ")) << sweep;
  }
}

TEST(Shrink, ShowsTheSmallestShapeUnlessToldOtherwise) {
  const ProcessResult small = check("splitk-serial --variant no-acquire-fence --param splits=12");
  EXPECT_EQ(small.exit_code, 1);
  EXPECT_THAT(small.out, HasSubstr("shown at splits=2, the smallest that fails; --no-shrink keeps splits=12"));
  const ProcessResult large = check("splitk-serial --variant no-acquire-fence --param splits=12 --no-shrink");
  EXPECT_EQ(large.exit_code, 1);
  EXPECT_THAT(large.out, HasSubstr("splits=12"));
  EXPECT_THAT(large.out, Not(HasSubstr("smallest")));
}

TEST(PlanOptions, RefuseContradictions) {
  for (const char* options : {"--resident 2 --find-resident", "--clean --initial any", "--initial some", "--resident 0",
                              "--sweep splits=1..2 --all-variants", "--all-variants --clean"})
    EXPECT_EQ(check(std::string("splitk-serial ") + options).exit_code, 2) << options;
}

}  // namespace
}  // namespace fencewise
