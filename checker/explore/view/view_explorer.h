// The view explorer: a breadth-first search over the states of the operational reading (machine.h) of one launch.
//
// States are stored in normal form and met once; spin loops close into cycles, which are looked at for hangs. Exact for the
// programs that eligibility.h lets through, up to the first data race, which ends the search.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "checker/check.h"
#include "checker/explore/budget.h"
#include "checker/explore/view/allowed_cycle.h"
#include "checker/explore/view/early_loads.h"
#include "checker/explore/view/endless.h"
#include "checker/explore/view/expand.h"
#include "checker/explore/view/normal_form.h"
#include "checker/explore/view/stored_states.h"

namespace fencewise::view {

using Path = std::vector<Move>;

struct Explored {
  bool complete = false;  // false: the budget stopped it
  // Paths that end as none should: in a race or fault, stuck, in a livelock, or with memory that the contract does not allow.
  // The first is one of the shortest, in moves.
  struct Bad {
    Path path;
    bool hangs = false;
    std::vector<ThreadId> cycle;  // of a livelock: whose moves, from there on, lead back; each takes what is newest
    bool cycle_writes = false;    // then the executions that begin so have no end, and no graph shows it
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
  // Where the progress model is not fair, nothing is approximated. The answer is the same for any number of `workers`.
  ViewExplorer(const LaunchContext& context, Approximation approximation, std::optional<Symmetry> symmetry, std::uint32_t replays,
               const Schedule& schedule, const Reductions& reductions, Budget& budget, SearchStats& stats, unsigned workers = 1);

  // From now on a read of what nobody wrote ends no path.
  void see_only_races();
  // Stops after `most_bad` bad ends.
  [[nodiscard]] Explored explore(const FinalCheck& good, std::size_t most_bad, FinalState told_apart_by = FinalState::memory);
  [[nodiscard]] Retrace retrace(const Path& path, bool only_races = false);
  // The run that goes in by the path and then round the cycle for ever, each thread taking what is newest; no cycle: after the path
  // nobody can move. No value: it is none, or the progress model does not allow it. Not of an approximation.
  [[nodiscard]] std::optional<Endless> endless(const Path& way_in, const std::vector<ThreadId>& cycle);
  // The race, or the read of memory that nobody wrote, in which the path ends, if it does so exactly too: a path with one-sided
  // fences is taken again with each fence.sc in full. For launches whose graph is too large to be judged.
  [[nodiscard]] std::optional<Retrace> access_of(const Path& path);
  // The same of moves that are taken exactly, by threads as the launch numbers them. No value also where they can't be taken.
  [[nodiscard]] std::optional<Retrace> access_behind(const std::vector<WitnessMove>& moves);

 private:
  class Rerun;
  using Id = StoredStates::Id;
  static constexpr Id no_node = ~Id{0};
  [[nodiscard]] Mutation mutation() const { return static_cast<Mutation>(reductions_.mutation); }
  // States that are expanded ahead of their turn.
  struct Ahead {
    Id id;
    std::optional<Expansion> expansion;  // none: it takes a term or location that is new, or can't be done; its turn will show
  };
  struct Node {
    Id parent;
    Move move;
    bool partly = false;    // only the thread that goes first was moved
    bool expanded = false;
    Id instead = no_node;   // a state that allows all that this one does, and was met before this one was expanded
  };
  // The number of the state, and whether it is new.
  [[nodiscard]] std::pair<Id, bool> store(const Stored& state, Id parent, Move move);
  void expand_ahead(const std::deque<Id>& queue, const State& like);
  [[nodiscard]] Expansion expansion_of(Id id, const State& like);
  [[nodiscard]] Id standing_for(Id id) const;
  [[nodiscard]] Path path_to(Id id) const;
  [[nodiscard]] MemoryImage memory_of(const State& state);
  [[nodiscard]] Explored search(const FinalCheck& good, std::size_t most_bad, FinalState told_apart_by);
  [[nodiscard]] std::optional<Explored::Bad> livelock();
  void forget_all();
  void look_at_early_loads();

  [[nodiscard]] State first_of_retrace(Retrace& trace);
  template <class Run> [[nodiscard]] std::optional<Retrace> read_again(Approximation reading, bool only_races, Run&& run);
  bool take_again(const Retrace& path, const Retrace::Taken& move, State& state, const Retrace& trace, Trouble& trouble);
  [[nodiscard]] std::optional<Retrace> in_full(const Retrace& path, FenceReading fences, std::uint32_t first_cta);
  [[nodiscard]] std::optional<Retrace> with_late_fences(const Retrace& path, std::uint32_t last_cta);
  [[nodiscard]] std::optional<Retrace> exactly_by(const std::vector<WitnessMove>& moves, bool only_races);
  [[nodiscard]] std::optional<Endless> endless(const Path& way_in, const std::function<std::vector<ThreadId>(std::size_t)>& round);
  [[nodiscard]] bool by_launch_names(const Path& way_in, const std::vector<ThreadId>& cycle, Path& named,
                                     std::vector<std::vector<ThreadId>>& rounds);

  const LaunchContext& context_;
  std::optional<Symmetry> symmetry_;
  std::uint32_t replays_;
  Schedule schedule_;
  Schedulers schedulers_;
  Machine machine_;
  NormalForm normal_;
  Reductions reductions_;
  std::vector<std::unique_ptr<Expander>> expanders_;  // [worker]; the first expands in turn
  std::deque<Ahead> ahead_;                           // in the order of the queue
  Budget& budget_;
  SearchStats& stats_;
  StoredStates stored_;
  std::vector<Node> nodes_;  // [id]
  // Where a store that goes first alone may be repeated: others may have to read, again and again, what is newest before it. Then
  // all steps are noted, and if such a store is on a cycle, nothing goes first.
  bool stores_in_loops_ = false;
  std::vector<Step> all_steps_;
  std::vector<bool> store_alone_;  // [step of all_steps_]
  EarlyLoads early_;
  StateGraph graph_;               // steps that read what is newest, or end badly (Step::out)
};

}  // namespace fencewise::view
