// The view explorer against the graph explorer on random launch plans: launches on two streams with events between them, replays,
// and launches that reset what others count on.
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernels/core/builder.h"
#include "kernels/core/printer.h"
#include "protocols/parts.h"
#include "tests/support/differential.h"
#include "tests/support/engines.h"

namespace fencewise::testing {
namespace {

// What a CTA does: one operation on one of two places.
struct PlannedStep {
  enum class Kind : std::uint8_t { load, store, add, reset, fence } kind = Kind::load;
  std::uint32_t place = 0;
  bool strong = true;
  bool synchronizes = true;  // releases, acquires, or both; a fence: sc
};

struct PlannedLaunch {
  std::uint32_t stream = 0;
  bool waits = false;  // for the launch before it, whatever its stream
  std::uint32_t ctas = 1;
  std::vector<PlannedStep> steps;
};

struct Plan {
  std::vector<PlannedLaunch> launches;
  std::uint32_t replays = 1;
};

void emit(KernelBuilder& k, const PlannedStep& step, const Place& place, const Place& seen) {
  using enum PlannedStep::Kind;
  switch (step.kind) {
    case load: {
      const How how = !step.strong ? weak : step.synchronizes ? acquire(Scope::gpu) : relaxed(Scope::gpu);
      k.st(seen, k.ld(place, how));
      break;
    }
    case store:
      k.st(place, 1, !step.strong ? weak : step.synchronizes ? release(Scope::gpu) : relaxed(Scope::gpu));
      break;
    case add:
      k.st(seen,
           k.atom(AtomicOp::add, place, 1, step.synchronizes ? acq_rel(Scope::gpu) : relaxed(Scope::gpu)));
      break;
    case reset: k.st(place, 0, step.strong ? relaxed(Scope::gpu) : weak); break;
    case fence: k.fence(step.synchronizes ? Order::sc : Order::acq_rel, Scope::gpu); break;
  }
}

// What each CTA read is left in a slot of its own, so that final memories tell behaviours apart.
Problem problem_of(const Plan& plan) {
  Problem problem;
  problem.name = "plan";
  problem.replays = plan.replays;
  problem.buffers = {protocols::workspace("x", Type::u32, 2, InitialContents::Kind::zero)};
  std::uint32_t slots = 0;
  for (const PlannedLaunch& planned : plan.launches) {
    const auto id = static_cast<std::uint32_t>(problem.launches.size());
    KernelBuilder k(fmt::format("k{}", id + 1));
    const Array x = k.global("x", Type::u32), seen = k.global("seen", Type::u32);
    for (const PlannedStep& step : planned.steps) {
      emit(k, step, x[step.place], seen[k.ctaid() + slots]);
      slots += planned.ctas;
    }
    problem.kernels.push_back(k.build());
    Launch& launch = problem.launches.emplace_back();
    launch.kernel = KernelId{id};
    launch.grid.x = planned.ctas;
    launch.stream = StreamId{planned.stream};
    if (planned.waits && id > 0) launch.after = {LaunchId{id - 1}};
  }
  problem.buffers.push_back(
      protocols::workspace("seen", Type::u32, std::max(slots, 1U), InitialContents::Kind::zero));
  return problem;
}

}  // namespace
}  // namespace fencewise::testing

namespace rc {

using fencewise::testing::Plan;
using fencewise::testing::PlannedLaunch;
using fencewise::testing::PlannedStep;

template <> struct Arbitrary<PlannedStep> {
  static Gen<PlannedStep> arbitrary() {
    using enum PlannedStep::Kind;
    return gen::build<PlannedStep>(
        gen::set(&PlannedStep::kind,
                 gen::weightedElement<PlannedStep::Kind>({{3, load}, {3, store}, {4, add}, {2, reset}, {2, fence}})),
        gen::set(&PlannedStep::place, gen::inRange(0U, 2U)),
        gen::set(&PlannedStep::strong, gen::weightedElement<bool>({{5, true}, {1, false}})),
        gen::set(&PlannedStep::synchronizes, gen::arbitrary<bool>()));
  }
};

template <> struct Arbitrary<PlannedLaunch> {
  static Gen<PlannedLaunch> arbitrary() {
    return gen::build<PlannedLaunch>(
        gen::set(&PlannedLaunch::stream, gen::inRange(0U, 2U)),
        gen::set(&PlannedLaunch::waits, gen::weightedElement<bool>({{2, false}, {1, true}})),
        gen::set(&PlannedLaunch::ctas, gen::weightedElement<std::uint32_t>({{3, 1U}, {1, 2U}})),
        gen::set(&PlannedLaunch::steps, gen::resize(3, gen::arbitrary<std::vector<PlannedStep>>())));
  }
};

template <> struct Arbitrary<Plan> {
  static Gen<Plan> arbitrary() {
    const auto launches = gen::mapcat(gen::inRange<std::size_t>(2, 5), [](std::size_t n) {
      return gen::container<std::vector<PlannedLaunch>>(n, gen::arbitrary<PlannedLaunch>());
    });
    return gen::build<Plan>(
        gen::set(&Plan::launches, launches),
        gen::set(&Plan::replays, gen::weightedElement<std::uint32_t>({{3, 1U}, {1, 2U}})));
  }
};

}  // namespace rc

namespace fencewise::testing {
namespace {

TEST(Plans, GetTheSameAnswerFromBothExplorers) {
  EngineSpread spread;
  const std::size_t plans_a_try = small_scale() ? 1 : 15;  // RapidCheck tries a hundred times
  EXPECT_TRUE(rc::check("view and graph agree", [&] {
    for (std::size_t n = 0; n < plans_a_try; ++n) {
      const Problem problem = problem_of(*rc::gen::arbitrary<Plan>());
      const EngineComparison comparison = compare_engines(problem);
      spread.count(comparison);
      if (!comparison.difference.empty()) RC_FAIL(print(problem, {}) + comparison.difference);
    }
  }));
  std::cout << spread.text() << "\n";
  EXPECT_GE(spread.compared(), 90 * plans_a_try);
  EXPECT_GE(spread.with_states(), 10 * plans_a_try);
}

}  // namespace
}  // namespace fencewise::testing
