// The view explorer: a breadth-first search over the states of the operational reading (machine.h) of one launch.
//
// States are stored in normal form and met once; spin loops close into cycles, which are looked at for hangs. Exact for the
// programs that eligibility.h lets through, up to the first data race, which ends the search.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/check.h"
#include "checker/explore/budget.h"
#include "checker/explore/view/knowledge_table.h"
#include "checker/explore/view/normal_form.h"

namespace fencewise::view {

using Path = std::vector<Move>;

struct Explored {
  bool complete = false;  // false: the budget stopped it
  // Paths that end as none should: in a race or fault, stuck, in a livelock, or with memory that the contract does not allow.
  // The first is one of the shortest, in moves.
  struct Bad {
    Path path;
    bool hangs = false;
  };
  std::vector<Bad> bad;
  struct Final {
    MemoryImage memory;
    std::vector<std::vector<Value>> registers;  // [thread], of placed threads, where they tell states apart
    Path path;
  };
  std::vector<Final> finals;  // one for each memory that the launch may leave (up to symmetry)
};

// What tells final states apart: memory, or also the registers of placed threads.
enum class FinalState : std::uint8_t { memory, memory_and_registers };

class ViewExplorer {
 public:
  // Whether what a finished launch leaves is as the contract wants it.
  using FinalCheck = std::function<bool(const State& state, const MemoryImage& memory)>;

  // `replays`: symbols of that many replays may be in memory. The context, the budget and the stats must outlive it.
  ViewExplorer(const LaunchContext& context, FenceReading fences, std::optional<Symmetry> symmetry, std::uint32_t replays,
               std::uint32_t resident, const Reductions& reductions, Budget& budget, SearchStats& stats);

  // Stops after `most_bad` bad ends.
  [[nodiscard]] Explored explore(const FinalCheck& good, std::size_t most_bad, FinalState told_apart_by = FinalState::memory);
  [[nodiscard]] Retrace retrace(const Path& path, bool only_races = false);
  // The race, or the read of memory that nobody wrote, in which the path ends, if it does so with full fences too: a path with
  // one-sided fences is taken again with each fence.sc in full. For launches whose graph is too large to be judged.
  [[nodiscard]] std::optional<Retrace> access_of(const Path& path);

 private:
  using Id = std::uint32_t;
  static constexpr Id no_node = ~Id{0};
  [[nodiscard]] Mutation mutation() const { return static_cast<Mutation>(reductions_.mutation); }
  struct Node {
    Id parent;
    Move move;
    const std::string* control;  // a key of stored_
    KnowledgeTable table;
    bool partly = false;    // only the thread that goes first was moved
    bool expanded = false;
    Id instead = no_node;   // a state that allows all that this one does, and was met before this one was expanded
  };
  struct Step {  // that reads what is newest
    Id from, to;
    ThreadId thread;
    bool quiet;
  };
  [[nodiscard]] std::pair<Id, bool> store(const State& state, Id parent, Move move);
  [[nodiscard]] std::vector<ThreadId> threads_to_move(const State& state, const std::vector<std::uint32_t>& ctas);
  [[nodiscard]] State state_of(Id id, const State& like) const;
  [[nodiscard]] Id standing_for(Id id) const;
  [[nodiscard]] Path path_to(Id id) const;
  [[nodiscard]] MemoryImage memory_of(const State& state);
  [[nodiscard]] std::optional<Id> livelock();

  [[nodiscard]] State first_of_retrace(Retrace& trace);
  [[nodiscard]] std::optional<Retrace> in_full(const Retrace& path, FenceReading fences, std::uint32_t first_cta);

  const LaunchContext& context_;
  std::optional<Symmetry> symmetry_;
  Machine machine_;
  NormalForm normal_;
  Reductions reductions_;
  Budget& budget_;
  SearchStats& stats_;
  std::unordered_map<std::string, std::vector<Id>> stored_;  // by control; keys stay where they are
  std::vector<Node> nodes_;                                     // [id]
  std::vector<Step> steps_;
};

}  // namespace fencewise::view
