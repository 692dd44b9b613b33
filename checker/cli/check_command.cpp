#include <algorithm>

#include <fmt/format.h>

#include "checker/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/interrupt.h"
#include "checker/cli/output.h"
#include "checker/cli/progress_line.h"
#include "checker/cli/subject.h"
#include "checker/litmus.h"
#include "checker/repair.h"
#include "checker/report/names.h"

namespace fencewise {
namespace {

// The check command that gives this report, without output options.
std::string check_command_line(const Subject& subject, const Options& options, const CheckOptions& used) {
  std::string line = command_line("check", subject);
  if (used.model != Model::ptx) line += fmt::format(" --model {}", spelling(used.model));
  if (used.races != Races::fail) line += fmt::format(" --races {}", spelling(used.races));
  if (used.engine != Engine::automatic) line += fmt::format(" --engine {}", spelling(used.engine));
  if (options.loop_bound) line += fmt::format(" --loop-bound {}", used.loop_bound);
  return line;
}

std::string replay_line(const std::string& check_line, const Options& options) {
  const bool saved = !options.json.empty() && options.json != "-";
  return saved ? fmt::format("fencewise replay {}", options.json)
               : fmt::format("{} --json cex.json; fencewise replay cex.json", check_line);
}

// A change after which the check verifies, for the finding that is shown first.
void suggest_repair(const Problem& problem, Report& report) {
  if (report.result.findings.empty() || !report.result.findings.front().violates) return;
  Finding& first = report.result.findings.front();
  if (const auto repair = find_repair(problem, report.options, first)) first.repair = *repair + " (checked: verified)";
}

bool limited(const Options& o) {
  return o.max_seconds || o.max_states || o.max_graphs || !o.max_memory.empty();
}

// Whether a stale read or a race comes of a missing acquire.
bool misses_acquire(const Finding& finding) {
  constexpr std::string_view what = "no acquire";
  if (finding.message.find(what) != std::string::npos) return true;
  for (const WitnessLaunch& launch : finding.witness.launches)
    for (const WitnessEvent& event : launch.events)
      if (event.why_missed.find(what) != std::string::npos) return true;
  return false;
}

// One next step.
std::string hint(const Subject& subject, const Options& options, const Report& report) {
  const bool protocol = subject.protocol != nullptr;
  switch (report.result.verdict) {
    case Verdict::verified:
      if (report.options.model == Model::sc)
        return "sc is interleaving alone; --model ptx checks what the hardware may do";
      return protocol && subject.variant.empty()
                 ? fmt::format(
                       "fencewise check {} --all-variants shows what each fence, scope and reset is for",
                       subject.name)
                 : "";
    case Verdict::violated:
      if (subject.cuda && !report.result.findings.empty() && misses_acquire(report.result.findings.front()))
        return "runs rarely show this: on hardware the load mostly waits for the branch on what was observed, though nothing "
               "promises that it does. Add __threadfence() (fence.sc.gpu) behind the atomic or load that observes the others";
      return protocol ? fmt::format("{} --runs 1000 -q shows what test runs would see",
                                    command_line("simulate", subject))
                      : "";
    case Verdict::inconclusive:
      return limited(options) ? "raise the limit, or check smaller parameters first" : "";
  }
  return "";
}

}  // namespace

int exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::verified: return exit_verified;
    case Verdict::violated: return exit_violated;
    case Verdict::inconclusive: return exit_inconclusive;
  }
  return exit_bug;
}

int check_command(const Options& options) {
  refuse_contradictions(options);
  if (options.all_variants) return check_all_variants(options);
  Report report;
  report.options = check_options(options);
  const Limits allowed = limits(options);
  const Subject subject = find_subject(options);
  const Problem problem = problem_of(subject);
  // As `litmus` does; a lock of compare-and-swaps has too many behaviours in eight rounds.
  if (subject.protocol == nullptr && !options.loop_bound)
    report.options.loop_bound = LitmusOptions{}.loop_bound;
  require_writable(options.json);
  require_writable(options.dot);
  {
    ProgressLine progress(!options.quiet);
    report.result = check(problem, report.options, allowed, progress.sink(stop_on_interrupt()));
  }
  suggest_repair(problem, report);
  report.subject = subject.name;
  report.variant = subject.variant;
  if (subject.cuda) report.params = texts_of(*subject.cuda);
  if (subject.protocol != nullptr) report.params = texts_of(*subject.protocol, subject.params);
  TextOptions text = text_options(options);
  text.command = replay_line(check_command_line(subject, options, report.options), options);
  text.hint = hint(subject, options, report);
  show_report(report, options, text);
  return exit_code_of(report.result.verdict);
}

}  // namespace fencewise
