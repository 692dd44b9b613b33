// The built program from outside: exit codes, stdout, stderr. What a script or a person relies on.
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.h"
#include "tests/support/differential.h"

namespace fencewise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::contents_of;
using testing::ProcessResult;
using testing::run_process;
using testing::ScratchFolder;
using testing::write_file;

Json json_of(const std::string& arguments) { return Json::parse(fencewise(arguments + " --json -").out); }

// Usage errors: exit 2, nothing on stdout, one line on stderr.
void expect_usage_error(const std::string& arguments, const std::string& message) {
  const ProcessResult result = fencewise(arguments);
  EXPECT_EQ(result.exit_code, 2) << arguments;
  EXPECT_EQ(result.out, "") << arguments;
  EXPECT_EQ(result.err, "fencewise: " + message + "\n") << arguments;
}

std::string without_seconds(const std::string& report) {
  Json json = Json::parse(report);
  json.erase("seconds");
  return json.dump();
}

// --- issue A, must hold 7 ---

TEST(Check, RefutesAMissingAcquireFenceByARaceOnTheWorkspace) {
  const Json json =
      json_of("check splitk-serial --param splits=3 --param threads=2 --variant no-acquire-fence");
  EXPECT_EQ(json["verdict"], "violated");
  EXPECT_EQ(json["findings"][0]["kind"], "race");
  EXPECT_THAT(json["findings"][0]["location"].get<std::string>(), StartsWith("ws["));
}

TEST(Check, RefutesVolatilePartialsWithoutARace) {
  const Json json =
      json_of("check splitk-serial --param splits=3 --param threads=2 --variant no-acquire-fence-volatile");
  EXPECT_EQ(json["verdict"], "violated");
  for (const Json& finding : json["findings"]) EXPECT_NE(finding["kind"], "race");
}

TEST(Check, FindsAMissingResetInTheSecondLaunch) {
  const Json json = json_of("check splitk-serial --variant no-reset --param replays=2");
  EXPECT_EQ(json["findings"][0]["launch"], 2);
}

TEST(Check, IsInconclusiveAtItsTimeLimit) {
  const ProcessResult result =
      fencewise("check splitk-serial --param splits=8 --param replays=3 --engine graph --max-seconds 0.5");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, StartsWith("inconclusive: "));
  EXPECT_THAT(result.out, HasSubstr("explored: "));
}

// What is dear there is the search for an order of the fences, and of the writes, of one graph.
TEST(Check, IsInconclusiveAtItsTimeLimitWithinOneGraph) {
  const ProcessResult fences =
      fencewise("check splitk-serial --param splits=9 --param threads=2 --engine graph --max-seconds 0.5 -q");
  EXPECT_EQ(fences.exit_code, 3) << fences.out;
  EXPECT_THAT(fences.out, HasSubstr("(--max-seconds)"));
}

TEST(Check, GivesTheSameBytesButForSeconds) {
  for (const char* subject :
       {"check splitk-serial --json -", "check splitk-serial --variant no-release-fence --json -"})
    EXPECT_EQ(without_seconds(fencewise(subject).out), without_seconds(fencewise(subject).out));
}

TEST(Check, DrawsWhatGraphvizRenders) {
  if (run_process({"dot", "-V"}).exit_code != 0) GTEST_SKIP() << "Graphviz is not installed";
  const ScratchFolder folder;
  EXPECT_EQ(
      fencewise("check splitk-serial --variant no-acquire-fence --dot " + folder.file("cex.dot")).exit_code,
      1);
  const ProcessResult drawn = run_process({"dot", "-Tsvg", folder.file("cex.dot")});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr("<svg"));
}

