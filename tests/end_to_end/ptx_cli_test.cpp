// PTX and CUDA files as subjects, from outside; and the CUDA idioms with their expected verdicts, where nvcc and they are.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.h"

namespace fencewise {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::ProcessResult;
using testing::ScratchFolder;
using testing::write_file;
namespace fs = std::filesystem;

const std::string ptx_tests = std::string(FENCEWISE_SOURCE_DIR) + "/tests/ptx/";

std::string nvcc() {
  for (const char* path : {"/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc"})
    if (fs::exists(path)) return path;
  return "";
}

// --- the commands ---

TEST(PtxSubjects, AreCheckedWithTheirLaunchFile) {
  const ProcessResult result =
      fencewise({"check", ptx_tests + "relay.sm_90.ptx", "--launch", ptx_tests + "relay.toml", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("verified: "));
}

TEST(PtxSubjects, ShowCudaLinesOrPtxLines) {
  const std::vector<std::string> check{"check", ptx_tests + "relay-no-order.sm_90.ptx", "--launch",
                                       ptx_tests + "relay.toml"};
  EXPECT_THAT(fencewise(check).out, HasSubstr("relay.cu:20"));
  std::vector<std::string> with_ptx_lines = check;
  with_ptx_lines.emplace_back("--ptx-lines");
  EXPECT_THAT(fencewise(with_ptx_lines).out, HasSubstr("relay-no-order.sm_90.ptx:"));
}

// 128 threads are more than a graph is judged for.
TEST(PtxSubjects, ThatMissAnAcquireAreToldWhyItSeemsToWorkAndWhatToAdd) {
  for (const char* threads : {"threads=2", "threads=64"}) {
    const ProcessResult result = fencewise({"check", ptx_tests + "last_cta_sum-no-acquire.sm_90.ptx", "--launch",
                                            ptx_tests + "last_cta_sum.toml", "--param", threads});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, HasSubstr("no acquire before the later access")) << threads;
    EXPECT_THAT(result.out, HasSubstr("\nhint: runs rarely show this: a warp issues the later loads only after the branch on what "
                                      "'atom.relaxed.gpu.add.u32 %r25, [finished + %rd12], 1' (last_cta_sum.cu:22) returned"))
        << threads;
    EXPECT_THAT(result.out, HasSubstr("Add __threadfence() (fence.sc.gpu) right behind that instruction")) << threads;
  }
}

TEST(PtxSubjects, ThatLackMoreThanAnAcquireAreNotToldThatOneHelps) {
  for (const char* kernel : {"relay-no-order", "last_cta_sum-no-release"}) {
    const std::string launch = std::string(kernel).substr(0, std::string(kernel).find('-'));
    const ProcessResult result = fencewise({"check", ptx_tests + kernel + ".sm_90.ptx", "--launch", ptx_tests + launch + ".toml"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, ::testing::Not(HasSubstr("runs rarely show this"))) << kernel;
  }
}

TEST(PtxSubjects, ThatPrintShowTheLinesWithValuesInTheCounterexample) {
  const ScratchFolder folder;
  const std::string report = folder.file("cex.json");
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--engine", "graph", "--races", "off"}, {"--engine", "view"}}) {
    std::vector<std::string> check{"check", ptx_tests + "hand_over-no-fence.sm_90.ptx", "--launch", ptx_tests + "hand_over.toml", "--json", report};
    check.insert(check.end(), how.begin(), how.end());
    const ProcessResult result = fencewise(check);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    const ProcessResult replay = fencewise({"replay", report});
    for (const std::string& text : {result.out, replay.out}) {
      EXPECT_THAT(text, HasSubstr(R"(hand_over.cu:22  printf "block 0 puts in into the box\n")"));
      EXPECT_THAT(text, HasSubstr(R"(hand_over.cu:27  printf "flag up\n")"));
    }
    const Json saved = Json::parse(testing::contents_of(report));
    std::vector<std::string> printed;
    for (const Json& line : saved["findings"][0]["witness"]["launches"][0]["printed"]) printed.push_back(line["text"]);
    EXPECT_THAT(printed, ::testing::ElementsAre(R"(printf "block 0 puts in into the box\n")", R"(printf "flag up\n")",
                                                R"(printf "block 1 saw the flag after 0.0 rounds\n")"));
  }
}

// CTA 0 is left standing before its fence: it has not raised the flag yet.
TEST(PtxSubjects, ThatPrintInARunThatNeverEndsShowWhatWasPrintedUntilThen) {
  const ProcessResult result = fencewise(
      {"check", ptx_tests + "hand_over.sm_90.ptx", "--launch", ptx_tests + "hand_over.toml", "--engine", "view", "--progress", "unfair"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr(R"(printf "block 0 puts in into the box\n")"));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("flag up")));
}

