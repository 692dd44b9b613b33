#include "checker/cli/shrink.h"

#include <algorithm>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::size_t most_tried_shapes = 400;      // that are looked at
constexpr std::uint64_t most_graphs = 2'000;  // for each
constexpr std::uint64_t most_states = 5'000;

// All values of the numeric parameters up to those of `most`, the first parameter counting slowest.
std::vector<Parameters> shapes(const Protocol& protocol, const Parameters& most) {
  std::vector<Parameters> found{most};
  for (const Parameter& p : protocol.parameters) {
    if (!p.choices.empty() || most[p.name] <= p.min) continue;
    std::vector<Parameters> next;
    for (const Parameters& shape : found)
      for (std::int64_t v = p.min; v <= most[p.name] && next.size() < most_tried_shapes; ++v) {
        next.push_back(shape);
        next.back().set(p.name, v);
      }
    found = std::move(next);
  }
  return found;
}

}  // namespace

std::uint64_t threads_of(const Problem& problem) {
  std::uint64_t threads = 0;
  for (const Launch& launch : problem.launches)
    threads += launch.placed.empty() ? launch.grid.count() * launch.block.count() : launch.placed.size();
  return threads * problem.replays;
}

Limits quick_look(Limits limits) {
  const auto at_most = [](std::uint64_t limit, std::uint64_t most) { return limit == 0 ? most : std::min(limit, most); };
  limits.graphs = at_most(limits.graphs, most_graphs);
  limits.states = at_most(limits.states, most_states);
  return limits;
}

std::optional<Shrunk> shrink(const Subject& subject, const CheckOptions& options, FindingKind kind, const Limits& allowed,
                             const Progress& progress) {
  if (subject.protocol == nullptr) return std::nullopt;
  struct Candidate {
    std::uint64_t threads;
    Parameters params;
    Problem problem;
  };
  const std::uint64_t threads = threads_of(problem_of(subject));
  std::vector<Candidate> candidates;
  for (const Parameters& params : shapes(*subject.protocol, subject.params)) {
    try {
      Subject smaller = subject;
      smaller.params = params;
      Problem problem = problem_of(smaller);
      const std::uint64_t size = threads_of(problem);
      if (size < threads) candidates.push_back({size, params, std::move(problem)});
    } catch (const InputError&) {  // a shape that the protocol or the variant does not have
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.threads < b.threads; });
  const Limits limits = quick_look(allowed);
  for (Candidate& c : candidates) {
    CheckResult result = check(c.problem, options, limits, progress);
    if (result.verdict != Verdict::violated || result.findings.front().kind != kind) continue;
    Shrunk shrunk{subject, std::move(c.problem), std::move(result)};
    for (const auto& [name, value] : c.params.all())
      if (value != subject.params[name]) shrunk.subject.given.set(name, value);
    shrunk.subject.params = std::move(c.params);
    return shrunk;
  }
  return std::nullopt;
}

}  // namespace fencewise
