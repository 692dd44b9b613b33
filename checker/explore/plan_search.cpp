#include "checker/explore/plan_search.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "checker/explore/graph_explorer.h"
#include "checker/explore/view/eligibility.h"
#include "checker/explore/view/future.h"
#include "checker/explore/view/view_explorer.h"
#include "checker/properties/contract_check.h"
#include "checker/properties/determinism.h"
#include "checker/properties/final_memory.h"
#include "checker/properties/path_finding.h"
#include "checker/vectors.h"
#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "memmodel/judge.h"

namespace fencewise {
namespace {

constexpr std::size_t most_finish_orders = 1'000'000;
constexpr std::uint32_t most_named_ctas = 8;  // up to here every order is shown by name
// Launches up to this size are explored graph by graph.
constexpr std::size_t most_threads_for_graphs = 6;
constexpr std::uint32_t most_ctas_for_graphs = 4;
constexpr std::size_t most_bad_ends = 64;  // that are retraced where all findings are asked for

constexpr std::size_t most_threads_judged = 64;  // larger launches: a race is shown by its two accesses
constexpr std::uint64_t most_steps_of_a_path = 200'000;

// Who is there, and who goes on.
std::string assumed(const CheckOptions& options) {
  const std::string there = options.resident == 0
                                ? "all CTAs are resident"
                                : fmt::format("at most {} CTAs are resident at a time, they start in any order", options.resident);
  if (options.progress.all_fair())
    return fmt::format("{}{} every {}thread that can go on goes on (fair)", there, options.resident == 0 ? " and" : ", and",
                       options.resident == 0 ? "" : "resident ");
  return fmt::format("{}{} progress is {} (docs/progress.md)", there, options.resident == 0 ? " and" : ", and", text_of(options.progress));
}

// Whether what is promised to a CTA depends on its name, or on what it has done.
bool names_ctas(const ProgressModels& models) {
  return models.ctas != ProgressModel::fair && models.ctas != ProgressModel::unfair;
}

bool ended(const PartialExecution::Thread& t) { return t.status == ThreadStatus::exited; }

// The behaviours that a path of the view explorer stands for. Returns why some may have been left out; empty: none were.
std::string complete(const LaunchContext& context, const view::Retrace& path, Budget& whole, const GraphExplorer::Visitor& visitor) {
  Budget budget(whole, most_steps_of_a_path);
  SearchStats stats;
  GraphExplorer(context, nullptr, budget, stats).explore_from(view::follow(context, path), visitor);
  return budget.reason();
}

}  // namespace

PlanSearch::PlanSearch(const Problem& problem, const CheckOptions& options, const Limits& limits,
                       const Progress& progress)
    : problem_(problem), options_(options), budget_(limits, progress), terms_(problem.domain) {
  examine_.races = options.races;
  examine_.final_states = options.collect_states;
}

CheckResult PlanSearch::run() {
  try {
    try {
      search();
    } catch (const SymmetryBroken&) {
      start_anew();
      search();
    }
  } catch (const NotModelled& e) {
    unexplored_ = e.what();
  }
  conclude();
  return std::move(result_);
}

// Without symmetry: a behaviour showed that CTAs differ.
void PlanSearch::start_anew() {
  symmetry_allowed_ = false;
  result_ = {};
  examine_.seen_races.clear();
  recorded_.clear();
  final_states_.clear();
  first_ends_.clear();
  ends_have_places_ = false;
  finish_orders_.clear();
  unexplored_.clear();
  engine_note_.clear();
  condition_met_ = false;
}

void PlanSearch::search() {
  result_.engine = "graph";
  const auto initial = std::make_shared<const MemoryImage>(MemoryImage::initial(problem_, terms_));
  Frontier frontier;
  frontier.emplace(Key{*initial, *initial}, Node{*initial, initial, nullptr});
  const PlanSteps steps(problem_);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    Frontier next;
    bool go_on = true;
    for (auto& [key, node] : frontier) {
      if (steps.begins_replay(step)) {
        if (step != 0) node.memory.renew(problem_, terms_, steps.replay(step));
        node.replay_entry = std::make_shared<const MemoryImage>(node.memory);
      }
      ++result_.search.states;
      go_on = explore_stage(node, steps.stage(step), steps.point(step, *node.replay_entry), next);
      if (!go_on) break;
    }
    if (!go_on) break;
    frontier = std::move(next);
  }
}