TEST(PtxSubjects, ThatPrintAreExploredAsIfTheyDidNot) {
  const auto explored = [&](const std::string& kernel, const char* engine, const char* ctas) {
    const ProcessResult result = fencewise({"check", ptx_tests + kernel + ".sm_90.ptx", "--launch", ptx_tests + "hand_over.toml", "--param", ctas,
                                            "--engine", engine});
    const std::string line = result.out.substr(result.out.find("\nexplored: "));
    return fmt::format("{} {}", result.exit_code, line.substr(0, line.find(';')));
  };
  for (const char* engine : {"graph", "view"})
    for (const char* ctas : {"ctas=2", "ctas=3"})
      for (const std::string fences : {"", "-no-fence"})
        EXPECT_EQ(explored("hand_over" + fences, engine, ctas), explored("hand_over-silent" + fences, engine, ctas)) << engine << ctas << fences;
}

TEST(PtxSubjects, ThatPrintDoSoWhenTheyRun) {
  const ProcessResult result = fencewise({"run", ptx_tests + "hand_over.sm_90.ptx", "--launch", ptx_tests + "hand_over.toml", "--param", "ctas=3"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("into the box\nflag up\nblock 1 saw the flag after 0.0 rounds\nblock 2 saw the flag after 0.0 rounds\n"));
}

// No thread raises the flag: of two blocks the first waits for what the second might do.
TEST(PtxSubjects, ThatHangAreToldAtOnceWhenTheyRun) {
  const ScratchFolder folder;
  const std::string launch = folder.file("k.toml"), kernel = folder.file("k.ptx");
  write_file(kernel,
             ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 "
             "%rd<2>;\nld.param.u64 %rd1, [p];\nL: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;\n}\n");
  for (const auto& [grid, code, verdict] : {std::tuple{"1", 1, "WRONG: "}, std::tuple{"2", 3, "not told: "}}) {
    write_file(launch, std::string("[buffers]\nflag = { type = \"u32\", length = 1 }\n[[launch]]\nkernel = \"k\"\ngrid = ") + grid +
                           "\nblock = 1\nargs = [\"flag\"]\n");
    const ProcessResult result = fencewise({"run", kernel, "--launch", launch});
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.out, StartsWith(verdict));
    EXPECT_THAT(result.out, HasSubstr("/k.ptx:7\n"));
  }
}

