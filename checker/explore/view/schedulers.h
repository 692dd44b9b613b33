// Who shares a scheduler with whom in a launch, and who of them is promised progress (checker/progress_model.h).
//
// A tree: the grid, its CTAs, their warps, their lanes. Each node but the leaves is a group with a progress model; each node but
// the root is a member of its parent. A leaf is a thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/progress_model.h"
#include "kernels/core/address_space.h"

namespace fencewise::view {

class Schedulers {
 public:
  using Member = std::uint32_t;
  static constexpr Member grid = 0;

  Schedulers(const LaunchImage& image, const ProgressModels& models);

  [[nodiscard]] std::size_t members() const { return nodes_.size(); }
  [[nodiscard]] Member of(ThreadId thread) const { return leaf_[thread]; }
  [[nodiscard]] Member group_of(Member member) const { return nodes_[member].group; }
  // Calls f for the thread's leaf and each group that it is in.
  template <class F> void each_of(ThreadId thread, F&& f) const {
    for (Member m = leaf_[thread];; m = nodes_[m].group) {
      f(m);
      if (m == grid) return;
    }
  }
  // Whether what is promised depends on who has made a step.
  [[nodiscard]] bool ask_who_has_stepped() const;
  [[nodiscard]] bool all_fair() const { return models_.all_fair(); }

  // What a cycle of states leaves as it is. By thread.
  struct Standing {
    std::vector<bool> finished, stepped;
  };
  // By member: promised progress by its group's model.
  [[nodiscard]] std::vector<bool> promised(const Standing& standing) const;

  // By member, of a run that never ends: `moves`: makes steps for ever; `able`: from some point on could always make one. A member
  // that the run treats worse than was promised; no value: the run is allowed.
  [[nodiscard]] std::optional<Member> wronged(const std::vector<bool>& promised, const std::vector<bool>& moves,
                                              const std::vector<bool>& able) const;

  [[nodiscard]] ProgressModel model_for(Member member) const { return nodes_[nodes_[member].group].model; }
  // "CTA 1", "warp 0 of CTA 2"; of a leaf the thread's name is the caller's.
  [[nodiscard]] std::string name(Member member) const;

 private:
  struct Node {
    Member group = grid;
    ProgressModel model = ProgressModel::fair;  // of its members
    std::vector<Member> members;                // in the order of their ids
    std::string name;
  };
  Member add(Member group, ProgressModel model, std::string name);

  ProgressModels models_;
  std::vector<Node> nodes_;  // groups before their members
  std::vector<Member> leaf_;  // [thread]
};

}  // namespace fencewise::view
