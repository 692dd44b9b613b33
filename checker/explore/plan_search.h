// Explores a whole launch plan, each stage with the explorer that fits.
//
// Everything of one stage (a launch, or launches that overlap) happens before the next, so exploration restarts there from each
// distinct memory that a stage may leave: replays add up, they don't multiply.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "checker/check.h"
#include "checker/explore/budget.h"
#include "checker/explore/plan_steps.h"
#include "checker/explore/symmetry.h"
#include "checker/explore/view/view_explorer.h"
#include "checker/properties/examine.h"

namespace fencewise {

class PlanSearch {
 public:
  PlanSearch(const Problem& problem, const CheckOptions& options, const Limits& limits,
             const Progress& progress);

  [[nodiscard]] CheckResult run();

 private:
  // How a memory was reached: the launches so far, last first.
  struct Path {
    std::function<WitnessLaunch()> launch;
    std::shared_ptr<const Path> before;
  };
  struct Node {
    MemoryImage memory;
    std::shared_ptr<const MemoryImage> replay_entry;
    std::shared_ptr<const Path> path;
  };
  using Key = std::pair<MemoryImage, MemoryImage>;  // memory, memory at the replay's entry
  using Frontier = std::map<Key, Node>;

  void search();
  void start_anew();
  [[nodiscard]] std::optional<Symmetry> symmetry_of(const LaunchContext& context, std::uint32_t replay) const;
  bool explore_stage(const Node& node, const Stage& stage, const PlanPoint& point, Frontier& next);
  bool explore_graphs(const Node& node, const LaunchContext& context, const PlanPoint& point, Frontier& next);
  // No value: the view explorer does not serve for this launch.
  std::optional<bool> explore_views(const Node& node, const std::shared_ptr<const LaunchContext>& context,
                                    const PlanPoint& point, Frontier& next);
  // Takes the behaviours that a path of the view explorer stands for, until one shows a finding. False: none does.
  bool confirm(const Node& node, const LaunchContext& context, const view::Retrace& path, const PlanPoint& point,
               Frontier& next);
  bool report_endless(const Node& node, const LaunchContext& context, view::ViewExplorer& explorer,
                      const view::Explored::Bad& bad, const PlanPoint& point);
  [[nodiscard]] bool wants_views(const LaunchContext& context);
  bool take_each_memory(const Node& node, PartialExecution& execution, Relations& relations, const PlanPoint& point,
                        Frontier& next);
  bool take(const Node& node, PartialExecution& execution, Relations& relations, const PlanPoint& point,
            Frontier& next);
  void go_on_from(const Node& node, const PlanPoint& point, MemoryImage after, std::function<WitnessLaunch()> launch,
                  Frontier& next);
  void record(Finding finding, const Node& node);
  void judge_again(const Witness& witness) const;
  static void put_before(const std::shared_ptr<const Path>& path, Witness& witness);
  // Determinism: what the first behaviour found left at the end of a replay, and how it came there.
  struct FirstEnd {
    MemoryImage memory;
    std::shared_ptr<const Path> path;
  };
  [[nodiscard]] const FirstEnd* first_end(const PlanPoint& point) const;
  void refuse_places() const;
  // False: outputs that differ from those of the first end were not confirmed by the axioms.
  bool compare_with_first_end(const Node& node, const LaunchContext& context, const view::Retrace& path, const PlanPoint& point,
                              const MemoryImage& left, Frontier& next);
  void count_finish_order(const PartialExecution& execution, const Relations& relations, LaunchNumber number);
  void conclude();

  const Problem& problem_;
  const CheckOptions& options_;
  Budget budget_;
  Terms terms_;
  Dependencies dependencies_;
  CheckResult result_;
  ExamineOptions examine_;
  std::set<std::pair<FindingKind, std::string>> recorded_;
  std::set<std::string> final_states_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::vector<std::uint32_t>>> finish_orders_;
  std::string unexplored_;
  std::map<std::uint32_t, FirstEnd> first_ends_;  // by replay
  bool ends_have_places_ = false;  // some of them were found up to the names of CTAs: their sums are no expressions of others (Terms::placed)
  bool condition_met_ = false;
  bool symmetry_allowed_ = true;
  std::string engine_note_;  // why this explorer
};

}  // namespace fencewise
