// Makes states meet: what nobody can use any more is forgotten, and what is left gets names that don't depend on the path.
//
// - Registers that are dead, views of threads that have exited, what a fence left where no strong write follows, and so on.
// - Messages that no live thread can read any more, and past accesses that nothing can race with any more.
// - Records that are known to the same threads and messages become one.
// - Interchangeable CTAs are put in an order of their contents (interchange.h).
// Each can be switched off. docs/explorers.md argues for each that answers stay the same.
#pragma once

#include <optional>
#include <vector>

#include "checker/check.h"
#include "checker/explore/view/interchange.h"
#include "checker/explore/view/knowledge_table.h"
#include "checker/explore/view/machine.h"
#include "checker/explore/view/state.h"

namespace fencewise::view {

using Reductions = ViewReductions;

// A state in normal form, as it is stored.
struct Stored {
  Control control;       // threads, messages and arrivals
  KnowledgeTable table;  // what is known
  std::vector<std::uint32_t> names;  // [cta] what it is called, of before; none: as before
};

class NormalForm {
 public:
  // `symmetry` may be null. `replays`: symbols of that many replays may be in memory.
  NormalForm(Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions);

  void apply(State& state);
  // What is to be stored of a state that came from `before`, which is in normal form, by moves of some threads. Leaves `state` half done.
  [[nodiscard]] Stored stored(State& state, const State& before);
  [[nodiscard]] Stored stored(const State& state) const;  // in normal form
  // The CTAs that may move in this state (in normal form), of that table: classes of those that are interchangeable.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> classes(const State& state, const TableView& table);

 private:
  [[nodiscard]] Mutation mutation() const { return static_cast<Mutation>(reductions_.mutation); }
  // `before`: what the state shares with it has nothing to forget; null: nothing is shared.
  void forget(State& state, const State* before);
  void forget_in_threads(State& state, const State* before);
  void forget_in_thread(State& state, ThreadId id);
  void forget_who_looked(State& state);
  void forget_in_cells(State& state);

  Machine& machine_;
  Reductions reductions_;
  std::optional<Interchange> interchange_;
};

}  // namespace fencewise::view
