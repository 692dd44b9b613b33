// Operations that the threads of a warp take together, in the view explorer.
//
// Lanes run independently between them. bar.warp.sync orders memory among its threads; the others only exchange values.
#include <algorithm>

#include "checker/explore/view/machine.h"
#include "kernels/core/error.h"
#include "kernels/core/warp.h"

namespace fencewise::view {

// The lanes named by the operation that `t` is at, as a mask; lanes that exited are not waited for.
std::uint64_t Machine::members(const State& s, ThreadId t) const {
  const ThreadState& at = s.threads.read(t).state;
  const ThreadProgram& program = context_.image.threads[t];
  const auto operands = warp_operands(program.kernel->at({at.block, at.index}).operation);
  if (!operands->mask.present()) throw NotModelled("activemask in the view explorer");
  return interpreter_.evaluate(program, at, operands->mask).bits();
}

// Lanes in lock-step: who is at the meeting point goes on when nobody of the warp is behind.
bool Machine::complete_meeting(State& s, ThreadId one_of) {
  const ThreadProgram& program = context_.image.threads[one_of];
  const std::uint32_t warp = program.coordinates.index_in_cta / std::max(1U, program.warp_size);
  const InstructionRef point{s.threads.read(one_of).state.block, s.threads.read(one_of).state.index};
  std::vector<ThreadId> here;
  for (const ThreadId t : threads_of_cta_[context_.image.cta_of[one_of]]) {
    const Thread& thread = s.threads.read(t);
    if (context_.image.threads[t].coordinates.index_in_cta / std::max(1U, program.warp_size) != warp) continue;
    if (thread.status == Status::exited || thread.status == Status::faulted) continue;
    const InstructionRef at{thread.state.block, thread.state.index};
    if (at == point && thread.status == Status::at_warp && !thread.passed)
      here.push_back(t);
    else if (meeting_points_[kernel_of(t)].is_behind(at, point))
      return false;
  }
  for (const ThreadId t : here) {
    s.threads[t].passed = true;
    s.threads[t].results = {};
    s.threads[t].status = Status::running;
  }
  return true;
}

bool Machine::complete_warp(State& s, ThreadId one_of) {
  const InstructionRef where{s.threads.read(one_of).state.block, s.threads.read(one_of).state.index};
  if (is_meeting_point(context_.image.threads[one_of].kernel->at(where))) return complete_meeting(s, one_of);
  const ThreadProgram& program = context_.image.threads[one_of];
  const auto operation_of = [&](ThreadId t) -> const Operation& {
    const ThreadState& at = s.threads.read(t).state;
    return program.kernel->at({at.block, at.index}).operation;
  };
  const std::uint64_t mask = members(s, one_of);
  const Operation& operation = operation_of(one_of);
  const auto& mates = threads_of_cta_[context_.image.cta_of[one_of]];
  const std::uint32_t first = program.coordinates.index_in_cta / program.warp_size * program.warp_size;
  std::vector<ThreadId> lanes, gone;
  for (std::uint32_t lane = 0; lane < program.warp_size && first + lane < mates.size(); ++lane) {
    const ThreadId t = mates[first + lane];
    const Thread& thread = s.threads.read(t);
    if ((mask >> lane & 1U) == 0) continue;
    if (thread.status == Status::exited) {
      gone.push_back(t);
      continue;
    }
    if (thread.status != Status::at_warp || thread.passed) return false;
    if (!same_warp_operation(operation, operation_of(t)) || members(s, t) != mask) return false;
    lanes.push_back(t);
  }
  refuse_early_leavers(s, gone);
  std::vector<LaneValue> met;
  std::vector<std::array<Value, 2>> results;
  const auto lane_of = [&](ThreadId t) { return context_.image.threads[t].coordinates.index_in_cta % program.warp_size; };
  const auto value = [&](ThreadId t, const Operand& o) {
    return interpreter_.evaluate(context_.image.threads[t], s.threads.read(t).state, o);
  };
  for (const ThreadId t : lanes) met.push_back({lane_of(t), value(t, warp_operands(operation_of(t))->value)});
  for (const ThreadId t : lanes) {
    const WarpOperands own = *warp_operands(operation_of(t));
    results.push_back(exchange(operation, lane_of(t), value(t, own.lane), value(t, own.clamp), met, context_.terms).results);
  }
  if (std::holds_alternative<WarpBarrier>(operation)) {
    View all;
    for (const ThreadId t : lanes) {
      s.threads[t].segment = no_record;
      all.merge(s.threads[t].known);
    }
    for (const ThreadId t : lanes) s.threads[t].known.merge(all);
  }
  for (std::size_t n = 0; n < lanes.size(); ++n) {
    Thread& t = s.threads[lanes[n]];
    t.passed = true;
    t.results = results[n];
    t.status = Status::running;
  }
  return true;
}

}  // namespace fencewise::view
