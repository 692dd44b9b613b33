// Stronger programs show no more: widening a scope, raising an order, adding a fence never adds a final state.
//
// Why it holds: each change only adds pairs to moral strength, to the patterns or to the fence.sc pairs, everything derived
// from them only grows, and every axiom forbids more when its relations grow. Seeds are counted from 1, so that a failure
// names the program; each is a random test of tests/litmus size, changed in every single place.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/parse.h"
#include "tests/support/differential.h"
#include "tests/support/litmus_suite.h"

namespace fencewise {
namespace {

using testing::all_models;
using testing::small_scale;

using States = std::set<std::string>;

// No value: more than the search is meant for, or a bound cut it.
std::optional<States> states_of(const Problem& problem, Model model) {
  CheckOptions options;
  options.model = model;
  options.races = Races::off;
  options.stop_at_first = false;
  options.collect_states = true;
  Limits limits;
  limits.graphs = 20'000;
  const CheckResult result = check(problem, options, limits);
  if (!result.unexplored.empty()) return std::nullopt;
  return States(result.final_states.begin(), result.final_states.end());
}

// The states of `some` that `all` lacks, a line each.
std::string lacking(const States& some, const States& all) {
  std::string text;
  for (const std::string& state : some)
    if (!all.contains(state)) text += state + "\n";
  return text;
}

GeneratorOptions small_programs() {
  GeneratorOptions options;
  options.max_operations = 5;
  return options;
}

Problem program(std::uint64_t seed, const GeneratorOptions& options) {
  Problem problem = generate_litmus(seed, options);
  problem.contract = {};
  return problem;
}

// --- Single changes that make a program stronger ---

struct Change {
  std::string what;
  Problem problem;
};

Access* access_of(Operation& operation) {
  if (auto* load = std::get_if<Load>(&operation)) return &load->access;
  if (auto* store = std::get_if<Store>(&operation)) return &store->access;
  if (auto* atomic = std::get_if<Atomic>(&operation)) return &atomic->access;
  return nullptr;
}

Scope wider(Scope scope) { return static_cast<Scope>(static_cast<int>(scope) + 1); }

// The next stronger orders of an access of this kind.
std::vector<Order> stronger(const Operation& operation, Order order) {
  const bool loads = std::holds_alternative<Load>(operation),
             stores = std::holds_alternative<Store>(operation);
  if (order == Order::weak) return {Order::relaxed};
  if (order == Order::relaxed && loads) return {Order::acquire};
  if (order == Order::relaxed && stores) return {Order::release};
  if (order == Order::relaxed) return {Order::acquire, Order::release};
  if (!loads && !stores && order != Order::acq_rel) return {Order::acq_rel};
  return {};
}

class Changes {
 public:
  Changes(const Problem& problem, Model model) : problem_(problem), model_(model) {}

  std::vector<Change> all() {
    for (std::size_t k = 0; k < problem_.kernels.size(); ++k)
      for (std::size_t b = 0; b < problem_.kernels[k].blocks.size(); ++b)
        for (std::size_t n = 0; n < problem_.kernels[k].blocks[b].instructions.size(); ++n) at(k, b, n);
    return std::move(changes_);
  }

 private:
  template <class F>
  void change(const std::string& what, std::size_t k, std::size_t b, std::size_t n, F&& f) {
    Problem copy = problem_;
    f(copy.kernels[k].blocks[b].instructions, n);
    changes_.push_back({fmt::format("{} in P{}, block {}, instruction {}", what, k, b, n), std::move(copy)});
  }

  void at(std::size_t k, std::size_t b, std::size_t n) {
    Operation operation = problem_.kernels[k].blocks[b].instructions[n].operation;
    if (Access* access = access_of(operation)) change_access(operation, *access, k, b, n);
    if (const auto* fence = std::get_if<Fence>(&operation)) change_fence(*fence, k, b, n);
    for (const Order order : {Order::acq_rel, Order::sc})
      for (const Scope scope : {Scope::cta, Scope::gpu})
        change("a fence more", k, b, n, [&](auto& instructions, std::size_t i) {
          instructions.insert(instructions.begin() + static_cast<std::ptrdiff_t>(i),
                              {Fence{order, scope}, std::nullopt, {}});
        });
  }

  void change_access(const Operation& operation, const Access& access, std::size_t k, std::size_t b,
                     std::size_t n) {
    if (access.order != Order::weak && access.scope != Scope::sys)
      change("a wider scope", k, b, n, [&](auto& instructions, std::size_t i) {
        access_of(instructions[i].operation)->scope = wider(access.scope);
      });
    for (const Order order : stronger(operation, access.order))
      change("a stronger order", k, b, n,
             [&](auto& instructions, std::size_t i) { access_of(instructions[i].operation)->order = order; });
  }

  void change_fence(const Fence& fence, std::size_t k, std::size_t b, std::size_t n) {
    if (fence.scope != Scope::sys)
      change("a wider fence", k, b, n, [&](auto& instructions, std::size_t i) {
        std::get<Fence>(instructions[i].operation).scope = wider(fence.scope);
      });
    // In the versioned models fence.sc is no acquire-release fence: see below.
    const bool raised = fence.order == Order::acq_rel && (model_ == Model::ptx || model_ == Model::sc);
    if (raised)
      change("fence.sc for fence.acq_rel", k, b, n, [&](auto& instructions, std::size_t i) {
        std::get<Fence>(instructions[i].operation).order = Order::sc;
      });
  }