TEST(PtxSubjects, NeedALaunchFile) {
  const ProcessResult result = fencewise({"check", ptx_tests + "relay.sm_90.ptx"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("needs --launch FILE.toml"));
}

TEST(PtxSubjects, OfASavedReportReplay) {
  const ScratchFolder folder;
  const std::string report = folder.file("cex.json");
  // The last three have more threads than a graph is judged for.
  for (const auto& [kernel, launch, size] : {std::tuple("relay-no-order", "relay", "ctas=2"), std::tuple("block_scan-no-barrier", "block_scan", "n=128"),
                                             std::tuple("last_cta_sum-no-acquire", "last_cta_sum", "threads=64"),
                                             std::tuple("last_cta_sum-no-release", "last_cta_sum", "threads=64")}) {
    const ProcessResult check = fencewise({"check", ptx_tests + kernel + ".sm_90.ptx", "--launch", ptx_tests + launch + ".toml", "--param",
                                           size, "--json", report, "-q"});
    EXPECT_EQ(check.exit_code, 1) << check.err;
    EXPECT_EQ(Json::parse(testing::contents_of(report))["findings"][0]["way_in"].is_null(), std::string(size) == "ctas=2") << kernel;
    const ProcessResult replay = fencewise({"replay", report, "-q"});
    EXPECT_EQ(replay.exit_code, 1) << replay.err;
    EXPECT_THAT(replay.out, StartsWith("violated: race on "));
    EXPECT_EQ(replay.out, check.out);
  }
}

TEST(PtxSubjects, OfASavedReportDoNotMakeNvccRunOtherPrograms) {
  const ScratchFolder folder;
  const std::string report = folder.file("cex.json");
  (void)fencewise(
      {"check", ptx_tests + "relay-no-order.sm_90.ptx", "--launch", ptx_tests + "relay.toml", "--json", report, "-q"});
  Json json = Json::parse(testing::contents_of(report));
  json["subject"] = "k.cu";
  json["params"]["--nvcc-args"] = "--compiler-bindir /tmp/evil";
  write_file(report, json.dump());
  const ProcessResult replay = fencewise({"replay", report});
  EXPECT_EQ(replay.exit_code, 2);
  EXPECT_THAT(replay.err, HasSubstr("the report asks for nvcc --compiler-bindir"));
}

TEST(PtxSubjects, ThatAreMalformedNameThePlace) {
  const ScratchFolder folder;
  const std::string file = folder.file("k.ptx");
  write_file(file, ".version 9.0\n.target sm_90\n.entry k() {\n  mov.u32 %r1 1;\n}\n");
  const ProcessResult result = fencewise({"ptx", file});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("k.ptx:4:15: found '1'; expected ';' to end the instruction, or an operand"));
}

// What only shows while the contract is evaluated.
TEST(PtxSubjects, WhoseContractReadsTooFarNameThePlace) {
  const ScratchFolder folder;
  const std::string launch = folder.file("k.toml");
  std::string text = testing::contents_of(ptx_tests + "block_scan.toml");
  text.replace(text.find("out[i] == sum(j in 0..i + 1"), std::strlen("out[i] == sum(j in 0..i + 1"), "out[i + 1] == sum(j in 0..i + 2");
  write_file(launch, text);
  for (const char* command : {"check", "simulate"}) {
    const ProcessResult result = fencewise({command, ptx_tests + "block_scan.sm_90.ptx", "--launch", launch});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_THAT(result.err, HasSubstr("k.toml:13:34: the contract reads out[4], but out has 4 elements")) << command;
  }
}

TEST(PtxSubjects, AreInconclusiveOnlyWhereAThreadReachesWhatIsNotModelled) {
  const ScratchFolder folder;
  const std::string file = folder.file("k.ptx"), launch = folder.file("k.toml");
  write_file(
      file,
      ".version 9.0\n.target sm_90\n.entry k(.param .u32 n) {\n.reg .pred %p<2>; .reg .b32 %r<2>;\n"
      "ld.param.u32 %r1, [n];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra END;\ncp.async.wait_all;\nEND: ret;\n}\n");
  write_file(launch, "[constants]\nn = 0\n[[launch]]\nargs = [\"n\"]\n");
  EXPECT_EQ(fencewise({"check", file, "-q"}).exit_code, 0);
  const ProcessResult reached = fencewise({"check", file, "-q", "--param", "n=1"});
  EXPECT_EQ(reached.exit_code, 3);
  EXPECT_THAT(reached.out, HasSubstr("k.ptx:8: cp.async.wait_all is not modelled"));
}