std::optional<Symmetry> PlanSearch::symmetry_of(const LaunchContext& context, std::uint32_t replay) const {
  const bool wanted = options_.symmetry == Reduction::on ||
                      (options_.symmetry == Reduction::automatic && options_.engine != Engine::graph &&
                       context.image.ctas > most_named_ctas);
  if (!wanted || !symmetry_allowed_ || options_.collect_states) return std::nullopt;
  std::string why;
  auto found = Symmetry::find(context, Symmetry::Swept::plain, replay, why);
  return found;
}

bool PlanSearch::explore_stage(const Node& node, const Stage& stage, const PlanPoint& point, Frontier& next) {
  struct Kept {  // a path may be retraced when the node is gone
    MemoryImage memory;
    LaunchContext context;
    Kept(PlanSearch& s, const Stage& which, const MemoryImage& m)
        : memory(m), context(s.problem_, which, reading_of(s.options_), memory, s.terms_, s.dependencies_, s.options_.loop_bound) {}
  };
  const auto kept = std::make_shared<Kept>(*this, stage, node.memory);
  const std::shared_ptr<const LaunchContext> context(kept, &kept->context);
  if (wants_views(*context)) {
    try {
      if (const auto go_on = explore_views(node, context, point, next)) return *go_on;
    } catch (const NotModelled& e) {
      if (options_.engine == Engine::view || options_.resident != 0 || !options_.progress.all_fair()) throw;
      engine_note_ = fmt::format("graph explorer: {}", e.what());
    }
  }
  return explore_graphs(node, *context, point, next);
}

bool PlanSearch::explore_graphs(const Node& node, const LaunchContext& context, const PlanPoint& point,
                                Frontier& next) {
  const auto symmetry = symmetry_of(context, point.number.replay);
  if (symmetry) result_.search.interchangeable = symmetry->interchangeable();
  GraphExplorer explorer(context, symmetry ? &*symmetry : nullptr, budget_, result_.search);
  return explorer.explore(
      [&](PartialExecution& x, Relations& r) { return take_each_memory(node, x, r, point, next); });
}

// Small launches are explored graph by graph, which tells more: every behaviour by name.
bool PlanSearch::wants_views(const LaunchContext& context) {
  const bool limited = options_.resident != 0 && options_.resident < context.image.ctas;
  const bool fair = options_.progress.all_fair();
  // The ids that some models compare are those of one grid.
  if (!fair && context.stage.launches.size() > 1) throw NotModelled("progress that is not fair, of launches that overlap");
  if (options_.engine == Engine::graph) {
    if (limited) throw NotModelled("the graph explorer takes all CTAs as resident; use --engine view");
    if (!fair) throw NotModelled("the graph explorer takes progress as fair; use --engine view");
    return false;
  }
  const bool asked = options_.engine == Engine::view || limited || !fair;
  const bool small = context.image.threads.size() <= most_threads_for_graphs && context.image.ctas <= most_ctas_for_graphs;
  if (!asked && (small || options_.collect_states)) return false;
  std::string why;
  if (options_.races != Races::fail)
    why = "with races allowed";
  else
    why = view::why_not_exact(context, options_.model);
  if (why.empty()) return true;
  if (asked) throw NotModelled(fmt::format("the view explorer may not be exact here: {}", why));
  engine_note_ = fmt::format("graph explorer: the view explorer may not be exact here: {}", why);
  return false;
}

