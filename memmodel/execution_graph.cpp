#include "memmodel/execution_graph.h"

namespace fencewise {

EventId ExecutionGraph::add(const Event& event) {
  events.push_back(event);
  rf.push_back(no_event);
  return static_cast<EventId>(events.size() - 1);
}

void ExecutionGraph::clear() {
  threads.clear();
  events.clear();
  rf.clear();
  co.clear();
  fence_sc.clear();
  sync.clear();
  dep.clear();
}

}  // namespace fencewise
