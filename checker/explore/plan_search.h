// Explores a whole launch plan with the graph explorer.
//
// A kernel boundary on one stream orders everything, so exploration restarts there from each distinct memory that the
// launch may leave: replays add up, they don't multiply.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "checker/check.h"
#include "checker/explore/budget.h"
#include "checker/explore/symmetry.h"
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
    WitnessLaunch launch;
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
  bool explore_launch(const Node& node, std::size_t step, Frontier& next);
  bool take_each_memory(const Node& node, PartialExecution& execution, Relations& relations, const PlanPoint& point,
                        Frontier& next);
  bool take(const Node& node, PartialExecution& execution, Relations& relations, const PlanPoint& point,
            Frontier& next);
  void record(Finding finding, const Node& node);
  void count_finish_order(const PartialExecution& execution, const Relations& relations, LaunchNumber number);
  void conclude();

  const Problem& problem_;
  const CheckOptions& options_;
  Budget budget_;
  Terms terms_;
  CheckResult result_;
  ExamineOptions examine_;
  std::set<std::pair<FindingKind, std::string>> recorded_;
  std::set<std::string> final_states_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::vector<std::uint32_t>>> finish_orders_;
  std::string unexplored_;
  bool condition_met_ = false;
  bool symmetry_allowed_ = true;
};

}  // namespace fencewise
