#include "checker/explore/feasibility.h"

#include <algorithm>

namespace fencewise {
namespace {

class Feasibility {
 public:
  Feasibility(const PartialExecution& execution, const std::function<bool(EventId, EventId)>& may_read)
      : x_(execution), g_(execution.graph), may_read_(may_read), alive_(g_.events.size(), false) {
    for (EventId e = 0; e < g_.events.size(); ++e)
      if (g_.events[e].is_read() && g_.rf[e] == no_event) open_.push_back(e);
  }

  bool holds() {
    for (bool again = true; again;) {
      again = false;
      for (const EventId r : open_) {
        if (alive_[r] || !has_source(r)) continue;
        alive_[r] = again = true;
      }
    }
    return std::all_of(open_.begin(), open_.end(), [&](EventId r) { return alive_[r]; });
  }

 private:
  // The value of an event does not wait for a hopeless read.
  bool ready(EventId e, std::size_t depth = 0) const {
    const Event& event = g_.events[e];
    if (!x_.info[e].value.is_unknown() || depth > g_.events.size()) return depth <= g_.events.size();
    if (event.is_read()) return g_.rf[e] == no_event ? alive_[e] : ready(g_.rf[e], depth + 1);
    return all_ready(x_.info[e].depends, depth);
  }
  bool all_ready(DependencySet set, std::size_t depth) const {
    const auto& reads = x_.context().dependencies.elements(set);
    return std::all_of(reads.begin(), reads.end(), [&](EventId r) { return ready(r, depth + 1); });
  }

  bool has_source(EventId r) const {
    const Event& read = g_.events[r];
    if (!read.location.known()) return true;  // its address waits for another read, which is judged itself
    for (EventId w = 0; w < g_.events.size(); ++w) {
      const Event& write = g_.events[w];
      if (!write.is_write() || w == read.rmw) continue;
      if (!write.location.known()) {
        if (write.thread != read.thread) return true;
        continue;
      }
      if (write.location == read.location && ready(w) && may_read_(r, w)) return true;
    }
    for (ThreadId t = 0; t < x_.threads.size(); ++t)
      if (moves(t) && may_still_write(x_, t, read.location)) return true;
    return undecided_cas(r);
  }

  // A thread that waits at a barrier, or for other launches, may move if some thread does.
  bool moves(ThreadId t) const {
    const auto& thread = x_.threads[t];
    if (thread.status == ThreadStatus::blocked) return all_ready(thread.blockers, 0);
    if (thread.status != ThreadStatus::at_barrier && thread.status != ThreadStatus::gated) return false;
    for (const auto& other : x_.threads)
      if (other.status == ThreadStatus::blocked && all_ready(other.blockers, 0)) return true;
    return false;
  }

  // A cas of another thread whose success is open may come to write.
  bool undecided_cas(EventId r) const {
    for (const EventId other : open_)
      if (other != r && alive_[other] && g_.events[other].atomic && g_.events[other].rmw == no_event)
        return true;
    for (EventId e = 0; e < g_.events.size(); ++e)
      if (e != r && g_.events[e].rmw == no_event && x_.info[e].undecided && g_.rf[e] != no_event &&
          ready(g_.rf[e]))
        return true;
    return false;
  }

  const PartialExecution& x_;
  const ExecutionGraph& g_;
  const std::function<bool(EventId, EventId)>& may_read_;
  std::vector<bool> alive_;
  std::vector<EventId> open_;
};

}  // namespace

bool may_still_write(const PartialExecution& x, ThreadId t, const Location& location) {
  const auto& thread = x.threads[t];
  if (thread.status != ThreadStatus::blocked && thread.status != ThreadStatus::at_barrier &&
      thread.status != ThreadStatus::gated)
    return false;
  const ThreadProgram& program = x.context().image.threads[t];
  const AccessSet& written = x.context().may_access[program.coordinates.kernel.value].written_from(thread.at);
  if (written.unknown) return true;
  for (std::uint32_t a = 0; a < program.array_base.size(); ++a) {
    if (!written.arrays.contains(ArrayId{a})) continue;
    const auto allocation = static_cast<std::uint32_t>((program.array_base[a] >> 32U) - 1);
    if (x.context().image.memory[allocation].storage == location.storage) return true;
  }
  return false;
}

bool feasible(const PartialExecution& execution, const std::function<bool(EventId, EventId)>& may_read) {
  return Feasibility(execution, may_read).holds();
}

}  // namespace fencewise
