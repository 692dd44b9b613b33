// The checker and the SIMT executor on race-free kernels of one block: the outcome that the checker proves to be the only one is
// the memory that the executor leaves.
#include <random>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "checker/check.h"
#include "checker/testing/matchers.h"
#include "kernels/core/printer.h"
#include "kernels/core/simt/run.h"
#include "tests/support/random_kernel.h"

namespace fencewise {
namespace {

using testing::RandomKernel;
using testing::Statement;

// Lanes of a warp run independently, so what they do together must stand where all of them come by. Atomics of 32 threads on one
// array have too many orders to be explored.
void keep_warp_operations_together(std::vector<Statement>& statements, bool all_come_by) {
  std::erase_if(statements, [&](const Statement& s) {
    const bool together = s.kind == Statement::Kind::shuffle || s.kind == Statement::Kind::ballot;
    return s.kind == Statement::Kind::atomic || (together && (!all_come_by || s.masked));
  });
  for (Statement& s : statements) {
    keep_warp_operations_together(s.body, false);
    keep_warp_operations_together(s.other, false);
  }
}

// The executor's shared memory starts as zeros, which no GPU promises.
void clear_shared_memory(RandomKernel& random) {
  std::vector<Statement> clear;
  for (std::uint32_t first = 0; first < testing::shared_length; first += random.threads) {
    Statement store;
    store.kind = Statement::Kind::store;
    store.shared = true;
    store.value = {.base = testing::Linear::Base::tid, .plus = first};
    clear.push_back(store);
  }
  Statement barrier;
  barrier.kind = Statement::Kind::barrier;
  clear.push_back(barrier);
  random.statements.insert(random.statements.begin(), clear.begin(), clear.end());
}

struct Inputs {
  std::vector<std::uint32_t> global, out;
};

Problem problem_of(const Kernel& kernel, const RandomKernel& random, const Inputs& before, const Inputs& after) {
  Problem problem;
  problem.name = "random";
  problem.kernels = {kernel};
  const auto buffer = [&](const char* name, const std::vector<std::uint32_t>& values) {
    Buffer b;
    b.name = name;
    b.length = values.size();
    b.initial.kind = InitialContents::Kind::values;
    b.initial.values.assign(values.begin(), values.end());
    problem.buffers.push_back(std::move(b));
  };
  buffer("g", before.global);
  buffer("out", before.out);
  Launch launch;
  launch.name = "random";
  launch.kernel = KernelId{0};
  launch.block = {random.threads, 1, 1};
  launch.warp_size = 32;
  problem.launches = {launch};
  const auto expect = [&](std::uint32_t b, const std::vector<std::uint32_t>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      problem.contract.assertions.push_back({fmt::format("{}[{}] as the executor left it", problem.buffers[b].name, i),
                                             BufferTerm(BufferId{b})[Term(static_cast<std::int64_t>(i))] ==
                                                 Term(static_cast<std::int64_t>(values[i])),
                                             When::plan_end});
  };
  expect(0, after.global);
  expect(1, after.out);
  return problem;
}

RC_GTEST_PROP(CheckerAndExecutor, LeaveTheSameMemoryOfARaceFreeBlock, ()) {
  const auto choices = *rc::gen::scale(4.0, rc::gen::arbitrary<std::vector<std::uint8_t>>());
  RandomKernel random = testing::random_kernel(choices, testing::Tidiness::tidy);
  random.blocks = 1;
  random.threads = 32;  // a shuffle from a lane that is not there gives 0 in the executor, and is undefined
  keep_warp_operations_together(random.statements, true);
  clear_shared_memory(random);
  const Kernel kernel = testing::build(random);
  RC_LOG() << random.threads << " threads\n" << print(kernel);

  Inputs before{{}, std::vector<std::uint32_t>(std::size_t{random.threads} * (testing::variables + 1))};
  std::mt19937 numbers(*rc::gen::arbitrary<std::uint32_t>());
  for (std::uint32_t i = 0; i < testing::global_length; ++i) before.global.push_back(static_cast<std::uint32_t>(numbers() % 1000));
  Inputs after = before;
  RunConfig config;
  config.grid = {1, 1, 1};
  config.block = {random.threads, 1, 1};
  config.buffers = {std::as_writable_bytes(std::span(after.global)), std::as_writable_bytes(std::span(after.out))};
  const RunResult run = fencewise::run(kernel, config);
  RC_ASSERT(!run.fault.has_value());

  const CheckResult result = check(problem_of(kernel, random, before, after), CheckOptions{}, {.seconds = 30});
  RC_CLASSIFY(result.engine == "view", "by views");
  RC_ASSERT(testing::passes(result, testing::Verified()));
}

}  // namespace
}  // namespace fencewise