TEST(Ptx, TellsFromWhereAFunctionOfTheUsersWasCalled) {
  const ScratchFolder folder;
  const std::string file = folder.file("k.ptx");
  write_file(file,
             ".version 9.0\n.target sm_90\n.entry k() {\n.loc 1 20 3\n.loc 1 12 3, function_name $L__info_string0, inlined_at 1 20 3\nmembar.gl;\n"
             "ret;\n}\n.file 1 \"/home/me/k.cu\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90,52,112,117,115,104,118,0\n}\n");
  const ProcessResult result = fencewise({"ptx", file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("k.cu:12"));
  EXPECT_THAT(result.out, HasSubstr("fence.sc.gpu, from __threadfence(); in push(), from k.cu:20\n"));
}

TEST(PtxSubjects, TellFromWhereAFunctionOfTheUsersThatRacesWasCalled) {
  const ScratchFolder folder;
  const std::string file = folder.file("k.ptx");
  write_file(file,
             ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n.loc 1 40 3\n"
             "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n.loc 1 20 3, function_name $L__info_string1, inlined_at 1 40 3\n"
             ".loc 1 12 3, function_name $L__info_string0, inlined_at 1 20 3\nst.global.u32 [%rd1], %r1;\n"
             "ret;\n}\n.file 1 \"/home/me/k.cu\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90,52,112,117,115,104,118,0\n"
             "$L__info_string1:\n.b8 95,90,52,115,116,101,112,118,0\n}\n");
  write_file(folder.file("k.toml"),
             "[buffers]\nout = { type = \"u32\", length = 1, role = \"output\" }\n[[launch]]\nblock = \"n\"\nargs = [\"out\"]\n[constants]\nn = 2\n");
  for (const char* threads : {"n=2", "n=128"})  // with and without the graph
    EXPECT_THAT(fencewise({"check", file, "--param", threads}).out, HasSubstr("\nk.cu:12 is in push(), from k.cu:20, in step(), from k.cu:40\n"))
        << threads;
  EXPECT_THAT(fencewise({"check", file, "--ptx-lines"}).out, ::testing::Not(HasSubstr("push()")));
}

// It is outside of the model, and orders nothing.
TEST(Ptx, DoesNotTakeAReadOnlyLoadForSynchronization) {
  const ScratchFolder folder;
  const std::string file = folder.file("k.ptx");
  write_file(file,
             ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
             "ld.param.u64 %rd1, [p];\nld.global.nc.u32 %r1, [%rd1];\nret;\n}\n");
  EXPECT_THAT(fencewise({"ptx", file}).out, HasSubstr("  no synchronization\n"));
}

TEST(Show, PrintsThePtxOfAFileAndSaysThatAProtocolHasNone) {
  const ProcessResult shown = fencewise({"show", ptx_tests + "relay.sm_90.ptx", "--format", "ptx"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out, testing::contents_of(ptx_tests + "relay.sm_90.ptx"));
  const ProcessResult protocol = fencewise({"show", "mp", "--format", "ptx"});
  EXPECT_EQ(protocol.exit_code, 2);
  EXPECT_THAT(protocol.err, HasSubstr("show --format ptx is for .ptx and .cu files"));
}

TEST(Init, WritesALaunchFileThatCanBeChecked) {
  const ScratchFolder folder;
  for (const char* kernel : {"last_cta_sum", "relay", "block_scan", "forms"}) {
    const std::string launch = folder.file("l.toml");
    EXPECT_EQ(fencewise({"init", ptx_tests + kernel + ".sm_90.ptx", "--out", launch}).exit_code, 0);
    const ProcessResult result = fencewise({"show", ptx_tests + kernel + ".sm_90.ptx", "--launch", launch});
    EXPECT_EQ(result.exit_code, 0) << kernel << ": " << result.err;
  }
}

TEST(Run, ExecutesAPtxFileAndJudgesIt) {
  const ProcessResult right =
      fencewise({"run", ptx_tests + "block_scan.sm_80.ptx", "--launch", ptx_tests + "block_scan.toml", "--json", "-"});
  EXPECT_EQ(right.exit_code, 0) << right.err;
  const Json json = Json::parse(right.out);
  EXPECT_EQ(json["result"], "right");
  EXPECT_EQ(json["launches"].size(), 1U);
  EXPECT_EQ(fencewise({"run", ptx_tests + "block_scan.sm_80.ptx", "--launch", ptx_tests + "block_scan.toml",
                       "--variant", "x"})
                .exit_code,
            2);
}

TEST(CudaSubjects, AreCompiledWhereNvccIs) {
  if (nvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  const ProcessResult result = fencewise(
      {"check", ptx_tests + "relay.cu", "--launch", ptx_tests + "relay.toml", "--nvcc-args", "-DORDER=0", "-q"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const ScratchFolder folder;
  write_file(folder.file("bad.cu"), "__global__ void k() { undeclared(); }\n");
  const ProcessResult bad = fencewise({"ptx", folder.file("bad.cu")});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("nvcc refuses"));
}

// --- where an order is missing ---

// A kernel of ours that lacks an order, the lines where, and what repairs it (empty: too large to try in time).
struct Lack {
  std::string kernel, launch;
  std::vector<std::string> constants;
  std::vector<std::string> message, repair;
};

void PrintTo(const Lack& lack, std::ostream* out) { *out << lack.kernel; }  // NOLINT: GoogleTest's name

class Lacks : public ::testing::TestWithParam<Lack> {};

TEST_P(Lacks, AreNamedWithTheirCudaLines) {
  const Lack& lack = GetParam();
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    std::vector<std::string> check{"check", ptx_tests + lack.kernel + "." + arch + ".ptx", "--launch", ptx_tests + lack.launch + ".toml"};
    for (const std::string& constant : lack.constants) check.insert(check.end(), {"--param", constant});
    const ProcessResult result = fencewise(check);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    const std::string finding = result.out.substr(0, result.out.find("\nreplay 1"));
    for (const std::string& part : lack.message) EXPECT_THAT(finding, HasSubstr(part)) << arch;
    if (lack.repair.empty()) continue;
    const std::size_t repair = result.out.find("\nrepair: ");
    ASSERT_NE(repair, std::string::npos) << arch << result.out;
    for (const std::string& part : lack.repair) EXPECT_THAT(result.out.substr(repair, result.out.find('\n', repair + 1) - repair), HasSubstr(part)) << arch;
  }
}

const Lack lacks[] = {
    {"last_cta_sum-no-acquire", "last_cta_sum", {}, {"acquire is missing after the atomic at last_cta_sum.cu:22 by CTA 1 thread 0"}, {"after", "last_cta_sum.cu:22"}},
    // 128 threads are more than a graph is judged for.
    {"last_cta_sum-no-acquire", "last_cta_sum", {"threads=64"}, {"acquire is missing after the atomic at last_cta_sum.cu:22 by CTA 1 thread 0"}, {}},
    {"last_cta_sum-no-release", "last_cta_sum", {}, {"no release before the atomic at last_cta_sum.cu:22 by CTA 0 thread 0"}, {"before", "last_cta_sum.cu:22"}},
    {"relay-no-order",
     "relay",
     {},
     {"no release before the write at relay.cu:24", "no acquire after the read at relay.cu:18"},
     {"before", "relay.cu:24), and add", "after", "relay.cu:18"}},
    {"block_scan-no-barrier", "block_scan", {}, {"block_scan.cu:15", "block_scan.cu:13", "no barrier of their CTA between them"}, {"bar.sync", "block_scan.cu:15"}},
    {"hand_over-no-fence",
     "hand_over",
     {},
     {"no release before the atomic at hand_over.cu:26", "no acquire after the atomic at hand_over.cu:30"},
     {"before", "hand_over.cu:26), and add", "after", "hand_over.cu:30"}},
};

INSTANTIATE_TEST_SUITE_P(PtxSubjects, Lacks, ::testing::ValuesIn(lacks));

// A lock that is given back by a plain store, which no fence makes a part of the lock.
TEST(PtxSubjects, ThatRaceByAPlainStoreAreToldThatItIsPlain) {
  const ScratchFolder folder;
  const std::string kernel = folder.file("k.ptx"), launch = folder.file("k.toml");
  write_file(kernel,
             ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 m, .param .u64 v) {\n.reg .pred %p<2>; .reg .b32 "
             "%r<4>; .reg .b64 %rd<3>;\nld.param.u64 %rd1, [m];\nld.param.u64 %rd2, [v];\nL: atom.global.cas.b32 %r1, [%rd1], 0, 1;\n"
             "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\nmembar.gl;\nld.global.u32 %r2, [%rd2];\nadd.u32 %r2, %r2, 1;\n"
             "st.global.u32 [%rd2], %r2;\nmembar.gl;\nmov.u32 %r3, 0;\nst.global.u32 [%rd1], %r3;\nret;\n}\n");
  write_file(launch, "[buffers]\nm = { type = \"u32\", length = 1 }\nv = { type = \"u32\", length = 1 }\n[[launch]]\nkernel = \"k\"\ngrid = 2\n"
                     "block = 1\nargs = [\"m\", \"v\"]\n[check]\nend = \"v == 2\"\n");
  const ProcessResult result = fencewise({"check", kernel, "--launch", launch});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("k.ptx:17 by CTA 0 thread 0 is weak and the other access is not"));
  EXPECT_THAT(result.out, HasSubstr("k.ptx:17) .relaxed.gpu (or volatile) (checked: verified)"));
}

// --- the idioms: FENCEWISE_CUDA_IDIOMS is the folder with their sources ---

struct Idiom {
  std::string source, macros, launch;
  int exit_code;
  // Where an order is missing: the write before which, the read behind which, or the barrier that does not give it; else the accesses.
  std::vector<int> lines = {};
};

void PrintTo(const Idiom& idiom, std::ostream* out) {
  *out << idiom.launch << ' ' << idiom.macros;
}  // NOLINT: GoogleTest's name

class Idioms : public ::testing::TestWithParam<Idiom> {};

TEST_P(Idioms, HaveTheirVerdict) {
  const char* folder = std::getenv("FENCEWISE_CUDA_IDIOMS");
  if (folder == nullptr) GTEST_SKIP() << "FENCEWISE_CUDA_IDIOMS does not name their folder";
  if (nvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  const Idiom& idiom = GetParam();
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    const ProcessResult result =
        fencewise({"check", std::string(folder) + "/" + idiom.source + ".cu", "--launch",
                   ptx_tests + "idioms/" + idiom.launch + ".toml", "--nvcc-args",
                   std::string("-arch=") + arch + " " + idiom.macros, "--max-seconds", "120", "-q"});
    EXPECT_EQ(result.exit_code, idiom.exit_code) << arch << ": " << result.out << result.err;
  }
}

// Those of the first finding of a check that fails.
std::vector<int> lines_of_finding(const std::vector<std::string>& check) {
  const ScratchFolder folder;
  std::vector<std::string> saved = check;
  saved.insert(saved.end(), {"--json", folder.file("cex.json"), "-q"});
  EXPECT_EQ(fencewise(saved).exit_code, 1);
  std::vector<int> lines;
  const Json json = Json::parse(testing::contents_of(folder.file("cex.json")));
  for (const Json& line : json["findings"][0]["lines"]) lines.push_back(line["line"]);
  return lines;
}

TEST_P(Idioms, ThatAreWrongNameTheLineOfTheMissingOrder) {
  const char* folder = std::getenv("FENCEWISE_CUDA_IDIOMS");
  const Idiom& idiom = GetParam();
  if (idiom.exit_code == 0) GTEST_SKIP() << "it is right";
  ASSERT_FALSE(idiom.lines.empty());
  if (folder == nullptr) GTEST_SKIP() << "FENCEWISE_CUDA_IDIOMS does not name their folder";
  if (nvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  EXPECT_THAT(lines_of_finding({"check", std::string(folder) + "/" + idiom.source + ".cu", "--launch", ptx_tests + "idioms/" + idiom.launch + ".toml",
                                "--nvcc-args", "-arch=sm_90 " + idiom.macros}),
              ::testing::IsSupersetOf(idiom.lines));
}

std::string name_of(const ::testing::TestParamInfo<Idiom>& test) {
  std::string name = test.param.launch;
  for (const char c : test.param.macros)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') name += c;
  return name;
}

const Idiom idioms[] = {
    {"01_splitk_serial", "", "splitk_serial", 0},
    {"01_splitk_serial", "-DFENCE_BEFORE_BARRIER=0", "splitk_serial", 0},
    {"01_splitk_serial", "-DACQUIRE_FENCE=0", "splitk_serial", 1, {35}},
    {"01_splitk_serial", "", "splitk_serial_grid", 0},  // grid (2, 4), 64 threads
    {"01_splitk_serial", "-DFENCE_BEFORE_BARRIER=0", "splitk_serial_grid", 0},
    {"01_splitk_serial", "-DACQUIRE_FENCE=0", "splitk_serial_grid", 1, {35}},
    {"02_splitk_atomic_rezero", "", "splitk_atomic", 0},
    {"02_splitk_atomic_rezero", "-DREZERO_EXCH=1", "splitk_atomic", 0},
    {"02_splitk_atomic_rezero", "-DDROP_FENCE=1", "splitk_atomic", 1, {30}},
    {"02_splitk_atomic_rezero", "-DDROP_FENCE=1 -DREZERO_EXCH=1", "splitk_atomic", 1, {30}},
    {"04_reverse_shared", "", "reverse_ok", 0},
    {"04_reverse_shared", "", "reverse_no_barrier", 1, {19, 20}},
    {"04_reverse_shared", "", "reverse_across_ctas", 1, {27}},
    {"04_reverse_shared", "", "reverse_divergent_barrier", 1, {38}},
    {"05_reductions", "", "reduce_modulo", 0},
    {"05_reductions", "", "reduce_strided", 0},
    {"05_reductions", "", "reduce_halving", 0},
    {"05_reductions", "", "reduce_first_add", 0},
    {"05_reductions", "", "reduce_unrolled", 0},
    {"06_warp_shuffle", "-DWIDTH=4", "shuffle_reduce", 0},
    {"06_warp_shuffle", "-DWIDTH=4", "aggregated_count", 0},
    {"06_warp_shuffle", "-DWIDTH=4", "vote_and_redux", 0},
    {"06_warp_shuffle", "-DWIDTH=4 -DSHORT_MASK=1", "shuffle_reduce", 1, {15}},
    {"06_warp_shuffle", "-DWIDTH=4 -DSHORT_MASK=1", "vote_and_redux", 1, {50}},
    {"08_threadfence_reduction", "", "single_pass_sum", 1, {34}},
    {"08_threadfence_reduction", "-DREADER_FENCE=1", "single_pass_sum", 0},
    {"10_hand_grid_barrier", "", "rounds_counter", 0},
    {"10_hand_grid_barrier", "-DNO_FENCE=1", "rounds_counter", 1, {19, 20}},
    {"10_hand_grid_barrier", "", "rounds_sense", 0},
    {"10_hand_grid_barrier", "-DONE_BUFFER=1", "rounds_sense", 1, {43, 57}},
    {"11_spinlock", "", "lock_per_cta", 0},
    {"11_spinlock", "-DLOCK_FENCES=1", "lock_per_cta", 1, {14}},
    {"11_spinlock", "-DLOCK_FENCES=0", "lock_per_cta", 1, {14, 29}},
    {"11_spinlock", "-DUNLOCK_PLAIN=1", "lock_per_cta", 0},
    {"11_spinlock", "", "lock_per_thread", 0},
    {"12_ticket_lock", "", "ticket_atomic", 0},
    {"12_ticket_lock", "", "ticket_legacy", 0},
    {"12_ticket_lock", "", "ticket_seq_cst", 0},
    {"15_message_passing", "", "message", 0},
    {"15_message_passing", "-DSTYLE=1", "message", 0},
    {"15_message_passing", "-DSTYLE=2", "message", 1, {16, 31}},
    {"15_message_passing", "-DSTYLE=3", "message", 1, {18, 29}},
    {"15_message_passing", "-DSTYLE=4", "message", 1, {31}},
};

INSTANTIATE_TEST_SUITE_P(Cuda, Idioms, ::testing::ValuesIn(idioms), name_of);

}  // namespace
}  // namespace fencewise
