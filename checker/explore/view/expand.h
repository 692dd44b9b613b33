// What comes after a state: the moves of its threads, and the states they lead to. Several states may be expanded at a time, on
// several threads, before the search takes up what was found, in its own order.
#pragma once

#include <optional>
#include <vector>

#include "checker/explore/view/machine.h"
#include "checker/explore/view/normal_form.h"

namespace fencewise::view {

struct Successor {
  Move move;
  Machine::Taken taken;
  // None where the move ends badly or leads back (Taken::idle, if that is a reduction).
  std::optional<Stored> state;
};

struct ThreadMoves {
  ThreadId thread = 0;
  bool can_move = false;
  Trouble trouble = Trouble::none;  // on the way to its next visible operation
  bool goes_first = false;          // what it does may be taken before all that others do
  bool at_store = false;            // and is a store
  // What it does is a load from this storage, and goes first if nobody else writes there while the thread stands before it
  // (early_loads.h).
  std::optional<std::uint32_t> early;
  std::vector<Successor> successors;
};

struct Expansion {
  State state;  // in normal form
  bool ended = false;
  std::vector<std::vector<std::uint32_t>> classes;  // of interchangeable CTAs that may move
  std::vector<ThreadId> threads;   // that may move, of each class one CTA's; one that goes first in front
  std::vector<ThreadMoves> moves;  // of the first of them
  std::vector<ThreadMoves> tried;  // of some that could not go first
  [[nodiscard]] bool whole() const { return moves.size() == threads.size(); }
};

class Expander {
 public:
  // `symmetry` may be null. Works on a copy of the machine, which shares the locations and terms of the launch.
  Expander(const Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions);

  // Of a stored state, which has that table.
  [[nodiscard]] Expansion begin(State state, const TableView& table);
  // Adds the moves of the next thread. Not if `whole`.
  void go_on(Expansion& expansion);

  // From now on no operation is taken alone, before those of other threads.
  void let_nothing_go_first() { reductions_.alone = false; }
  // From now on no load from there goes first because nobody may write there meanwhile.
  void let_no_load_go_first(std::uint32_t storage) { early_[storage] = false; }
  void see_only_races() { machine_.see_only_races(); }

 private:
  [[nodiscard]] std::vector<ThreadId> threads_to_move(const State& state, const std::vector<std::vector<std::uint32_t>>& classes);
  void put_first(Expansion& expansion);
  [[nodiscard]] ThreadMoves moves_of(const State& state, ThreadId thread);

  Machine machine_;
  NormalForm normal_;
  Reductions reductions_;
  std::vector<bool> early_;  // [storage] whether its loads may go first
};

}  // namespace fencewise::view