std::optional<bool> PlanSearch::explore_views(const Node& node, const std::shared_ptr<const LaunchContext>& context,
                                              const PlanPoint& point, Frontier& next) {
  std::string why;
  std::optional<Symmetry> symmetry;
  if (options_.symmetry != Reduction::off && symmetry_allowed_ && !options_.collect_states && !names_ctas(options_.progress))
    symmetry = Symmetry::find(*context, Symmetry::Swept::placed, point.number.replay, why);
  const bool always = problem_.contract.quantifier == Quantifier::always;
  const auto good = [&](const view::State& state, const MemoryImage& memory) {
    const auto registers = [&state, &context](std::uint32_t t, RegisterId r) {
      const auto& values = state.threads[context->thread_of_contract(t)].state.registers;
      return r.value < values.size() ? values[r.value] : Value();
    };
    return !always ||
           assertions_hold(problem_, memory,
                           {context->memory, *point.replay_entry, registers, point.ends_replay, point.ends_plan}, terms_);
  };
  const SearchStats before = result_.search;
  const bool limited = options_.resident != 0 && options_.resident < context->image.ctas;
  std::shared_ptr<view::ViewExplorer> explorer;
  view::Explored explored;
  const auto pass = [&](view::Approximation approximation, bool only_races = false) {
    result_.search = before;
    explorer = std::make_shared<view::ViewExplorer>(*context, approximation, symmetry, point.number.replay,
                                                    view::Schedule{options_.resident, options_.progress}, options_.reductions, budget_,
                                                    result_.search, options_.workers);
    if (only_races) explorer->see_only_races();
    explored = explorer->explore(good, options_.stop_at_first ? 1 : most_bad_ends,
                                 always && !options_.collect_states ? view::FinalState::memory : view::FinalState::memory_and_registers);
    result_.engine = "view";
    if (symmetry) result_.search.interchangeable = symmetry->interchangeable();
  };
  const auto graph_may_show = [&](const view::Explored::Bad& bad) {
    return !bad.hangs || (options_.progress.all_fair() && !limited && !bad.cycle_writes);
  };
  const auto is_confirmed = [&](const view::Explored::Bad& bad) {
    if (context->image.threads.size() > most_threads_judged)
      if (const auto found = explorer->access_of(bad.path)) {
        record(access_finding(*context, *found, point.number), node);
        return true;
      }
    if (!graph_may_show(bad)) return report_endless(node, *context, *explorer, bad, point);
    return confirm(node, *context, explorer->retrace(bad.path), point, next) ||
           (bad.hangs && report_endless(node, *context, *explorer, bad, point));
  };
  // First what allows more: "nothing is wrong" and "one memory is left" carry over, and so do counterexamples that the axioms
  // confirm.
  bool decided = false;
  const view::FenceReading fences = options_.one_sided == Reduction::off ? view::FenceReading::exact : view::FenceReading::one_sided;
  const bool forget = options_.forgetful_polls != Reduction::off && std::ranges::any_of(problem_.kernels, view::may_poll);
  std::vector<view::Approximation> approximations;
  if (forget) approximations.push_back({.fences = fences, .pollers_forget = true});
  if (fences != view::FenceReading::exact) approximations.push_back({.fences = fences});
  if (!options_.progress.all_fair()) approximations.clear();
  for (const view::Approximation& approximation : approximations) {
    pass(approximation);
    if (!explored.complete) return false;
    const bool one_end = explored.finals.size() <= 1 || (options_.stop_at_first && !explored.bad.empty());
    decided = std::all_of(explored.bad.begin(), explored.bad.end(), is_confirmed) && one_end;
    if (decided || !one_end) break;  // several ends are left by the next one too
  }
  if (!decided) {
    pass(view::exactly);
    if (!explored.complete) return false;
    // A race may be seen on a path whose own reads order the accesses: then another path shows it.
    const auto confirmed = std::count_if(explored.bad.begin(), explored.bad.end(), is_confirmed);
    const bool by_graph = std::any_of(explored.bad.begin(), explored.bad.end(), graph_may_show);
    if (confirmed == 0 && !explored.bad.empty() && !(by_graph && confirm(node, *context, view::Retrace(), point, next))) {
      unexplored_ = "a counterexample of the view explorer was not confirmed by the axioms; use --engine graph";
      return false;
    }
  }
  if (!explored.bad.empty() && options_.stop_at_first) return false;
  // A read of what nobody wrote ends a path: what it would race with, or what lies behind it, is asked for apart.
  const auto was_found = [&](FindingKind kind) {
    return std::ranges::any_of(result_.findings, [kind](const Finding& f) { return f.kind == kind; });
  };
  if (was_found(FindingKind::unwritten_read) && !was_found(FindingKind::race)) {
    const auto found = std::pair(explorer, std::move(explored));
    const SearchStats stats = result_.search;
    pass(view::exactly, true);
    if (!explored.complete) return false;
    (void)std::count_if(explored.bad.begin(), explored.bad.end(), is_confirmed);
    std::tie(explorer, explored) = found;
    result_.search = stats;
  }
  for (view::Explored::Final& final : explored.finals) {
    if (options_.collect_states && point.ends_plan)
      final_states_.insert(text_of_state(*context, final.registers, final.memory));
    if (!always && !condition_met_) (void)confirm(node, *context, explorer->retrace(final.path), point, next);
    // A state that `exists` asks for ends no search: what else may happen is asked too.
    const bool searching = problem_.contract.quantifier == Quantifier::exists;
    if (condition_met_ && options_.stop_at_first && !searching) return false;
    if (point.ends_replay && !restored(problem_, final.memory, *point.replay_entry) &&
        confirm(node, *context, explorer->retrace(final.path), point, next))
      continue;  // which goes on from there
    if (options_.determinism && symmetry) {
      ends_have_places_ = true;
      if (point.ends_replay) symmetry->confirm_outputs(*context, final.memory, point.number.replay);
    }
    if (options_.determinism && point.ends_replay && first_end(point) != nullptr) {
      if (!compare_with_first_end(node, *context, explorer->retrace(final.path), point, final.memory, next)) return false;
      if (options_.stop_at_first && !result_.findings.empty()) return false;
    }
    if (point.ends_plan && !options_.determinism) continue;
    go_on_from(node, point, std::move(final.memory),
               [this, explorer, context, path = std::move(final.path), number = point.number] {
                 std::optional<WitnessLaunch> witness;
                 const std::string cut = complete(*context, explorer->retrace(path), budget_, [&](PartialExecution& x, Relations& r) {
                   if (std::all_of(x.threads.begin(), x.threads.end(), ended)) witness = witness_of(x, r, number);
                   return !witness;
                 });
                 if (!witness && !cut.empty()) throw NotModelled(fmt::format("a counterexample, whose way in was not completed: {}", cut));
                 if (!witness) throw InternalError("a path of the view explorer breaks an axiom");
                 return *witness;
               },
               next);
  }
  return true;
}

