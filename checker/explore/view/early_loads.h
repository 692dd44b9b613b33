// Loads that were taken before all that others do, because nobody else would write there meanwhile.
//
// A thread may read later what it may read now. So a load may go first, unless somebody could write something newer while its thread
// stands before it. Whether anybody could depends on what is to come: the search assumes that nobody does, and looks at the graph of
// the states it met (docs/explorers.md says why those tell). Where somebody does, the search starts anew without the assumption.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "checker/explore/view/machine.h"
#include "checker/explore/view/stored_states.h"

namespace fencewise::view {

class EarlyLoads {
 public:
  using Id = StoredStates::Id;

  // The machine must outlive it.
  explicit EarlyLoads(const Machine& machine) : machine_(&machine) {}

  // Each step that the search takes; `writes`: Taken::writes; `names`: Stored::names.
  void note_step(Id from, Id to, ThreadId thread, std::uint64_t writes, std::span<const std::uint32_t> names);
  // Only that thread was moved from there, which loads from that storage.
  void note_load(Id from, ThreadId thread, std::uint32_t storage) { loads_.push_back({from, thread, storage}); }
  // Classes of CTAs of which one was moved each.
  void note_classes(Id from, const std::vector<std::vector<std::uint32_t>>& classes);

  // Storages that somebody may write while a thread stands before its load, as far as the search has come. `standing_for`: the state
  // that stands instead of another; `partly`: whether only the thread that goes first was moved from a state.
  [[nodiscard]] std::vector<std::uint32_t> written_meanwhile(std::size_t states, const std::function<Id(Id)>& standing_for,
                                                             const std::function<bool(Id)>& partly) const;

 private:
  struct Step {
    Id from, to;
    ThreadId thread;
    std::uint32_t names;  // index into lists_
    std::uint64_t writes;
  };
  struct Load {
    Id from;
    ThreadId thread;
    std::uint32_t storage;
  };

  const Machine* machine_;
  std::vector<Step> steps_;
  std::vector<Load> loads_;
  Pieces<std::uint32_t> lists_;        // [cta] new name, or the one that stands for its class
  std::vector<std::uint32_t> classes_;  // [state] index into lists_; none: each CTA for itself
};

}  // namespace fencewise::view
