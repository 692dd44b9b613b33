// Whether outputs depend on the order of execution: sums of floats by atomics do, in order they don't, integers never.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/testing/matchers.h"
#include "kernels/core/builder.h"
#include "kernels/core/error.h"
#include "memmodel/judge.h"
#include "protocols/parts.h"
#include "protocols/protocol.h"

namespace fencewise::testing {
namespace {

using ::testing::HasSubstr;
using namespace protocols;

Problem split_k(const char* protocol, std::int64_t splits, std::int64_t replays = 1,
                const char* variant = "") {
  Parameters p;
  p.set("splits", splits);
  p.set("replays", replays);
  return instantiate(*find_protocol(protocol), p, variant);
}

// CTAs add, by one atomic each, to a cell that the launch after it copies out.
Problem added_up(Type type, AtomicOp op, std::uint32_t ctas) {
  KernelBuilder add("add"), take("take");
  {
    const Array in = add.global("in", type), cell = add.global("cell", type);
    const Val mine = add.ld(in[add.ctaid()]);
    if (op == AtomicOp::exch)
      static_cast<void>(add.atom(op, cell[0], mine));
    else
      add.red(op, cell[0], mine);
  }
  take.st(take.global("out", type)[0], take.ld(take.global("cell", type)[0]));
  Problem problem;
  problem.name = "added-up";
  problem.kernels = {add.build(), take.build()};
  problem.buffers = {input("in", type, ctas), workspace("cell", type, 1, InitialContents::Kind::zero),
                     output("out", type, 1)};
  problem.launches.resize(2);
  problem.launches[0].grid.x = ctas;
  problem.launches[1].kernel = KernelId{1};
  return problem;
}

// Each CTA leaves in its slot what the order of arrival gives it; the last adds the slots up, in their order.
Problem given_out(Type type, std::uint32_t ctas) {
  KernelBuilder k("given_out");
  const Array in = k.global("in", type), ws = k.global("ws", type), out = k.global("out", type);
  const Array drawn = k.global("drawn", Type::u32), count = k.global("count", Type::u32);
  k.st(ws[k.ctaid()], k.ld(in[k.atom(AtomicOp::add, drawn[0], 1)]));
  const Val before = k.atom(AtomicOp::add, count[0], 1, acq_rel(Scope::gpu));
  k.if_(before == std::int64_t{ctas} - 1, [&] {
    const Val sum = k.var("sum", type, 0);
    k.for_(0, std::int64_t{ctas}, [&](const Val& cta) { k.set(sum, sum + k.ld(ws[cta])); });
    k.st(out[0], sum);
  });
  Problem problem;
  problem.name = "given-out";
  problem.kernels = {k.build()};
  problem.buffers = {input("in", type, ctas), workspace("ws", type, ctas, InitialContents::Kind::any), output("out", type, 1),
                     workspace("drawn", Type::u32, 1, InitialContents::Kind::zero),
                     workspace("count", Type::u32, 1, InitialContents::Kind::zero)};
  problem.launches.resize(1);
  problem.launches[0].grid.x = ctas;
  return problem;
}

class Determinism : public ::testing::TestWithParam<Engine> {
 protected:
  [[nodiscard]] static CheckOptions options() {
    CheckOptions o;
    o.engine = GetParam();
    o.determinism = true;
    return o;
  }
  [[nodiscard]] static CheckResult run(const Problem& problem) { return check(problem, options()); }
};
INSTANTIATE_TEST_SUITE_P(Engines, Determinism, ::testing::Values(Engine::graph, Engine::view),
                         [](const auto& i) { return i.param == Engine::graph ? "graph" : "view"; });

TEST_P(Determinism, OfSplitKIsLostWithAtomics) {
  EXPECT_THAT(run(split_k("splitk-serial", 3)), Verified());
  EXPECT_THAT(run(split_k("splitk-atomic", 3)), Violated(FindingKind::order_dependent, "out"));
}

TEST_P(Determinism, OfASumOfTwoIsGiven) {
  // 0 + a + b is 0 + b + a: IEEE additions commute, and are not associative.
  EXPECT_THAT(run(split_k("splitk-atomic", 2)), Verified());
}

TEST_P(Determinism, OfAlwaysTheSameOrderOfReplaysIsGiven) {
  EXPECT_THAT(run(split_k("splitk-serial", 3, 2)), Verified());
}

TEST_P(Determinism, ShowsTwoOrdersWhichTheAxiomsAccept) {
  const Problem problem = split_k("splitk-atomic", 3, 2);
  const CheckResult result = run(problem);
  ASSERT_THAT(result, Violated(FindingKind::order_dependent, "out"));
  const Finding& f = result.findings.front();
  ASSERT_EQ(f.witness.launches.size(), f.other.launches.size());
  EXPECT_NE(f.witness.launches.back().graph.rf, f.other.launches.back().graph.rf);
  for (const Witness* w : {&f.witness, &f.other})
    for (const WitnessLaunch& launch : w->launches) EXPECT_FALSE(judge(launch.graph, reading_of(Model::ptx)));
  EXPECT_THAT(f.message, HasSubstr("in one order of execution"));
  const Finding shown = replay(problem, options(), f);
  EXPECT_EQ(shown.location, f.location);
}

TEST_P(Determinism, RefusesAReplayOfTwoOrdersThatAgree) {
  const Problem problem = split_k("splitk-atomic", 3);
  Finding f = run(problem).findings.front();
  f.other = f.witness;
  EXPECT_THROW((void)replay(problem, options(), f), InputError);
}

TEST_P(Determinism, OfIntegersIsGivenWhateverTheOperation) {
  for (const AtomicOp op :
       {AtomicOp::add, AtomicOp::min, AtomicOp::max, AtomicOp::bit_and, AtomicOp::bit_or, AtomicOp::bit_xor})
    EXPECT_THAT(run(added_up(Type::u32, op, 3)), Verified()) << static_cast<int>(op);
  EXPECT_THAT(run(added_up(Type::u32, AtomicOp::exch, 2)), Violated(FindingKind::order_dependent, "out"));
}

// Up to the names of CTAs there is one behaviour. Which CTA got what is not in the sum of all, but in the order of the additions.
TEST_P(Determinism, AsksWhatStandsWhereInASum) {
  EXPECT_THAT(run(given_out(Type::f32, 3)), Violated(FindingKind::order_dependent, "out"));
  EXPECT_THAT(run(given_out(Type::f32, 2)), Verified());
  const CheckResult integers = run(given_out(Type::u32, 3));
  EXPECT_THAT(integers, Verified());
  EXPECT_EQ(integers.search.interchangeable, GetParam() == Engine::view ? 3U : 0U);
}

TEST_P(Determinism, OfFloatsDependsOnTheOperation) {
  EXPECT_THAT(run(added_up(Type::f32, AtomicOp::add, 3)), Violated(FindingKind::order_dependent, "out"));
}

// Numbers may add up to the same by chance: inputs of floats are taken as symbols.
TEST_P(Determinism, HoldsForAllInputs) {
  Problem problem = added_up(Type::f32, AtomicOp::add, 3);
  problem.buffers[0] = whole_numbers("in", 3, 3);
  EXPECT_THAT(run(problem), Violated(FindingKind::order_dependent, "out"));
}

TEST_P(Determinism, TellsFirstWhatIsWrongInItself) {
  EXPECT_THAT(run(split_k("splitk-serial", 3, 1, "no-acquire-fence")), Violated(FindingKind::race, "ws["));
}

TEST_P(Determinism, NeedsAnOutput) {
  Problem problem = added_up(Type::u32, AtomicOp::add, 2);
  problem.buffers[2].role = Role::workspace;
  EXPECT_THROW((void)run(problem), InputError);
}

TEST(DeterminismSize, IsPinned) {
  const auto sizes = [](const char* protocol, std::int64_t splits) {
    std::string text;
    for (const Engine engine : {Engine::graph, Engine::view}) {
      CheckOptions options;
      options.engine = engine;
      options.determinism = true;
      const CheckResult result = check(split_k(protocol, splits), options);
      text += fmt::format("{} {}; ", name(result.verdict),
                          engine == Engine::view ? result.search.states : result.search.graphs);
    }
    return text;
  };
  EXPECT_EQ(sizes("splitk-serial", 3), "verified 6; verified 5; ");
  EXPECT_EQ(sizes("splitk-serial", 4), "verified 24; verified 6; ");
  EXPECT_EQ(sizes("splitk-atomic", 3), "violated 7; violated 62; ");
}

// As many states as without the question.
TEST(DeterminismSize, OfSplitKIsLinear) {
  const auto states = [](std::int64_t splits, Reduction symmetry) {
    CheckOptions options;
    options.engine = Engine::view;
    options.determinism = true;
    options.symmetry = symmetry;
    const CheckResult result = check(split_k("splitk-serial", splits, 2), options);
    return fmt::format("{} {}", name(result.verdict), result.search.states);
  };
  EXPECT_EQ(states(8, Reduction::off), "verified 514");
  EXPECT_EQ(states(8, Reduction::automatic), "verified 20");
  EXPECT_EQ(states(64, Reduction::automatic), "verified 132");
}

}  // namespace
}  // namespace fencewise::testing
