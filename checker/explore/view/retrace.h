// A path of the view explorer, as the reads it took and what each of them saw. The graph explorer goes on from there: it completes
// the execution graph, the axioms judge it, and the properties are evaluated on it anew, before a finding is shown.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "checker/explore/partial_execution.h"
#include "checker/explore/view/state.h"

namespace fencewise::view {

struct Retrace {
  struct PathEvent {
    ThreadId thread = 0;         // as the launch numbers it
    std::uint32_t sequence = 0;  // action of the thread, as PartialExecution counts them
    std::uint32_t element = 0;   // PartialExecution::Thread::events[sequence][element]
    InstructionRef where;
    EventKind kind = EventKind::fence;
    Location location;  // of accesses, as is `value`
    Value value;
  };
  std::vector<PathEvent> events;                        // [origin]
  std::vector<std::pair<Origin, Origin>> reads_from;    // (read, write); no_origin: memory as the launch found it
  // By the launch's names.
  struct Taken {
    ThreadId thread = 0;
    std::uint32_t option = 0;
    Origin behind = no_origin;  // the message that it read, or wrote behind
  };
  std::vector<Taken> moves;
  struct Race {
    Origin first;
    PathEvent second;
    Location location;
    bool first_writes = false, second_writes = false;
  };
  std::optional<Race> race;  // that ended the path
  struct Unwritten {
    PathEvent read;
    Location location;
  };
  std::optional<Unwritten> unwritten;  // read of memory that nobody wrote, that ended the path
  bool only_races = false;   // a read of memory that nobody wrote does not end it
  struct Unfinished {
    ThreadId thread;
    Status status;
    InstructionRef at;
  };
  std::vector<Unfinished> unfinished;  // threads that have not ended where the path does

  Origin add(PathEvent event) {
    events.push_back(event);
    return static_cast<Origin>(events.size() - 1);
  }
};

[[nodiscard]] std::vector<WitnessMove> moves_of(const Retrace& trace);
// An execution in which the reads of the path have their sources.
[[nodiscard]] PartialExecution follow(const LaunchContext& context, const Retrace& trace);

}  // namespace fencewise::view
