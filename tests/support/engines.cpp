#include "tests/support/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fencewise::testing {
namespace {

constexpr std::uint64_t most_graphs = 400, most_states = 20'000;
constexpr double most_seconds = 0.5;  // of loops with many rounds; random programs end before
constexpr std::uint32_t rounds = 4;

bool is_grid(const Problem& problem) { return problem.launches.back().placed.empty(); }

// A state without the registers: "0:r=1; x=2;" is "x=2;".
std::string memory_of(const std::string& state) {
  std::string memory;
  for (std::size_t from = 0; from < state.size();) {
    const std::size_t end = std::min(state.find(';', from), state.size() - 1) + 1;
    const std::string part = state.substr(from, end - from);
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos || colon > part.find('=')) memory += part;
    from = end + 1;  // and the space
  }
  return memory;
}

std::set<std::string> states_of(const CheckResult& result, bool grid) {
  std::set<std::string> states;
  for (const std::string& state : result.final_states) states.insert(grid ? memory_of(state) : state);
  return states;
}

std::set<FindingKind> kinds_of(const CheckResult& result) {
  std::set<FindingKind> kinds;
  for (const Finding& f : result.findings) kinds.insert(f.kind);
  return kinds;
}

// The kind of a reason, without what is particular to one program.
std::string reason_kind(const std::string& reason) {
  for (const char* part : {"load buffering", "fence.sc or barriers may order", "counts to a number", "more threads may come to", "again before its arrival",
                           "not confirmed by the axioms", "more threads come to a barrier", "holds one of several values"})
    if (reason.find(part) != std::string::npos) return part;
  return reason;
}

}  // namespace

GraphAnswer graph_answer(const Problem& problem) {
  CheckOptions options;
  options.engine = Engine::graph;
  options.symmetry = Reduction::off;
  options.stop_at_first = false;
  options.collect_states = true;
  options.loop_bound = rounds;
  Limits limits;
  limits.graphs = most_graphs;
  limits.seconds = most_seconds;
  const CheckResult result = check(problem, options, limits);
  GraphAnswer answer;
  answer.skipped = result.unexplored;
  answer.violated = result.verdict == Verdict::violated;
  answer.kinds = kinds_of(result);
  answer.race = answer.kinds.contains(FindingKind::race);
  answer.final_states = states_of(result, is_grid(problem));
  return answer;
}

EngineComparison compare_engines(const Problem& problem, const ViewChoice& choice) {
  return compare_engines(problem, [&] { return graph_answer(problem); }, choice);
}

EngineComparison compare_engines(const Problem& problem, const std::function<GraphAnswer()>& ask_graph, const ViewChoice& choice) {
  EngineComparison c;
  c.grid = is_grid(problem);
  CheckOptions options;
  options.engine = Engine::view;
  options.one_sided = choice.one_sided;
  options.forgetful_polls = choice.forgetful_polls;
  options.symmetry = choice.symmetry;
  options.reductions = choice.reductions;
  options.loop_bound = rounds;
  Limits limits;
  limits.states = most_states;
  limits.seconds = most_seconds;
  const CheckResult first = check(problem, options, limits);
  c.stored = first.search.states;
  if (first.verdict == Verdict::inconclusive) {
    c.declined = reason_kind(first.reason);
    // What the axioms refuse should not have been a counterexample; a hang in a loop of atomics is beyond the graph explorer.
    if (c.declined == "not confirmed by the axioms" && ask_graph().skipped.empty())
      c.difference = "a counterexample was not confirmed\n";
    return c;
  }
  const GraphAnswer expected = ask_graph();
  c.race = expected.race;
  c.violated = expected.violated;
  c.states = expected.final_states.size();
  options.stop_at_first = false;
  options.collect_states = true;
  const CheckResult all = check(problem, options, limits);
  if (!all.unexplored.empty()) {
    c.declined = reason_kind(all.unexplored);
    if (c.declined == "not confirmed by the axioms") c.difference = "a counterexample was not confirmed\n";
    return c;
  }
  const auto differ = [&](std::string_view what, bool view, bool graph) {
    if (view != graph) c.difference += fmt::format("{}: view {}, graph {}\n", what, view, graph);
  };
  const std::set<FindingKind> kinds = kinds_of(all);
  if (!expected.skipped.empty()) {
    // What the graph explorer found so far must be found.
    c.skipped = reason_kind(expected.skipped);
    if (expected.violated && first.verdict == Verdict::verified) c.difference += "violated: view false, graph true\n";
    if (expected.race && !kinds.contains(FindingKind::race)) c.difference += "race: view false, graph true\n";
    return c;
  }
  differ("violated, stopping at the first", first.verdict == Verdict::violated, expected.violated);
  differ("violated", all.verdict == Verdict::violated, expected.violated);
  differ("race", kinds.contains(FindingKind::race), expected.race);
  if (expected.race) return c;
  for (const FindingKind kind : {FindingKind::stuck, FindingKind::livelock, FindingKind::unwritten_read})
    differ(name(kind), kinds.contains(kind), expected.kinds.contains(kind));
  // Where something is wrong, one explorer may go on where the other ends a path.
  if (expected.violated) return c;
  const std::set<std::string> states = states_of(all, c.grid);
  const auto only = [&](std::string_view who, const std::set<std::string>& one, const std::set<std::string>& other) {
    std::size_t shown = 0;
    for (const std::string& state : one)
      if (!other.contains(state) && ++shown <= 3) c.difference += fmt::format("{}: {}\n", who, state);
    if (shown > 3) c.difference += fmt::format("{}: {} states in all\n", who, shown);
  };
  only("view, not graph", states, expected.final_states);
  only("graph, not view", expected.final_states, states);
  return c;
}

void EngineSpread::count(const EngineComparison& c) {
  if (!c.declined.empty()) {
    ++declined_[c.declined];
    return;
  }
  if (!c.skipped.empty()) {
    ++skipped_[c.skipped];
    return;
  }
  grids_ += static_cast<std::uint64_t>(c.grid);
  stored_ += c.stored;
  if (c.race) {
    ++raced_;
    return;
  }
  ++race_free_;
  wrong_ += static_cast<std::uint64_t>(c.violated);
  with_states_ += static_cast<std::uint64_t>(c.states >= 2);
  std::size_t power = 1;
  while (power < c.states) power *= 2;
  ++states_[c.states == 0 ? 0 : power];
}

std::string EngineSpread::text() const {
  std::string text = fmt::format("{} compared ({} of grids): {} raced, {} race-free, {} of these wrong otherwise, {} with two final "
                                 "states or more; {} states stored\n  final states up to:",
                                 compared(), grids_, raced_, race_free_, wrong_, with_states_, stored_);
  for (const auto& [states, programs] : states_) text += fmt::format(" {}:{}", states, programs);
  for (const auto& [reason, programs] : declined_) text += fmt::format("\n  declined {}: {}", programs, reason);
  for (const auto& [reason, programs] : skipped_) text += fmt::format("\n  skipped {}: {}", programs, reason);
  return text;
}

}  // namespace fencewise::testing