TEST(Replay, ShowsTheFindingThatWasSaved) {
  const ScratchFolder folder;
  const std::string file = folder.file("cex.json");
  for (const char* variant :
       {"no-release-fence", "no-acquire-fence-volatile", "no-reset --param replays=2"}) {
    EXPECT_EQ(
        fencewise(std::string("check splitk-serial --variant ") + variant + " --json " + file).exit_code, 1);
    const ProcessResult result = fencewise("replay " + file + " --json -");
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(Json::parse(result.out)["findings"][0], Json::parse(contents_of(file))["findings"][0]);
  }
}

// More than 64 threads: the accesses are shown, and instead of a graph the moves that lead to them are saved.
TEST(Replay, TakesTheMovesAgainOfALaunchTooLargeForItsGraph) {
  const ScratchFolder folder;
  const std::string file = folder.file("cex.json");
  for (const char* wrong : {"reduction-1 --variant drop-barrier-3", "splitk-serial --variant no-release-fence --param threads=32",
                            "splitk-serial --variant no-acquire-fence --param threads=32 --replays 2",
                            "splitk-serial --variant increment-scope-cta --param threads=32"}) {
    EXPECT_EQ(fencewise(std::string("check --no-shrink ") + wrong + " --json " + file).exit_code, 1) << wrong;
    const Json saved = Json::parse(contents_of(file))["findings"][0];
    EXPECT_FALSE(saved["way_in"].is_null()) << wrong;
    const ProcessResult result = fencewise("replay " + file + " --json -");
    EXPECT_EQ(result.exit_code, 1) << wrong << result.err;
    EXPECT_EQ(Json::parse(result.out)["findings"][0], saved) << wrong;
  }
  Json changed = Json::parse(contents_of(file));
  for (const char* key : {"thread", "choice"}) {
    Json other = changed;
    other["findings"][0]["way_in"][0][key] = 1000;
    write_file(file, other.dump());
    expect_usage_error("replay " + file, "the counterexample does not fit the problem: its moves lead to no race");
  }
  changed["findings"][0]["way_in"] = Json::array();  // right as far as it goes
  write_file(file, changed.dump());
  expect_usage_error("replay " + file, "the counterexample does not fit the problem: its moves lead to no race");
}

// --- reports ---

TEST(Check, PrintsTheVerdictFirst) {
  const ProcessResult verified = fencewise("check splitk-serial --param splits=2");
  EXPECT_EQ(verified.exit_code, 0);
  EXPECT_THAT(verified.out, StartsWith("verified: splitk-serial "));
  EXPECT_THAT(verified.out, HasSubstr("2 CTA finish orders"));
  const ProcessResult violated = fencewise("check splitk-serial --param splits=2 --variant no-release-fence");
  EXPECT_EQ(violated.exit_code, 1);
  EXPECT_THAT(violated.out, StartsWith("violated: race on ws[0] in replay 1 ("));
  EXPECT_THAT(violated.out, HasSubstr("\nreplay: fencewise check splitk-serial --param splits=2 --variant "
                                      "no-release-fence --json cex.json; fencewise replay cex.json\n"));
  EXPECT_EQ(violated.err, "");
}

TEST(Check, PrintsOneLineWhenQuiet) {
  const ProcessResult result = fencewise("check splitk-serial --param splits=2 -q");
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
}

TEST(Check, PrintsNoColourToAFile) {
  EXPECT_THAT(fencewise("check splitk-serial").out, Not(HasSubstr("\033[")));
}

TEST(Check, NamesNoAbsolutePath) {
  EXPECT_THAT(fencewise("check splitk-serial --variant no-release-fence --json -").out,
              Not(HasSubstr("\"/")));
}

TEST(Check, IsVerifiedUnderInterleavingAlone) {
  EXPECT_EQ(fencewise("check splitk-serial --variant no-release-fence --model sc").exit_code, 0);
}

TEST(Check, StopsAtCtrlCAndSaysWhatWasExplored) {
  const ProcessResult result = fencewise("check splitk-serial --engine graph --param splits=9 --param replays=3", 1.0);
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.out, StartsWith("inconclusive: "));
  EXPECT_THAT(result.out, HasSubstr("explored: "));
}

