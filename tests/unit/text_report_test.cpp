// What a person reads: exact texts, so that a change of wording is seen and reviewed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/report/dot.h"
#include "checker/report/layout.h"
#include "checker/report/text.h"
#include "tests/support/process.h"
#include "tests/support/reports.h"

namespace fencewise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::stale_read;
using testing::verified_report;
using testing::violated_report;

std::string row_text(std::size_t n) { return rows_of(stale_read()).at(n).text; }

TEST(Rows, LeaveOutInitialWritesAndJoinTheHalvesOfAnAtomic) {
  const auto rows = rows_of(stale_read());
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(row_text(0), "st.weak ws[0] := in[0]");
  EXPECT_EQ(row_text(1), "atom.relaxed.gpu.add sem[0] = 0 from start, := 1");
  EXPECT_EQ(row_text(2), "atom.relaxed.gpu.add sem[0] = 1 from #2, := 2");
  EXPECT_EQ(row_text(3), "ld.weak ws[0] = old from start");
}

TEST(Rows, SayWhatAStaleReadMissedAndWhy) {
  EXPECT_EQ(rows_of(stale_read()).at(3).note,
            "misses #1 (ws[0] := in[0]): no fence between the count and this read");
}

TEST(Rows, TellTheHalvesOfABarrierThatOthersComeBetween) {
  WitnessLaunch launch;
  launch.threads = {"P0", "P1"};
  launch.cta_of = {0, 0};
  const auto event = [&](ThreadId thread, EventKind kind) {
    WitnessEvent e;
    e.thread = thread;
    e.kind = kind;
    e.text = "bar.sync 0";
    launch.events.push_back(e);
  };
  event(0, EventKind::arrive);
  event(1, EventKind::arrive);
  event(1, EventKind::wait);
  event(0, EventKind::wait);
  std::vector<std::string> texts;
  for (const Row& row : rows_of(launch)) texts.push_back(row.text);
  EXPECT_THAT(texts, ::testing::ElementsAre("bar.sync 0 arrives", "bar.sync 0", "bar.sync 0 passes"));
}

TEST(Rows, ShowWhatIsPrintedBetweenTheEventsWithoutANumber) {
  WitnessLaunch launch = stale_read();
  launch.printed = {{1, 3, "printf \"one\\n\"", "protocols/splitk.cpp", 41}, {0, launch.events.size(), "printf \"two\"", "", 0}};
  const auto rows = rows_of(launch);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[1].text, "printf \"one\\n\"");
  EXPECT_EQ(rows[1].line, "splitk.cpp:41");
  EXPECT_EQ(rows[1].number, 0U);
  EXPECT_EQ(rows[2].number, 2U) << "others keep the number that they have without it";
  EXPECT_EQ(rows[5].text, "printf \"two\"");
}

TEST(Rows, OfThreadsThatAreNotInvolvedAreLeftOutOfLongListsUnlessRead) {
  std::vector<Row> rows(100);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    rows[n].number = n + 1;
    rows[n].thread = static_cast<ThreadId>(n % 3);
  }
  rows[0].involved = true;
  rows[3].sources = {3};
  EXPECT_EQ(rows_worth_showing(rows, false).size(), 35U);  // 34 of thread 0, and #3
  EXPECT_EQ(rows_worth_showing(rows, true).size(), 100U);
}

TEST(Wrapping, BreaksBetweenWordsAndIndents) {
  EXPECT_THAT(wrapped("one two three", 8), ::testing::ElementsAre("one two", "  three"));
  EXPECT_THAT(wrapped("unbreakable", 4), ::testing::ElementsAre("unbreakable"));
}

TEST(TextReport, ShowsACounterexampleWithThreadsSideBySide) {
  TextOptions options;
  options.command = "fencewise replay cex.json";
  options.hint = "fencewise simulate shows what test runs would see";
  EXPECT_EQ(
      to_text(violated_report(), options),
      R"(violated: race on ws[0] in replay 2 (splitk-serial order=acquire splits=2, variant no-acquire-fence, model ptx)

data race on ws[0]: write by CTA 0 thread 0 and read by CTA 1 thread 0
at protocols/splitk.cpp:40 and protocols/splitk.cpp:45
replay 1: CTAs finish in the order 1, 0

replay 2, kernel splitk, in this order:
                      CTA 0 thread 0                              CTA 1 thread 0
*    1 splitk.cpp:40  st.weak ws[0] := in[0]
     2 splitk.cpp:42  atom.relaxed.gpu.add sem[0] = 0 from
                        start, := 1
     3 splitk.cpp:42                                              atom.relaxed.gpu.add sem[0] = 1 from #2,
                                                                    := 2
       splitk.cpp:44                                              printf "block 1 is last\n"
*    4 splitk.cpp:45                                              ld.weak ws[0] = old from start
       ^ misses #1 (ws[0] := in[0]): no fence between the count and this read
CTAs finish in the order 0, 1
repair: a fence.sc.gpu before line 45 (checked)
replay: fencewise replay cex.json

explored: 7 graphs, 30 steps, 2 states, 2 CTA finish orders, 1 that never end; 0.25 s
under: model ptx, engine graph, races fail, loop bound 8
assumes: all CTAs are resident
hint: fencewise simulate shows what test runs would see
)");
}

