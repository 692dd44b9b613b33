// Makes states meet: what nobody can use any more is forgotten, and what is left gets names that don't depend on the path.
//
// - Registers that are dead, views of threads that have exited, what a fence left where no strong write follows, and so on.
// - Messages that no live thread can read any more, and past accesses that nothing can race with any more.
// - Records that are known to the same threads and messages become one.
// - Interchangeable CTAs are put in an order of their contents (symmetry.h).
// Each can be switched off. docs/explorers.md argues for each that answers stay the same.
#pragma once

#include <unordered_map>
#include <tuple>
#include <vector>

#include "checker/check.h"
#include "checker/explore/symmetry.h"
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
  void order_ctas(State& state);
  void rename(State& state, const std::vector<std::uint32_t>& names);
  void number_records(State& state);
  using Colour = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  [[nodiscard]] std::vector<Colour> colours(const State& state);

  Machine& machine_;
  const Symmetry* symmetry_;
  Reductions reductions_;
  struct Symbol {
    std::uint32_t cta;
    std::uint32_t role;  // index into symbols_[cta]
  };
  std::vector<std::vector<Value>> symbols_;           // [cta][role]
  std::unordered_map<std::uint32_t, Symbol> symbol_;  // term -> whose it is
};

}  // namespace fencewise::view
