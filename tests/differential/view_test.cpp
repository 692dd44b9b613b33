// The view explorer against the graph explorer: on random programs, with each reduction on and off, on the catalogue, and on
// litmus suites. Where it does not decline they must agree on the verdict, the existence of a race and, for race-free programs,
// the set of final states. Then faults on purpose, each of which must be noticed.
//
// A mismatch is shrunk and printed. FENCEWISE_TEST_SEED=n begins the random programs elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "checker/explore/view/mutation.h"
#include "checker/report/json.h"
#include "kernels/core/builder.h"
#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/parse.h"
#include "protocols/parts.h"
#include "protocols/protocol.h"
#include "tests/support/differential.h"
#include "tests/support/engines.h"
#include "tests/support/litmus_suite.h"
#include "tests/support/random_protocol.h"

namespace fencewise::testing {
namespace {

void report(const Problem& problem, const EngineComparison& comparison, const ViewChoice& choice = {}) {
  const Problem small = shrink(problem, [&](const Problem& p) { return !compare_engines(p, choice).difference.empty(); });
  ADD_FAILURE() << "the engines disagree about " << problem.name << "\n"
                << show(small) << compare_engines(small, choice).difference << "before it was shrunk:\n"
                << comparison.difference;
}

struct Family {
  const char* name;
  Problem (*draw)(std::uint64_t seed);
  std::uint64_t programs;
};
constexpr Family families[] = {
    {"placed", random_placed, 1800},
    {"grid", random_grid, 600},
    {"symmetric", random_symmetric, 300},
    {"litmus", random_litmus, 1800},
    {"stress", random_stress, 600},
};

TEST(View, AgreesWithTheGraphExplorerOnRandomPrograms) {
  EngineSpread all;
  for (const Family& family : families) {
    EngineSpread spread;
    const std::uint64_t programs = small_scale() ? family.programs / 20 : family.programs;
    std::uint64_t seed = first_seed();
    for (; spread.compared() < programs && !HasFailure(); ++seed) {
      const Problem problem = family.draw(seed);
      const EngineComparison comparison = compare_engines(problem);
      spread.count(comparison);
      all.count(comparison);
      if (!comparison.difference.empty()) report(problem, comparison);
    }
    std::cout << fmt::format("{}, seeds {} to {}: {}\n", family.name, first_seed(), seed - 1, spread.text());
  }
  std::cout << "in all: " << all.text() << "\n";
  if (small_scale() || HasFailure()) return;
  EXPECT_GE(all.compared(), 5000U);
  EXPECT_GE(all.with_states(), 3000U);
}

// --- Reductions ---

struct Setting {
  const char* name;
  ViewChoice choice;
};
std::vector<Setting> settings() {
  const auto without = [](bool ViewReductions::*reduction) {
    ViewChoice choice;
    choice.reductions.*reduction = false;
    return choice;
  };
  ViewChoice nothing;
  nothing.reductions.forget = nothing.reductions.merge = nothing.reductions.subsume = nothing.reductions.alone =
      nothing.reductions.idle = nothing.reductions.collapse = false;
  nothing.one_sided = nothing.forgetful_polls = nothing.symmetry = Reduction::off;
  return {{"forget off", without(&ViewReductions::forget)},
          {"merge off", without(&ViewReductions::merge)},
          {"subsume off", without(&ViewReductions::subsume)},
          {"idle off", without(&ViewReductions::idle)},
          {"collapse off", without(&ViewReductions::collapse)},
          {"alone off", without(&ViewReductions::alone)},
          {"early off", without(&ViewReductions::early)},
          {"one-sided off", {.one_sided = Reduction::off}},
          {"polls remember", {.forgetful_polls = Reduction::off}},
          {"symmetry off", {.symmetry = Reduction::off}},
          {"all off", nothing}};
}

TEST(ViewReductions, ChangeNoAnswerOfRandomPrograms) {
  std::map<std::string, EngineSpread> spreads;
  for (const Family& family : families) {
    const std::uint64_t programs = small_scale() ? 4 : 40;
    for (std::uint64_t n = 0; n < programs && !HasFailure(); ++n) {
      const Problem problem = family.draw(1'000'000 + first_seed() + n);
      std::optional<GraphAnswer> answer;
      const auto ask = [&] {
        if (!answer) answer = graph_answer(problem);
        return *answer;
      };
      for (const Setting& setting : settings()) {
        const EngineComparison comparison = compare_engines(problem, ask, setting.choice);
        spreads[setting.name].count(comparison);
        if (comparison.difference.empty()) continue;
        report(problem, comparison, setting.choice);
        ADD_FAILURE() << "with " << setting.name;
      }
    }
  }
  for (const auto& [name, spread] : spreads) std::cout << fmt::format("{}: {}\n", name, spread.text());
}

// --- The catalogue ---

struct Taken {
  std::size_t taken = 0, all = 0;
  std::map<std::string, std::vector<std::string>> declined;  // reason -> variants
};

CheckResult run(const Problem& problem, Engine engine, const ViewChoice& choice = {}, double seconds = 1) {
  CheckOptions options;
  options.engine = engine;
  options.symmetry = choice.symmetry;
  options.one_sided = choice.one_sided;
  options.forgetful_polls = choice.forgetful_polls;
  options.reductions = choice.reductions;
  Limits limits;
  if (engine == Engine::graph) limits.graphs = 3000;
  limits.seconds = seconds;
  return check(problem, options, limits);
}

// As small as the variant allows.
Problem small_instance(const Protocol& protocol, const Variant& variant) {
  Parameters small = protocol.standard_parameters();
  for (const Parameter& parameter : protocol.parameters)
    if (parameter.choices.empty()) small.set(parameter.name, std::min(small[parameter.name], std::max<std::int64_t>(parameter.min, 2)));
  try {
    return instantiate(protocol, raised_to_needs(protocol, variant, small), variant.name);
  } catch (const InputError&) {  // parameters that depend on each other
    return instantiate(protocol, raised_to_needs(protocol, variant, protocol.standard_parameters()), variant.name);
  }
}

TEST(View, AgreesWithTheGraphExplorerOnTheCatalogue) {
  Taken taken;
  std::map<std::string, std::string> left_out;
  std::size_t large = 0;
  for (const Protocol& protocol : catalogue())
    for (const Variant& variant : protocol.variants) {
      const std::string name = protocol.name + " " + variant.name;
      SCOPED_TRACE(name);
      const Problem problem = small_instance(protocol, variant);
      if (threads_of(problem.launches.front()).size() > 16) {
        ++large;
        continue;
      }
      const CheckResult graph = run(problem, Engine::graph);
      const CheckResult view = run(problem, Engine::view);
      ++taken.all;
      if (view.verdict == Verdict::inconclusive) {
        taken.declined[view.reason].push_back(name);
        continue;
      }
      ++taken.taken;
      if (graph.verdict == Verdict::inconclusive) {
        left_out[name] = graph.reason;
        continue;
      }
      EXPECT_EQ(view.verdict, graph.verdict);
      EXPECT_EQ(view.findings.empty(), graph.findings.empty());
      if (view.seconds > 0.05) continue;
      for (const Setting& setting : settings()) {
        const CheckResult other = run(problem, Engine::view, setting.choice, 0.3);
        if (other.reason.find("--max-seconds") != std::string::npos) continue;  // it is what the reduction is for
        EXPECT_EQ(other.verdict, graph.verdict) << setting.name << ": " << other.reason;
      }
    }
  std::cout << fmt::format("the view explorer takes {} of {} variants\n", taken.taken, taken.all);
  for (const auto& [reason, names] : taken.declined)
    for (const std::string& name : names) std::cout << fmt::format("  declined {}: {}\n", name, reason);
  for (const auto& [name, reason] : left_out) std::cout << fmt::format("  not compared {}: {}\n", name, reason);
  std::cout << fmt::format("  {} variants have more than 16 threads\n", large);
  EXPECT_GE(taken.taken * 10, taken.all * 8);
}

// --- Workers ---

// All that a check says, but how long it took.
std::string said(const Problem& problem, unsigned workers, bool stop_at_first) {
  CheckOptions options;
  options.engine = Engine::view;
  options.stop_at_first = stop_at_first;
  options.workers = workers;
  Report report;
  report.options = options;
  report.result = check(problem, options, {.states = 1000});
  report.result.seconds = 0;
  return to_json(report);
}

TEST(ViewWorkers, FindTheSameAsOne) {
  std::vector<Problem> problems;
  for (const Family& family : families)
    for (std::uint64_t n = 0; n < (small_scale() ? 4U : 30U); ++n) problems.push_back(family.draw(2'000'000 + first_seed() + n));
  for (const Protocol& protocol : catalogue())
    for (const Variant& variant : protocol.variants)
      if (Problem problem = small_instance(protocol, variant); threads_of(problem.launches.front()).size() <= 16)
        problems.push_back(std::move(problem));
  for (const Problem& problem : problems)
    for (const bool stop_at_first : {true, false})
      EXPECT_EQ(said(problem, 3, stop_at_first), said(problem, 1, stop_at_first)) << problem.name << "\n" << print(problem, {});
}

// Whether who takes a free place goes first or not, the answer is the same, with all final states.
TEST(Residency, IsAnsweredAlikeWithEachCtaStartingAtAnyTime) {
  std::vector<Problem> problems;
  for (const Family& family : families)
    for (std::uint64_t n = 0; n < (small_scale() ? 4U : 30U); ++n) problems.push_back(family.draw(3'000'000 + first_seed() + n));
  for (const Protocol& protocol : catalogue())
    for (const Variant& variant : protocol.variants)
      if (Problem problem = small_instance(protocol, variant); threads_of(problem.launches.front()).size() <= 4)
        problems.push_back(std::move(problem));
  std::size_t compared = 0;
  for (const Problem& problem : problems)
    for (const std::uint32_t resident : {1U, 2U, 3U}) {
      CheckOptions options;
      options.engine = Engine::view;
      options.resident = resident;
      options.collect_states = true;
      Limits limits;
      limits.states = 20'000;
      const auto answer = [&](bool alone) {
        options.reductions.alone = alone;
        return check(problem, options, limits);
      };
      const CheckResult with = answer(true), without = answer(false);
      if (with.verdict == Verdict::inconclusive || without.verdict == Verdict::inconclusive) continue;
      ++compared;
      EXPECT_EQ(with.verdict, without.verdict) << resident << " resident\n" << print(problem, {});
      if (with.verdict == Verdict::verified) EXPECT_EQ(with.final_states, without.final_states) << resident << " resident\n" << print(problem, {});
      else EXPECT_EQ(with.findings.front().kind, without.findings.front().kind) << resident << " resident\n" << print(problem, {});
    }
  EXPECT_GE(compared, problems.size());
}

// --- Litmus suites ---

void compare_suite(const LitmusSuite& suite, std::size_t stride) {
  EngineSpread spread;
  for (std::size_t n = 0; n < suite.tests.size(); n += stride) {
    const Problem test = read_litmus(suite.folder + "/" + suite.tests[n]);
    SCOPED_TRACE(suite.tests[n]);
    Problem bare = test;
    bare.contract = {};
    const EngineComparison comparison = compare_engines(bare);
    spread.count(comparison);
    EXPECT_EQ(comparison.difference, "");
    if (!comparison.declined.empty() || !comparison.skipped.empty() || comparison.violated) continue;
    EXPECT_EQ(run(test, Engine::view).verdict, run(test, Engine::graph).verdict);
  }
  std::cout << fmt::format("{} tests of {}: {}\n", suite.tests.size(), suite.folder, spread.text());
}

TEST(View, AgreesWithTheGraphExplorerOnThePublicLitmusSuite) {
  const LitmusSuite suite = open_suite(FENCEWISE_SOURCE_DIR);
  if (suite.tests.empty()) GTEST_SKIP() << "the public litmus tests are not at " << suite.folder << "; set FENCEWISE_LITMUS_DIR";
  compare_suite(suite, small_scale() ? 40 : 5);
}

TEST(View, AgreesWithTheGraphExplorerOnOurLitmusTests) { compare_suite(own_suite(FENCEWISE_SOURCE_DIR), 1); }

// --- Where the rules would miss something ---

struct Outside {
  const char* name;
  const char* litmus;
};

// Allowed by the axioms, and no interleaving of the rules shows it.
constexpr Outside outside[] = {
    {"LoadBuffering", R"(PTX a
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 st.relaxed.gpu y, 1  | st.relaxed.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"BothLoadsAcquire", R"(PTX b
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.acquire.gpu r0, x | ld.acquire.gpu r0, y ;
 st.relaxed.gpu y, 1  | st.relaxed.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"BothStoresRelease", R"(PTX c
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 st.release.gpu y, 1  | st.release.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"FenceInOneThread", R"(PTX d
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 fence.acq_rel.gpu    |                      ;
 st.relaxed.gpu y, 1  | st.relaxed.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"FencesTooNarrow", R"(PTX e
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 fence.acq_rel.cta    | fence.acq_rel.cta    ;
 st.relaxed.gpu y, 1  | st.relaxed.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"OneDependencyMissing", R"(PTX f
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 st.relaxed.gpu y, 1  | bne r0, 1, LC00      ;
                      | st.relaxed.gpu x, 1  ;
                      | LC00:                ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"ReadHalfOfARed", R"(PTX g
{ x = 0; y = 0; }
 P0@cta 0,gpu 0           | P1@cta 1,gpu 0       ;
 red.relaxed.gpu.add x, 1 | ld.relaxed.gpu r0, y ;
 st.relaxed.gpu y, 1      | st.relaxed.gpu x, 5  ;
exists (P1:r0 == 1 /\ x == 6))"},
    {"ExchangeIgnoresWhatItReads", R"(PTX h
{ x = 0; y = 0; }
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 atom.relaxed.gpu.exch r0, x, 1 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
                                | st.relaxed.gpu y, 1  | st.relaxed.gpu x, 5  ;
exists (P0:r0 == 5 /\ P1:r0 == 1 /\ P2:r0 == 1))"},
    {"ExchangeAmongDependencies", R"(PTX k
{ x = 0; y = 0; }
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 atom.relaxed.gpu.exch r0, x, 1 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
                                | bne r0, 1, LC00      | bne r0, 1, LC01      ;
                                | st.relaxed.gpu y, 1  | st.relaxed.gpu x, 5  ;
                                | LC00:                | LC01:                ;
exists (P0:r0 == 5 /\ P1:r0 == 1 /\ P2:r0 == 1))"},
    {"NoControlDependencyOnACas", R"(PTX i
{ x = 1; y = 0; }
 P0@cta 0,gpu 0                   | P1@cta 1,gpu 0       ;
 atom.relaxed.gpu.cas r0, x, 1, 2 | ld.relaxed.gpu r0, y ;
 st.relaxed.gpu y, 1              | bne r0, 1, LC00      ;
                                  | st.relaxed.gpu x, 1  ;
                                  | LC00:                ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"FenceScAgainstReadsFrom", R"(PTX j
{ x = 0; y = 0; z = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 st.relaxed.gpu z, 1 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 fence.sc.gpu        | st.relaxed.gpu y, r0 | fence.sc.gpu         ;
 st.relaxed.gpu x, 1 |                      | ld.relaxed.gpu r1, z ;
exists (P1:r0 == 1 /\ P2:r0 == 1 /\ P2:r1 == 0))"},
};

class Declines : public ::testing::TestWithParam<Outside> {};
INSTANTIATE_TEST_SUITE_P(View, Declines, ::testing::ValuesIn(outside), [](const auto& instance) { return instance.param.name; });

TEST_P(Declines, WhatTheRulesWouldMiss) {
  const Problem problem = parse_litmus(GetParam().litmus, GetParam().name);
  const CheckResult view = run(problem, Engine::view);
  EXPECT_EQ(view.verdict, Verdict::inconclusive);
  EXPECT_NE(view.reason.find("may not be exact"), std::string::npos) << view.reason;
  CheckOptions options;
  options.engine = Engine::graph;
  EXPECT_TRUE(check(problem, options).condition_met) << "the axioms allow it";
}

// --- load buffering through barriers ---

// CTA 0 reads x in thread 0 and writes y in thread 1, with a barrier between as `body` has it; CTA 1 copies the other way without
// dependency.
Problem through_a_barrier(const std::function<void(KernelBuilder&, const std::function<void()>&, const std::function<void()>&)>& body) {
  KernelBuilder k("through_a_barrier");
  const Array x = k.global("x", Type::u32), y = k.global("y", Type::u32), seen = k.global("seen", Type::u32);
  k.if_else(
      k.ctaid() == 0,
      [&] {
        body(
            k, [&] { k.st(seen[0], k.ld(x[0], relaxed(Scope::gpu))); }, [&] { k.st(y[0], 1, relaxed(Scope::gpu)); });
      },
      [&] {
        k.if_(k.tid() == 0, [&] {
          k.st(seen[1], k.ld(y[0], relaxed(Scope::gpu)));
          k.st(x[0], 1, relaxed(Scope::gpu));
        });
      });
  Problem problem;
  problem.name = "through_a_barrier";
  problem.kernels = {k.build()};
  for (const auto& [name, length] : {std::pair{"x", 1}, std::pair{"y", 1}, std::pair{"seen", 2}})
    problem.buffers.push_back(protocols::workspace(name, Type::u32, length, InitialContents::Kind::zero));
  problem.launches.emplace_back();
  problem.launches[0].grid = {2, 1, 1};
  problem.launches[0].block = {2, 1, 1};
  return problem;
}

bool is_declined(const Problem& problem) {
  CheckOptions options;
  options.engine = Engine::view;
  return check(problem, options).reason.find("may not be exact") != std::string::npos;
}

TEST(Barriers, LeadOnlyToThePhaseThatTheyMakeTogether) {
  using Step = std::function<void()>;
  EXPECT_TRUE(is_declined(through_a_barrier([](KernelBuilder& k, const Step& read, const Step& write) {
    k.if_(k.tid() == 0, read);
    k.bar_sync();
    k.if_(k.tid() == 1, write);
  }))) << "the write comes behind the read";
  EXPECT_TRUE(is_declined(through_a_barrier([](KernelBuilder& k, const Step& read, const Step& write) {
    k.if_else(
        k.tid() == 0,
        [&] {
          read();
          k.bar_sync();
        },
        [&] {
          k.bar_sync();
          write();
        });
  }))) << "two barriers in the text make one phase";
  const Problem before = through_a_barrier([](KernelBuilder& k, const Step& read, const Step& write) {
    k.bar_sync();
    k.if_(k.tid() == 1, write);
    k.bar_sync();
    k.if_(k.tid() == 0, read);
    k.bar_sync();
  });
  EXPECT_FALSE(is_declined(before)) << "the write comes before the read";
  EXPECT_EQ(compare_engines(before).difference, "");
  EXPECT_TRUE(is_declined(through_a_barrier([](KernelBuilder& k, const Step& read, const Step& write) {
    k.for_(0, 2, [&](const Val&) {
      k.bar_sync();
      k.if_(k.tid() == 0, read);
      k.if_(k.tid() == 1, write);
    });
  }))) << "in a loop any of its phases may be meant";
}

// Near to the above, and exact: taken or not, the answer is right.
constexpr Outside inside[] = {
    {"DependenciesInEveryThread", R"(PTX a
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 st.relaxed.gpu y, r0 | st.relaxed.gpu x, r0 ;
exists (P0:r0 == 1))"},
    {"FencesInBothThreads", R"(PTX b
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;
 fence.acq_rel.gpu    | fence.acq_rel.gpu    ;
 st.relaxed.gpu y, 1  | st.relaxed.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"AcquireInOneReleaseInTheOther", R"(PTX c
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.acquire.gpu r0, x | ld.relaxed.gpu r0, y ;
 st.relaxed.gpu y, 1  | st.release.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r0 == 1))"},
    {"FenceScChainWithAnAcquire", R"(PTX d
{ x = 0; y = 0; z = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 st.relaxed.gpu z, 1 | ld.acquire.gpu r0, x | ld.relaxed.gpu r0, y ;
 fence.sc.gpu        | st.relaxed.gpu y, r0 | fence.sc.gpu         ;
 st.relaxed.gpu x, 1 |                      | ld.relaxed.gpu r1, z ;
exists (P1:r0 == 1 /\ P2:r0 == 1 /\ P2:r1 == 0))"},
    {"FenceScChainByAnAtomic", R"(PTX e
{ x = 0; z = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0           | P2@cta 2,gpu 0       ;
 st.relaxed.gpu z, 1 | red.relaxed.gpu.add x, 1 | ld.relaxed.gpu r0, x ;
 fence.sc.gpu        |                          | fence.sc.gpu         ;
 st.relaxed.gpu x, 1 |                          | ld.relaxed.gpu r1, z ;
exists (P2:r0 == 2 /\ P2:r1 == 0))"},
    {"StoreBufferingWithFences", R"(PTX f
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1  | st.relaxed.gpu y, 1  ;
 fence.sc.gpu         | fence.sc.gpu         ;
 ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;
exists (P0:r0 == 0 /\ P1:r0 == 0))"},
    {"TwoPlusTwoWrites", R"(PTX g
{ x = 0; y = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;
 st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;
 st.relaxed.gpu y, 2 | st.relaxed.gpu x, 2 ;
exists (x == 1 /\ y == 1))"},
    {"CrossedBarriers", R"(PTX h
{ x = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0       ;
 bar.cta.sync 0, 0, 2 | bar.cta.sync 1, 1, 2 ;
 bar.cta.sync 1, 1, 2 | bar.cta.sync 0, 0, 2 ;
exists (x == 0))"},
    {"OwnWeakStoreBelowAnAtomic", R"(PTX i
{ y = 0; }
 P0@cta 0,gpu 0                | P1@cta 0,gpu 0                 ;
 st.weak y, 2                  | atom.relaxed.sys.exch r0, y, 2 ;
 atom.relaxed.sys.add r0, y, 2 |                                ;
exists (y == 0))"},
    {"ReadThatOrdersTheAccessItWouldRaceWith", R"(PTX j
{ x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.weak x, 2        | ld.acquire.sys r0, x ;
 st.release.sys x, 3 |                      ;
exists (x == 0))"},
    {"CasThatRacesOnlyWhereItSucceeds", R"(PTX k
{ x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0                   ;
 ld.weak r0, x       | atom.relaxed.sys.cas r0, x, 1, 2 ;
 st.relaxed.sys x, 1 |                                  ;
exists (x == 0))"},
    {"CasThatRacesOnlyBehindAnotherCas", R"(PTX l
{ x = 0; }
 P0@cta 0,gpu 0                   | P1@cta 0,gpu 0                   ;
 ld.weak r0, x                    | atom.relaxed.sys.cas r0, x, 1, 0 ;
 atom.relaxed.sys.cas r1, x, 0, 1 |                                  ;
exists (x == 0))"},
    {"CasThatIsOrderedByWhatItReads", R"(PTX m
{ x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0                   ;
 ld.weak r0, x       | atom.acquire.sys.cas r0, x, 1, 2 ;
 st.release.sys x, 1 |                                  ;
exists (x == 2))"},
    {"CasThatReadsTooLittle", R"(PTX n
{ x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0                   | P2@cta 2,gpu 0      ;
 ld.weak r0, x       | atom.acquire.sys.cas r0, x, 1, 2 | st.relaxed.sys x, 1 ;
 st.release.sys x, 1 |                                  |                     ;
exists (x == 2))"},
};

class Answers : public ::testing::TestWithParam<Outside> {};
INSTANTIATE_TEST_SUITE_P(View, Answers, ::testing::ValuesIn(inside), [](const auto& instance) { return instance.param.name; });

TEST_P(Answers, WhatIsExactOrDeclines) {
  Problem problem = parse_litmus(GetParam().litmus, GetParam().name);
  problem.contract = {};
  const EngineComparison comparison = compare_engines(problem);
  EXPECT_EQ(comparison.difference, "");
  std::cout << fmt::format("{}: {}\n", GetParam().name, comparison.declined.empty() ? "taken" : comparison.declined);
}

// Visits of one thread in different rounds of a loop: load buffering across rounds.
TEST(View, DeclinesLoadBufferingAcrossTheRoundsOfALoop) {
  const auto thread = [](const char* name, const char* in, const char* out, bool store_first) {
    KernelBuilder k(name);
    const Array a = k.global(in, Type::u32), b = k.global(out, Type::u32);
    k.for_(0, 2, [&](const Val&) {
      if (store_first) k.st(b[0], 1, relaxed(Scope::gpu));
      (void)k.ld(a[0], relaxed(Scope::gpu));
      if (!store_first) k.st(b[0], 1, relaxed(Scope::gpu));
    });
    return k.build();
  };
  for (const bool store_first : {false, true}) {
    Problem problem;
    problem.name = "rounds";
    problem.kernels = {thread("P0", "x", "y", store_first), thread("P1", "y", "x", store_first)};
    problem.buffers = {{"x", Type::u32, 1, Role::workspace, {}, {}, false}, {"y", Type::u32, 1, Role::workspace, {}, {}, false}};
    problem.launches.emplace_back();
    problem.launches[0].placed = {{KernelId{0}, {CtaId{0}, ClusterId{0}, DeviceId{0}}},
                                  {KernelId{1}, {CtaId{1}, ClusterId{1}, DeviceId{0}}}};
    EXPECT_EQ(run(problem, Engine::view).verdict, Verdict::inconclusive);
  }
}

// --- Faults on purpose ---

// What random programs show too seldom.
constexpr const char* directed[] = {R"(PTX deposit-in-time
{ x = 0; y = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0 ;
 st.weak x, 1        | fence.sc.gpu   ;
 fence.sc.gpu        | ld.weak r0, x  ;
 st.relaxed.gpu y, 1 |                ;
exists (x == 1))",
                                    R"(PTX earlier-read-counts
{ d = 0; x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0      ;
 st.weak d, 1        | ld.relaxed.gpu r0, x | st.relaxed.gpu x, 2 ;
 st.release.gpu x, 1 | ld.relaxed.gpu r1, x |                     ;
                     | bne r0, 1, LC00      |                     ;
                     | fence.acq_rel.gpu    |                     ;
                     | ld.weak r2, d        |                     ;
                     | LC00:                |                     ;
exists (d == 1))",
                                    R"(PTX written-after-the-fence
{ d = 0; e = 0; x = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.weak d, 1        | ld.acquire.gpu r0, x ;
 fence.acq_rel.gpu   | bne r0, 1, LC00      ;
 st.weak e, 1        | ld.weak r1, e        ;
 st.relaxed.gpu x, 1 | LC00:                ;
exists (d == 1))",
                                    R"(PTX red-takes-nothing
{ x = 0; y = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0           ;
 st.relaxed.gpu y, 1 | red.relaxed.gpu.add x, 1 ;
 st.release.gpu x, 1 | fence.acq_rel.gpu        ;
                     | ld.relaxed.gpu r0, y     ;
exists (x == 2 /\ P1:r0 == 0))"};

// Programs on which a fault shows, if any: random ones, and variants of the catalogue.
class Noticing {
 public:
  Noticing() {
    for (const char* text : directed) {
      samples_.push_back({parse_litmus(text, "directed"), {}});
      samples_.back().problem.contract = {};
    }
    constexpr std::uint64_t programs[] = {450, 60, 360, 60, 240};  // of each family
    for (std::size_t f = 0; f < std::size(families); ++f)
      for (std::uint64_t n = 0; n < programs[f] / (small_scale() ? 30 : 1); ++n)
        samples_.push_back({families[f].draw(2'000'000 + n), {}});
  }
  // The name of a program that is answered otherwise than by the graph explorer; empty: none.
  std::string notice(view::Mutation mutation) {
    ViewChoice choice;
    choice.reductions.mutation = static_cast<std::uint8_t>(mutation);
    for (Sample& s : samples_) {
      try {
        const EngineComparison c = compare_engines(
            s.problem,
            [&] {
              if (!s.answer) s.answer = graph_answer(s.problem);
              return *s.answer;
            },
            choice);
        if (!c.difference.empty()) return s.problem.name;
      } catch (const InternalError&) {
        return s.problem.name + " (an internal check)";
      }
    }
    return "";
  }

 private:
  struct Sample {
    Problem problem;
    std::optional<GraphAnswer> answer;
  };
  std::vector<Sample> samples_;
};

TEST(ViewMutants, AreNoticed) {
  Noticing programs;
  for (std::uint8_t m = 1; m < view::mutations; ++m) {
    const std::string by = programs.notice(static_cast<view::Mutation>(m));
    std::cout << fmt::format("mutation {}: noticed by {}\n", m, by.empty() ? "nothing" : by);
    if (!small_scale()) {
      EXPECT_NE(by, "") << "mutation " << int{m};
    }
  }
}

}  // namespace
}  // namespace fencewise::testing