  const Problem& problem_;
  Model model_;
  std::vector<Change> changes_;
};

class Monotonicity : public ::testing::TestWithParam<Model> {};

TEST_P(Monotonicity, AStrongerProgramShowsNoNewFinalState) {
  const std::uint64_t seeds = small_scale() ? 20 : 250;
  std::uint64_t compared = 0, narrowed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Problem problem = program(seed, small_programs());
    const auto before = states_of(problem, GetParam());
    if (!before) continue;
    for (const Change& change : Changes(problem, GetParam()).all()) {
      const auto after = states_of(change.problem, GetParam());
      if (!after) continue;
      ++compared;
      narrowed += static_cast<std::uint64_t>(after->size() < before->size());
      ASSERT_EQ(lacking(*after, *before), "") << "new with " << change.what << ", seed " << seed << "\n"
                                              << testing::show(problem) << "becomes\n"
                                              << testing::show(change.problem);
    }
  }
  fmt::print("{} changes of programs from seeds 1 to {}: {} took a final state away, none gave one\n",
             compared, seeds, narrowed);
  if (GetParam() != Model::sc) {
    EXPECT_GT(narrowed, 0U);
  }
}

std::string label(const ::testing::TestParamInfo<Model>& info) {
  std::string text(name(info.param));
  std::erase_if(text, [](char c) { return c == '-' || c == '.'; });
  return text;
}
INSTANTIATE_TEST_SUITE_P(Models, Monotonicity, ::testing::ValuesIn(all_models), label);

// The exception: the published models give fence.sc an order among fence.sc and nothing else, so that one fence.sc in place of
// a fence.acq_rel takes the pattern away that message passing needs. (In `ptx` fence.sc is acquire-release too.)
TEST(FenceScForAcqRel, AddsAFinalStateInThePublishedModelsOnly) {
  const auto program_with = [](const std::string& fence) {
    return parse_litmus(
        "PTX mp\n{ x = 0; flag = 0; }\n"
        " P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;\n"
        " st.weak x, 1           | ld.relaxed.gpu r0, flag ;\n"
        " " +
            fence +
            " | fence.acq_rel.gpu ;\n"
            " st.relaxed.gpu flag, 1 | ld.weak r1, x           ;\n"
            "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
        "mp.litmus");
  };
  const Problem acq_rel = program_with("fence.acq_rel.gpu"), sc = program_with("fence.sc.gpu");
  const std::string stale = "1:r0=1; 1:r1=0; x=1; flag=1;";
  for (const Model model : all_models) {
    EXPECT_FALSE(states_of(acq_rel, model)->contains(stale)) << name(model);
    const bool published = model == Model::ptx_v6_0 || model == Model::ptx_v7_5;
    EXPECT_EQ(states_of(sc, model)->contains(stale), published) << name(model);
  }
}

// --- Placement ---

// Scopes of .gpu and wider include all of one GPU: that two threads share a CTA can't be told, let alone show more.
// (Barriers meet within a CTA only and are left out.)
TEST(TwoThreadsOfOneCta, ShowWhatTheyShowInTwoCtas) {
  GeneratorOptions options = small_programs();
  options.min_threads = options.max_threads = 2;
  options.barriers = options.several_gpus = false;
  const std::uint64_t seeds = small_scale() ? 50 : 1000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Problem apart = program(seed, options);
    for (Kernel& kernel : apart.kernels)
      for (Block& block : kernel.blocks)
        for (Instruction& instruction : block.instructions) {
          if (Access* access = access_of(instruction.operation))
            access->scope = std::max(access->scope, Scope::gpu);
          if (auto* fence = std::get_if<Fence>(&instruction.operation))
            fence->scope = std::max(fence->scope, Scope::gpu);
        }
    Problem together = apart;
    for (std::uint32_t t = 0; t < 2; ++t) {
      apart.launches[0].placed[t].placement = {CtaId{t}, ClusterId{t}, DeviceId{0}};
      together.launches[0].placed[t].placement = {CtaId{0}, ClusterId{0}, DeviceId{0}};
    }
    for (const Model model : all_models) {
      const auto near = states_of(together, model), far = states_of(apart, model);
      if (!near || !far) continue;
      ASSERT_EQ(lacking(*near, *far), "")
          << "only in one CTA under " << name(model) << ", seed " << seed << "\n"
          << testing::show(apart);
    }
  }
}

// --- Interleavings ---

// What some interleaving shows, the PTX model allows: it forbids nothing that a machine without any reordering does.
TEST(Interleavings, AreAllowedByPtx) {
  const std::uint64_t seeds = small_scale() ? 100 : 2000;
  std::uint64_t compared = 0, weaker = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Problem problem = program(seed, small_programs());
    const auto interleaved = states_of(problem, Model::sc), allowed = states_of(problem, Model::ptx);
    if (!interleaved || !allowed) continue;
    ++compared;
    weaker += static_cast<std::uint64_t>(allowed->size() > interleaved->size());
    ASSERT_EQ(lacking(*interleaved, *allowed), "") << "only under sc, seed " << seed << "\n"
                                                   << testing::show(problem);
  }
  fmt::print("{} programs, {} of which show more under ptx than under sc\n", compared, weaker);
}

}  // namespace
}  // namespace fencewise
