#include "checker/cli/litmus_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "checker/report/names.h"

namespace fencewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, litmus_statuses> status_names{
    "answered", "as expected", "differs", "no expectation", "not modelled", "inconclusive", "malformed"};

std::string_view name_of(LitmusStatus status) { return status_names[static_cast<std::size_t>(status)]; }

// Whether every execution ends.
std::string_view ends(Verdict liveness) {
  switch (liveness) {
    case Verdict::verified: return "yes";
    case Verdict::violated: return "no";
    case Verdict::inconclusive: return "?";
  }
  return "?";
}

bool was_run(const LitmusRun& run) { return run.status != LitmusStatus::malformed && !run.not_modelled; }

std::size_t positive(const LitmusRun& run) {
  return static_cast<std::size_t>(std::count_if(run.states.begin(), run.states.end(),
                                                [](const ObservedState& s) { return s.satisfies; }));
}

// The words of herd.
std::string_view kind(Quantifier quantifier) {
  switch (quantifier) {
    case Quantifier::exists: return "Allowed";
    case Quantifier::never: return "Forbidden";
    case Quantifier::always: return "Required";
  }
  return "";
}
std::string_view keyword(Quantifier quantifier) {
  switch (quantifier) {
    case Quantifier::exists: return "exists";
    case Quantifier::never: return "~exists";
    case Quantifier::always: return "forall";
  }
  return "";
}
std::string_view observation(std::size_t positive, std::size_t all, bool of_all) {
  if (!of_all && (positive == 0 || positive == all)) return "Unknown";
  if (positive == 0) return "Never";
  return positive == all ? "Always" : "Sometimes";
}

Json expectation_json(const LitmusRun& run) {
  if (!run.expected) return nullptr;
  const auto value = [](const std::optional<bool>& holds) {
    return holds ? Json(*holds ? 1 : 0) : Json(nullptr);
  };
  Json json;
  json["assertion"] = value(run.expected->assertion);
  json["liveness"] = value(run.expected->liveness);
  json["caution"] = run.expected->caution;
  return json;
}

