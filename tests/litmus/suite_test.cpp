// Litmus suites against their tables: the public one (Dat3M's, 347 expectations) and our own, under every model.
#include <algorithm>
#include <cstdint>
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
#include "tests/support/process.h"

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
  // Those with a published verdict and the others; where time is short every tenth of these, which have loops and take long.
  [[nodiscard]] std::vector<std::string> tests() const {
    if (!testing::small_scale()) return suite_.tests;
    const auto& published = suite_.expected.of(Model::ptx_v7_5);
    std::vector<std::string> some;
    for (std::size_t n = 0; n < suite_.tests.size(); ++n)
      if (n % 10 == 0 || published.contains(suite_.tests[n])) some.push_back(suite_.tests[n]);
    return some;
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

// Whether every execution ends under each progress model: each row of the table that is not marked mistranslated.
TEST_F(OpenSuite, HasThePublishedVerdictsOfProgress) {
  const std::string table = suite_.folder + "/progress.tsv";
  for (const ProgressModel model :
       {ProgressModel::fair, ProgressModel::hsa, ProgressModel::obe, ProgressModel::hsa_obe, ProgressModel::lobe}) {
    LitmusOptions options;
    options.progress = {model, model, model};
    const auto expected = LitmusExpectations::parse(testing::contents_of(table), table, options.progress);
    std::size_t rows = 0;
    for (const auto& [path, row] : expected.of(Model::ptx)) {
      ++rows;
      if (testing::small_scale() && rows % 10 != 0) continue;
      const LitmusOutcome got = run_litmus(read_litmus(suite_.folder + "/" + path), options);
      EXPECT_EQ(got.liveness, row.liveness.value() ? Verdict::verified : Verdict::violated)
          << path << " under " << name(model) << ": " << got.reason;
    }
    EXPECT_EQ(rows, 290U) << name(model);
  }
}

// Every test of the suite, those without an expectation too, is run to an answer under the newer model.
TEST_F(OpenSuite, IsAnsweredToTheLastTest) {
  for (const std::string& path : tests()) {
    const Answer answer = run(suite_, path, Model::ptx_v7_5);
    EXPECT_FALSE(answer.outcome.not_modelled) << path << ": " << answer.outcome.reason;
    if (!testing::small_scale()) {
      EXPECT_LT(answer.seconds, 1.0) << path;
    }
  }
}

// --- What tells `ptx` from `ptx-v7.5` ---

bool tells_apart(Verdict a, Verdict b) {
  return a != b && a != Verdict::inconclusive && b != Verdict::inconclusive;
}
bool tell_apart(const LitmusOutcome& a, const LitmusOutcome& b) {
  return tells_apart(a.statement, b.statement) || tells_apart(a.liveness, b.liveness);
}

// Calls f(CTA, barrier) for each barrier instruction of the test's threads.
template <class F> void each_barrier(Problem& test, F&& f) {
  for (const PlacedThread& thread : test.launches.front().placed)
    for (Block& block : test.kernels.at(thread.kernel.value).blocks)
      for (Instruction& instruction : block.instructions)
        if (auto* barrier = std::get_if<Barrier>(&instruction.operation)) f(thread.placement.cta, *barrier);
}

bool may_meet(const Barrier& a, const Barrier& b) {
  const bool same_number = a.id.is_register() || b.id.is_register() || a.id.bits == b.id.bits;
  return a.instance == b.instance && same_number;
}

// The same with the counts that PTX asks for where not all threads of a CTA come: as many as the text has instructions.
Problem with_counts(const Problem& test) {
  Problem counted = test, text = test;
  each_barrier(counted, [&](CtaId cta, Barrier& barrier) {
    if (barrier.count.present()) return;
    std::uint64_t count = 0;
    each_barrier(text, [&](CtaId other_cta, const Barrier& other) {
      count += static_cast<std::uint64_t>(other_cta == cta && may_meet(barrier, other));
    });
    barrier.count = Operand::imm(count);
  });
  return counted;
}

LitmusOutcome with_counts(const LitmusSuite& suite, const std::string& path, Model model) {
  LitmusOptions options;
  options.model = model;
  return run_litmus(with_counts(read_litmus(suite.folder + "/" + path)), options);
}

// The default model reads the ISA's text, and on this suite that shows at barriers only:
// - with a count, where more come than are needed, the barrier re-arms (caution quorum-rearms);
// - without a count it waits for all threads of the CTA. Six tests leave the count out though some threads go to another
//   barrier (caution bar-subset-of-cta). Under `ptx` all wait for ever, each at its own; in the dialect, which asks for those
//   whose text has the barrier, they pass. Written with its count, as PTX wants it, each of the six answers the same in both.
TEST_F(OpenSuite, TellsPtxFromTheNewerPublishedModelOnlyByBarriers) {
  const std::set<std::string> without_count = {
      "Manual/SB+bar-const-diff.litmus",           // P0 at barrier 0, P1 at 1
      "Manual/SB+named-bar-sta-reg-const.litmus",  // P1 at 1, P0 at the one that a racing read names
      "Manual/SB+twice-bars-diff.litmus",          // both at 1, then P0 at 2, P1 at 3
      "Manual/barrier-instance-id-exists.litmus",  // P0 and P1 at 1, P2 and P3 at 2; likewise the others
      "Manual/barrier-instance-id-forall.litmus", "Manual/barrier-logical-id-forall.litmus",
  };
  std::set<std::string> rearming, subset, told_apart, told_apart_with_counts;
  for (const auto& [path, expected] : suite_.expected.of(Model::ptx_v7_5)) {
    if (expected.caution.find("quorum-rearms") != std::string::npos) rearming.insert(path);
    if (expected.caution.find("bar-subset-of-cta") != std::string::npos) subset.insert(path);
  }
  EXPECT_EQ(subset, without_count);
  for (const std::string& path : tests()) {
    const LitmusOutcome isa = run(suite_, path, Model::ptx).outcome;
    const LitmusOutcome published = run(suite_, path, Model::ptx_v7_5).outcome;
    if (!tell_apart(isa, published)) continue;
    told_apart.insert(path);
    EXPECT_EQ(isa.liveness, Verdict::violated) << path << ": a thread waits for ever";
    EXPECT_EQ(published.liveness, Verdict::verified) << path;
    if (tell_apart(with_counts(suite_, path, Model::ptx), with_counts(suite_, path, Model::ptx_v7_5)))
      told_apart_with_counts.insert(path);
  }
  EXPECT_EQ(told_apart_with_counts, rearming);
  rearming.insert(without_count.begin(), without_count.end());
  EXPECT_EQ(told_apart, rearming);
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
       "34 executions, 10 that never end, 2 final states"},
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
      {"barriers_rearm: with a count", "bar-rearms.litmus", false, true},
      {"barriers_rearm: without, all threads of the CTA", "bar-other-barrier.litmus", false, true},
      {"barriers_rearm: without, but those that have ended", "bar-jumped-over.litmus", true, false},
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
