// The judge: is a complete execution graph consistent with a model, and if not, which axiom does it break and by which
// cycle of events.
//
// Used on every counterexample before it is shown, and by the brute-force oracle of the tests. The explorers use the same
// relations on partial graphs (relations.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memmodel/relations.h"

namespace fencewise {

// An edge of a cycle: from --label--> to. Labels: po, rf, co, fr, sw, bar, fence-sc, dep.
struct CycleEdge {
  EventId from = no_event;
  EventId to = no_event;
  std::string label;
};

struct Violation {
  Axiom axiom = Axiom::coherence;
  std::vector<CycleEdge> cycle;  // closed: the last edge ends where the first begins
};

// No value: consistent. The graph must be complete: every read has a source, every pair of morally strong writes of one
// location is in co, every pair of morally strong fence.sc is in fence_sc. Throws InternalError if it is not.
[[nodiscard]] std::optional<Violation> judge(const ExecutionGraph& graph, const Reading& reading);

}  // namespace fencewise
