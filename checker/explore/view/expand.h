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
  std::vector<Successor> successors;
};

struct Expansion {
  State state;  // in normal form
  bool ended = false;
  std::vector<ThreadId> threads;   // that may move, of interchangeable CTAs one; one that goes first in front
  std::vector<ThreadMoves> moves;  // of the first of them
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
  void see_only_races() { machine_.see_only_races(); }

 private:
  [[nodiscard]] std::vector<ThreadId> threads_to_move(const State& state, const std::vector<std::uint32_t>& ctas);

  Machine machine_;
  NormalForm normal_;
  Reductions reductions_;
};

}  // namespace fencewise::view
