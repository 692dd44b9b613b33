// The classics of this folder, each under each model, against the verdicts of expected.tsv (worked out by hand from the
// model's text; each file says why in one sentence).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "kernels/frontend/litmus/parse.h"
#include "memmodel/model.h"

namespace fencewise {
namespace {

struct Row {
  std::string path, model, property, bound, expected;
};

std::filesystem::path folder() { return std::filesystem::path(FENCEWISE_SOURCE_DIR) / "tests" / "litmus"; }

std::vector<Row> rows() {
  std::ifstream file(folder() / "expected.tsv");
  std::string line;
  std::getline(file, line);  // names of the columns
  std::vector<Row> result;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Row row;
    words >> row.path >> row.model >> row.property >> row.bound >> row.expected;
    result.push_back(row);
  }
  return result;
}

bool is_hang(const Finding& finding) {
  return finding.kind == FindingKind::stuck || finding.kind == FindingKind::livelock;
}

// 1: the property holds.
std::string answer(const Row& row) {
  CheckOptions options;
  options.model = parse_model(row.model).value();
  options.races = Races::off;
  options.stop_at_first = false;
  const CheckResult result = check(read_litmus((folder() / row.path).string()), options);
  if (result.verdict == Verdict::inconclusive) return "inconclusive: " + result.reason;
  const bool liveness = row.property == "liveness";
  const bool broken =
      std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& finding) {
        return liveness ? is_hang(finding) : finding.kind == FindingKind::assertion;
      });
  return broken ? "0" : "1";
}

TEST(Classics, HaveTheVerdictsThatTheModelGives) {
  for (const Row& row : rows()) {
    EXPECT_EQ(answer(row), row.expected) << row.path << " under " << row.model << ", " << row.property;
  }
}

TEST(Classics, HaveAVerdictUnderTheDefaultModelEach) {
  std::set<std::string> judged;
  for (const Row& row : rows()) {
    if (row.model == "ptx" && row.property == "assertion") judged.insert(row.path);
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".litmus") files.insert(entry.path().filename().string());
  }
  EXPECT_EQ(judged, files);
}

// Reading either of two models without a difference would make the choice an empty one.
TEST(Classics, TellTheDefaultModelFromThePublishedOnes) {
  std::set<std::string> different;
  const std::vector<Row> all = rows();
  for (const Row& a : all) {
    for (const Row& b : all) {
      const bool pair = a.path == b.path && a.property == b.property && a.model == "ptx" && b.model == "v7.5";
      if (pair && a.expected != b.expected) different.insert(a.path);
    }
  }
  EXPECT_EQ(different, (std::set<std::string>{
                           "bar-jumped-over.litmus", "bar-other-barrier.litmus", "bar-rearms.litmus",
                           "bar-second-arrival.litmus", "cas-that-fails.litmus", "mp+fence-sc+acq.litmus",
                           "mp+fence-sc+fence-acq_rel.litmus", "mp+red-does-not-acquire.litmus"}));
}

}  // namespace
}  // namespace fencewise
