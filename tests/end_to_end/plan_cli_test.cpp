// `fencewise check` with what it asks of whole launches: entry memory, residency, sweeps, the smallest shape.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/protocol.h"
#include "tests/support/differential.h"
#include "tests/support/process.h"

namespace fencewise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;

ProcessResult check(const std::string& arguments) { return testing::run_process(FENCEWISE_CLI, "check " + arguments); }

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
  EXPECT_THAT(right.out, HasSubstr("needs sem = 0 at entry, and must leave sem = 0\n"));
  for (const char* replays : {" --replays 2", ""}) {  // which the variant needs
    const ProcessResult wrong = check(std::string("splitk-serial --clean --variant no-reset") + replays);
    EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
    EXPECT_THAT(wrong.out, HasSubstr("must leave sem = 0"));
  }
  const ProcessResult atomic = check("splitk-atomic --clean");
  EXPECT_EQ(atomic.exit_code, 0);
  EXPECT_THAT(atomic.out, HasSubstr("needs acc = 0, sem = 0 at entry, and must leave acc = 0, sem = 0\n"));
}

// A race ends what is explored: what would have been read behind it is not known.
TEST(EntryMemory, SaysWhereItMayBeIncomplete) {
  EXPECT_THAT(check("splitk-serial --clean --variant no-acquire-fence").out,
              HasSubstr("there may be more: a behaviour ends early: data race on ws["));
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

TEST(Sweep, SaysOneLineIfAskedToBeQuiet) {
  const ProcessResult right = check("splitk-serial -q --sweep splits=1..3");
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_EQ(right.out, "splitk-serial: no shape fails\n");
  EXPECT_EQ(right.err, "");
  const ProcessResult wrong = check("splitk-serial --variant no-acquire-fence -q --sweep splits=1..3,threads=1..2");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(wrong.out, "splitk-serial: the smallest that fails is splits=2 threads=1\n");
}

TEST(Sweep, RefusesWhatIsNoRange) {
  for (const char* sweep : {"splits", "splits=", "splits=1|", "splits=1||2",  "splits=a..b", "splits=3..1", "splits=0..2", "splits=1..999999", "frob=1..2",
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

TEST(Sweep, TakesTheProtocolsOwnShapes) {
  for (const char* sweep : {"zero-while-adding --sweep", "zero-while-adding --sweep defaults"}) {
    const ProcessResult own = check(sweep);
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_THAT(own.out, HasSubstr("ctas  replays  verdict"));
    EXPECT_THAT(own.out, HasSubstr("zero-while-adding: no shape fails"));
  }
  // What is given is not swept.
  EXPECT_THAT(check("zero-while-adding --param ctas=2 --sweep").out, ::testing::StartsWith("replays  verdict"));
  EXPECT_THAT(check("mp --sweep").err, HasSubstr("mp comes in one shape, there is nothing to sweep; --all-variants makes a table"));
  EXPECT_THAT(check("mp --sweep order=1..3").err, HasSubstr("'order' is one of weak, relaxed, acq_rel, fence_acq_rel, fence_sc, no number"));
}

// Edge shapes included: one CTA, no round, one round more than there are buffers. Only what is wrong as it stands is found wrong.
TEST(Sweep, OfEachProtocolsOwnShapesSaysWhatItsBaseYields) {
  for (const Protocol& protocol : catalogue()) {
    const auto is_choice = [](const Parameter& p) { return !p.choices.empty(); };
    EXPECT_EQ(protocol.sweep.empty(), std::all_of(protocol.parameters.begin(), protocol.parameters.end(), is_choice)) << protocol.name;
    if (protocol.sweep.empty()) continue;
    // Whole kernels, with all their threads, take a sanitizer the longest.
    if (testing::small_scale() && threads_of(instantiate(protocol, {}).launches.front()).size() > 16) continue;
    const ProcessResult own = check(protocol.name + " --sweep");
    EXPECT_EQ(own.exit_code, protocol.variants.front().ptx.verdict == Verdict::verified ? 0 : 1) << own.out << own.err;
  }
}

TEST(Sweep, BeginsWithNoWorkAtAll) {
  EXPECT_THAT(check("message-passing --sweep --csv -").out,
              HasSubstr("seconds,kind,location,message\n1,0,verified,view,1,2,"));
  EXPECT_THAT(check("grid-barrier-counter --param rounds=0 --engine graph").out, ::testing::StartsWith("verified: "));
  EXPECT_THAT(check("named-halves --param rounds=0 --all-variants").out, HasSubstr("as expected"));
}

TEST(Sweep, TakesValuesOneByOne) {
  const ProcessResult result = check("splitk-serial --sweep splits=1|3..4");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, ::testing::ContainsRegex("\n *1  verified"));
  EXPECT_THAT(result.out, ::testing::ContainsRegex("\n *4  verified"));
  EXPECT_THAT(result.out, Not(::testing::ContainsRegex("\n *2  verified")));
}

TEST(Sweep, IsNotPassedWhereThereIsNoShape) {
  const ProcessResult result = check("splitk-serial --variant no-reset --sweep splits=1..2");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no such shape"));
}

TEST(Tables, AreWrittenAsCsv) {
  const ProcessResult sweep = check("splitk-serial --variant no-reset --sweep splits=1..2,replays=1..2 --csv -");
  EXPECT_EQ(sweep.exit_code, 1);
  EXPECT_THAT(sweep.out, ::testing::StartsWith("splits,replays,verdict,engine,graphs,states,seconds,kind,location,message\n"));
  EXPECT_THAT(sweep.out, HasSubstr("\n2,2,violated,view,"));
  EXPECT_THAT(sweep.out, HasSubstr("\n1,1,none,"));
  const ProcessResult variants = check("splitk-atomic --all-variants --csv -");
  EXPECT_EQ(variants.exit_code, 0);
  EXPECT_THAT(variants.out, ::testing::StartsWith("variant,splits,threads,tiles,replays,expected,verdict,kind,location,as_expected,seconds,reason\n"));
  EXPECT_THAT(variants.out, HasSubstr("\nno-rezero,4,1,1,2,"));
  EXPECT_EQ(check("splitk-atomic --csv -").exit_code, 2) << "there is no table";
}

TEST(InFlight, SaysForHowManyLaunchesItIsSafe) {
  const ProcessResult one = check("splitk-serial --param splits=2 --in-flight 2");
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.out, HasSubstr("safe for one launch in flight, not for 2"));
  EXPECT_THAT(one.out, HasSubstr("launches 1, 2 together"));
  const ProcessResult several = check("splitk-serial --param splits=2 --in-flight 2 --variant workspace-per-launch");
  EXPECT_EQ(several.exit_code, 0);
  EXPECT_THAT(several.out, HasSubstr("safe for 2 launches in flight"));
  EXPECT_THAT(check("splitk-serial --param splits=2 --in-flight 2 --variant no-acquire-fence").out,
              HasSubstr("wrong with one launch in flight already"));
  EXPECT_EQ(check("mp --in-flight 2").exit_code, 2);
}

TEST(Determinism, IsLostWithAtomics) {
  const ProcessResult serial = check("splitk-serial --param splits=3 --determinism");
  EXPECT_EQ(serial.exit_code, 0);
  EXPECT_THAT(serial.out, HasSubstr("each output is the same in every order of execution"));
  const ProcessResult atomic = check("splitk-atomic --determinism");
  EXPECT_EQ(atomic.exit_code, 1);
  EXPECT_THAT(atomic.out, HasSubstr("violated: order-dependent on out in replay 1"));
  EXPECT_THAT(atomic.out, HasSubstr("the other order:"));
  EXPECT_EQ(check("mp --determinism").exit_code, 2) << "it has no output";
}

// The orders of eight additions are too many to go through; those of three differ already.
TEST(Determinism, IsAskedOfSmallerShapesWhereTheShapeIsTooLarge) {
  const ProcessResult atomic = check("splitk-atomic --param splits=8 --determinism");
  EXPECT_EQ(atomic.exit_code, 1);
  EXPECT_THAT(atomic.out, HasSubstr("violated: order-dependent on out in replay 1 (splitk-atomic replays=1 splits=3"));
  EXPECT_THAT(atomic.out, HasSubstr("shown at splits=3, the smallest that fails; --no-shrink keeps splits=8"));
}

// 132 CTAs in any order, as quickly as without the question.
TEST(Determinism, OfManyCtasThatAddInOrderIsQuick) {
  const ProcessResult serial = check("splitk-serial --param splits=132 --determinism");
  EXPECT_EQ(serial.exit_code, 0);
  EXPECT_THAT(serial.out, HasSubstr("explored: 134 states, "));
}

TEST(Determinism, OfManyShapesIsATable) {
  const ProcessResult atomic = check("splitk-atomic --sweep splits=1..3,replays=1..2 --determinism --csv -");
  EXPECT_EQ(atomic.exit_code, 1);
  for (const char* row : {"\n1,1,verified,view,", "\n1,2,verified,view,", "\n2,1,verified,view,", "\n2,2,verified,view,", "\n3,1,violated,view,",
                          "\n3,2,violated,view,", ",order-dependent,out,"})
    EXPECT_THAT(atomic.out, HasSubstr(row));
  EXPECT_THAT(check("splitk-atomic --sweep splits=1..3,replays=1..2 --determinism").out,
              HasSubstr("splitk-atomic: the smallest that fails is splits=3 replays=1\n"));
  EXPECT_THAT(check("splitk-serial --sweep --determinism").out, HasSubstr("splitk-serial: no shape fails\n"));
}

// The limit is of all that the command does: several searches here, each of which would take as long.
TEST(Determinism, EndsWithTheLimitOfTheWhole) {
  const ProcessResult cut = check("splitk-serial --param splits=40 --determinism --engine graph --max-seconds 0.4");
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_THAT(cut.out, HasSubstr("inconclusive: the limit of 0.4 seconds was reached (--max-seconds)"));
  EXPECT_THAT(cut.out, Not(HasSubstr("explored: 2 states, 1 move")));
}

// What was asked of the plan is in the report, so that its counterexample is replayed on the same plan.
TEST(PlanOptions, AreKeptForReplay) {
  const testing::ScratchFolder folder;
  const std::string report = folder.file("cex.json");
  for (const char* arguments :
       {"splitk-serial --param splits=2 --in-flight 2", "splitk-atomic --determinism", "splitk-serial --initial any",
        "splitk-serial --clean --variant no-reset --replays 2", "splitk-atomic --param splits=2 --in-flight 2 --variant counter-per-launch"}) {
    EXPECT_EQ(check(std::string(arguments) + " --json " + report).exit_code, 1) << arguments;
    const ProcessResult shown = testing::run_process({FENCEWISE_CLI, "replay", report});
    EXPECT_EQ(shown.exit_code, 1) << arguments << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("violated: ")) << arguments;
  }
}

TEST(Streams, OfALaunchFileOverlap) {
  const std::string kernel = std::string(FENCEWISE_SOURCE_DIR) + "/tests/ptx/last_cta_sum.sm_90.ptx --launch " + FENCEWISE_SOURCE_DIR + "/tests/ptx/";
  const ProcessResult together = check(kernel + "two_streams.toml");
  EXPECT_EQ(together.exit_code, 1);
  EXPECT_THAT(together.out, HasSubstr("launches 1, 2 together"));
  EXPECT_EQ(check(kernel + "two_streams_event.toml -q").exit_code, 0);
  EXPECT_EQ(check(kernel + "last_cta_sum.toml --in-flight 2 -q").exit_code, 1);
}

TEST(PlanOptions, RefuseContradictions) {
  for (const char* options : {"--resident 2 --find-resident", "--clean --initial any", "--initial some", "--resident 0",
                              "--in-flight 0", "--in-flight 65", "--all-variants --in-flight 2", "--all-variants --determinism",
                              "--sweep splits=1..2 --all-variants", "--all-variants --clean"})
    EXPECT_EQ(check(std::string("splitk-serial ") + options).exit_code, 2) << options;
}

}  // namespace
}  // namespace fencewise