TEST(TextReport, ShowsThreadsInBlocksWhereColumnsDoNotFit) {
  TextOptions options;
  options.width = 60;
  EXPECT_THAT(to_text(violated_report(), options),
              HasSubstr("  CTA 0 thread 0\n"
                        "*    1 splitk.cpp:40  st.weak ws[0] := in[0]\n"
                        "     2 splitk.cpp:42  atom.relaxed.gpu.add sem[0] = 0 from start, := 1\n"
                        "  CTA 1 thread 0\n"));
}

TEST(TextReport, ShowsEveryLaunchWhenAsked) {
  TextOptions options;
  options.verbose = true;
  EXPECT_THAT(to_text(violated_report(), options), HasSubstr("replay 1, kernel splitk, in this order:"));
}

TEST(TextReport, SaysWhereNoOrderOfExecutionExplainsAWitness) {
  Report report = violated_report();
  report.result.findings[0].witness.launches[1].ordered = false;
  EXPECT_THAT(to_text(report, {}), HasSubstr("replay 2, kernel splitk; no order of execution explains it:"));
}

TEST(TextReport, ShowsFurtherFindingsInALineEach) {
  Report report = violated_report();
  report.result.findings.push_back(report.result.findings[0]);
  report.result.findings[1].kind = FindingKind::contract;
  report.result.findings[1].message = "sem[0] is left as 1";
  EXPECT_THAT(to_text(report, {}), HasSubstr("\nalso: contract on ws[0] in replay 2: sem[0] is left as 1\n"));
}

TEST(TextReport, SaysOfAVerifiedSubjectWhatWasExplored) {
  EXPECT_EQ(to_text(verified_report(), {}), R"(verified: splitk-serial splits=4, model ptx

explored: 24 graphs, 300 steps, 1 state, 24 CTA finish orders; 1.50 s
under: model ptx, engine graph, races fail, loop bound 8
)");
}

TEST(TextReport, SaysWhyItIsInconclusive) {
  Report report = verified_report();
  report.result.verdict = Verdict::inconclusive;
  report.result.reason = "the limit of 2 seconds was reached (--max-seconds)";
  EXPECT_EQ(
      verdict_line(report, {}),
      "inconclusive: the limit of 2 seconds was reached (--max-seconds) (splitk-serial splits=4, model ptx)");
}

TEST(TextReport, IsPlainUnlessColourIsAskedFor) {
  EXPECT_THAT(to_text(violated_report(), {}), Not(HasSubstr("\033[")));
  TextOptions options;
  options.colour = true;
  EXPECT_TRUE(to_text(violated_report(), options).starts_with("\033["));
}

TEST(Dot, DrawsAClusterAThreadAndNamesTheRelations) {
  const std::string dot = to_dot(violated_report());
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_1 {\n    label=\"CTA 1 thread 0\";"));
  EXPECT_THAT(dot, HasSubstr("e0 -> e7 [label=\"rf\", color=darkgreen"));
  EXPECT_THAT(dot, HasSubstr("e0 -> e1 [label=\"co\", color=blue"));
  EXPECT_THAT(dot, HasSubstr("ws[0] = old\\lprotocols/splitk.cpp:45\\l\", color=red"));
}

TEST(Dot, RendersWithGraphviz) {
  if (testing::run_process({"dot", "-V"}).exit_code != 0) GTEST_SKIP() << "Graphviz is not installed";
  Report report = violated_report();
  report.result.findings[0].message = "a \"quoted\" \\ title\nof two lines";
  const testing::ScratchFolder folder;
  for (const Report& drawn : {report, verified_report()}) {
    testing::write_file(folder.file("cex.dot"), to_dot(drawn));
    const auto result = testing::run_process({"dot", "-Tsvg", folder.file("cex.dot")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("<svg"));
  }
}

}  // namespace
}  // namespace fencewise