Json run_json(const LitmusRun& run) {
  Json json;
  json["path"] = run.path;
  json["name"] = run.name;
  json["quantifier"] = keyword(run.quantifier);
  json["condition"] = run.condition;
  json["verdict"] = spelling(run.statement);
  json["liveness"] = spelling(run.liveness);
  json["reason"] = run.reason;
  json["status"] = name_of(run.status);
  json["expected"] = expectation_json(run);
  json["difference"] = run.difference;
  json["search"] = {
      {"graphs", run.search.graphs}, {"blocked", run.search.blocked}, {"steps", run.search.steps}};
  json["states"] = Json::array();
  for (const ObservedState& state : run.states)
    json["states"].push_back({{"state", state.text}, {"satisfies", state.satisfies}});
  json["seconds"] = run.seconds;
  return json;
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

void LitmusTally::count(const LitmusRun& run) {
  ++by_status[static_cast<std::size_t>(run.status)];
  ++tests;
  executions += run.search.graphs;
  if (run.status != LitmusStatus::malformed) {
    verified += static_cast<std::uint64_t>(run.statement == Verdict::verified);
    violated += static_cast<std::uint64_t>(run.statement == Verdict::violated);
    open_claims += static_cast<std::uint64_t>(run.statement == Verdict::inconclusive && !run.not_modelled);
    hanging += static_cast<std::uint64_t>(run.liveness == Verdict::violated);
    open_ended += static_cast<std::uint64_t>(run.liveness == Verdict::inconclusive &&
                                             run.statement != Verdict::inconclusive);
  }
  if (run.expected && (run.status == LitmusStatus::as_expected || run.status == LitmusStatus::differs))
    compared += static_cast<std::uint64_t>(run.expected->assertion.has_value()) +
                static_cast<std::uint64_t>(run.expected->liveness.has_value());
}

void compare(LitmusRun& run, bool expectations) {
  const bool expected = run.expected.has_value();
  const auto differs = [](const std::optional<bool>& holds, Verdict got) {
    return holds && got != Verdict::inconclusive && *holds != (got == Verdict::verified);
  };
  const auto open = [](const std::optional<bool>& holds, Verdict got) {
    return holds && got == Verdict::inconclusive;
  };
  std::vector<std::string> differences;
  if (expected && differs(run.expected->assertion, run.statement))
    differences.push_back(fmt::format("expected {}", *run.expected->assertion ? "verified" : "violated"));
  if (expected && differs(run.expected->liveness, run.liveness))
    differences.push_back(
        fmt::format("expected {}", *run.expected->liveness ? "that it ends" : "that it may not end"));
  run.difference = fmt::format("{}", fmt::join(differences, ", "));
  if (!differences.empty()) {
    run.status = LitmusStatus::differs;
  } else if (expected) {
    const bool undecided =
        open(run.expected->assertion, run.statement) || open(run.expected->liveness, run.liveness);
    run.status = undecided ? LitmusStatus::inconclusive : LitmusStatus::as_expected;
  } else if (run.not_modelled) {
    run.status = LitmusStatus::not_modelled;
  } else if (expectations) {
    run.status = LitmusStatus::no_expectation;
  } else {
    const bool decided = run.statement != Verdict::inconclusive && run.liveness != Verdict::inconclusive;
    run.status = decided ? LitmusStatus::answered : LitmusStatus::inconclusive;
  }
}

LitmusTable::LitmusTable(Model model, std::size_t path_width, bool expectations)
    : model_(model),
      path_width_(std::max(path_width, std::string_view("test").size())),
      expectations_(expectations) {}

std::string LitmusTable::header() const {
  return fmt::format("{:<{}}  {:<8}  {:<12}  {:<4}  {:>10}  {:>6}  {:>7}{}\n", "test", path_width_, "model",
                     "verdict", "ends", "executions", "states", "seconds", expectations_ ? "  result" : "");
}

std::string LitmusTable::line(const LitmusRun& run) const {
  std::string text = fmt::format("{:<{}}  {:<8}  ", run.path, path_width_, spelling(model_));
  if (was_run(run)) {
    text += fmt::format("{:<12}  {:<4}  {:>10}  {:>6}  {:>7.2f}", spelling(run.statement), ends(run.liveness),
                        run.search.graphs, run.states.size(), run.seconds);
  } else {
    text += fmt::format("{:<12}  {:<4}  {:>10}  {:>6}  {:>7}",
                        run.not_modelled ? "not modelled" : "malformed", "-", "-", "-", "-");
  }
  std::string result;
  if (run.status == LitmusStatus::differs) {
    result = fmt::format("DIFFERS: {}", run.difference);
    if (!run.expected->caution.empty()) result += fmt::format(" (caution: {})", run.expected->caution);
  } else if (expectations_ && was_run(run)) {
    result = name_of(run.status);
  }
  if (!run.reason.empty()) result += fmt::format("{}{}", result.empty() ? "" : ": ", run.reason);
  return fmt::format("{}{}{}\n", text, result.empty() ? "" : "  ", result);
}

std::string LitmusTable::summary(const LitmusTally& tally, double seconds) const {
  std::vector<std::string> parts;
  const auto part = [&](LitmusStatus status, bool also_none) {
    const std::string_view name =
        status == LitmusStatus::differs && tally[status] != 1 ? "differ" : name_of(status);
    if (also_none || tally[status] != 0) parts.push_back(fmt::format("{} {}", tally[status], name));
  };
  if (expectations_) {
    part(LitmusStatus::as_expected, true);
    part(LitmusStatus::differs, true);
    part(LitmusStatus::no_expectation, false);
  } else {
    parts.push_back(fmt::format("{} verified", tally.verified));
    parts.push_back(fmt::format("{} violated", tally.violated));
    // Where only the end is open, the claim is decided: counted above, and told below.
    if (tally.open_claims != 0) parts.push_back(fmt::format("{} inconclusive", tally.open_claims));
  }
  part(LitmusStatus::not_modelled, false);
  if (expectations_) part(LitmusStatus::inconclusive, false);
  part(LitmusStatus::malformed, false);
  const std::string compared =
      expectations_ ? fmt::format("; {} compared", counted(tally.compared, "expectation")) : "";
  std::string endings;
  if (!expectations_ && tally.hanging != 0) endings += fmt::format("; {} may not end", tally.hanging);
  if (!expectations_ && tally.open_ended != 0)
    endings += fmt::format("; of {} it is open whether they end", tally.open_ended);
  return fmt::format("{}, model {}: {}{}{}; {}; {:.2f} s\n", counted(tally.tests, "test"), spelling(model_),
                     fmt::join(parts, ", "), compared, endings, counted(tally.executions, "execution"),
                     seconds);
}

std::string herd_text(const LitmusRun& run) {
  if (!was_run(run)) return "";
  const std::size_t yes = positive(run), no = run.states.size() - yes;
  std::string text = fmt::format("  Test {} {}\n  States {}{}\n", run.name, kind(run.quantifier),
                                 run.states.size(), run.reason.empty() ? "" : " or more");
  for (const ObservedState& state : run.states) text += fmt::format("  {}\n", state.text);
  const char* const answer = run.statement == Verdict::verified   ? "Ok"
                             : run.statement == Verdict::violated ? "No"
                                                                  : "Unknown";
  text += fmt::format("  {}\n  Witnesses\n  Positive: {} Negative: {}\n", answer, yes, no);
  text += fmt::format("  Condition {} {}\n", keyword(run.quantifier), run.condition);
  return text + fmt::format("  Observation {} {} {} {}\n\n", run.name,
                            observation(yes, run.states.size(), run.reason.empty()), yes, no);
}

std::string litmus_json(Model model, const std::vector<LitmusRun>& runs, double seconds) {
  LitmusTally tally;
  for (const LitmusRun& run : runs) tally.count(run);
  Json json;
  json["schema"] = "fencewise-litmus-1";
  json["model"] = spelling(model);
  json["tests"] = Json::array();
  for (const LitmusRun& run : runs) json["tests"].push_back(run_json(run));
  Json& summary = json["summary"];
  summary["tests"] = tally.tests;
  summary["verified"] = tally.verified;
  summary["violated"] = tally.violated;
  summary["may_not_end"] = tally.hanging;
  summary["end_open"] = tally.open_ended;
  summary["as_expected"] = tally[LitmusStatus::as_expected];
  summary["differs"] = tally[LitmusStatus::differs];
  summary["no_expectation"] = tally[LitmusStatus::no_expectation];
  summary["not_modelled"] = tally[LitmusStatus::not_modelled];
  summary["inconclusive"] = tally[LitmusStatus::inconclusive];
  summary["malformed"] = tally[LitmusStatus::malformed];
  summary["compared"] = tally.compared;
  summary["executions"] = tally.executions;
  json["seconds"] = seconds;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fencewise
