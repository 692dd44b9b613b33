// Kernels of our own, compiled by nvcc 13 for three architectures (tests/ptx): checked, refuted without their
// synchronization, and run on the SIMT executor.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "kernels/frontend/launchfile/build_problem.h"
#include "kernels/frontend/launchfile/execute.h"
#include "tests/support/differential.h"

namespace fencewise {
namespace {

std::string contents_of(const std::string& name) {
  std::ifstream file(std::string(FENCEWISE_SOURCE_DIR) + "/tests/ptx/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Problem problem_of(const std::string& ptx, const std::string& launch,
                   const launchfile::Constants& constants = {}) {
  const Diagnostics diagnostics(launch);
  const auto file = launchfile::parse_launch_file(contents_of(launch), constants, diagnostics);
  return launchfile::build_problem(file, ptx::parse_program(contents_of(ptx), ptx), ptx::Lines::cuda,
                                   diagnostics);
}

struct Expected {
  std::string kernel, launch;
  Verdict verdict;
  std::string location;  // of the finding
  std::uint32_t line;    // one of its source lines
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.kernel;
}  // NOLINT: GoogleTest's name

class CompiledKernel : public ::testing::TestWithParam<std::tuple<const char*, Expected>> {};

TEST_P(CompiledKernel, HasItsVerdict) {
  const auto& [arch, expected] = GetParam();
  const CheckResult result =
      check(problem_of(fmt::format("{}.sm_{}.ptx", expected.kernel, arch), expected.launch), CheckOptions{});
  EXPECT_EQ(result.verdict, expected.verdict) << result.reason;
  if (expected.verdict != Verdict::violated) return;
  ASSERT_FALSE(result.findings.empty());
  const Finding& first = result.findings.front();
  EXPECT_EQ(first.location, expected.location);
  const auto names_it = [&](const SourceRef& ref) { return ref.line == expected.line; };
  EXPECT_TRUE(std::any_of(first.lines.begin(), first.lines.end(), names_it)) << first.message;
}

std::string name_of(const ::testing::TestParamInfo<CompiledKernel::ParamType>& test) {
  std::string name = std::get<1>(test.param).kernel + "_sm_" + std::get<0>(test.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const Expected expectations[] = {
    {"last_cta_sum", "last_cta_sum.toml", Verdict::verified, "", 0},
    {"last_cta_sum-no-acquire", "last_cta_sum.toml", Verdict::violated, "parts[0]", 31},
    {"last_cta_sum-no-release", "last_cta_sum.toml", Verdict::violated, "parts[0]", 31},
    {"relay", "relay.toml", Verdict::verified, "", 0},
    {"relay-no-order", "relay.toml", Verdict::violated, "value", 20},
    {"block_scan", "block_scan.toml", Verdict::verified, "", 0},
    {"block_scan-no-barrier", "block_scan.toml", Verdict::violated, "s[0] of CTA 0", 15},
    {"forms", "forms.toml", Verdict::verified, "", 0},
};

INSTANTIATE_TEST_SUITE_P(Ptx, CompiledKernel,
                         ::testing::Combine(::testing::Values("80", "90", "100"),
                                            ::testing::ValuesIn(expectations)),
                         name_of);

// --- the checker and the executor agree ---

// The inputs of a problem as the executor filled them, so that the checker sees the same numbers.
Problem with_numbers(Problem problem, const launchfile::Memory& memory) {
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    Buffer& buffer = problem.buffers[b];
    if (buffer.initial.kind == InitialContents::Kind::unwritten) continue;
    buffer.initial.kind = InitialContents::Kind::values;
    buffer.initial.values.clear();
    for (std::uint64_t i = 0; i < buffer.length; ++i)
      buffer.initial.values.push_back(launchfile::element_of(buffer, memory[b], i));
  }
  problem.replays = 1;
  return problem;
}

void expect_same_memory(const std::string& ptx, const std::string& launch, std::uint64_t seed) {
  const Problem problem = problem_of(ptx, launch);
  const launchfile::Execution run = launchfile::execute(problem, seed, 1);
  ASSERT_FALSE(run.launches.back().result.fault) << ptx;
  Problem numbers = with_numbers(problem, run.at_entry);
  numbers.contract = {};
  for (std::uint32_t b = 0; b < numbers.buffers.size(); ++b)
    for (std::uint64_t i = 0; i < numbers.buffers[b].length; ++i) {
      const std::uint64_t bits = launchfile::element_of(numbers.buffers[b], run.memory[b], i);
      const auto value = static_cast<std::int64_t>(bits);
      const BufferTerm buffer(BufferId{b});
      numbers.contract.assertions.push_back({fmt::format("{}[{}] as run", numbers.buffers[b].name, i),
                                             buffer[Term(static_cast<std::int64_t>(i))] == Term(value),
                                             When::plan_end});
    }
  const CheckResult result = check(numbers, CheckOptions{});
  EXPECT_EQ(result.verdict, Verdict::verified)
      << ptx << ", seed " << seed << ": " << result.reason
      << (result.findings.empty() ? "" : result.findings.front().message);
}

TEST(CheckerAndExecutor, LeaveTheSameMemory) {
  for (const char* arch : {"80", "90", "100"})
    for (std::uint64_t seed = 1; seed <= (testing::small_scale() ? 1U : 3U); ++seed) {
      expect_same_memory(fmt::format("block_scan.sm_{}.ptx", arch), "block_scan.toml", seed);
      expect_same_memory(fmt::format("forms.sm_{}.ptx", arch), "forms.toml", seed);
    }
}

}  // namespace
}  // namespace fencewise
