// Searches an order of fence.sc under which an execution is consistent, and, where asked, under which two operations race.
//
// The order is not part of a behaviour: a graph is consistent if some total order of its morally strong fence.sc pairs
// satisfies the axioms. The first try is an order that base causality suggests, and it nearly always succeeds; only then
// does the search branch, pair by pair, cutting where an axiom fails.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "memmodel/relations.h"

namespace fencewise {

class FenceOrder {
 public:
  // Both are work space and hold the solution after a success: graph.fence_sc is complete, relations derived. The search is given up,
  // as if there were no such order, where `goes_on` returns false; it is asked at each step.
  FenceOrder(ExecutionGraph& graph, Relations& relations, std::function<bool()> goes_on = {})
      : graph_(graph), relations_(relations), goes_on_(std::move(goes_on)) {}

  // Some order satisfies the axioms.
  [[nodiscard]] bool exists();
  // Some order satisfies the axioms and leaves operations a and b unrelated by causality.
  [[nodiscard]] bool leaves_unordered(EventId a, EventId b);
  // Some order satisfies the axioms and `wanted` of the derived relations. `wanted` must only turn from true to false
  // as relations grow.
  [[nodiscard]] bool exists_with(const std::function<bool(const Relations&)>& wanted);

 private:
  [[nodiscard]] bool search(bool try_whole);
  [[nodiscard]] bool accepted();
  [[nodiscard]] bool force_apart();
  [[nodiscard]] std::optional<Edge> undetermined() const;
  void order_by_base();
  void complete();

  ExecutionGraph& graph_;
  Relations& relations_;
  std::function<bool()> goes_on_;
  std::function<bool(const Relations&)> wanted_;
  EventId a_ = no_event, b_ = no_event;
};

}  // namespace fencewise