// A run that never ends, which no finite graph shows: it is re-executed, and what can be judged of it, the way in, is.
bool PlanSearch::report_endless(const Node& node, const LaunchContext& context, view::ViewExplorer& explorer,
                                const view::Explored::Bad& bad, const PlanPoint& point) {
  const auto endless = explorer.endless(bad.path, bad.cycle);
  if (!endless) return false;
  PartialExecution x = view::follow(context, explorer.retrace(bad.path));
  Relations r;
  r.prepare(x.graph, context.reading);
  r.derive(x.graph);
  if (r.violated_axiom(x.graph)) return false;
  record(view::finding_of(context, *endless, {options_.resident, options_.progress}, point.number), node);
  return true;
}

bool PlanSearch::confirm(const Node& node, const LaunchContext& context, const view::Retrace& path,
                         const PlanPoint& point, Frontier& next) {
  const std::size_t before = result_.findings.size();
  const std::set<std::pair<FindingKind, std::string>> recorded = recorded_;
  const std::set<std::string> seen_races = examine_.seen_races;
  bool shown = false;
  (void)complete(context, path, budget_, [&](PartialExecution& x, Relations& r) {
    recorded_.clear();
    examine_.seen_races.clear();
    (void)take_each_memory(node, x, r, point, next);
    shown |= result_.findings.size() > before || condition_met_;
    return !shown;
  });
  // What was recorded before is not shown twice.
  std::set<std::pair<FindingKind, std::string>> seen = recorded;
  for (std::size_t n = before; n < result_.findings.size();) {
    const Finding& f = result_.findings[n];
    if (seen.insert({f.kind, f.location}).second)
      ++n;
    else
      result_.findings.erase(result_.findings.begin() + static_cast<std::ptrdiff_t>(n));
  }
  recorded_ = std::move(seen);
  examine_.seen_races.insert(seen_races.begin(), seen_races.end());
  return shown;
}

