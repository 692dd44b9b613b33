// `fencewise litmus`, `fencewise generate` and litmus files as subjects, from outside.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/differential.h"
#include "tests/end_to_end/program.h"

namespace fencewise {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::contents_of;
using testing::ProcessResult;
using testing::ScratchFolder;
using testing::write_file;

const std::string tests = std::string(FENCEWISE_SOURCE_DIR) + "/tests/litmus";

std::string ours(const std::string& name) { return tests + "/" + name; }

const std::string head = "PTX t\n{\nx = 0; y = 0;\n}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n";
const std::string body = " st.weak x, 1 | ld.weak r0, x ;\n";

std::string line_with(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) return "";
  const std::size_t from = text.rfind('\n', at) + 1;
  return text.substr(from, text.find('\n', at) - from);
}

// --- Tables and exit codes ---

TEST(Litmus, PrintsALineATestAndASummary) {
  const ProcessResult result = fencewise({"litmus", ours("sb.litmus"), ours("sb+fences-sc.litmus")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(line_with(result.out, "sb.litmus"),
              HasSubstr("  ptx       verified      yes            4       4  "));
  EXPECT_THAT(line_with(result.out, "sb+fences-sc"),
              HasSubstr("  ptx       violated      yes            3       3  "));
  EXPECT_THAT(result.out, HasSubstr("\n2 tests, model ptx: 1 verified, 1 violated; 7 executions; "));
  EXPECT_EQ(result.err, "");
}

TEST(Litmus, SaysWhetherEveryExecutionEnds) {
  const ProcessResult result = fencewise({"litmus", ours("bar-crossed.litmus")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(line_with(result.out, "bar-crossed"), HasSubstr("  no  "));
  EXPECT_THAT(result.out, HasSubstr("; 1 may not end; "));
}

TEST(Litmus, RunsFoldersInOneOrderWhateverTheWorkers) {
  std::vector<std::vector<std::string>> orders;
  for (const char* workers : {"1", "2", "7"}) {
    std::vector<std::string> paths;
    const Json report = Json::parse(fencewise({"litmus", tests, "-j", workers, "--json", "-"}).out);
    for (const Json& test : report["tests"]) paths.push_back(test["path"]);
    orders.push_back(paths);
  }
  EXPECT_GT(orders[0].size(), 50U);
  EXPECT_TRUE(std::is_sorted(orders[0].begin(), orders[0].end()));
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_EQ(orders[0], orders[2]);
}

TEST(Litmus, FindsTestsInFoldersBelowAndEachOnce) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.file("b/c"));
  for (const char* name : {"b/c/z.litmus", "b/a.litmus", "m.litmus"})
    write_file(folder.file(name), head + body + "exists (x == 1)\n");
  write_file(folder.file("notes.txt"), "no test");
  const Json json =
      Json::parse(fencewise({"litmus", folder.file("m.litmus"), folder.file(""), "--json", "-"}).out);
  ASSERT_EQ(json["tests"].size(), 3U);
  EXPECT_THAT(json["tests"][0]["path"].get<std::string>(), EndsWith("/m.litmus"));
  EXPECT_THAT(json["tests"][1]["path"].get<std::string>(), EndsWith("/b/a.litmus"));
  EXPECT_THAT(json["tests"][2]["path"].get<std::string>(), EndsWith("/b/c/z.litmus"));
}

TEST(Litmus, IsInconclusiveWhereALimitStoppedATest) {
  const ProcessResult result = fencewise({"litmus", ours("sb+fences-sc.litmus"), "--max-graphs", "1"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(line_with(result.out, "sb+fences-sc"), HasSubstr("inconclusive"));
  EXPECT_THAT(result.out, HasSubstr("the limit of 1 graphs was reached (--max-graphs)"));
}

TEST(Litmus, NamesWhatAModelLacks) {
  const ProcessResult alone = fencewise({"litmus", ours("alias.litmus"), "--model", "v6.0"});
  EXPECT_EQ(alone.exit_code, 3);
  EXPECT_THAT(line_with(alone.out, "alias.litmus"), HasSubstr("not modelled"));
  EXPECT_THAT(alone.out, HasSubstr("proxies and aliases are not modelled by ptx-v6.0"));
}

TEST(Litmus, PrintsOnlyTheSummaryWhenQuiet) {
  const ProcessResult result = fencewise({"litmus", tests, "-q"});
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
}

// --- Expectations ---

TEST(Expected, AllAsExpectedIsZero) {
  for (const char* model : {"ptx", "ptx-v6.0", "ptx-v7.5", "sc"}) {
    const ProcessResult result =
        fencewise({"litmus", tests, "--expected", ours("expected.tsv"), "--model", model});
    EXPECT_EQ(result.exit_code, 0) << model << "\n" << result.out;
    EXPECT_THAT(result.out, HasSubstr(" as expected, 0 differ")) << model;
  }
}

TEST(Expected, ADifferenceIsOneAndIsShownWithItsCaution) {
  const ScratchFolder folder;
  const std::string table = folder.file("expected.tsv");
  write_file(folder.file("t.litmus"), head + body + "exists (x == 2)\n");
  write_file(folder.file("u.litmus"), head + body + "exists (x == 1)\n");
  write_file(table,
             "path\tmodel\tproperty\texpected\tcaution\nt.litmus\tptx\tassertion\t1\tinsensitive\nt."
             "litmus\tptx\tliveness\t1\t-\n");
  const ProcessResult result = fencewise({"litmus", folder.file(""), "--expected", table});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(line_with(result.out, "t.litmus "),
              EndsWith("DIFFERS: expected verified (caution: insensitive)"));
  EXPECT_THAT(line_with(result.out, "u.litmus "), EndsWith("no expectation"));
  EXPECT_THAT(
      result.out,
      HasSubstr("2 tests, model ptx: 0 as expected, 1 differs, 1 no expectation; 2 expectations compared; "));
  EXPECT_THAT(result.out, HasSubstr("\nhint: fencewise litmus "));
  const ProcessResult quiet = fencewise({"litmus", folder.file(""), "--expected", table, "-q"});
  EXPECT_EQ(std::count(quiet.out.begin(), quiet.out.end(), '\n'), 2) << quiet.out;
}

TEST(Expected, PathsCountFromTheTableOrFromTheFolderGiven) {
  const ScratchFolder folder, elsewhere;
  std::filesystem::create_directories(folder.file("a"));
  write_file(folder.file("a/t.litmus"), head + body + "exists (x == 2)\n");
  const std::string rows = "caution\texpected\tproperty\tmodel\tpath\n-\t0\tassertion\tptx\ta/t.litmus\n";
  for (const std::string& table : {folder.file("e.tsv"), elsewhere.file("e.tsv")}) {
    write_file(table, rows);
    EXPECT_THAT(fencewise({"litmus", folder.file(""), "--expected", table}).out, HasSubstr("1 as expected"));
  }
  EXPECT_THAT(fencewise({"litmus", folder.file("a/t.litmus"), "--expected", folder.file("e.tsv")}).out,
              HasSubstr("1 as expected"));
  const ProcessResult none = fencewise({"litmus", ours("mp.litmus"), "--expected", folder.file("e.tsv")});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.out, HasSubstr("has no line for model ptx that names one of these files"));
}

TEST(Expected, NothingExpectedOfWhatIsNotModelledIsNoFailure) {
  const ProcessResult result =
      fencewise({"litmus", ours("alias.litmus"), "--model", "v6.0", "--expected", ours("expected.tsv")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("1 not modelled"));
}

TEST(Expected, IsInconclusiveWhereAnExpectationCouldNotBeCompared) {
  const ProcessResult result = fencewise(
      {"litmus", ours("sb+fences-sc.litmus"), "--expected", ours("expected.tsv"), "--max-graphs", "1"});
  EXPECT_EQ(result.exit_code, 3) << result.out;
}

TEST(Expected, RefusesTablesThatAreNone) {
  const ScratchFolder folder;
  const std::string table = folder.file("e.tsv");
  const std::string good = "path\tmodel\tproperty\texpected\n";
  const auto error = [&](const std::string& text) {
    write_file(table, text);
    const ProcessResult result = fencewise({"litmus", ours("mp.litmus"), "--expected", table});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_EQ(result.out, "") << text;
    EXPECT_THAT(result.err, StartsWith("fencewise: " + table + ":"));
    return result.err.substr(std::min(result.err.size(), std::string("fencewise: ").size() + table.size()));
  };
  EXPECT_EQ(error(""),
            ":1: found no column 'path'; expected a line of names with path, model, property, expected, "
            "separated by tabs\n");
  EXPECT_THAT(error("path\tmodel\texpected\n"), HasSubstr(":1: found no column 'property'"));
  EXPECT_EQ(error(good + "mp.litmus\tptx\tassertion\n"),
            ":2: found 3 cells; expected 4, as many as the first line names\n");
  EXPECT_EQ(error(good + "mp.litmus\tptx\tassertion\tyes\n"),
            ":2: found 'yes' in column 'expected'; expected 0 or 1\n");
  EXPECT_EQ(error(good + "\nmp.litmus\tptx\tsafety\t1\n"),
            ":3: found 'safety' in column 'property'; expected assertion or liveness\n");
  EXPECT_EQ(error(good + "a\tptx\tassertion\t1\na\tptx\tassertion\t0\n"),
            ":3: contradicts an earlier line on assertion of a\n");
  EXPECT_EQ(fencewise({"litmus", ours("mp.litmus"), "--expected", folder.file("none.tsv")}).exit_code, 2);
}

// --- Wrong input ---

TEST(Litmus, RefusesPathsThatAreNone) {
  const ScratchFolder folder;
  for (const std::string& path : {folder.file("none"), folder.file("none.litmus")}) {
    const ProcessResult result = fencewise({"litmus", path});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "fencewise: can't read " + path + ": No such file or directory\n");
  }
  const ProcessResult empty = fencewise({"litmus", folder.file("")});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, StartsWith("fencewise: no .litmus file in "));
  EXPECT_EQ(fencewise({"litmus"}).exit_code, 2);
  EXPECT_EQ(fencewise({"litmus", tests, "-j", "0"}).exit_code, 2);
  EXPECT_EQ(fencewise({"litmus", tests, "--model", "tso"}).exit_code, 2);
  EXPECT_EQ(fencewise({"litmus", tests, "--explain"}).exit_code, 2);
}

// Each as a new user would make it; the message names the place and the way out.
TEST(Litmus, TellsWhereATestIsWrongAndWhatWouldBeRight) {
  struct Mistake {
    std::string text, message;
  };
  const std::string end = "exists (P1:r0 == 1)\n";
  const std::vector<Mistake> mistakes = {
      {head + " st.weak x, 1 | load r0, x ;\n" + end, ":6:17: unknown instruction 'load'"},
      {head + " st.weak x, 1 | ld.relaxed.block r0, x ;\n" + end,
       ":6:27: unknown scope '.block'; expected .cta, .cluster, .gpu or .sys"},
      {head + " st.weak x, 1 | ld.weak r0, x\n" + end,
       ":6:30: found the end of the line; expected ';' to end the row"},
      {head + body + "exists (P1:r7 == 1)\n", ":7:12: register 'r7' is never written by P1; expected r0"},
      {head + " goto LC05 | ld.weak r0, x ;\n" + end,
       ":6:7: no label 'LC05' in thread P0; expected a cell 'LC05:' in its column"},
      {"PTX t\n{\nx = 0;\n}\n P0@cta 0,gpu 0 | P0@cta 1,gpu 0 ;\n" + body + end,
       ":5:19: found thread 'P0' a second time; expected P1"},
      {head + body + "exists (z == 1)\n", ":7:9: unknown location 'z'; expected x or y"},
  };
  const ScratchFolder folder;
  for (const Mistake& mistake : mistakes) {
    write_file(folder.file("t.litmus"), mistake.text);
    const ProcessResult result = fencewise({"litmus", folder.file("t.litmus")});
    EXPECT_EQ(result.exit_code, 2) << mistake.text;
    EXPECT_THAT(result.err, HasSubstr("t.litmus" + mistake.message)) << mistake.text;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(fencewise({"check", folder.file("t.litmus")}).exit_code, 2);
  }
}

TEST(Litmus, RunsTheOtherTestsBesideAWrongOne) {
  const ScratchFolder folder;
  write_file(folder.file("a.litmus"), "PTX");
  write_file(folder.file("b.litmus"), head + body + "exists (x == 1)\n");
  const ProcessResult result = fencewise({"litmus", folder.file("")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(line_with(result.out, "a.litmus "), HasSubstr("malformed"));
  EXPECT_THAT(line_with(result.out, "b.litmus "), HasSubstr("verified"));
  EXPECT_THAT(result.out, HasSubstr("1 malformed"));
}

// --- States, JSON, witnesses ---

TEST(States, AreListedAsHerdDoes) {
  EXPECT_THAT(fencewise({"litmus", ours("mp.litmus"), "--states"}).out, HasSubstr(R"(
  Test mp Allowed
  States 4
  1:r0=0; 1:r1=0;
  1:r0=0; 1:r1=1;
  1:r0=1; 1:r1=0;
  1:r0=1; 1:r1=1;
  Ok
  Witnesses
  Positive: 1 Negative: 3
  Condition exists (P1:r0 == 1 /\ P1:r1 == 0)
  Observation mp Sometimes 1 3
)"));
  EXPECT_THAT(fencewise({"litmus", ours("sb+fences-sc.litmus"), "--states"}).out, HasSubstr(R"(
  Test sb+fences-sc Allowed
  States 3
  0:r0=0; 1:r0=1;
  0:r0=1; 1:r0=0;
  0:r0=1; 1:r0=1;
  No
  Witnesses
  Positive: 0 Negative: 3
  Condition exists (P0:r0 == 0 /\ P1:r0 == 0)
  Observation sb+fences-sc Never 0 3
)"));
}

TEST(Json, SaysTheSameAsTheTable) {
  const ProcessResult result =
      fencewise({"litmus", tests, "--expected", ours("expected.tsv"), "--json", "-"});
  const Json json = Json::parse(result.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("model", "schema", "seconds", "summary", "tests"));
  EXPECT_EQ(json["schema"], "fencewise-litmus-1");
  EXPECT_EQ(json["summary"]["tests"], json["tests"].size());
  EXPECT_EQ(json["summary"]["differs"], 0);
  for (const Json& test : json["tests"]) {
    for (const char* key : {"path", "name", "quantifier", "condition", "verdict", "liveness", "reason",
                            "status", "expected", "difference", "search", "states", "seconds"})
      EXPECT_TRUE(test.contains(key)) << key;
    EXPECT_NE(test["path"].get<std::string>().front(), '/');
    EXPECT_EQ(test["status"], "as expected");
  }
}

TEST(Json, IsTheSameButForSeconds) {
  const auto without_seconds = [](const char* workers) {
    Json json = Json::parse(fencewise({"litmus", tests, "-j", workers, "--json", "-"}).out);
    json.erase("seconds");
    for (Json& test : json["tests"]) test.erase("seconds");
    return json.dump();
  };
  EXPECT_EQ(without_seconds("1"), without_seconds("4"));
}

TEST(Explain, ShowsAnExecutionThatDecidesTheTest) {
  const ProcessResult exists = fencewise({"litmus", ours("mp.litmus"), "--explain"});
  EXPECT_EQ(exists.exit_code, 0);
  EXPECT_THAT(exists.out, HasSubstr("an execution satisfies the condition: (P1:r0 == 1 /\\ P1:r1 == 0)\n"));
  EXPECT_THAT(exists.out, HasSubstr("ld.weak x = 0 from start"));
  const ProcessResult hang = fencewise({"litmus", ours("bar-skipped-forall.litmus"), "--explain"});
  EXPECT_THAT(hang.out, HasSubstr("waits for ever"));
  const ProcessResult nothing = fencewise({"litmus", ours("sb+fences-sc.litmus"), "--explain"});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_THAT(nothing.out, HasSubstr("no single execution decides this test"));
}

TEST(Explain, DrawsTheExecution) {
  const ProcessResult dot = fencewise({"litmus", ours("mp.litmus"), "--dot", "-"});
  EXPECT_EQ(dot.exit_code, 0);
  EXPECT_THAT(dot.out, StartsWith("digraph "));
  EXPECT_THAT(dot.out, HasSubstr("rf"));
}

// --- What a bound leaves open ---

// A count leaves another value in every round, so that no round is like the one before: three rounds say nothing of the fourth.
const std::string counting_lock =
    "PTX t\n{\nx = 1;\n}\n P0@cta 0,gpu 0                | P1@cta 1,gpu 0 ;\n"
    " LC00: | st.relaxed.gpu x, 0 ;\n atom.relaxed.gpu.add r0, x, 1 | ;\n"
    " bne r0, 0, LC00 | ;\n";

TEST(LoopBound, LeavesTheEndOpenThoughTheClaimIsDecided) {
  const ScratchFolder folder;
  const std::string test = folder.file("t.litmus"), table = folder.file("e.tsv");
  write_file(test, counting_lock + "exists (P0:r0 == 0)\n");
  const std::string v7_5 = "--model=ptx-v7.5";
  const ProcessResult result = fencewise({"litmus", test, v7_5});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(line_with(result.out, "t.litmus "), HasSubstr("verified      ?  "));
  EXPECT_THAT(line_with(result.out, "t.litmus "),
              EndsWith("would go round more than 3 times (--loop-bound)"));
  EXPECT_THAT(result.out,
              HasSubstr("1 test, model ptx-v7.5: 1 verified, 0 violated; of 1 it is open whether they end; "));
  EXPECT_EQ(Json::parse(fencewise({"litmus", test, v7_5, "--json", "-"}).out)["tests"][0]["status"],
            "inconclusive");
  // A table that asks for the claim alone has its answer; one that asks for the end has not.
  write_file(table, "path\tmodel\tproperty\texpected\nt.litmus\tv7.5\tassertion\t1\n");
  EXPECT_EQ(fencewise({"litmus", test, v7_5, "--expected", table}).exit_code, 0);
  write_file(table, "path\tmodel\tproperty\texpected\nt.litmus\tv7.5\tliveness\t1\n");
  EXPECT_EQ(fencewise({"litmus", test, v7_5, "--expected", table}).exit_code, 3);
  EXPECT_EQ(fencewise({"check", test}).exit_code, 3);
}

TEST(LoopBound, LeavesAClaimAboutAllExecutionsOpen) {
  const ScratchFolder folder;
  const std::string test = folder.file("t.litmus");
  write_file(test, counting_lock + "~exists (P0:r0 == 2)\n");
  const ProcessResult result = fencewise({"litmus", test, "--states", "--loop-bound", "3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("\n1 test, model ptx: 0 verified, 0 violated, 1 inconclusive; "));
  EXPECT_THAT(result.out, HasSubstr("\n  States 1 or more\n  0:r0=0;\n  Unknown\n"));
  EXPECT_THAT(result.out, HasSubstr("Observation t Unknown 0 1\n"));
  if (testing::small_scale()) return;
  EXPECT_THAT(fencewise({"litmus", test, "--explain"}).out, Not(HasSubstr("no single execution")));
}

TEST(States, NameNoRegisterThatTheTestHasNot) {
  const ScratchFolder folder;
  write_file(folder.file("t.litmus"), counting_lock + "exists 0 == 0\n");
  EXPECT_THAT(fencewise({"litmus", folder.file("t.litmus"), "--states", "--loop-bound", "3"}).out,
              HasSubstr("\n  0:r0=0; x=1;\n"));
}

// --- Litmus files as subjects of other commands ---

// The first execution found met the condition, and `check` said verified without looking at the next.
TEST(LitmusFile, IsVerifiedOnlyWhenAllOfItIsExplored) {
  const ScratchFolder folder;
  const std::string test = folder.file("t.litmus");
  write_file(test,
             "PTX t\n{\nx = 0;\n}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
             " st.relaxed.cta x, 1 | ld.relaxed.cta r0, x ;\n bar.cta.sync 0, 0, 2 | beq r0, 0, LC00 ;\n"
             " | bar.cta.sync 0, 0, 2 ;\n | LC00: ;\nexists (P1:r0 == 1)\n");
  EXPECT_THAT(fencewise({"check", test}).out, StartsWith("violated: stuck in replay 1 ("));
  write_file(test, head +
                       " st.weak x, 1 | ld.relaxed.gpu r0, y ;\n st.relaxed.gpu y, 1 | bne r0, 0, LC00 ;\n"
                       " | ld.weak r1, x ;\n | LC00: ;\nexists (P1:r0 == 1)\n");
  EXPECT_THAT(fencewise({"check", test}).out, StartsWith("violated: race on x in replay 1 ("));
}

TEST(LitmusFile, IsASubjectOfCheckShowSimulateAndReplay) {
  const ScratchFolder folder;
  const std::string test = folder.file("t.litmus"), cex = folder.file("cex.json");
  write_file(
      test,
      head +
          " st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;\n ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;\n"
          "~exists (P0:r0 == 0 /\\ P1:r0 == 0)\n");
  const ProcessResult checked = fencewise({"check", test, "--json", cex});
  EXPECT_EQ(checked.exit_code, 1) << checked.err;
  EXPECT_THAT(checked.out, StartsWith("violated: assertion in replay 1 ("));
  const ProcessResult replayed = fencewise({"replay", cex});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.err;
  EXPECT_EQ(fencewise({"check", test, "--model", "sc"}).exit_code, 0);
  EXPECT_EQ(fencewise({"simulate", test, "--runs", "20", "-q"}).out, "20 runs: 20 OK, 0 WRONG\n");
  EXPECT_THAT(fencewise({"show", test}).out, HasSubstr("st.relaxed.gpu"));
}

TEST(Show, PrintsProtocolsOfLitmusSizeAsTests) {
  const ScratchFolder folder;
  for (const char* protocol : {"mp", "sb", "lb", "iriw", "corr"}) {
    const ProcessResult shown = fencewise({"show", protocol, "--format", "litmus"});
    ASSERT_EQ(shown.exit_code, 0) << shown.err;
    write_file(folder.file("t.litmus"), shown.out);
    const ProcessResult run = fencewise({"litmus", folder.file("t.litmus")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("1 verified")) << protocol;
    // Printed again it is the same.
    EXPECT_EQ(fencewise({"show", folder.file("t.litmus"), "--format", "litmus"}).out, shown.out) << protocol;
  }
  EXPECT_EQ(fencewise({"show", "splitk-serial", "--format", "litmus"}).exit_code, 3);
}

// --- generate ---

TEST(Generate, GivesTheSameTestForASeed) {
  const ProcessResult one = fencewise({"generate", "--seed", "5"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.out, StartsWith("PTX gen-5\n"));
  EXPECT_EQ(fencewise({"generate", "--seed", "5"}).out, one.out);
  EXPECT_NE(fencewise({"generate", "--seed", "6"}).out, one.out);
}

TEST(Generate, WritesManyTestsThatRun) {
  const ScratchFolder folder;
  const ProcessResult result = fencewise(
      {"generate", "--count", "20", "--seed", "3", "--out", folder.file("made"), "--max-threads", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("gen-3.litmus to gen-22.litmus\n"));
  EXPECT_THAT(contents_of(folder.file("made/gen-4.litmus")), Not(HasSubstr("P2@")));
  EXPECT_THAT(fencewise({"litmus", folder.file("made"), "-q"}).out, StartsWith("20 tests, model ptx: "));
}

TEST(Generate, RefusesWhatItCannotDo) {
  EXPECT_EQ(fencewise({"generate", "--count", "3"}).err,
            "fencewise: 3 tests need --out FOLDER; one alone goes to stdout\n");
  for (const char* option : {"--count=0", "--max-threads=0", "--max-threads=99", "--with=luck", "--seed=-1"})
    EXPECT_EQ(fencewise({"generate", option}).exit_code, 2) << option;
}

}  // namespace
}  // namespace fencewise
