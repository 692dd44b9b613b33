#include "checker/litmus.h"

#include <algorithm>

namespace fencewise {
namespace {

bool is_hang(const Finding& f) { return f.kind == FindingKind::stuck || f.kind == FindingKind::livelock; }

bool uses_proxies(const Problem& problem) {
  return std::any_of(problem.buffers.begin(), problem.buffers.end(), [](const Buffer& b) { return b.alias_of.has_value(); });
}

}  // namespace

LitmusOutcome run_litmus(const Problem& test, Model model, bool all_states, const Limits& limits, const Progress& progress) {
  LitmusOutcome outcome;
  if (!reading_of(model).proxies && model != Model::sc && uses_proxies(test)) {
    outcome.statement = outcome.liveness = Verdict::inconclusive;
    outcome.reason = "proxies and aliases are not modelled by ptx-v6.0";
    outcome.not_modelled = true;
    return outcome;
  }
  CheckOptions options;
  options.model = model;
  options.races = Races::off;
  options.stop_at_first = false;
  options.collect_states = all_states;
  options.loop_bound = 3;
  CheckResult& result = outcome.details = check(test, options, limits, progress);
  const bool hangs = std::any_of(result.findings.begin(), result.findings.end(), is_hang);
  const bool fails = std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& f) { return f.violates && !is_hang(f); });
  const bool cut = !result.unexplored.empty();
  outcome.reason = result.unexplored;
  // What was found stands, whatever was left out; what was not found stands only if nothing was.
  const bool decided_by_witness = test.contract.quantifier == Quantifier::exists ? result.condition_met : fails;
  outcome.statement = fails ? Verdict::violated : Verdict::verified;
  if (cut && !decided_by_witness) outcome.statement = Verdict::inconclusive;
  outcome.liveness = hangs ? Verdict::violated : cut ? Verdict::inconclusive : Verdict::verified;
  return outcome;
}

}  // namespace fencewise
