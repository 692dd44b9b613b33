// Random kernels: the SIMT executor against a scalar lockstep recount, and against the one-thread interpreter.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "kernels/core/printer.h"
#include "kernels/core/simt/run.h"
#include "tests/support/lockstep.h"
#include "tests/support/random_kernel.h"

namespace fencewise {
namespace {

using testing::random_kernel;
using testing::RandomKernel;
using testing::Tidiness;

struct Run {
  std::vector<std::uint32_t> global, out;
  RunResult result;
};

Run run_simt(const RandomKernel& random, const Kernel& kernel, unsigned workers) {
  Run run{std::vector<std::uint32_t>(testing::global_length),
          std::vector<std::uint32_t>(std::size_t{random.blocks} * random.threads * (testing::variables + 1)),
          {}};
  for (std::uint32_t i = 0; i < testing::global_length; ++i) run.global[i] = i * 3;
  RunConfig config;
  config.grid = {random.blocks, 1, 1};
  config.block = {random.threads, 1, 1};
  config.buffers = {std::as_writable_bytes(std::span(run.global)),
                    std::as_writable_bytes(std::span(run.out))};
  config.workers = workers;
  run.result = fencewise::run(kernel, config);
  return run;
}

std::vector<std::uint8_t> choices() {
  return *rc::gen::scale(10.0, rc::gen::arbitrary<std::vector<std::uint8_t>>());
}

// The names of the counters that differ, with both values; empty if none does.
std::string differences(const Counters& simt, const Counters& recount) {
  std::string text;
  for (const CounterField& f : counter_fields())
    if (simt.*f.member != recount.*f.member)
      text += std::string(f.name) + ": " + std::to_string(simt.*f.member) + " against " +
              std::to_string(recount.*f.member) + "; ";
  return text;
}

RC_GTEST_PROP(Simt, GivesTheMemoryAndEveryCounterOfAScalarLockstepRun, ()) {
  const RandomKernel random = random_kernel(choices(), Tidiness::any);
  const Kernel kernel = build(random);
  RC_LOG() << random.blocks << " blocks of " << random.threads << " threads\n" << print(kernel);
  const Run simt = run_simt(random, kernel, 1);
  const testing::LockstepResult expected = testing::run_lockstep(random);
  RC_CLASSIFY(expected.counters.race_count > 0, "races");
  RC_CLASSIFY(expected.counters.divergent > 0, "diverges");
  RC_CLASSIFY(expected.counters.barriers > 0, "barriers");
  RC_CLASSIFY(expected.counters.bank_conflict_factor() > 1, "bank conflicts");
  RC_ASSERT(!simt.result.fault.has_value());
  RC_ASSERT(simt.global == expected.global);
  RC_ASSERT(simt.out == expected.out);
  RC_ASSERT(differences(simt.result.counters, expected.counters) == "");
  RC_ASSERT(simt.result.races.size() == std::min<std::uint64_t>(16, expected.counters.race_count));
}

RC_GTEST_PROP(Simt, GivesTheSameForAnyNumberOfWorkers, ()) {
  const RandomKernel random = random_kernel(choices(), Tidiness::any);
  const Kernel kernel = build(random);
  const Run one = run_simt(random, kernel, 1), four = run_simt(random, kernel, 4);
  RC_ASSERT(one.global == four.global);
  RC_ASSERT(one.out == four.out);
  RC_ASSERT(one.result.counters == four.result.counters);
  RC_ASSERT(one.result.races == four.result.races);
}

bool needs_warps(const std::vector<testing::Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const testing::Statement& s) {
    return s.kind == testing::Statement::Kind::shuffle || s.kind == testing::Statement::Kind::ballot ||
           needs_warps(s.body) || needs_warps(s.other);
  });
}

RC_GTEST_PROP(Simt, AgreesWithTheOneThreadInterpreterWhereThreadsKeepToTheirOwn, ()) {
  const RandomKernel random = random_kernel(choices(), Tidiness::tidy);
  RC_PRE(!needs_warps(random.statements));
  const Kernel kernel = build(random);
  RC_LOG() << random.blocks << " blocks of " << random.threads << " threads\n" << print(kernel);
  const Run simt = run_simt(random, kernel, 1);
  const testing::RoundRobinResult expected = testing::run_round_robin(random);
  RC_ASSERT(simt.global == expected.global);
  RC_ASSERT(simt.out == expected.out);
  RC_ASSERT(simt.result.counters.race_count == 0U);
  // The tree's recount ties the interpreter's steps to the counters that the first property compares.
  RC_ASSERT(testing::run_lockstep(random).memory_and_barriers == expected.memory_and_barriers);
}

}  // namespace
}  // namespace fencewise
