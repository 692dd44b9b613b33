#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "checker/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/output.h"
#include "checker/cli/files.h"
#include "checker/cli/subject.h"
#include "checker/report/json.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

const Finding& counterexample_of(const Report& report, const std::string& file) {
  const auto& findings = report.result.findings;
  const auto it = std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.violates; });
  if (it == findings.end())
    throw InputError(
        fmt::format("{} holds no counterexample; its verdict is {}", file, spelling(report.result.verdict)));
  if (it->witness.launches.empty())
    throw InputError(fmt::format("{}: findings[0].witness: no launches", file));
  return *it;
}

void require_same(const Finding& saved, const Finding& shown, const std::string& file) {
  if (saved.kind == shown.kind && saved.location == shown.location && saved.launch == shown.launch) return;
  throw InputError(
      fmt::format("{} claims {} on '{}' in replay {}, but its execution shows {} on '{}' in replay {}", file,
                  spelling(saved.kind), saved.location, saved.launch, spelling(shown.kind), shown.location,
                  shown.launch));
}

}  // namespace

int replay_command(const Options& options) {
  refuse_contradictions(options);
  Report report = report_from_json(read_file(options.subject), options.subject);
  const Finding saved = counterexample_of(report, options.subject);
  const Problem problem = problem_of(subject_of(report));
  require_writable(options.json);
  require_writable(options.dot);
  const auto start = std::chrono::steady_clock::now();
  const Finding shown = replay(problem, report.options, saved);
  require_same(saved, shown, options.subject);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.result.verdict = Verdict::violated;
  report.result.findings = {shown};
  report.result.search = {};
  report.result.seconds = took.count();
  TextOptions text = text_options(options);
  text.command = fmt::format("fencewise replay {}", options.subject);
  show_report(report, options, text);
  return exit_violated;
}

}  // namespace fencewise