// Takes a behaviour under each order of fence.sc that leaves other last writes. Returns false to stop the search.
bool PlanSearch::take_each_memory(const Node& node, PartialExecution& x, Relations& r, const PlanPoint& point,
                                  Frontier& next) {
  if (x.graph.fence_sc.empty() || !std::all_of(x.threads.begin(), x.threads.end(), ended))
    return take(node, x, r, point, next);
  for (const std::vector<Edge>& order : orders_of_last_writes(x, r)) {
    x.graph.fence_sc = order;
    r.derive(x.graph);
    if (!take(node, x, r, point, next)) return false;
  }
  return true;
}

// Returns false to stop the search.
bool PlanSearch::take(const Node& node, PartialExecution& x, Relations& r, const PlanPoint& point,
                      Frontier& next) {
  PlanPoint here = point;
  if (const FirstEnd* first = first_end(point)) {
    refuse_places();
    here.other = &first->memory;
  }
  Examination seen = examine(x, r, here, examine_);
  if (seen.unexplored && unexplored_.empty()) unexplored_ = *seen.unexplored;
  if (seen.counts) {
    ++(seen.complete ? result_.search.graphs : result_.search.blocked);
    if (seen.complete) count_finish_order(x, r, point.number);
  }
  condition_met_ |= seen.condition_met;
  final_states_.insert(seen.final_states.begin(), seen.final_states.end());
  const bool ends = std::any_of(seen.findings.begin(), seen.findings.end(), ends_path);
  for (Finding& finding : seen.findings) record(std::move(finding), node);
  if (ends && options_.stop_at_first) return false;
  if ((!point.ends_plan || options_.determinism) && seen.after && (!ends || options_.races != Races::fail))
    go_on_from(node, point, std::move(*seen.after),
               [witness = witness_of(x, r, point.number)] { return witness; }, next);
  return true;
}

// The next stage starts from `after`, if it is new.
void PlanSearch::go_on_from(const Node& node, const PlanPoint& point, MemoryImage after,
                            std::function<WitnessLaunch()> launch, Frontier& next) {
  Key key{after, point.ends_replay ? after : *node.replay_entry};
  if (next.contains(key)) return;
  Node to{std::move(after), node.replay_entry, std::make_shared<const Path>(Path{std::move(launch), node.path})};
  if (options_.determinism && point.ends_replay) first_ends_.try_emplace(point.number.replay, FirstEnd{to.memory, to.path});
  next.emplace(std::move(key), std::move(to));
}

// Keeps one finding of a kind and place.
void PlanSearch::record(Finding finding, const Node& node) {
  if (finding.kind == FindingKind::race || finding.kind == FindingKind::mixed_size)
    examine_.seen_races.insert(finding.location);
  if (!recorded_.insert({finding.kind, finding.location}).second) return;
  judge_again(finding.witness);
  put_before(node.path, finding.witness);
  if (finding.kind == FindingKind::order_dependent) {
    put_before(first_ends_.at(finding.launch).path, finding.other);
    judge_again(finding.other);
  }
  result_.findings.push_back(std::move(finding));
}

