// Scopes of one launch as levels of groups: who takes what a release at some scope leaves, and who is morally strong to whom.
//
// Only the scopes that the program uses count, and scopes that mean the same for these threads are one level: with one device
// and no cta scope there is a single group of all threads.
// Source: PTX ISA 9.1, "Scope" (8.5) and "Morally strong operations" (8.7.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/explore/partial_execution.h"
#include "checker/explore/view/knowledge.h"

namespace fencewise::view {

// Where an access was made from: a CTA, or what is left of one whose threads have all exited.
using Place = std::uint32_t;
using Level = std::uint8_t;

class Hierarchy {
 public:
  explicit Hierarchy(const LaunchContext& context);

  [[nodiscard]] Level level(Scope scope) const { return level_of_[static_cast<std::size_t>(scope)]; }
  [[nodiscard]] Level top() const { return static_cast<Level>(groups_.size() - 1); }
  [[nodiscard]] Place gone(Place cta) const { return gone_[cta]; }
  [[nodiscard]] std::uint32_t ctas() const { return static_cast<std::uint32_t>(gone_.size()); }
  // Whether a scope of this level includes all threads of the launch, of several CTAs: then also what is left of one.
  [[nodiscard]] bool everybody(Level level) const { return level == top() && one_top_ && !by_cta_[level]; }
  // Of strong accesses.
  [[nodiscard]] bool reaches(Place from, Level level, Place to) const {
    return groups_[level][from] == groups_[level][to];
  }
  // The group's number over all levels.
  [[nodiscard]] Structure::Group group(Level level, Place place) const { return groups_[level][place]; }
  // A group that is a single CTA: which, and of what level. No value: the group is none.
  struct CtaGroup {
    Level level;
    std::uint32_t cta;
  };
  [[nodiscard]] std::optional<CtaGroup> cta_group(Structure::Group group) const {
    for (Level l = 0; l <= top(); ++l)
      if (by_cta_[l] && group >= first_[l] && group < first_[l] + ctas()) return CtaGroup{l, group - first_[l]};
    return std::nullopt;
  }
  // The group that this one is when each CTA c is called names[c].
  [[nodiscard]] Structure::Group renamed(Structure::Group group, const std::vector<std::uint32_t>& names) const {
    const auto own = cta_group(group);
    return own ? first_[own->level] + names[own->cta] : group;
  }

  void put(Structure& structure, Place place, Level level, const View& view) const {
    for (Level l = 0; l <= level; ++l) structure[groups_[l][place]].merge(view);
  }
  void take(const Structure& structure, Place place, Level level, View& into) const {
    for (const auto& [g, v] : structure.views())
      for (Level l = 0; l <= level; ++l)
        if (groups_[l][place] == g) into.merge(v);
  }

 private:
  std::array<Level, 4> level_of_{};                          // [scope]
  std::vector<std::vector<Structure::Group>> groups_;        // [level][place]
  std::vector<Structure::Group> first_;                      // [level]
  std::vector<bool> by_cta_;                                 // [level]
  std::vector<Place> gone_;                                  // [cta]
  bool one_top_ = false;                                     // the widest level is a single group
};

}  // namespace fencewise::view
