// A run that never ends, re-executed by the rules of the operational reading: what is shown of it, and what `replay` takes.
//
// No finite execution graph shows such a run: what the others would do next is left open. It is confirmed by doing it: after a round
// of the cycle the same threads stand at the same places with the same memory, and nobody is treated worse than promised.
#pragma once

#include "checker/check.h"
#include "checker/explore/view/retrace.h"
#include "checker/explore/view/schedulers.h"
#include "checker/explore/witness_builder.h"

namespace fencewise::view {

// Who is there, and who is promised to go on.
struct Schedule {
  std::uint32_t resident = 0;  // CTAs at a time; 0: all
  ProgressModels progress{};
};

struct Endless {
  EndlessRun run;      // without `unfinished`
  Retrace trace;       // of the way in and one round
  std::size_t cycle_from = 0;  // trace.events from here on repeat
  struct Unfinished {
    ThreadId thread = 0;
    Status status = Status::visible;
    InstructionRef at;
    std::optional<Gathered> gathered;  // at a barrier
    bool moves = false;     // within the cycle
    bool could_move = false;
    std::optional<Schedulers::Member> left;  // it could, but this group or thread is not promised to go on
  };
  std::vector<Unfinished> unfinished;  // by thread
  std::vector<std::size_t> exited;     // [cta] threads
  std::vector<std::uint32_t> actions;  // [thread] taken, as PartialExecution counts them
};

// As a finding: `livelock` if somebody moves for ever, else `stuck`.
[[nodiscard]] Finding finding_of(const LaunchContext& context, const Endless& endless, const Schedule& schedule, LaunchNumber number);

}  // namespace fencewise::view