TEST(Check, SaysOfEveryVariantWhetherItIsAsExpected) {
  const ProcessResult result = fencewise("check reverse --all-variants");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("variants as expected\n"));
}

TEST(Check, SaysOfEveryDroppedBarrierWhetherItIsNeeded) {
  const ProcessResult result = fencewise("check reduction-1 --param threads=4 --param n=4 --all-variants");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out,
              HasSubstr("  as expected  verified; not needed: thread 0 reads what it wrote itself"));
  EXPECT_THAT(result.out,
              HasSubstr("  as expected  violated race on sdata[16] of CTA 0; raised n=32 threads=32\n"));
  // What comes before the answers has one width in all rows.
  std::set<std::size_t> columns;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    if (line.find("as expected  ") != std::string::npos) columns.insert(line.find("as expected  "));
  EXPECT_EQ(columns.size(), 1U) << result.out;
}

TEST(Simulate, SeesNothingOfAMissingFence) {
  const ProcessResult result =
      fencewise("simulate splitk-serial --variant no-release-fence --replays 3 --runs 100 -q");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "100 runs: 100 OK, 0 WRONG\n");
}

TEST(Simulate, ShowsALineAReplay) {
  const ProcessResult result = fencewise("simulate splitk-serial --replays 2 --order 2,0,3,1");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("run 1 replay 2: in[0] = "));
  EXPECT_THAT(result.out, HasSubstr("; CTAs finish 2,0,3,1; out"));
}

TEST(Simulate, SaysWhatIsWrong) {
  const ProcessResult result = fencewise("simulate splitk-serial --variant no-reset --replays 2");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("WRONG: "));
}

TEST(List, NamesEveryProtocol) {
  const ProcessResult result = fencewise("list");
  for (const char* name : {"splitk-serial", "splitk-atomic", "reverse", "mp", "sb", "lb", "iriw", "corr"})
    EXPECT_THAT(result.out, HasSubstr(name));
  EXPECT_EQ(Json::parse(fencewise("list --json").out)[0]["name"], "splitk-serial");
}

TEST(Show, ListsParametersVariantsAndProgram) {
  const ProcessResult result = fencewise("show splitk-serial");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("splits = 4"));
  EXPECT_THAT(result.out, HasSubstr("no-release-fence\n"));
  EXPECT_THAT(result.out, HasSubstr("atom.relaxed.gpu.add.u32"));
}

TEST(Help, IsOnStdoutWithExitZero) {
  EXPECT_EQ(fencewise("--help").exit_code, 0);
  EXPECT_THAT(fencewise("check --help").out, HasSubstr("--all-variants"));
}

// --- issue A, must hold 8: hostile input ---

TEST(Usage, NamesUnknownCommandsOptionsAndSubjects) {
  expect_usage_error("frobnicate", "unknown command 'frobnicate'; fencewise --help lists them");
  expect_usage_error("check splitk-seral", "unknown protocol 'splitk-seral'; did you mean 'splitk-serial'?");
  expect_usage_error("check quite-another-thing",
                     "unknown protocol 'quite-another-thing'; `fencewise list` shows all");
  expect_usage_error("check splitk-serial --variant no-rset",
                     "splitk-serial has no variant 'no-rset'; did you mean 'no-reset'?");
  expect_usage_error("check splitk-serial --frob",
                     "unknown option '--frob'; fencewise --help shows what there is");
  expect_usage_error("check splitk-serial sb",
                     "unexpected argument 'sb'; fencewise --help shows what there is");
  expect_usage_error("check", "subject is required");
}

