#include "checker/testing/matchers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <rapidcheck.h>

#include "checker/report/text.h"

namespace fencewise::testing {
namespace {

// One answer that is expected; kind, place and reason as far as they are.
class Expected : public ::testing::MatcherInterface<const CheckResult&> {
 public:
  Expected(Verdict verdict, std::optional<FindingKind> kind, std::string place, std::string why)
      : verdict_(verdict), kind_(kind), place_(std::move(place)), why_(std::move(why)) {}

  bool MatchAndExplain(const CheckResult& result, ::testing::MatchResultListener* listener) const override {
    if (result.verdict != verdict_) {
      *listener << "which is " << name(result.verdict);
      return false;
    }
    if (result.reason.find(why_) == std::string::npos) {
      *listener << "whose reason is: " << result.reason;
      return false;
    }
    if (!kind_) return true;
    const auto fits = [&](const Finding& f) {
      return f.violates && f.kind == *kind_ && f.location.starts_with(place_);
    };
    if (std::any_of(result.findings.begin(), result.findings.end(), fits)) return true;
    *listener << "whose findings are of another kind or at another place";
    return false;
  }

  void DescribeTo(std::ostream* out) const override {
    *out << "is " << name(verdict_);
    if (kind_) *out << " by a finding of kind " << name(*kind_);
    if (!place_.empty()) *out << " at " << place_;
    if (!why_.empty()) *out << " since " << why_;
  }

 private:
  Verdict verdict_;
  std::optional<FindingKind> kind_;
  std::string place_;
  std::string why_;
};

ResultMatcher expected(Verdict verdict, std::optional<FindingKind> kind = {}, std::string place = "",
                       std::string why = "") {
  return ::testing::MakeMatcher(new Expected(verdict, kind, std::move(place), std::move(why)));
}

}  // namespace

ResultMatcher Verified() { return expected(Verdict::verified); }

ResultMatcher Violated() { return expected(Verdict::violated); }

ResultMatcher Violated(FindingKind kind, std::string place) {
  return expected(Verdict::violated, kind, std::move(place));
}

ResultMatcher IsInconclusive(std::string why) {
  return expected(Verdict::inconclusive, {}, "", std::move(why));
}

std::string report_of(const CheckResult& result) {
  Report report;
  report.result = result;
  return to_text(report, {});
}

bool passes(const CheckResult& result, const ResultMatcher& matcher) {
  if (matcher.Matches(result)) return true;
  std::ostringstream expectation;
  matcher.DescribeTo(&expectation);
  RC_LOG() << "expected: " << expectation.str() << "\nactual:\n" << report_of(result) << '\n';
  return false;
}

bool passes(const ::testing::AssertionResult& assertion) {
  if (assertion) return true;
  RC_LOG() << assertion.message() << '\n';
  return false;
}

}  // namespace fencewise::testing

namespace fencewise {

void PrintTo(const CheckResult& result, std::ostream* out) { *out << '\n' << testing::report_of(result); }

}  // namespace fencewise
