// The engine against the brute-force oracle: on every litmus test at hand that the oracle can finish, and on thousands of
// random ones. Compared are the statement's verdict, the existence of a race, threads that wait for ever, and final states.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/litmus.h"
#include "checker/litmus_states.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/parse.h"
#include "tests/support/differential.h"
#include "tests/support/litmus_suite.h"

namespace fencewise {
namespace {

using testing::all_models;
using testing::Comparison;
using testing::LitmusSuite;
using testing::OracleLimits;
using testing::small_scale;
using testing::Spread;

// What the oracle's final states say of the statement.
Verdict statement(const Problem& test, const testing::OracleAnswer& answer) {
  const auto states = observed_states(test, {answer.final_states.begin(), answer.final_states.end()});
  const auto satisfies = [](const ObservedState& s) { return s.satisfies; };
  bool holds = false;
  switch (test.contract.quantifier) {
    case Quantifier::exists: holds = std::any_of(states.begin(), states.end(), satisfies); break;
    case Quantifier::never: holds = std::none_of(states.begin(), states.end(), satisfies); break;
    case Quantifier::always: holds = std::all_of(states.begin(), states.end(), satisfies); break;
  }
  return holds ? Verdict::verified : Verdict::violated;
}

// As `compare`, and the statement too.
Comparison compare_litmus(const Problem& test, Model model, const OracleLimits& limits) {
  Comparison comparison = testing::compare(test, model, limits);
  if (!comparison.skipped.empty()) return comparison;
  LitmusOptions options;
  options.model = model;
  const LitmusOutcome outcome = run_litmus(test, options);
  if (outcome.not_modelled) {
    comparison.skipped = outcome.reason;
    comparison.difference.clear();
    return comparison;
  }
  const Verdict got = outcome.statement, expected = statement(test, comparison.expected);
  if (got != expected)
    comparison.difference += fmt::format("statement: explorer {}, oracle {}\n", name(got), name(expected));
  return comparison;
}

void compare_suite(const LitmusSuite& suite, const OracleLimits& limits) {
  for (const Model model : all_models) {
    Spread spread;
    for (const std::string& path : suite.tests) {
      Comparison comparison;
      try {
        const Problem test = read_litmus(suite.folder + "/" + path);
        // The oracle first: it knows no loops, and the explorer would go round many of them many times.
        if (testing::brute_force(test, model, limits)) {
          comparison = compare_litmus(test, model, limits);
        } else {
          comparison.skipped = "a loop, or too large for the oracle";
        }
      } catch (const NotModelled& error) {
        comparison.skipped = error.what();
      }
      EXPECT_EQ(comparison.difference, "") << path << " under " << name(model);
      spread.count(comparison);
    }
    fmt::print("{}: {}\n", name(model), spread.text());
    EXPECT_GT(spread.compared(), suite.tests.size() / 8);  // v6.0 has no proxies
  }
}

OracleLimits for_suites() {
  return small_scale() ? OracleLimits{1'000, 20'000} : OracleLimits{20'000, 200'000};
}

TEST(SuitesByTheOracle, PublicTests) {
  const LitmusSuite suite = testing::open_suite(FENCEWISE_SOURCE_DIR);
  if (suite.tests.empty())
    GTEST_SKIP() << "the public litmus tests are not at " << suite.folder << "; set FENCEWISE_LITMUS_DIR";
  compare_suite(suite, for_suites());
}

TEST(SuitesByTheOracle, OurOwnTests) {
  compare_suite(testing::own_suite(FENCEWISE_SOURCE_DIR), for_suites());
}

class GeneratedByTheOracle : public ::testing::TestWithParam<Model> {};

// 5,000 programs a model that both finish; a program that fails is made smaller before it is shown.
TEST_P(GeneratedByTheOracle, SayTheSame) {
  const Model model = GetParam();
  const std::uint64_t wanted = small_scale() ? 150 : 5000;
  GeneratorOptions options;
  options.max_instructions = 3;
  options.max_operations = 5;
  const OracleLimits limits{3'000, 100'000};
  Spread spread;
  std::uint64_t seed = 1;
  for (; spread.compared() < wanted && seed <= 4 * wanted; ++seed) {
    const Problem test = generate_litmus(seed, options);
    const Comparison comparison = compare_litmus(test, model, limits);
    spread.count(comparison);
    if (comparison.difference.empty()) continue;
    const Problem small = testing::shrink(
        test, [&](const Problem& p) { return !testing::compare(p, model, limits).difference.empty(); });
    FAIL() << "seed " << seed << " under " << name(model) << "\n"
           << comparison.difference << testing::show(small);
  }
  fmt::print("{}, seeds 1 to {}: {}\n", name(model), seed - 1, spread.text());
  EXPECT_GE(spread.compared(), wanted);
}

std::string label(const ::testing::TestParamInfo<Model>& info) {
  std::string text(name(info.param));
  std::erase_if(text, [](char c) { return c == '-' || c == '.'; });
  return text;
}
INSTANTIATE_TEST_SUITE_P(Models, GeneratedByTheOracle, ::testing::ValuesIn(all_models), label);

}  // namespace
}  // namespace fencewise
