// The kernels that are both checked and counted: the executor runs the very problems that the catalogue hands to the
// checker, and what it sees must fit what the catalogue expects.
#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/properties/formula.h"
#include "checker/simulate.h"
#include "kernels/core/simt/run.h"
#include "kernels/core/without_barrier.h"
#include "kernels/ledger/runnable.h"
#include "protocols/protocol.h"
#include "tests/support/differential.h"

namespace fencewise {
namespace {

// The catalogue's kernels: those with 32-bit elements, one launch and whole warps.
std::vector<const Protocol*> kernels() {
  std::vector<const Protocol*> all;
  for (const Protocol& p : catalogue())
    if (p.name != "reverse" && find_runnable(p.name) != nullptr) all.push_back(&p);
  return all;
}

Parameters with(const Protocol& protocol,
                std::initializer_list<std::pair<std::string, std::int64_t>> values) {
  Parameters parameters = protocol.standard_parameters();
  for (const auto& [name, value] : values) parameters.set(name, value);
  return parameters;
}

// --- problems on the executor ---

// Small whole numbers for symbols, so that sums are exact; -1 for what may be anything or was never written.
std::uint32_t first_value(const Buffer& buffer, std::size_t index) {
  const auto& values = buffer.initial.values;
  switch (buffer.initial.kind) {
    case InitialContents::Kind::zero: return 0;
    case InitialContents::Kind::iota: return static_cast<std::uint32_t>(index);
    case InitialContents::Kind::values:
      return static_cast<std::uint32_t>(values[std::min(index, values.size() - 1)]);
    case InitialContents::Kind::symbols: return std::bit_cast<std::uint32_t>(static_cast<float>(index % 7));
    case InitialContents::Kind::unwritten:
    case InitialContents::Kind::any: return std::bit_cast<std::uint32_t>(-1.0F);
  }
  return 0;
}

struct Ran {
  RunResult result;
  bool contract_holds = false;
};

Ran run_problem(const Problem& problem) {
  std::vector<std::vector<std::uint32_t>> memory;
  for (const Buffer& buffer : problem.buffers) {
    memory.emplace_back(buffer.length);
    for (std::size_t i = 0; i < buffer.length; ++i) memory.back()[i] = first_value(buffer, i);
  }
  const Launch& launch = problem.launches.front();
  RunConfig config{.grid = launch.grid, .block = launch.block, .buffers = {}, .params = launch.params};
  for (const auto& bound : bindings_of(problem, launch, launch.kernel))
    if (bound) config.buffers.push_back(std::as_writable_bytes(std::span(memory[bound->value])));
  Ran ran;
  ran.result = run(problem.kernels.front(), config);
  Terms terms;
  FinalState state;
  state.now = [&](BufferId buffer, std::uint64_t index) {
    return Value::number(memory[buffer.value][index]);
  };
  ran.contract_holds = true;
  for (const Assertion& assertion : problem.contract.assertions)
    ran.contract_holds &= holds(*assertion.formula, state, terms, problem) == Truth::yes;
  for (const BufferId restored : problem.contract.restored)
    for (const std::uint32_t word : memory[restored.value]) ran.contract_holds &= word == 0;
  return ran;
}

TEST(CheckedKernels, AreAllTheKernelsThatRun) {
  for (const RunnableKernel& kernel : runnable_kernels()) {
    if (kernel.name == "reverse-no-barrier") continue;  // a variant of reverse
    EXPECT_NE(find_protocol(kernel.name), nullptr) << kernel.name;
  }
  EXPECT_EQ(kernels().size(), 6U + 10U + 2U);
}

TEST(CheckedKernels, AreTheKernelsThatAreCounted) {
  for (const Protocol* protocol : kernels()) {
    const Kernel checked = instantiate(*protocol, {}).kernels.front();
    const Kernel counted = prepare(*find_runnable(protocol->name), {}).kernel;
    EXPECT_EQ(checked.name, counted.name);
    EXPECT_EQ(barriers_of(checked).size(), barriers_of(counted).size()) << protocol->name;
  }
}

TEST(CheckedKernels, KeepTheirContractInLockstep) {
  for (const Protocol* protocol : kernels()) {
    const Ran ran = run_problem(instantiate(*protocol, {}));
    EXPECT_FALSE(ran.result.fault) << protocol->name;
    EXPECT_TRUE(ran.contract_holds) << protocol->name;
    EXPECT_EQ(ran.result.counters.race_count, 0U) << protocol->name;
  }
}

TEST(CheckedKernels, KeepTheirContractInOtherShapes) {
  const auto keeps = [](const char* name,
                        std::initializer_list<std::pair<std::string, std::int64_t>> values) {
    const Protocol& protocol = *find_protocol(name);
    const Ran ran = run_problem(instantiate(protocol, with(protocol, values)));
    return !ran.result.fault && ran.contract_holds;
  };
  EXPECT_TRUE(keeps("reduction-1", {{"n", 64}, {"threads", 8}}));
  EXPECT_TRUE(keeps("reduction-5", {{"n", 512}, {"threads", 64}}));
  EXPECT_TRUE(keeps("gemm-k3", {{"n", 64}, {"depth", 96}}));
  EXPECT_TRUE(keeps("gemm-k9", {{"depth", 8}}));
  EXPECT_TRUE(keeps("gemm-k9", {{"depth", 24}}));
  EXPECT_TRUE(keeps("splitk-gemv", {{"rows_per_warp", 1}, {"splits", 4}}));
  EXPECT_TRUE(keeps("splitk-gemv-atomic", {{"rows", 16}, {"columns", 256}}));
}

TEST(DropBarrier, IsAVariantForEveryBarrierOfEveryKernel) {
  for (const Protocol* protocol : kernels()) {
    // In the shape that the last variant needs.
    const Parameters parameters = raised_to_needs(*protocol, protocol->variants.back(), {});
    const std::size_t barriers = barriers_of(instantiate(*protocol, parameters).kernels.front()).size();
    for (std::size_t n = 1; n <= barriers; ++n)
      EXPECT_NE(protocol->find(drop_barrier_name(n)), nullptr) << protocol->name << " " << n;
    EXPECT_EQ(protocol->find(drop_barrier_name(barriers + 1)), nullptr) << protocol->name;
  }
}

// What the in-order detector sees is a race under every model.
TEST(DropBarrier, IsExpectedToBeRefutedWhereEvenTheInOrderDetectorSeesARace) {
  std::size_t seen = 0, unseen = 0;
  for (const Protocol* protocol : kernels())
    for (const Variant& variant : protocol->variants) {
      if (!dropped_barrier(variant.name)) continue;
      const Parameters parameters = raised_to_needs(*protocol, variant, {});
      const bool races = run_problem(instantiate(*protocol, parameters, variant.name)).result.counters.race_count > 0;
      if (races) {
        EXPECT_EQ(variant.ptx.verdict, Verdict::violated) << protocol->name << " " << variant.name;
      }
      if (variant.ptx.verdict == Verdict::violated) races ? ++seen : ++unseen;
    }
  EXPECT_EQ(seen, 5U + 3 * 3 + 2 * 5 + 2 * 8 + 2);
  EXPECT_EQ(unseen, 5U + 3 * 7 + 2) << "races within a warp, and between the CTAs of split-K";
}

// Interleavings alone, all threads: a wrong result turns up where one is expected. What has warp operations isn't simulated.
TEST(DropBarrier, GivesWrongResultsInRandomInterleavingsUnlessItIsNotNeeded) {
  const auto goes_wrong = [](const Problem& problem, std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      for (const SimulatedReplay& replay : simulate(problem, {.finish_order = {}, .seed = seed}))
        if (!replay.ok) return true;
    return false;
  };
  for (const char* name : {"reduction-1", "reduction-2", "reduction-3", "reduction-4", "reduction-6",
                           "gemm-k3", "gemm-k6", "gemm-k9"}) {
    if (testing::small_scale() && std::string_view(name).starts_with("gemm")) continue;
    for (const Variant& variant : find_protocol(name)->variants) {
      if (!dropped_barrier(variant.name)) continue;
      const Parameters parameters = raised_to_needs(*find_protocol(name), variant, {});
      if (testing::small_scale() && parameters["n"] > 512) continue;
      const bool wrong = variant.sc.verdict == Verdict::violated;  // else the checker proves more than this can
      EXPECT_EQ(goes_wrong(instantiate(*find_protocol(name), parameters, variant.name), wrong ? 40 : 10), wrong)
          << name << " " << variant.name;
    }
  }
}

// --- the checker ---

// What `check --all-variants` shows: each kernel is free of races, and of its barriers each is needed or proven not to be.
TEST(CheckedKernels, AreProvenOrRefutedWithAllTheirThreadsAsTheCatalogueSays) {
  std::size_t refuted = 0, unnecessary = 0;
  for (const Protocol* protocol : kernels())
    for (const Variant& variant : protocol->variants) {
      const bool drops = dropped_barrier(variant.name).has_value();
      if (testing::small_scale() && !variant.name.empty() && variant.name != "drop-barrier-1") continue;
      SCOPED_TRACE(protocol->name + " " + variant.name);
      const Parameters parameters = raised_to_needs(*protocol, variant, {});
      const CheckResult result =
          check(instantiate(*protocol, parameters, variant.name), {}, {.seconds = 120});
      ASSERT_EQ(result.verdict, variant.ptx.verdict) << result.reason;
      (result.verdict == Verdict::verified ? unnecessary : refuted) += drops;
      if (result.verdict == Verdict::verified) continue;
      const Finding& first = result.findings.front();
      EXPECT_EQ(std::ranges::count(variant.ptx.kinds, first.kind), 1) << first.message;
      EXPECT_TRUE(first.location.starts_with(variant.ptx.place)) << first.location;
    }
  if (testing::small_scale()) return;
  EXPECT_EQ(refuted, 4U * 10 + 2 * 5 + 8 * 2 + 2 * 2);
  EXPECT_EQ(unnecessary, 4U) << "the last of reductions 1 to 4";
}

std::string array_of_first(const CheckResult& result) {
  return result.findings.empty() ? "" : result.findings.front().location.substr(0, 5);
}

TEST(DropBarrier, IsRefutedInASmallBlockUnlessItIsTheLast) {
  CheckOptions options;
  options.engine = Engine::graph;
  for (int version = 1; version <= 4; ++version) {
    const Protocol& protocol = *find_protocol("reduction-" + std::to_string(version));
    const Problem base = instantiate(protocol, with(protocol, {{"n", version < 4 ? 4 : 8}, {"threads", 4}}));
    EXPECT_EQ(check(base, options).verdict, Verdict::verified) << protocol.name;
    for (std::size_t n = 1; n <= 3; ++n) {
      Problem dropped = base;
      dropped.kernels = {without_barrier(base.kernels.front(), n)};
      const CheckResult result = check(dropped, options);
      EXPECT_EQ(result.verdict, n == 3 ? Verdict::verified : Verdict::violated) << protocol.name << " " << n;
      EXPECT_EQ(array_of_first(result), n == 3 ? "" : "sdata") << protocol.name << " " << n;
    }
  }
}

// The smallest block that has the tail: 64 threads. The in-order detector passes it.
TEST(Reduction6, PassesTheInOrderDetectorAndIsRefuted) {
  const Protocol& protocol = *find_protocol("reduction-6");
  const Problem problem = instantiate(protocol, with(protocol, {{"n", 128}, {"threads", 64}}));
  const Ran ran = run_problem(problem);
  EXPECT_TRUE(ran.contract_holds);
  EXPECT_EQ(ran.result.counters.race_count, 0U);
  const CheckResult result = check(problem, {});
  EXPECT_EQ(result.verdict, Verdict::violated);
  EXPECT_EQ(result.findings.front().kind, FindingKind::race);
  EXPECT_EQ(result.findings.front().location.substr(0, 6), "sdata[");
}

}  // namespace
}  // namespace fencewise
