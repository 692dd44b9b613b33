// Replays a saved counterexample: the threads run again with the reads-from it gives, the axioms judge the graph, and the
// properties are evaluated anew. Nothing of the saved finding is believed but its choices.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker/check.h"
#include "checker/explore/fence_order.h"
#include "checker/explore/lockstep.h"
#include "checker/explore/view/view_explorer.h"
#include "checker/properties/examine.h"
#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "memmodel/judge.h"

namespace fencewise {
namespace {

[[noreturn]] void misfit(const std::string& why) {
  throw InputError(fmt::format("the counterexample does not fit the problem: {}", why));
}

// What names an event in a saved witness and in a fresh execution alike: for memory as it was found, the location and which
// of its initial values; else the thread, the place in program order and, for a vector, which element.
using EventKey = std::tuple<ThreadId, std::uint32_t, EventKind, Location, std::uint32_t>;

std::map<EventKey, EventId> keys_of(const ExecutionGraph& graph) {
  std::map<EventKey, EventId> keys;
  for (EventId e = 0; e < graph.events.size(); ++e) {
    const Event& event = graph.events[e];
    for (std::uint32_t n = 0;; ++n)
      if (keys.try_emplace({event.thread, event.po, event.kind, event.location, n}, e).second) break;
  }
  return keys;
}

class LaunchReplay {
 public:
  LaunchReplay(const LaunchContext& context, const WitnessLaunch& saved)
      : saved_(saved), execution(context) {}

  void run() {
    execution.advance();
    while (choose_some()) execution.advance();
    copy_edges(saved_.graph.co, execution.graph.co);
    copy_edges(saved_.graph.fence_sc, execution.graph.fence_sc);
    relations.prepare(execution.graph, execution.context().reading);
    relations.derive(execution.graph);
    if (const auto axiom = relations.violated_axiom(execution.graph))
      throw InputError(
          fmt::format("the counterexample is not consistent: it breaks the axiom {}", name(*axiom)));
    for (EventId e = 0; e < execution.graph.events.size(); ++e)
      if (execution.graph.events[e].is_read() && execution.graph.rf[e] == no_event)
        misfit("a read has no source in it");
  }

 private:
  // Gives each read without source the one that the witness names. Returns whether some read got one.
  bool choose_some() {
    const auto saved = keys_of(saved_.graph);
    const auto fresh = keys_of(execution.graph);
    std::map<EventId, EventId> to_fresh;
    for (const auto& [key, e] : saved)
      if (const auto it = fresh.find(key); it != fresh.end()) to_fresh.emplace(e, it->second);
    bool chosen = false;
    for (const auto& [key, e] : saved) {
      if (!saved_.graph.events[e].is_read() || saved_.graph.rf[e] == no_event) continue;
      const auto read = to_fresh.find(e), write = to_fresh.find(saved_.graph.rf[e]);
      if (read == to_fresh.end() || write == to_fresh.end() || execution.graph.rf[read->second] != no_event)
        continue;
      execution.choose(read->second, write->second);
      chosen = true;
    }
    return chosen;
  }

  void copy_edges(const std::vector<Edge>& from, std::vector<Edge>& to) const {
    const auto fresh = keys_of(execution.graph);
    const auto saved = keys_of(saved_.graph);
    std::map<EventId, EventId> to_fresh;
    for (const auto& [key, e] : saved)
      if (const auto it = fresh.find(key); it != fresh.end()) to_fresh.emplace(e, it->second);
    for (const Edge& edge : from) {
      const auto a = to_fresh.find(edge.from), b = to_fresh.find(edge.to);
      if (a == to_fresh.end() || b == to_fresh.end()) misfit("it names events that do not happen");
      to.push_back({a->second, b->second});
    }
  }

  const WitnessLaunch& saved_;

 public:
  PartialExecution execution;
  Relations relations;
};

}  // namespace

namespace {

// Runs that never end are re-executed by their moves.
Finding replay_endless(const LaunchContext& context, const CheckOptions& options, const EndlessRun& saved, LaunchNumber number) {
  const view::Schedule schedule{options.resident, options.progress};
  Budget budget({}, {});
  SearchStats stats;
  view::ViewExplorer explorer(context, view::FenceReading::exact, std::nullopt, number.replay, schedule, options.reductions, budget,
                              stats);
  view::Path way_in;
  for (const EndlessRun::Move& move : saved.way_in) way_in.push_back({move.thread, move.choice});
  const auto endless = explorer.endless(way_in, saved.cycle);
  if (!endless) misfit("its moves lead to no run that may go on for ever");
  return view::finding_of(context, *endless, schedule, number);
}

}  // namespace

Finding replay(const Problem& given, const CheckOptions& options, const Finding& saved) {
  validate(given);
  const Problem problem = options.progress.lanes == ProgressModel::lockstep ? in_lockstep(given) : given;
  Terms terms(problem.domain);
  MemoryImage memory = MemoryImage::initial(problem, terms);
  MemoryImage replay_entry = memory;
  const std::size_t launches = problem.launches.size();
  if (saved.witness.launches.empty()) misfit("it has no launch");
  if (saved.witness.launches.size() > launches * problem.replays)
    misfit("it has more launches than the plan");
  for (std::size_t step = 0; step < saved.witness.launches.size(); ++step) {
    if (step % launches == 0) {
      if (step != 0) memory.renew(problem, terms, static_cast<std::uint32_t>(step / launches) + 1);
      replay_entry = memory;
    }
    Dependencies dependencies;
    const LaunchContext context(problem, problem.launches[step % launches], reading_of(options.model), memory,
                                terms, dependencies, options.loop_bound);
    const bool last = step + 1 == saved.witness.launches.size();
    if (last && saved.endless) {
      Finding found = replay_endless(context, options, *saved.endless,
                                     {static_cast<std::uint32_t>(step / launches) + 1, static_cast<std::uint32_t>(step % launches) + 1});
      found.witness.launches.insert(found.witness.launches.begin(), saved.witness.launches.begin(), saved.witness.launches.end() - 1);
      found.repair = saved.repair;
      return found;
    }
    LaunchReplay launch(context, saved.witness.launches[step]);
    launch.run();
    PlanPoint point;
    point.number = {static_cast<std::uint32_t>(step / launches) + 1,
                    static_cast<std::uint32_t>(step % launches) + 1};
    point.ends_replay = (step + 1) % launches == 0;
    point.ends_plan = step + 1 == launches * problem.replays;
    point.replay_entry = &replay_entry;
    Examination seen =
        examine(launch.execution, launch.relations, point,
                {.races = last ? options.races : Races::off, .final_states = false, .seen_races = {}});
    if (last) {
      const auto found = std::find_if(seen.findings.begin(), seen.findings.end(), [&](const Finding& f) {
        return f.kind == saved.kind && f.location == saved.location;
      });
      if (found == seen.findings.end())
        misfit(fmt::format("its execution shows no {} on '{}'", name(saved.kind), saved.location));
      found->witness.launches.insert(found->witness.launches.begin(), saved.witness.launches.begin(),
                                     saved.witness.launches.end() - 1);
      found->repair = saved.repair;
      return std::move(*found);
    }
    if (!seen.after) misfit("a launch before the last does not end");
    memory = *seen.after;
  }
  throw InternalError("replay: no launch");
}

}  // namespace fencewise
