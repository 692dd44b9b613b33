// check --all-variants: every variant of a protocol against what it must yield.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/interrupt.h"
#include "checker/cli/output.h"
#include "checker/cli/subject.h"
#include "checker/cli/table_rows.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"
#include "kernels/core/without_barrier.h"
#include "kernels/ledger/table.h"

namespace fencewise {
namespace {

struct VariantRow {
  std::string variant;  // "(base)"
  std::map<std::string, std::string> params;
  std::vector<std::string> raised;  // "splits=2"
  std::string expected;
  CheckResult result;
  std::string difference;   // empty: as expected
  std::string unnecessary;  // why the barrier that it leaves out is not needed
};

const Expectation& expectation_of(const Variant& variant, Model model) {
  if (model == Model::sc) return variant.sc;
  if (model == Model::ptx) return variant.ptx;
  throw InputError(
      fmt::format("--all-variants knows what to expect under ptx and sc, not under {}", spelling(model)));
}

std::string expected_text(const Expectation& expected) {
  std::vector<std::string_view> kinds;
  for (const FindingKind kind : expected.kinds) kinds.push_back(spelling(kind));
  std::string text = fmt::format("{} {}", spelling(expected.verdict), fmt::join(kinds, "|"));
  if (!expected.place.empty()) text += fmt::format(" on {}", expected.place);
  if (expected.no_race) text += ", no race";
  return kinds.empty() && expected.place.empty() && !expected.no_race
             ? std::string(spelling(expected.verdict))
             : text;
}

std::string got_text(const CheckResult& result) {
  if (result.findings.empty()) return std::string(spelling(result.verdict));
  const Finding& first = result.findings.front();
  const std::string place = first.location.empty() ? "" : fmt::format(" on {}", first.location);
  return fmt::format("{} {}{}", spelling(result.verdict), spelling(first.kind), place);
}

bool is_expected(const Expectation& expected, FindingKind kind) {
  return std::find(expected.kinds.begin(), expected.kinds.end(), kind) != expected.kinds.end();
}

// Empty if the result is as expected.
std::string difference(const Expectation& expected, const CheckResult& result) {
  if (result.verdict != expected.verdict)
    return fmt::format("expected {}, got {}", spelling(expected.verdict), spelling(result.verdict));
  if (expected.verdict != Verdict::violated) return {};
  if (result.findings.empty()) return "violated without a finding";
  if (!expected.kinds.empty() && !is_expected(expected, result.findings.front().kind))
    return "another kind of finding";
  const auto in_place = [&](const Finding& f) {
    return (expected.kinds.empty() || is_expected(expected, f.kind)) &&
           f.location.starts_with(expected.place);
  };
  if (std::none_of(result.findings.begin(), result.findings.end(), in_place))
    return fmt::format("no finding on {}", expected.place);
  const auto is_race = [](const Finding& f) { return f.kind == FindingKind::race; };
  if (expected.no_race && std::any_of(result.findings.begin(), result.findings.end(), is_race))
    return "there is a race";
  return {};
}

// The parameters that a variant needs otherwise than given: "splits=2".
std::vector<std::string> raised_params(const Subject& subject,
                                       const std::map<std::string, std::string>& raised) {
  const auto given = texts_of(*subject.protocol, subject.params);
  std::vector<std::string> texts;
  for (const auto& [name, text] : raised)
    if (given.at(name) != text) texts.push_back(fmt::format("{}={}", name, text));
  return texts;
}

VariantRow check_variant(const Subject& subject, const Variant& variant, const Options& options) {
  CheckOptions used = check_options(options);
  used.workers = 1;  // of each row; rows are checked several at a time
  const Expectation& expected = expectation_of(variant, used.model);
  // That there is no race can be told only when everything was explored.
  used.stop_at_first = !expected.no_race;
  const Parameters raised = raised_to_needs(*subject.protocol, variant, subject.params);
  VariantRow row;
  row.variant = variant.name.empty() ? "(base)" : variant.name;
  row.params = texts_of(*subject.protocol, raised);
  row.raised = raised_params(subject, row.params);
  row.expected = expected_text(expected);
  row.result = check(instantiate(*subject.protocol, raised, variant.name), used, limits(options), {nullptr, &stop_on_interrupt()});
  row.difference = difference(expected, row.result);
  if (dropped_barrier(variant.name) && row.result.verdict == Verdict::verified)
    row.unnecessary = variant.summary;
  return row;
}

// Characters a column. What a check will answer is not known when the first row is printed: it comes last.
struct Widths {
  std::size_t variant = 8, expected = 8;

