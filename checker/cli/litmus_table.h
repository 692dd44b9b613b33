// What a run of many litmus tests says: a line a test, a summary, JSON.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "checker/litmus.h"
#include "checker/litmus_expectations.h"
#include "checker/litmus_states.h"

namespace fencewise {

enum class LitmusStatus : std::uint8_t {
  answered,  // the claim, and whether every execution ends; nothing was expected of any test
  as_expected,
  differs,
  no_expectation,  // of this test, whatever it answered
  not_modelled,    // and nothing is expected
  inconclusive,
  malformed,
};
inline constexpr std::size_t litmus_statuses = 7;

// One test, run.
struct LitmusRun {
  std::string path;
  std::string name;  // the test's own, which need not be unique
  Quantifier quantifier = Quantifier::exists;
  std::string condition;
  Verdict statement = Verdict::inconclusive, liveness = Verdict::inconclusive;
  bool not_modelled = false;
  std::string reason;  // inconclusive, not modelled or malformed: why
  SearchStats search;
  std::vector<ObservedState> states;
  double seconds = 0;
  std::optional<LitmusExpectation> expected;
  LitmusStatus status = LitmusStatus::answered;
  std::string difference;  // "expected violated"
};

// What remains to be told of a run when its tests are forgotten.
struct LitmusTally {
  std::array<std::uint64_t, litmus_statuses> by_status{};
  std::uint64_t tests = 0, verified = 0, violated = 0, open_claims = 0, hanging = 0, open_ended = 0,
                executions = 0;
  std::uint64_t compared = 0;  // expectations

  void count(const LitmusRun& run);
  [[nodiscard]] std::uint64_t operator[](LitmusStatus status) const {
    return by_status[static_cast<std::size_t>(status)];
  }
};

// Sets `status` and `difference`. `expectations`: some were given, for this test or another.
void compare(LitmusRun& run, bool expectations);

class LitmusTable {
 public:
  // `path_width`: of the longest path.
  LitmusTable(Model model, std::size_t path_width, bool expectations);

  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string line(const LitmusRun& run) const;
  [[nodiscard]] std::string summary(const LitmusTally& tally, double seconds) const;

 private:
  Model model_;
  std::size_t path_width_;
  bool expectations_;
};

// As herd prints a test: its states, and whether the condition is met.
[[nodiscard]] std::string herd_text(const LitmusRun& run);

[[nodiscard]] std::string litmus_json(Model model, const std::vector<LitmusRun>& runs, double seconds);

}  // namespace fencewise