// A counterexample is judged by the axioms once more, from its own graph, before it is shown.
void PlanSearch::judge_again(const Witness& witness) const {
  for (const WitnessLaunch& launch : witness.launches)
    if (const auto broken = judge(launch.graph, reading_of(options_)))
      throw InternalError(fmt::format("a counterexample breaks the axiom {}", name(broken->axiom)));
}

void PlanSearch::put_before(const std::shared_ptr<const Path>& path, Witness& witness) {
  for (const Path* p = path.get(); p != nullptr; p = p->before.get())
    witness.launches.insert(witness.launches.begin(), p->launch());
}

const PlanSearch::FirstEnd* PlanSearch::first_end(const PlanPoint& point) const {
  const auto it = first_ends_.find(point.number.replay);
  return point.ends_replay && it != first_ends_.end() ? &it->second : nullptr;
}

// Two orders are shown with all CTAs by name.
void PlanSearch::refuse_places() const {
  if (ends_have_places_) throw SymmetryBroken("outputs are compared");
}

bool PlanSearch::compare_with_first_end(const Node& node, const LaunchContext& context, const view::Retrace& path,
                                        const PlanPoint& point, const MemoryImage& left, Frontier& next) {
  const FirstEnd& first = *first_end(point);
  if (!difference_of_outputs(problem_, first.memory, left)) return true;
  refuse_places();
  // With one-sided fences a memory may be real and the path to it not: then another path shows it.
  if (confirm(node, context, path, point, next) || confirm(node, context, view::Retrace(), point, next)) return true;
  unexplored_ = "two orders of execution of the view explorer were not confirmed by the axioms; use --engine graph";
  return false;
}

void PlanSearch::count_finish_order(const PartialExecution& x, const Relations& r, LaunchNumber number) {
  auto& orders = finish_orders_[{number.replay, number.launch}];
  if (orders.size() >= most_finish_orders) return;
  if (const auto order = execution_order(x, r)) orders.insert(finish_order(x, *order));
}

void PlanSearch::conclude() {
  if (budget_.exhausted()) unexplored_ = budget_.reason();
  sort_findings(result_.findings);
  for (const auto& [number, orders] : finish_orders_)
    result_.search.finish_orders = std::max<std::uint64_t>(result_.search.finish_orders, orders.size());
  result_.final_states.assign(final_states_.begin(), final_states_.end());
  result_.seconds = budget_.seconds();
  result_.unexplored = unexplored_;
  result_.condition_met = condition_met_;
  const bool violated = std::any_of(result_.findings.begin(), result_.findings.end(),
                                    [](const Finding& f) { return f.violates; });
  const bool searching = problem_.contract.quantifier == Quantifier::exists;
  if (violated) {
    result_.verdict = Verdict::violated;
  } else if (!unexplored_.empty()) {
    result_.verdict = Verdict::inconclusive;
    result_.reason = unexplored_;
  }
  if (searching && !condition_met_ && unexplored_.empty()) {
    result_.verdict = Verdict::violated;
    Finding none;
    none.message = "no final state satisfies the condition";
    if (!problem_.contract.assertions.empty())
      none.message += ": " + problem_.contract.assertions.front().text;
    none.launch = problem_.replays;
    result_.findings.push_back(std::move(none));
  }
  if (result_.search.interchangeable != 0 && result_.reason.empty())
    result_.reason = fmt::format(
        "{} are counted up to the names of {} interchangeable CTAs; --engine graph names them all",
        result_.engine == "view" ? "states" : "graphs", result_.search.interchangeable);
  if (result_.reason.empty()) result_.reason = engine_note_;
  result_.assumptions.push_back(assumed(options_));
  if (options_.vectors == Vectors::whole && has_strong_vectors(problem_))
    result_.assumptions.push_back("an aligned vector of up to 16 bytes is accessed at once (--vectors whole)");
}

}  // namespace fencewise