  Widths(const Protocol& protocol, Model model) {
    for (const Variant& v : protocol.variants) {
      variant = std::max(variant, v.name.size());
      expected = std::max(expected, expected_text(expectation_of(v, model)).size());
    }
  }
};

std::string table_line(const Widths& w, std::string_view variant, std::string_view expected,
                       std::string_view seconds, std::string_view result, std::string_view got) {
  return fmt::format("{:<{}}  {:<{}}  {:>7}  {:<11}  {}\n", variant, w.variant, expected, w.expected, seconds,
                     result, got);
}

// "violated race on ws[0]; raised splits=2"
std::string details_of(const VariantRow& row) {
  std::string text = got_text(row.result);
  if (row.result.verdict == Verdict::inconclusive) text += fmt::format(" ({})", row.result.reason);
  if (!row.difference.empty()) text += "; " + row.difference;
  if (!row.unnecessary.empty()) text += "; " + row.unnecessary;
  if (!row.raised.empty()) text += fmt::format("; raised {}", fmt::join(row.raised, " "));
  return text;
}

std::string line_of(const VariantRow& row, const Widths& widths) {
  return table_line(widths, row.variant, row.expected, fmt::format("{:.2f}", row.result.seconds),
                    row.difference.empty() ? "as expected" : "DIFFERS", details_of(row));
}

nlohmann::ordered_json json_of(const VariantRow& row) {
  nlohmann::ordered_json json;
  json["variant"] = row.variant == "(base)" ? "" : row.variant;
  json["params"] = row.params;
  json["expected"] = row.expected;
  json["verdict"] = spelling(row.result.verdict);
  json["kind"] = row.result.findings.empty() ? "" : spelling(row.result.findings.front().kind);
  json["location"] = row.result.findings.empty() ? "" : row.result.findings.front().location;
  json["reason"] = row.result.reason;
  json["as_expected"] = row.difference.empty();
  json["seconds"] = row.result.seconds;
  return json;
}

std::string json_of(const Subject& subject, const Options& options, const std::vector<VariantRow>& rows) {
  nlohmann::ordered_json json;
  json["schema"] = "fencewise-variants-1";
  json["subject"] = subject.name;
  json["model"] = spelling(check_options(options).model);
  json["variants"] = nlohmann::ordered_json::array();
  for (const VariantRow& row : rows) json["variants"].push_back(json_of(row));
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Table table_of(const Protocol& protocol, const std::vector<VariantRow>& rows) {
  Table table;
  table.key = "variants";
  table.columns = {{"variant", "variant"}};
  for (const Parameter& p : protocol.parameters) table.columns.push_back({p.name, p.name});
  for (const char* key : {"expected", "verdict", "kind", "location", "as_expected", "seconds", "reason"})
    table.columns.push_back({key, key});
  for (const VariantRow& row : rows) {
    const Finding* finding = row.result.findings.empty() ? nullptr : &row.result.findings.front();
    std::vector<Cell> cells{row.variant == "(base)" ? "" : row.variant};
    for (const Parameter& p : protocol.parameters) cells.emplace_back(row.params.at(p.name));
    cells.insert(cells.end(), {row.expected, spelling(row.result.verdict), finding != nullptr ? spelling(finding->kind) : "",
                               finding != nullptr ? finding->location : "", row.difference.empty(), {row.result.seconds, 3},
                               row.result.reason});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// A difference outweighs what is not known.
int exit_code_of_all(const std::vector<VariantRow>& rows) {
  int code = exit_verified;
  for (const VariantRow& row : rows) {
    if (row.difference.empty()) continue;
    if (row.result.verdict != Verdict::inconclusive) return exit_violated;
    code = exit_inconclusive;
  }
  return code;
}

std::string summary(const Subject& subject, const std::vector<VariantRow>& rows) {
  const auto as_expected =
      std::count_if(rows.begin(), rows.end(), [](const VariantRow& r) { return r.difference.empty(); });
  return fmt::format("{}: {} of {} variants as expected\n", subject.name, as_expected, rows.size());
}

}  // namespace

int check_all_variants(const Options& options) {
  const Subject subject = find_subject(options);
  (void)limits(options);
  // What can't be checked is said before the first row.
  for (const Variant& variant : subject.protocol->variants) {
    (void)expectation_of(variant, check_options(options).model);
    const Parameters raised = raised_to_needs(*subject.protocol, variant, subject.params);
    (void)instantiate(*subject.protocol, raised, variant.name);
  }
  require_writable(options.json);
  require_writable(options.csv);
  const bool as_text = !stdout_is_taken(options);
  std::vector<VariantRow> rows;
  const Widths widths(*subject.protocol, check_options(options).model);
  if (as_text && !options.quiet)
    print_out(table_line(widths, "variant", "expected", "seconds", "result", "got"));
  const std::vector<Variant>& variants = subject.protocol->variants;
  each_row<VariantRow>(
      variants.size(), "variants", options, [&](std::size_t n) { return check_variant(subject, variants[n], options); },
      [&](std::size_t, std::optional<VariantRow> row) {
        if (!row) return;
        rows.push_back(std::move(*row));
        if (as_text && !options.quiet) print_out(line_of(rows.back(), widths));
        if (as_text) finish_output();
      });
  if (as_text) print_out(summary(subject, rows));
  if (!options.json.empty()) write_output(options.json, json_of(subject, options, rows));
  if (!options.csv.empty()) write_output(options.csv, to_csv(table_of(*subject.protocol, rows)));
  return rows.size() == subject.protocol->variants.size()
             ? exit_code_of_all(rows)
             : std::max<int>(exit_code_of_all(rows), exit_inconclusive);
}

}  // namespace fencewise
