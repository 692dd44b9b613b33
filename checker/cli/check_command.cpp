#include <algorithm>

#include <fmt/format.h>

#include "checker/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/interrupt.h"
#include "checker/cli/output.h"
#include "checker/cli/progress_line.h"
#include "checker/cli/shrink.h"
#include "checker/cli/subject.h"
#include "checker/entry_memory.h"
#include "checker/litmus.h"
#include "checker/repair.h"
#include "checker/report/advice.h"
#include "checker/report/names.h"
#include "checker/vectors.h"
#include "kernels/core/address_space.h"

namespace fencewise {
namespace {

// What small shapes answer at once may take for ever at the shape that was asked: two orders of a sum differ at three CTAs, of
// eight there are forty thousand. Where the shape itself has no quick answer, and is right in itself, the smallest that depends on
// the order. No value: none, or none is needed; `answer`: that of the shape itself, where it is known by then.
std::optional<Shrunk> smaller_order_dependence(const Subject& subject, const Problem& problem, const CheckOptions& used,
                                               const Limits& allowed, const Progress& progress,
                                               std::optional<CheckResult>& answer) {
  CheckResult quick = check(problem, used, quick_look(allowed), progress);
  if (quick.verdict != Verdict::inconclusive || allowed.seconds_left() <= 0) {
    answer = std::move(quick);
    return std::nullopt;
  }
  CheckOptions in_itself = used;
  in_itself.determinism = false;
  CheckResult itself = check(problem, in_itself, allowed, progress);
  if (itself.verdict != Verdict::verified) {
    answer = std::move(itself);
    return std::nullopt;
  }
  return shrink(subject, used, FindingKind::order_dependent, allowed, progress);
}

// Shows the counterexample of the smallest shape that fails instead of that of the shape that was asked.
void show_instead(Shrunk smaller, Subject& subject, Problem& problem, Report& report) {
  std::string now, asked;
  for (const auto& [name, value] : subject.params.all())
    if (smaller.subject.params[name] != value) {
      now += fmt::format("{}{}={}", now.empty() ? "" : " ", name, smaller.subject.params[name]);
      asked += fmt::format("{}{}={}", asked.empty() ? "" : " ", name, value);
    }
  smaller.result.seconds += report.result.seconds;
  const std::string before = subject.plan.in_flight == 1 ? "" : report.result.reason + "; ";
  smaller.result.reason = fmt::format("{}shown at {}, the smallest that fails; --no-shrink keeps {}", before, now, asked);
  subject = std::move(smaller.subject);
  problem = std::move(smaller.problem);
  report.result = std::move(smaller.result);
}

// What the plan relies on at entry, in words. For --clean it is added to what must be left as it was found; for --initial any the
// workspace is left unset.
std::string look_at_entry(const Options& options, Subject& subject, const CheckOptions& used, const Limits& allowed,
                          const Progress& progress) {
  const Problem problem = problem_of(subject);
  const EntryMemory entry = entry_memory(problem, used, allowed, progress);
  const std::string needs = entry_contract(problem, entry.relied_on);
  std::string text = needs.empty() ? "relies on nothing in its workspace at entry" : fmt::format("needs {} at entry", needs);
  if (options.clean) {
    for (const BufferId b : entry.relied_on) subject.plan.restored.push_back(problem.buffers[b.value].name);
    if (!needs.empty()) text += fmt::format(", and must leave {}", needs);
  } else {
    subject.plan.initial_any = true;
  }
  if (!entry.unexplored.empty()) text += fmt::format(" (there may be more: {})", entry.unexplored);
  return text;
}

// For how many launches in flight the verdict holds, in words.
std::string launches_in_flight(Subject subject, const CheckResult& result, const CheckOptions& used, const Limits& allowed,
                               const Progress& progress) {
  const std::uint32_t asked = subject.plan.in_flight;
  if (result.verdict == Verdict::verified) return fmt::format("safe for {} launches in flight", asked);
  if (result.verdict == Verdict::inconclusive) return "";
  subject.plan.in_flight = 1;
  switch (check(problem_of(subject), used, allowed, progress).verdict) {
    case Verdict::verified: return fmt::format("safe for one launch in flight, not for {}", asked);
    case Verdict::violated: return "wrong with one launch in flight already";
    case Verdict::inconclusive: break;
  }
  return fmt::format("not safe for {} launches in flight", asked);
}

// The smallest number of resident CTAs that passes; more never hurt. The usual answers are tried first: one, where no CTA waits
// for another, and all, at a barrier of the grid.
CheckResult find_resident(const Problem& problem, CheckOptions used, const Limits& allowed, const Progress& progress) {
  std::uint32_t most = 1;
  for (const Stage& stage : stages_of(problem)) most = std::max(most, image_of(problem, stage).ctas);
  CheckResult passes = check(problem, used, allowed, progress);
  if (passes.verdict != Verdict::verified) return passes;  // whatever the number
  std::optional<CheckResult> fails;
  std::uint32_t low = 0, high = most;  // low fails, high passes
  while (high - low > 1) {
    used.resident = low == 0 ? 1 : high == most ? most - 1 : low + (high - low) / 2;
    CheckResult result = check(problem, used, allowed, progress);
    if (result.verdict == Verdict::inconclusive) return result;
    if (result.verdict == Verdict::verified) {
      high = used.resident;
      passes = std::move(result);
    } else {
      low = used.resident;
      fails = std::move(result);
    }
  }
  passes.reason = fmt::format("passes with {} CTA{} resident at a time", high, high == 1 ? "" : "s");
  if (fails) passes.reason += fmt::format("; with {}: {}", low, fails->findings.front().message);
  return passes;
}

// The check command that gives this report, without output options.
std::string check_command_line(const Subject& subject, const Options& options, const CheckOptions& used) {
  std::string line = command_line("check", subject);
  if (used.model != Model::ptx) line += fmt::format(" --model {}", spelling(used.model));
  if (used.races != Races::fail) line += fmt::format(" --races {}", spelling(used.races));
  if (used.engine != Engine::automatic) line += fmt::format(" --engine {}", spelling(used.engine));
  if (used.vectors != Vectors::strict) line += fmt::format(" --vectors {}", spelling(used.vectors));
  if (options.loop_bound) line += fmt::format(" --loop-bound {}", used.loop_bound);
  if (options.resident) line += fmt::format(" --resident {}", used.resident);
  if (subject.plan.in_flight != 1) line += fmt::format(" --in-flight {}", subject.plan.in_flight);
  if (!used.progress.all_fair()) line += fmt::format(" --progress {}", text_of(used.progress));
  if (options.clean) line += " --clean";
  if (options.initial == "any") line += " --initial any";
  if (used.determinism) line += " --determinism";
  return line;
}

std::string replay_line(const std::string& check_line, const Options& options) {
  const bool saved = !options.json.empty() && options.json != "-";
  return saved ? fmt::format("fencewise replay {}", options.json)
               : fmt::format("{} --json cex.json; fencewise replay cex.json", check_line);
}

// A change after which the check verifies, for the finding that is shown first.
void suggest_repair(const Problem& problem, const Limits& allowed, Report& report) {
  if (report.result.findings.empty() || !report.result.findings.front().violates) return;
  Finding& first = report.result.findings.front();
  if (const auto repair = find_repair(problem, report.options, first, allowed)) first.repair = *repair + " (checked: verified)";
}

bool limited(const Options& o) {
  return o.max_seconds || o.max_states || o.max_graphs || !o.max_memory.empty();
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
      if (subject.cuda && !report.result.findings.empty() && report.result.findings.front().missing_acquire)
        return why_it_seems_to_work(*report.result.findings.front().missing_acquire);
      return protocol && subject.plan.in_flight == 1 && !options.determinism ? fmt::format("{} --runs 1000 -q shows what test runs would see",
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
  if (!options.sweep.empty()) return check_sweep(options);
  Report report;
  report.options = check_options(options);
  Limits allowed = limits(options);
  allowed.since = Limits::Clock::now();
  Subject subject = find_subject(options);
  Problem problem = problem_of(subject);
  // As `litmus` does; a lock of compare-and-swaps has too many behaviours in eight rounds.
  if (subject.protocol == nullptr && !options.loop_bound)
    report.options.loop_bound = LitmusOptions{}.loop_bound;
  require_writable(options.json);
  require_writable(options.dot);
  const bool as_asked =
      options.no_shrink || options.clean || options.initial == "any" || options.find_resident || options.resident;
  std::optional<Shrunk> smaller;
  {
    ProgressLine progress(!options.quiet);
    const Progress sink = progress.sink(stop_on_interrupt());
    std::string entry;
    if (options.clean || options.initial == "any") {
      entry = look_at_entry(options, subject, report.options, allowed, sink);
      problem = problem_of(subject);
    }
    std::optional<CheckResult> answer;
    if (options.determinism && !as_asked) smaller = smaller_order_dependence(subject, problem, report.options, allowed, sink, answer);
    report.result = smaller                 ? smaller->result
                    : answer                ? std::move(*answer)
                    : options.find_resident ? find_resident(problem, report.options, allowed, sink)
                                            : check(problem, report.options, allowed, sink);
    if (subject.plan.in_flight != 1) {
      const std::string flight = launches_in_flight(smaller ? smaller->subject : subject, report.result, report.options, allowed, sink);
      if (!flight.empty()) entry = entry.empty() ? flight : fmt::format("{}; {}", flight, entry);
    }
    if (!entry.empty() && report.result.verdict != Verdict::inconclusive) report.result.reason = entry;
    if (!smaller && !as_asked && report.result.verdict == Verdict::violated && !report.result.findings.empty())
      smaller = shrink(subject, report.options, report.result.findings.front().kind, allowed, sink);
  }
  if (smaller) show_instead(std::move(*smaller), subject, problem, report);
  suggest_repair(problem, allowed, report);
  if (const std::string other = other_reading_of_vectors(problem, report.options, report.result.verdict, allowed); !other.empty())
    report.result.reason += (report.result.reason.empty() ? "" : "; ") + other;
  report.subject = subject.name;
  report.variant = subject.variant;
  if (subject.cuda) report.params = texts_of(*subject.cuda);
  if (subject.protocol != nullptr) report.params = texts_of(*subject.protocol, subject.params);
  report.params.merge(texts_of(subject.plan));
  TextOptions text = text_options(options);
  text.command = replay_line(check_command_line(subject, options, report.options), options);
  text.hint = hint(subject, options, report);
  show_report(report, options, text);
  return exit_code_of(report.result.verdict);
}

}  // namespace fencewise