// The options of a command and of those below it that take a value, as its help lists them: {"ledger", "sync", "--block"}.
std::vector<std::vector<std::string>> options_with_values(std::vector<std::string> command) {
  std::vector<std::string> help = command;
  help.emplace_back("--help");
  std::istringstream lines(fencewise(help).out);
  static const std::regex with_value(R"(^  (?:-\w,)?(--\S+) (?!Excludes)\S.*)"), below(R"(^  (\w+) .*)");
  std::vector<std::vector<std::string>> found;
  std::smatch match;
  bool commands = false;
  for (std::string line; std::getline(lines, line);) {
    commands |= line == "Subcommands:";
    if (!std::regex_match(line, match, commands ? below : with_value)) continue;
    std::vector<std::string> next = command;
    if (commands) {
      next.push_back(match[1]);
      for (auto& option : options_with_values(next)) found.push_back(std::move(option));
      continue;
    }
    std::istringstream names(match[1]);
    for (std::string name; std::getline(names, name, ',');) {
      found.push_back(command);
      found.back().push_back(name);
    }
  }
  return found;
}

// A variable of the shell that was not set must not change what is asked.
TEST(Usage, RefusesAnEmptyValueOfEveryOption) {
  const auto options = options_with_values({});
  EXPECT_GT(options.size(), 80U);
  std::set<std::string> tried;
  for (std::vector<std::string> words : options) {
    const std::string option = words.back();
    if (!tried.insert(option).second && testing::small_scale()) continue;
    const std::string message = "fencewise: " + option + ": expected a value, found ''\n";
    words.emplace_back("");
    EXPECT_EQ(fencewise(words).err, message) << words.front();
    words.pop_back();
    words.back() += '=';
    words.emplace_back("-q");
    const ProcessResult result = fencewise(words);
    EXPECT_EQ(result.err, message) << words.front();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(fencewise({"check", ""}).err, "fencewise: arguments: expected a value, found ''\n");
}

TEST(Usage, TakesNoOptionForAFileToWrite) {
  expect_usage_error("check sb --json -q", "expected a file to write, found '-q'; ./-q is one");
}

TEST(Usage, RefusesParametersOutOfRange) {
  for (const char* value : {"0", "-1", "1000000000", "99999999999999999999", "four", "", "4x", "0x4"})
    expect_usage_error(std::string("check splitk-serial --param splits=") + value,
                       std::string("parameter 'splits' must be a number from 1 to 132; got '") + value + "'");
  expect_usage_error("check splitk-serial --param splits",
                     "--param must be of the form name=value; got 'splits'");
  expect_usage_error("check splitk-serial --param forks=2",
                     "splitk-serial has no parameter 'forks'; it has splits, threads, tiles, replays");
  expect_usage_error("check splitk-serial --param splits=2 --param splits=3",
                     "parameter 'splits' is given twice");
}

TEST(Usage, NamesWhatAVariantNeeds) {
  expect_usage_error("check splitk-serial --variant no-reset",
                     "variant 'no-reset' of splitk-serial needs replays >= 2; found replays = 1");
}

TEST(Usage, RefusesContradictions) {
  const auto both = [](const std::string& a, const std::string& b) {
    return a + " and " + b + " contradict each other; give one of them";
  };
  expect_usage_error("check splitk-serial --replays 2 --param replays=2",
                     both("--replays", "--param replays"));
  expect_usage_error("check splitk-serial --variant no-reset --all-variants",
                     both("--variant", "--all-variants"));
  expect_usage_error("check splitk-serial -q -v", both("-q", "-v"));
  expect_usage_error("check splitk-serial --sweep splits=1..2 --param splits=3", both("--sweep splits=1..2", "--param splits=3"));
  expect_usage_error("check splitk-serial --progress ctas=hsa,ctas=fair", "--progress ctas=hsa,ctas=fair: 'ctas' is there twice");
  expect_usage_error("check splitk-serial --json - --dot -", both("--json -", "--dot -"));
  expect_usage_error("simulate splitk-serial --order 0,1,2,3 --runs 2", both("--order", "--runs"));
}

TEST(Usage, RefusesUnknownNamesOfModelsAndEngines) {
  expect_usage_error("check mp --model tso", "unknown model 'tso'; expected ptx, ptx-v6.0, ptx-v7.5 or sc");
  expect_usage_error("check mp --engine fast", "unknown engine 'fast'; expected auto, view or graph");
  expect_usage_error("check mp --races maybe", "unknown --races 'maybe'; expected fail, report or off");
  expect_usage_error("check mp --max-memory much",
                     "--max-memory must be a size such as 512M or 4G; got 'much'");
  expect_usage_error("show mp --format pdf", "unknown format 'pdf'; expected text, litmus, ptx or dot");
}

TEST(Show, DrawsTheControlFlow) {
  const ProcessResult result = fencewise("show ticket-lock --format dot");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("digraph program {"));
  EXPECT_THAT(result.out, HasSubstr("k0b0 -> k0b1"));
  EXPECT_THAT(result.out, HasSubstr("[label=\"!%"));
}

