// Progress models against what they say: small programs against every interleaving, small state graphs against every set of steps.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "checker/check.h"
#include "checker/explore/view/allowed_cycle.h"
#include "kernels/frontend/litmus/parse.h"
#include "tests/support/progress_reference.h"

namespace fencewise {
namespace {

using testing::SmallInstruction;
using testing::SmallProgram;

constexpr ProgressModel flat_models[] = {ProgressModel::fair,    ProgressModel::hsa,  ProgressModel::obe,
                                         ProgressModel::hsa_obe, ProgressModel::lobe, ProgressModel::unfair};

// On one location coherence alone gives what interleaving does, loads of old values included; on two, atomics do.
SmallProgram a_program(std::uint32_t threads, std::uint32_t most_instructions) {
  using Kind = SmallInstruction::Kind;
  const std::uint32_t locations = *rc::gen::inRange(1U, 3U);
  SmallProgram program(threads);
  for (auto& thread : program) {
    const std::uint32_t size = *rc::gen::inRange(1U, most_instructions + 1);
    for (std::uint32_t n = 0; n < size; ++n) {
      SmallInstruction i;
      i.kind = locations == 1 ? *rc::gen::element(Kind::exchange, Kind::load, Kind::test_zero, Kind::swap_zero)
                              : *rc::gen::element(Kind::exchange, Kind::test_zero, Kind::swap_zero);
      i.location = *rc::gen::inRange(0U, locations);
      i.value = *rc::gen::inRange(0U, 2U);
      i.jump_on = *rc::gen::inRange(0U, 2U);
      i.unless = *rc::gen::arbitrary<bool>();
      i.target = *rc::gen::inRange(0U, size + 1);
      thread.push_back(i);
    }
  }
  return program;
}

// Whether every run ends; none where it is not decided.
std::optional<bool> ends(const SmallProgram& program, ProgressModel model) {
  Problem problem = parse_litmus(testing::litmus_text(program), "small.litmus");
  problem.contract = {};
  CheckOptions options;
  options.engine = Engine::view;
  options.progress = {model, model, model};
  Limits limits;
  limits.states = 200;  // exchanges that chase each other leave states without end
  const CheckResult result = check(problem, options, limits);
  if (result.verdict == Verdict::inconclusive) return std::nullopt;
  return result.verdict == Verdict::verified;
}

void expect_as_interleaved(const SmallProgram& program) {
  const testing::Interleaving all(program);
  for (const ProgressModel model : flat_models) {
    const auto got = ends(program, model);
    if (got && *got != all.always_terminates(model))
      RC_FAIL(fmt::format("under {} {}:\n{}", name(model), *got ? "it need not end" : "it ends", testing::litmus_text(program)));
  }
}

RC_GTEST_PROP(ProgressModels, AreWhatTheySayOnProgramsOfTwoThreads, ()) { expect_as_interleaved(a_program(2, 3)); }
RC_GTEST_PROP(ProgressModels, AreWhatTheySayOnProgramsOfThreeThreads, ()) { expect_as_interleaved(a_program(3, 2)); }

// Most of them are decided: else the properties above would say little.
TEST(ProgressModels, AreDecidedForNearlyAllSmallPrograms) {
  std::size_t decided = 0, all = 0;
  rc::check([&] {
    ++all;
    decided += static_cast<std::size_t>(ends(a_program(2, 3), ProgressModel::hsa).has_value());
  });
  EXPECT_GT(decided * 10, all * 9) << decided << " of " << all;
}

// --- Cycles of state graphs ---

using view::Schedulers;
using view::StateGraph;
using view::Step;

// CTAs of two warps of two lanes, as many threads as asked for.
LaunchImage an_image(std::uint32_t threads) {
  LaunchImage image;
  for (std::uint32_t t = 0; t < threads; ++t) {
    ThreadProgram& program = image.threads.emplace_back();
    program.warp_size = 2;
    program.coordinates.index_in_cta = t % 4;
    image.cta_of.push_back(t / 4);
  }
  image.ctas = (threads + 3) / 4;
  return image;
}

struct Facts {
  std::set<std::uint32_t> states;
  std::vector<bool> moves, able;
};

// Of the run that takes those steps again and again.
Facts facts_of(const StateGraph& graph, const Schedulers& schedulers, const std::vector<Step>& steps) {
  Facts f;
  f.moves.assign(schedulers.members(), false);
  f.able.assign(schedulers.members(), true);
  for (const Step& s : steps) {
    f.states.insert({s.from, s.to});
    schedulers.each_of(s.thread, [&](Schedulers::Member m) { f.moves[m] = true; });
  }
  for (const std::uint32_t state : f.states) {
    std::vector<bool> here(schedulers.members(), false);
    for (const Step& s : graph.steps)
      if (s.from == state) schedulers.each_of(s.thread, [&](Schedulers::Member m) { here[m] = true; });
    for (std::size_t m = 0; m < here.size(); ++m) f.able[m] = f.able[m] && here[m];
  }
  return f;
}

bool connected(const std::vector<Step>& steps) {
  std::set<std::uint32_t> states;
  for (const Step& s : steps) states.insert({s.from, s.to});
  for (const std::uint32_t from : states) {
    std::set<std::uint32_t> seen{from};
    for (std::size_t before = 0; before != seen.size();) {
      before = seen.size();
      for (const Step& s : steps)
        if (seen.contains(s.from)) seen.insert(s.to);
    }
    if (seen != states) return false;
  }
  return true;
}

RC_GTEST_PROP(AllowedCycle, IsFoundWhereSomeSetOfStepsIsAllowed, ()) {
  const auto model = [] { return *rc::gen::elementOf(std::vector<ProgressModel>(std::begin(flat_models), std::end(flat_models))); };
  const std::uint32_t threads = *rc::gen::inRange(1U, 7U);
  const Schedulers schedulers(an_image(threads), {model(), model(), model()});
  const std::uint32_t states = *rc::gen::inRange(1U, 4U);
  StateGraph graph;
  graph.partly.assign(states, false);
  const std::uint32_t steps = *rc::gen::inRange(1U, 9U);
  for (std::uint32_t n = 0; n < steps; ++n) {
    const bool out = *rc::gen::weightedElement<bool>({{1, true}, {4, false}});
    graph.steps.push_back({*rc::gen::inRange(0U, states), out ? Step::out : *rc::gen::inRange(0U, states), *rc::gen::inRange(0U, threads)});
  }
  Schedulers::Standing standing;
  for (std::uint32_t t = 0; t < threads; ++t) {
    const bool moves = std::any_of(graph.steps.begin(), graph.steps.end(), [&](const Step& s) { return s.thread == t; });
    standing.finished.push_back(!moves && *rc::gen::arbitrary<bool>());
    standing.stepped.push_back(moves || *rc::gen::arbitrary<bool>());
  }
  const std::vector<bool> promised = schedulers.promised(standing);

  bool some = false;
  for (std::uint32_t set = 1; set < 1U << steps && !some; ++set) {
    std::vector<Step> chosen;
    for (std::uint32_t n = 0; n < steps; ++n)
      if ((set >> n & 1U) != 0) chosen.push_back(graph.steps[n]);
    if (std::any_of(chosen.begin(), chosen.end(), [](const Step& s) { return s.to == Step::out; }) || !connected(chosen)) continue;
    const Facts f = facts_of(graph, schedulers, chosen);
    some = !schedulers.wronged(promised, f.moves, f.able);
  }
  const auto found = allowed_cycle(graph, schedulers, [&](std::uint32_t) { return standing; });
  RC_ASSERT(found.has_value() == some);
  if (!found) return;
  std::uint32_t at = found->start;
  for (const Step& s : found->steps) {
    RC_ASSERT(s.from == at);
    at = s.to;
  }
  RC_ASSERT(at == found->start);
  const Facts f = facts_of(graph, schedulers, found->steps);
  RC_ASSERT(!schedulers.wronged(promised, f.moves, f.able));
}

}  // namespace
}  // namespace fencewise
