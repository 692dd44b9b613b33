// Litmus suites against their tables: the public one (Dat3M's, 347 expectations) and our own, under every model.
#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/litmus.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/parse.h"
#include "tests/support/differential.h"
#include "tests/support/litmus_suite.h"

namespace fencewise {
namespace {

using testing::all_models;
using testing::LitmusSuite;

struct Answer {
  LitmusOutcome outcome;
  double seconds = 0;  // of the processor
};

Answer run(const LitmusSuite& suite, const std::string& path, Model model, bool states = false) {
  LitmusOptions options;
  options.model = model;
  options.collect_states = states;
  Answer answer;
  const std::clock_t start = std::clock();
  try {
    answer.outcome = run_litmus(read_litmus(suite.folder + "/" + path), options);
  } catch (const NotModelled& error) {
    answer.outcome.statement = answer.outcome.liveness = Verdict::inconclusive;
    answer.outcome.not_modelled = true;
    answer.outcome.reason = error.what();
  }
  answer.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return answer;
}

// What is expected and what came out, of every property that has an expectation.
void expect_as_expected(const std::string& path, Model model, const LitmusExpectation& expected,
                        const LitmusOutcome& got) {
  const auto wanted = [](bool holds) { return holds ? Verdict::verified : Verdict::violated; };
  if (expected.assertion) {
    EXPECT_EQ(got.statement, wanted(*expected.assertion))
        << path << " under " << name(model) << ": statement; " << got.reason;
  }
  if (expected.liveness) {
    EXPECT_EQ(got.liveness, wanted(*expected.liveness))
        << path << " under " << name(model) << ": liveness; " << got.reason;
  }
}

// --- The public suite ---

class OpenSuite : public ::testing::Test {
 protected:
  void SetUp() override {
    if (suite_.tests.empty())
      GTEST_SKIP() << "the public litmus tests are not at " << suite_.folder << "; set FENCEWISE_LITMUS_DIR";
  }
  const LitmusSuite suite_ = testing::open_suite(FENCEWISE_SOURCE_DIR);
};

TEST_F(OpenSuite, HasThePublishedVerdicts) {
  std::size_t expectations = 0, executions = 0;
  double seconds = 0, slowest = 0;
  std::string slowest_test;
  for (const Model model : {Model::ptx_v6_0, Model::ptx_v7_5}) {
    for (const auto& [path, expected] : suite_.expected.of(model)) {
      const Answer answer = run(suite_, path, model);
      expect_as_expected(path, model, expected, answer.outcome);
      expectations += static_cast<std::size_t>(expected.assertion.has_value()) +
                      static_cast<std::size_t>(expected.liveness.has_value());
      executions += answer.outcome.details.search.graphs;
      seconds += answer.seconds;
      if (answer.seconds <= slowest) continue;
      slowest = answer.seconds;
      slowest_test = path;
    }
  }
  fmt::print("{} expectations, {} executions, {:.2f} s; the slowest took {:.3f} s: {}\n", expectations,
             executions, seconds, slowest, slowest_test);
  if (!testing::small_scale()) {
    EXPECT_LT(slowest, 1.0) << slowest_test;
  }
}

// Every test of the suite, those without an expectation too, is run to an answer under the newer model.
TEST_F(OpenSuite, IsAnsweredToTheLastTest) {
  for (const std::string& path : suite_.tests) {
    const Answer answer = run(suite_, path, Model::ptx_v7_5);
    EXPECT_FALSE(answer.outcome.not_modelled) << path << ": " << answer.outcome.reason;
    if (!testing::small_scale()) {
      EXPECT_LT(answer.seconds, 1.0) << path;
    }
  }
}

bool tells_apart(Verdict a, Verdict b) {
  return a != b && a != Verdict::inconclusive && b != Verdict::inconclusive;
}

// The default model reads the ISA's text, and on this suite that shows only at barriers: where more come than are needed, the
// barrier re-arms (caution quorum-rearms); where no count is given, it waits for all threads of the CTA, also those that go to
// another one (caution bar-subset-of-cta: ill-formed as PTX, which asks for a count there).
TEST_F(OpenSuite, TellsPtxFromTheNewerPublishedModelOnlyByBarriers) {
  std::set<std::string> rearm, subset, told_apart;
  for (const auto& [path, expected] : suite_.expected.of(Model::ptx_v7_5)) {
    if (expected.caution.find("quorum-rearms") != std::string::npos) rearm.insert(path);
    if (expected.caution.find("bar-subset-of-cta") != std::string::npos) subset.insert(path);
  }
  for (const std::string& path : suite_.tests) {
    const LitmusOutcome isa = run(suite_, path, Model::ptx).outcome;
    const LitmusOutcome published = run(suite_, path, Model::ptx_v7_5).outcome;
    if (tells_apart(isa.statement, published.statement) || tells_apart(isa.liveness, published.liveness))
      told_apart.insert(path);
  }
  std::set<std::string> cautioned = rearm;
  cautioned.insert(subset.begin(), subset.end());
  EXPECT_EQ(told_apart, cautioned);
}

// The sizes of searches are reviewed when they change: fewer executions than before would be a hole.
TEST_F(OpenSuite, TakesSearchesOfThisSize) {
  struct Size {
    const char* path;
    Model model;
    const char* size;
  };
  const std::vector<Size> sizes = {
      {"Manual/MP-relaxed.litmus", Model::ptx_v7_5, "4 executions, 0 that never end, 4 final states"},
      {"Manual/MP-3-transitive.litmus", Model::ptx_v7_5, "7 executions, 0 that never end, 7 final states"},
      {"Manual/SB+twice-bars-diff.litmus", Model::ptx_v7_5, "4 executions, 0 that never end, 4 final states"},
      {"Manual/CoWW-RR.litmus", Model::ptx_v6_0, "9 executions, 0 that never end, 9 final states"},
      {"Manual/CoWW-RR.litmus", Model::ptx_v7_5, "9 executions, 0 that never end, 9 final states"},
      {"Manual/LB+RMW-c.litmus", Model::ptx_v7_5, "9 executions, 0 that never end, 8 final states"},
      {"Manual/SB+sc-gpu-multiFence-TotalOrder.litmus", Model::ptx_v7_5,
       "5 executions, 0 that never end, 5 final states"},
      {"Manual/Ticketlock-acq2rlx-1.litmus", Model::ptx_v7_5,
       "2 executions, 0 that never end, 2 final states"},
      {"Manual/XF-Barrier-weak.litmus", Model::ptx_v6_0, "2 executions, 1 that never end, 4 final states"},
      {"Barrier/quorum1-pass.litmus", Model::ptx, "0 executions, 4 that never end, 0 final states"},
      {"Barrier/quorum1-pass.litmus", Model::ptx_v7_5, "4 executions, 0 that never end, 2 final states"},
      {"Nvidia/Release-acquire-pattern.litmus", Model::ptx_v7_5,
       "4 executions, 0 that never end, 4 final states"},
      {"CADP/2_threads_4_instructions/17_simple.litmus", Model::ptx,
       "83 executions, 84 that never end, 2 final states"},
  };
  for (const Size& expected : sizes) {
    const CheckResult result = run(suite_, expected.path, expected.model, true).outcome.details;
    EXPECT_EQ(fmt::format("{} executions, {} that never end, {} final states", result.search.graphs,
                          result.search.blocked, result.final_states.size()),
              expected.size)
        << expected.path << " under " << name(expected.model);
  }
}

// --- Our own tests ---

TEST(OwnSuite, IsAnsweredAsItsTableSays) {
  const LitmusSuite suite = testing::own_suite(FENCEWISE_SOURCE_DIR);
  for (const Model model : all_models)
    for (const auto& [path, expected] : suite.expected.of(model))
      expect_as_expected(path, model, expected, run(suite, path, model).outcome);
}

bool has_race(const std::string& path, Model model) {
  CheckOptions options;
  options.model = model;
  options.stop_at_first = false;
  const LitmusSuite suite = testing::own_suite(FENCEWISE_SOURCE_DIR);
  const CheckResult result = check(read_litmus(suite.folder + "/" + path), options);
  return std::any_of(result.findings.begin(), result.findings.end(),
                     [](const Finding& f) { return f.kind == FindingKind::race; });
}

// Each point of `Reading` in which models differ, with a test of ours that tells them apart. The fields left out change how
// a model is stated and not what it shows (tests/property/models_test.cpp): `sc_per_location`, which program order within
// causality gives anyway; `base_acyclic` and `fence_sc_after_causality`, since an order of fence.sc against causality only adds
// edges; and how `causality` is built, but for races.
TEST(Readings, AreToldApartByATestOfOurs) {
  const LitmusSuite suite = testing::own_suite(FENCEWISE_SOURCE_DIR);
  const auto holds = [&](const char* path, Model model) {
    return run(suite, path, model).outcome.statement == Verdict::verified;
  };
  struct Point {
    const char* field;
    const char* path;
    bool in_ptx, in_published;
  };
  const std::vector<Point> points = {
      {"fence_sc_is_acq_rel", "mp+fence-sc+fence-acq_rel.litmus", false, true},
      {"red_acquires", "mp+red-does-not-acquire.litmus", true, false},
      {"failing_cas_writes", "cas-that-fails.litmus", false, true},
      {"barriers_rearm", "bar-rearms.litmus", false, true},
  };
  for (const Point& point : points) {
    EXPECT_EQ(holds(point.path, Model::ptx), point.in_ptx) << point.field;
    for (const Model model : {Model::ptx_v6_0, Model::ptx_v7_5})
      EXPECT_EQ(holds(point.path, model), point.in_published) << point.field << " in " << name(model);
  }
  // interleaving: sc shows no weak outcome
  EXPECT_TRUE(holds("mp.litmus", Model::ptx));
  EXPECT_FALSE(holds("mp.litmus", Model::sc));
  // proxies
  EXPECT_TRUE(run(suite, "alias.litmus", Model::ptx_v6_0).outcome.not_modelled);
  EXPECT_TRUE(holds("alias.litmus", Model::ptx));
  EXPECT_TRUE(holds("alias.litmus", Model::ptx_v7_5));
  // has_races
  EXPECT_TRUE(has_race("mp.litmus", Model::ptx));
  EXPECT_FALSE(has_race("mp.litmus", Model::sc));
  // causality: one step of observation in v7.5, a chain in the others
  EXPECT_FALSE(has_race("counter-reset-by-the-last.litmus", Model::ptx));
  EXPECT_FALSE(has_race("counter-reset-by-the-last.litmus", Model::ptx_v6_0));
  EXPECT_TRUE(has_race("counter-reset-by-the-last.litmus", Model::ptx_v7_5));
}

}  // namespace
}  // namespace fencewise
