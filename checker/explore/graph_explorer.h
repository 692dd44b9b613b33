// The graph explorer: every consistent behaviour of one launch, once. Exact for racy programs, load buffering and partial
// coherence too; the reference for the view explorer.
//
// The search makes one choice at a time and cuts as soon as the graph so far breaks an axiom.
// - A read that can have one source only gets it at once.
// - Atomics that are morally strong to each other: which of them reads a given write? At most one does. The children are each
//   of them, and "none of those that are there".
// - Any other read: from which write? The children are each write that is there and may be read, and "one that is not there
//   yet", after which only writes that appear later are tried for that read.
// The children of a choice are disjoint and cover everything, so no behaviour is met twice and none is missed. At a leaf the
// morally strong writes that are still unordered are ordered both ways; the order of fence.sc is only searched for
// (fence_order.h).
// Cost: a node runs the threads that learnt something and derives the relations, O(n^3/64) for n events.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "checker/explore/budget.h"
#include "checker/explore/partial_execution.h"
#include "checker/explore/symmetry.h"
#include "memmodel/relations.h"

namespace fencewise {

class GraphExplorer {
 public:
  // A consistent behaviour: every read has a source, every thread has ended or can't go on. `relations` are derived with
  // the fence.sc order found, which `execution.graph` holds. Both may be changed by the visitor. Returning false stops.
  using Visitor = std::function<bool(PartialExecution& execution, Relations& relations)>;

  // `symmetry` may be null; else one behaviour of each orbit is visited (symmetry.h).
  GraphExplorer(const LaunchContext& context, const Symmetry* symmetry, Budget& budget, SearchStats& stats)
      : context_(context), symmetry_(symmetry), budget_(budget), stats_(stats) {
    relations_.pause = [this](std::size_t bytes) { pause(bytes); };
  }

  // Returns false if the visitor or the budget stopped it.
  bool explore(const Visitor& visitor);
  // Only the behaviours that go on from `start`, in which some reads have their sources.
  bool explore_from(PartialExecution start, const Visitor& visitor);

 private:
  // Reads-from edges to try, and what is left beyond them.
  struct Choice {
    std::vector<Edge> options;   // write -> read
    EventId waiting = no_event;  // a read whose source may still be to come
    EventId closed = no_event;   // a write that none of the atomics that are there reads
    [[nodiscard]] bool found() const { return !options.empty(); }
    [[nodiscard]] std::size_t branches() const {
      return options.size() + (waiting != no_event || closed != no_event ? 1 : 0);
    }
  };
  struct OutOfBudget {};
  // Within a long step. Throws OutOfBudget.
  void pause(std::size_t bytes) const {
    if (!budget_.goes_on(bytes)) throw OutOfBudget();
  }
  // In a loop over events, in each of whose rounds all others are looked at.
  void pause_at(EventId event) const {
    if (event % 256 == 255) pause(0);
  }
  bool visit(std::size_t depth);
  bool leaf(std::size_t depth);
  bool choose_meeting(std::size_t depth, const PartialExecution::OpenPhase& open);
  bool choose_outcome(std::size_t depth, ThreadId thread);
  bool choose_quorums(PartialExecution& execution, std::size_t phase);
  bool order_writes(PartialExecution& execution);
  [[nodiscard]] bool order_phases(PartialExecution& execution, std::size_t first, std::size_t second);
  [[nodiscard]] PartialExecution& at(std::size_t depth);
  bool take_forced(PartialExecution& execution) const;
  [[nodiscard]] Choice choose(const PartialExecution& execution) const;
  [[nodiscard]] Choice choose_reader(const PartialExecution& execution) const;
  [[nodiscard]] Choice choose_source(const PartialExecution& execution) const;
  [[nodiscard]] bool exclusive(const PartialExecution& execution, EventId write, EventId one,
                               EventId other) const;
  [[nodiscard]] std::vector<EventId> sources(const PartialExecution& execution, EventId read) const;
  [[nodiscard]] bool may_read(const PartialExecution& execution, EventId read, EventId write) const;
  [[nodiscard]] bool excluded(const PartialExecution& execution, EventId read, EventId write) const;
  [[nodiscard]] bool may_wait(const PartialExecution& execution, EventId read) const;

  const LaunchContext& context_;
  const Symmetry* symmetry_;
  Budget& budget_;
  SearchStats& stats_;
  Visitor visitor_;
  Relations relations_;
  std::vector<std::unique_ptr<PartialExecution>> stack_;  // [depth]
  std::unique_ptr<PartialExecution> leaf_;
};

}  // namespace fencewise
