// GoogleTest matchers for what a check answers:
//
//   EXPECT_THAT(check(problem, {}), Verified());
//   EXPECT_THAT(check(broken, {}), Violated(FindingKind::race, "ws["));
//   EXPECT_THAT(check(huge, {}, {.seconds = 1}), IsInconclusive());
//
// Where one fails, the message is the report that `fencewise check` would print: the counterexample, or what
// was explored.
#pragma once

#include <ostream>
#include <string>

#include <gmock/gmock.h>

#include "checker/check.h"

namespace fencewise::testing {

using ResultMatcher = ::testing::Matcher<const CheckResult&>;

// Every behaviour was explored, and none violates.
[[nodiscard]] ResultMatcher Verified();

// Violated, whatever the finding.
[[nodiscard]] ResultMatcher Violated();
// Some violating finding is of this kind, at a location that begins with `place` ("ws[" is any element of
// ws). Findings that are only reported (Races::report) don't count. A search stops at its first violating
// behaviour unless CheckOptions::stop_at_first is off, and that one behaviour may show several findings.
[[nodiscard]] ResultMatcher Violated(FindingKind kind, std::string place = "");

// A limit was reached, or something is not modelled; `why` is contained in the reason.
[[nodiscard]] ResultMatcher IsInconclusive(std::string why = "");

// The report as text, without the subject and the model, which a result does not know.
[[nodiscard]] std::string report_of(const CheckResult& result);

// For properties of RapidCheck, which fail by RC_ASSERT: whether the result matches. Where not, the report is
// logged and shown with the smallest failing case.
//
//   RC_ASSERT(passes(check(problem_of(size), {}), Verified()));
[[nodiscard]] bool passes(const CheckResult& result, const ResultMatcher& matcher);
[[nodiscard]] bool passes(const ::testing::AssertionResult& assertion);

}  // namespace fencewise::testing

namespace fencewise {

// How GoogleTest shows a result.
void PrintTo(const CheckResult& result, std::ostream* out);

}  // namespace fencewise
