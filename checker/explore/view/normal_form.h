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
#include "checker/explore/view/machine.h"
#include "checker/explore/view/state.h"

namespace fencewise::view {

using Reductions = ViewReductions;

class NormalForm {
 public:
  // `symmetry` may be null. `replays`: symbols of that many replays may be in memory.
  NormalForm(Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions);

  void apply(State& state);
  // One of each class of CTAs that are interchangeable in this state (in normal form).
  [[nodiscard]] std::vector<std::uint32_t> representatives(const State& state);

 private:
  [[nodiscard]] Mutation mutation() const { return static_cast<Mutation>(reductions_.mutation); }
  void forget(State& state);
  void forget_in_threads(State& state);
  void forget_in_cells(State& state);
  void number_records(State& state);

  Machine& machine_;
  Reductions reductions_;
  std::optional<Interchange> interchange_;
};

}  // namespace fencewise::view
