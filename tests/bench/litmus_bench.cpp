// How long litmus suites take, and which tests take longest: the public suite (where it is at hand), our own, and random ones.
//
// Measured: reading and exploring to the last execution, with the final states collected; time of the processor on one core.
#include <algorithm>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "checker/litmus.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/parse.h"
#include "tests/support/differential.h"
#include "tests/support/litmus_suite.h"

namespace fencewise {
namespace {

constexpr std::size_t shown = 10;

struct Measured {
  std::string name;
  double milliseconds = 0;
  SearchStats search;
  std::size_t states = 0;
};

template <class Read> Measured measure(const std::string& name, Model model, Read&& read) {
  const std::clock_t start = std::clock();
  Measured result{name, 0, {}, 0};
  try {
    LitmusOptions options;
    options.model = model;
    options.collect_states = true;
    const LitmusOutcome outcome = run_litmus(read(), options);
    result.search = outcome.details.search;
    result.states = outcome.details.final_states.size();
  } catch (const NotModelled&) {
  }
  result.milliseconds = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return result;
}

void print(const std::string& title, std::vector<Measured> all) {
  double milliseconds = 0;
  std::uint64_t executions = 0, steps = 0;
  for (const Measured& m : all) {
    milliseconds += m.milliseconds;
    executions += m.search.graphs;
    steps += m.search.steps;
  }
  fmt::print("\n{}: {} tests, {} executions, {} steps, {:.1f} ms; the slowest:\n", title, all.size(),
             executions, steps, milliseconds);
  fmt::print("  {:<60} {:>9} {:>10} {:>8} {:>9} {:>7}\n", "test", "ms", "executions", "blocked", "steps",
             "states");
  std::stable_sort(all.begin(), all.end(),
                   [](const Measured& a, const Measured& b) { return a.milliseconds > b.milliseconds; });
  for (std::size_t n = 0; n < std::min(shown, all.size()); ++n)
    fmt::print("  {:<60} {:>9.2f} {:>10} {:>8} {:>9} {:>7}\n", all[n].name, all[n].milliseconds,
               all[n].search.graphs, all[n].search.blocked, all[n].search.steps, all[n].states);
}

void run_suite(const std::string& title, const testing::LitmusSuite& suite, Model model) {
  if (suite.tests.empty()) {
    fmt::print("\n{}: not at {}; set FENCEWISE_LITMUS_DIR\n", title, suite.folder);
    return;
  }
  std::vector<Measured> all;
  for (const std::string& path : suite.tests)
    all.push_back(measure(path, model, [&] { return read_litmus(suite.folder + "/" + path); }));
  print(fmt::format("{}, model {}", title, name(model)), std::move(all));
}

void run_generated(Model model) {
  const std::uint64_t count = testing::small_scale() ? 20 : 500;
  std::vector<Measured> all;
  for (std::uint64_t seed = 1; seed <= count; ++seed)
    all.push_back(measure(fmt::format("gen-{}", seed), model, [&] { return generate_litmus(seed, {}); }));
  print(fmt::format("random tests of seeds 1 to {}, model {}", count, name(model)), std::move(all));
}

}  // namespace
}  // namespace fencewise

// Arguments (those of Google Benchmark, which every benchmark is given in tests) are ignored: each test runs once.
int main() {
  using namespace fencewise;
  fmt::print("build {}{}, {} cores\n", FENCEWISE_BUILD_TYPE,
             std::string_view(FENCEWISE_SANITIZERS).empty() ? "" : ", sanitizers",
             std::thread::hardware_concurrency());
#ifndef NDEBUG
  fmt::print("warning: not optimized; these are no measurements\n");
#endif
  if (!std::string_view(FENCEWISE_SANITIZERS).empty())
    fmt::print("warning: with sanitizers; these are no measurements\n");
  const auto open = testing::open_suite(FENCEWISE_SOURCE_DIR), own = testing::own_suite(FENCEWISE_SOURCE_DIR);
  for (const Model model : {Model::ptx_v6_0, Model::ptx_v7_5, Model::ptx})
    run_suite("public suite", open, model);
  run_suite("tests/litmus", own, Model::ptx);
  run_generated(Model::ptx);
  return 0;
}
