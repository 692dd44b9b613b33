// Replays a saved counterexample: the threads run again with the reads-from it gives, the axioms judge the graph, and the
// properties are evaluated anew. Where no graph is saved, the moves are taken again by the rules of the view explorer. Nothing of the
// saved finding is believed but its choices.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker/check.h"
#include "checker/explore/fence_order.h"
#include "checker/explore/plan_steps.h"
#include "checker/properties/determinism.h"
#include "checker/explore/lockstep.h"
#include "checker/explore/view/view_explorer.h"
#include "checker/properties/examine.h"
#include "checker/properties/path_finding.h"
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

// Executes a witness, launch by launch.
class PlanReplay {
 public:
  PlanReplay(const Problem& problem, const CheckOptions& options)
      : problem_(problem), options_(options), steps_(problem), terms_(problem.domain), memory_(MemoryImage::initial(problem, terms_)) {}

  // What f(context, point) makes of the witness's last launch, when those before it are executed.
  template <class F> auto at_last(const Witness& witness, F&& f) {
    if (witness.launches.empty()) misfit("it has no launch");
    if (witness.launches.size() > steps_.size()) misfit("it has more launches than the plan");
    memory_ = MemoryImage::initial(problem_, terms_);
    MemoryImage replay_entry = memory_;
    for (std::size_t step = 0;; ++step) {
      if (steps_.begins_replay(step)) {
        if (step != 0) memory_.renew(problem_, terms_, steps_.replay(step));
        replay_entry = memory_;
      }
      Dependencies dependencies;
      const LaunchContext context(problem_, steps_.stage(step), reading_of(options_), memory_, terms_, dependencies,
                                  options_.loop_bound);
      const PlanPoint point = steps_.point(step, replay_entry);
      if (step + 1 == witness.launches.size()) return f(context, point);
      const Examination seen = execute(context, witness.launches[step], point, Races::off);
      if (!seen.after) misfit("a launch before the last does not end");
      memory_ = *seen.after;
    }
  }
  // What its last launch shows. `other`: memory that another execution left; may be null.
  Examination run(const Witness& witness, const MemoryImage* other = nullptr) {
    return at_last(witness, [&](const LaunchContext& context, PlanPoint point) {
      point.other = other;
      return execute(context, witness.launches.back(), point, options_.races);
    });
  }
  // Where no graph is saved, the moves are taken again.
  Finding endless(const Finding& saved) {
    return by_moves(saved.witness, [&](view::ViewExplorer& explorer, const LaunchContext& context, LaunchNumber number) {
      view::Path way_in;
      for (const WitnessMove& move : saved.endless->way_in) way_in.push_back({move.thread, move.choice});
      const auto run = explorer.endless(way_in, saved.endless->cycle);
      if (!run) misfit("its moves lead to no run that may go on for ever");
      return view::finding_of(context, *run, schedule(), number);
    });
  }
  Finding access(const Finding& saved) {
    return by_moves(saved.witness, [&](view::ViewExplorer& explorer, const LaunchContext& context, LaunchNumber number) {
      const auto path = explorer.access_behind(*saved.way_in);
      if (!path) misfit(fmt::format("its moves lead to no {}", name(saved.kind)));
      return access_finding(context, *path, number);
    });
  }

 private:
  static Examination execute(const LaunchContext& context, const WitnessLaunch& saved, const PlanPoint& point, Races races) {
    LaunchReplay launch(context, saved);
    launch.run();
    return examine(launch.execution, launch.relations, point, {.races = races, .final_states = false, .seen_races = {}});
  }

  [[nodiscard]] view::Schedule schedule() const { return {options_.resident, options_.progress}; }
  template <class F> Finding by_moves(const Witness& witness, F&& f) {
    return at_last(witness, [&](const LaunchContext& context, const PlanPoint& point) {
      Budget budget({}, {});
      SearchStats stats;
      view::ViewExplorer explorer(context, view::exactly, std::nullopt, point.number.replay, schedule(), options_.reductions, budget,
                                  stats);
      return f(explorer, context, point.number);
    });
  }

  const Problem& problem_;
  const CheckOptions& options_;
  PlanSteps steps_;
  Terms terms_;
  MemoryImage memory_;
};

}  // namespace

Finding replay(const Problem& given, const CheckOptions& options, const Finding& saved) {
  validate(given);
  const Problem problem = options.progress.lanes == ProgressModel::lockstep ? in_lockstep(given) : given;
  const bool two = saved.kind == FindingKind::order_dependent;
  const Problem ordered = two ? with_ordered_sums(problem) : problem;
  PlanReplay plan(ordered, options);
  const auto with_way_in = [&](Finding found) {
    found.witness.launches.insert(found.witness.launches.begin(), saved.witness.launches.begin(), saved.witness.launches.end() - 1);
    found.repair = saved.repair;
    found.other = saved.other;
    return found;
  };
  if (saved.endless) return with_way_in(plan.endless(saved));
  if (saved.way_in) return with_way_in(plan.access(saved));
  std::optional<MemoryImage> other;
  if (two) other = plan.run(saved.other).after;
  if (two && !other) misfit("its other execution does not end");
  Examination seen = plan.run(saved.witness, other ? &*other : nullptr);
  const auto found = std::find_if(seen.findings.begin(), seen.findings.end(), [&](const Finding& f) {
    return f.kind == saved.kind && f.location == saved.location;
  });
  if (found == seen.findings.end())
    misfit(fmt::format("its execution shows no {} on '{}'", name(saved.kind), saved.location));
  return with_way_in(std::move(*found));
}

}  // namespace fencewise