TEST(Usage, RefusesOrdersThatAreNoPermutation) {
  expect_usage_error("simulate splitk-serial --order 0,1,2",
                     "the finish order 0,1,2 must name each CTA from 0 to 3 once");
  expect_usage_error("simulate splitk-serial --order 0,1,2,4",
                     "the finish order 0,1,2,4 must name each CTA from 0 to 3 once");
  expect_usage_error("simulate splitk-serial --order 0,1,1,2", "--order 0,1,1,2 names CTA 1 twice");
  expect_usage_error("simulate splitk-serial --order 0,,1",
                     "--order must be a list of CTAs such as 2,0,3,1; got '0,,1'");
}

TEST(Usage, TriesOutputsBeforeTheSearch) {
  // This search would take minutes.
  expect_usage_error("check splitk-serial --engine graph --param splits=12 --json /nonexistent/cex.json",
                     "can't write /nonexistent/cex.json: No such file or directory");
  expect_usage_error("check splitk-serial --engine graph --param splits=12 --dot /tmp", "can't write /tmp: Is a directory");
}

TEST(Usage, LeavesNoFileBehindWhereItOnlyTried) {
  const ScratchFolder folder;
  EXPECT_EQ(fencewise("check splitk-serial --json " + folder.file("a.json") + " --dot /nonexistent/b.dot")
                .exit_code,
            2);
  EXPECT_NE(run_process({"ls", folder.file("a.json")}).exit_code, 0);
}

TEST(Usage, RefusesCorruptedCounterexamples) {
  const ScratchFolder folder;
  const std::string file = folder.file("cex.json");
  ASSERT_EQ(fencewise("check splitk-serial --variant no-release-fence --json " + file).exit_code, 1);
  const std::string good = contents_of(file);

  write_file(file, good.substr(0, good.size() / 2));
  EXPECT_THAT(fencewise("replay " + file).err, HasSubstr("cex.json: no JSON (byte "));

  Json json = Json::parse(good);
  json["params"]["splits"] = 1'000'000'000;
  write_file(file, json.dump());
  expect_usage_error("replay " + file, "parameter 'splits' must be a number from 1 to 132; got '1000000000'");

  json = Json::parse(good);
  json["subject"] = "no-such-protocol";
  write_file(file, json.dump());
  EXPECT_EQ(fencewise("replay " + file).exit_code, 2);

  // A counterexample of another variant does not fit the program.
  json = Json::parse(good);
  json["variant"] = "";
  write_file(file, json.dump());
  const ProcessResult other = fencewise("replay " + file);
  EXPECT_EQ(other.exit_code, 2) << other.out << other.err;

  expect_usage_error("replay " + folder.file("none.json"),
                     "can't read " + folder.file("none.json") + ": No such file or directory");
}

TEST(Usage, RefusesToReplayWhatIsNoCounterexample) {
  const ScratchFolder folder;
  const std::string file = folder.file("ok.json");
  ASSERT_EQ(fencewise("check splitk-serial --param splits=2 --json " + file).exit_code, 0);
  expect_usage_error("replay " + file, file + " holds no counterexample; its verdict is verified");
}

}  // namespace
}  // namespace fencewise
