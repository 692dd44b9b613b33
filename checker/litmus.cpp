#include "checker/litmus.h"

#include <algorithm>

#include "kernels/core/each_instruction.h"

namespace fencewise {
namespace {

bool is_hang(const Finding& f) { return f.kind == FindingKind::stuck || f.kind == FindingKind::livelock; }
bool has_execution(const Finding& f) { return !f.witness.launches.empty(); }

// Also where nothing but a fence speaks of them.
bool speaks_of_proxies(const Problem& problem) {
  bool fence = false;
  for (const Kernel& kernel : problem.kernels)
    each_instruction(kernel, [&](InstructionRef, const Instruction& i) {
      fence |= std::holds_alternative<ProxyFenceOp>(i.operation);
    });
  return fence || uses_proxies(problem);
}

CheckOptions check_options(const LitmusOptions& options) {
  CheckOptions result;
  result.model = options.model;
  result.races = Races::off;
  result.stop_at_first = false;
  result.collect_states = options.collect_states;
  result.loop_bound = options.loop_bound;
  return result;
}

// The first of `findings` that is wanted and has an execution to show.
template <class Wanted> std::optional<Finding> first(const std::vector<Finding>& findings, Wanted wanted) {
  const auto it = std::find_if(findings.begin(), findings.end(),
                               [&](const Finding& f) { return has_execution(f) && wanted(f); });
  return it == findings.end() ? std::nullopt : std::optional(*it);
}

constexpr std::uint64_t most_states = 100'000;

// Whether every run that the progress model allows ends, by states: loops need no bound.
struct Termination {
  Verdict verdict = Verdict::inconclusive;
  std::string reason;
  std::optional<Finding> hang;
};
Termination termination(Problem test, const LitmusOptions& options, Limits limits, const Progress& progress) {
  // A loop that counts has no end of states.
  limits.states = limits.states != 0 ? std::min(limits.states, most_states) : most_states;
  test.contract = {};
  CheckOptions used = check_options(options);
  used.engine = Engine::view;
  used.progress = options.progress;
  used.races = Races::fail;
  used.stop_at_first = true;
  used.collect_states = false;
  const CheckResult result = check(test, used, limits, progress);
  if (auto hang = first(result.findings, is_hang)) return {Verdict::violated, "", std::move(hang)};
  if (!result.findings.empty()) return {Verdict::inconclusive, "whether it ends is not told of a test with " + std::string(name(result.findings.front().kind)), {}};
  return {result.verdict, result.reason, {}};
}

// Finding the condition satisfied is a finding of the search for `never`, and of no other.
std::optional<Finding> satisfying(Problem test, const LitmusOptions& options, const Limits& limits,
                                  const Progress& progress) {
  test.contract.quantifier = Quantifier::never;
  auto found = first(check(test, check_options(options), limits, progress).findings,
                     [](const Finding& f) { return !is_hang(f); });
  if (found && !test.contract.assertions.empty())
    found->message = "an execution satisfies the condition: " + test.contract.assertions.front().text;
  return found;
}

}  // namespace

LitmusOutcome run_litmus(const Problem& test, const LitmusOptions& options, const Limits& limits,
                         const Progress& progress) {
  LitmusOutcome outcome;
  if (!reading_of(options.model).proxies && options.model != Model::sc && speaks_of_proxies(test)) {
    outcome.statement = outcome.liveness = Verdict::inconclusive;
    outcome.reason = "proxies and aliases are not modelled by ptx-v6.0";
    outcome.not_modelled = true;
    return outcome;
  }
  CheckResult& result = outcome.details = check(test, check_options(options), limits, progress);
  const bool hangs = std::any_of(result.findings.begin(), result.findings.end(), is_hang);
  const bool fails = std::any_of(result.findings.begin(), result.findings.end(),
                                 [](const Finding& f) { return f.violates && !is_hang(f); });
  const bool cut = !result.unexplored.empty();
  outcome.reason = result.unexplored;
  // What was found stands, whatever was left out; what was not found stands only if nothing was.
  const bool decided_by_witness =
      test.contract.quantifier == Quantifier::exists ? result.condition_met : fails;
  outcome.statement = fails ? Verdict::violated : Verdict::verified;
  if (cut && !decided_by_witness) outcome.statement = Verdict::inconclusive;
  outcome.liveness = hangs ? Verdict::violated : cut ? Verdict::inconclusive : Verdict::verified;
  // A hang under fair progress is one under any model.
  if (outcome.liveness == Verdict::violated || (outcome.liveness == Verdict::verified && options.progress.all_fair())) return outcome;
  Termination ends = termination(test, options, limits, progress);
  outcome.liveness = ends.verdict;
  if (ends.hang) result.findings.push_back(std::move(*ends.hang));
  if (outcome.liveness == Verdict::inconclusive && outcome.reason.empty()) outcome.reason = ends.reason;
  return outcome;
}

std::optional<Finding> litmus_witness(const Problem& test, const LitmusOutcome& outcome,
                                      const LitmusOptions& options, const Limits& limits,
                                      const Progress& progress) {
  const CheckResult& result = outcome.details;
  if (test.contract.quantifier == Quantifier::exists && result.condition_met)
    if (auto found = satisfying(test, options, limits, progress)) return found;
  if (auto failing = first(result.findings, [](const Finding& f) { return !is_hang(f); })) return failing;
  return first(result.findings, is_hang);
}

}  // namespace fencewise
