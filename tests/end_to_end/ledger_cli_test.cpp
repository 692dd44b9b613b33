// `fencewise ledger` and `fencewise run` from outside: outputs, and one clear line for each kind of bad input.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.h"

namespace fencewise {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::ProcessResult;
using testing::ScratchFolder;

struct BadInput {
  const char* arguments;
  const char* says;
};

TEST(LedgerCommand, SaysInOneLineWhatIsWrongWithTheInput) {
  const std::vector<BadInput> cases{
      {"ledger reduction -n 1000", "needs n to be a positive multiple of 512"},
      {"ledger reduction -n 0", "not 0"},
      {"ledger reduction -n -512", "not -512"},
      {"ledger reduction -n 1099511627776", "below 2^29"},
      {"ledger reduction -n 99999999999999999999", "'99999999999999999999' is no whole number below 2^63"},
      {"ledger reduction -n many", "'many' is no whole number"},
      {"ledger reduction --block 100", "power of two of threads from 64 to 1024, not 100"},
      {"ledger reduction --device b200", "unknown device 'b200'; known: a6000, a100, h100"},
      {"ledger reduction --quick -n 512", "excludes"},
      {"ledger gemm -n 100", "multiple of 128 from 128 to 23168, not 100"},
      {"ledger gemm -n 128,0", "not 0"},
      {"ledger gemm -n 128,", "--n: '' is no whole number"},
      {"ledger gemm -n 128,,256", "--n: '' is no whole number"},
      {"ledger gemm -n 1073741824", "not 1073741824"},
      {"ledger gemm -n 128 --at 200", "--at, must be a multiple of 128"},
      {"ledger gemm -n 384", "not 4096; for example --at 3840"},
      {"ledger splitk --rows 100", "multiple of the 16 rows of a block, not 100"},
      {"ledger splitk --columns -32", "not -32"},
      {"ledger sync --block 1025", "1 to 1024 threads, not 1025"},
      {"ledger tiles --plot /nonexistent/plot.svg", "can't write /nonexistent/plot.svg"},
      {"ledger tiles --json - --csv -", "both want stdout"},
      {"ledger tiles --bogus", "--bogus"},
      {"ledger bogus", "unknown ledger 'bogus'"},
      {"ledger bogus tiles", "unknown ledger 'bogus' before 'tiles'"},
      {"ledger --json - tiles", "write options after the ledger's name: ledger tiles --json"},
      {"ledger", "name a ledger"},
      {"run gemm-k60", "no kernel 'gemm-k60' to run"},
      {"run gemm-k6 --param n=100", "multiple of 128 from 128 to 23168, not 100"},
      {"run gemm-k6 --param m=100", "has no parameter 'm'; it has n, depth"},
      {"run gemm-k6 --param depth=12", "needs depth to be a multiple of 8 from 8 to 23168, not 12"},
      {"run gemm-k6 --param depth=-8", "not -8"},
      {"run gemm-k6 --param n=128 --param n=256", "parameter 'n' is given twice"},
      {"run gemm-k6 --json - --csv -", "both want stdout"},
      {"run reverse --csv /nonexistent/x", "can't write /nonexistent/x"},
      {"run reverse --variant no-fence", "no variant 'no-fence' to run; there is drop-barrier-1"},
      {"run reduction-5 --variant drop-barrier-", "there is drop-barrier-1 to drop-barrier-3"},
      {"run reduction-5 --variant drop-barrier-4", "reduction-5 has 3 barriers, and no barrier 4 to drop"},
      {"run gemm-k1 --variant x", "there is none: it has no barrier"},
      {"run splitk-gemv --param threads=33", "multiple of 32 threads up to 1024, not 33"},
      {"run splitk-gemv --param columns=0", "positive multiple of 128 below 2^29, not 0"},
      {"run splitk-gemv --param rows=1073741824", "positive multiple of 16 below 2^29, not 1073741824"},
      {"run reduction-1 --launch x.toml", "reduction-1 is no file: it takes no --launch"},
      {"run reduction-1 --nvcc-args -O1", "reduction-1 is no file"},
      {"run reduction-1 --ptx-lines", "reduction-1 is no file"},
      {"run reduction-1 --seed 1", "reduction-1 is no file"},
      {"run reduction-5 --param threads=32", "power of two of threads from 64 to 1024, not 32"},
      {"run reverse --input nothing=x", "one of the buffers in, out"},
      {"run reverse --input in=/nonexistent/data", "/nonexistent/data"},
      {"run reverse --output out=", "--output takes buffer=file with one of the buffers in, out, not 'out='"},
      {"run reverse --json --csv", "expected a file to write, found '--csv'; ./--csv is one"},
  };
  for (const BadInput& c : cases) {
    const ProcessResult result = fencewise(c.arguments);
    EXPECT_EQ(result.exit_code, 2) << c.arguments;
    EXPECT_THAT(result.err, StartsWith("fencewise: ")) << c.arguments;
    EXPECT_THAT(result.err, HasSubstr(c.says)) << c.arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << c.arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << c.arguments;
  }
}

TEST(LedgerCommand, SaysTheSameAsTextJsonAndCsv) {
  const ProcessResult json = fencewise("ledger reduction --quick --json -");
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const Json ledger = Json::parse(json.out);
  EXPECT_EQ(ledger["ledger"], "reduction");
  EXPECT_EQ(ledger["inputs"]["n"], "16384");
  EXPECT_EQ(ledger["tables"]["counters"][0]["warp_instr"], 64 * 342);
  EXPECT_THAT(fencewise("ledger reduction --quick --csv -").out, HasSubstr("64,21888,1.00"));
  EXPECT_THAT(fencewise("ledger reduction --quick").out, HasSubstr("21888"));
}

TEST(LedgerCommand, DrawsCharts) {
  const ScratchFolder folder;
  const std::string plot = folder.file("tiles.svg");
  EXPECT_EQ(fencewise("ledger tiles --plot " + plot).exit_code, 0);
  EXPECT_THAT(testing::contents_of(plot), StartsWith("<svg"));
}

TEST(RunCommand, TellsARightResultFromARacyKernel) {
  const ProcessResult right = fencewise("run gemm-k6 --json -");
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_EQ(Json::parse(right.out)["counters"]["fma"], 128 * 128 * 128);
  const ProcessResult racy = fencewise("run reverse-no-barrier");
  EXPECT_EQ(racy.exit_code, 1);
  EXPECT_THAT(racy.out, HasSubstr("result: right"));
  EXPECT_THAT(racy.out, HasSubstr("read after write: block 0, thread 0 (warp 0), buf word 255"));
}

TEST(RunCommand, LeavesOutABarrier) {
  const ProcessResult seen = fencewise("run reduction-3 --variant drop-barrier-1");
  EXPECT_EQ(seen.exit_code, 1) << seen.err;
  EXPECT_THAT(seen.out, HasSubstr("131072 races; the first 16:\n"));
  // Lanes of one warp: the detector is blind, and the answer of a run in lockstep is right.
  EXPECT_EQ(fencewise("run reduction-3 --variant drop-barrier-5").exit_code, 0);
}

TEST(RunCommand, GivesCountersAsCsv) {
  const ProcessResult csv = fencewise("run reverse --csv -");
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, StartsWith("counter,value\nwarp_instr,40\n"));
  EXPECT_THAT(csv.out, HasSubstr("\nbank_conflict_factor,1.0000\n"));
}

// Data may be larger than a text that the commands read.
TEST(RunCommand, TakesDataAsLargeAsItsBuffer) {
  const ScratchFolder folder;
  const std::string in = folder.file("in");
  constexpr std::size_t elements = (1U << 24U) + 2048;
  testing::write_file(in, std::string(4 * elements, '\0'));
  const ProcessResult result = fencewise(
      "run reduction-5 --param threads=1024 --param n=" + std::to_string(elements) + " --input in=" + in);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(RunCommand, TakesDataAndGivesResults) {
  const ScratchFolder folder;
  const std::string in = folder.file("in"), out = folder.file("out");
  const float data[]{1, 2, 3, 4};
  testing::write_file(in, std::string(reinterpret_cast<const char*>(data), sizeof data));
  const ProcessResult result = fencewise("run reverse --param n=4 --input in=" + in + " --output out=" + out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const float reversed[]{4, 3, 2, 1};
  EXPECT_EQ(testing::contents_of(out), std::string(reinterpret_cast<const char*>(reversed), sizeof reversed));
  EXPECT_EQ(fencewise("run reverse --param n=5 --input in=" + in).exit_code, 2) << "four floats for five";
}

}  // namespace
}  // namespace fencewise
