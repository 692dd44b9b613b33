// Operations that the threads of a warp take together: bar.warp.sync, shuffle, vote, match, redux.
//
// Lanes run independently between them. bar.warp.sync orders memory among its threads; the others only exchange values.
// Source: PTX ISA 9.1, "Parallel Synchronization and Communication Instructions" (9.7.13), shfl.sync (9.7.9).
#include <algorithm>

#include "checker/explore/view/machine.h"
#include "kernels/core/error.h"
#include "kernels/core/simt/program.h"

namespace fencewise::view {
namespace {

Operand mask_of(const Instruction& i) {
  if (const auto* b = std::get_if<WarpBarrier>(&i.operation)) return b->mask;
  if (const auto* s = std::get_if<Shuffle>(&i.operation)) return s->mask;
  if (const auto* v = std::get_if<Vote>(&i.operation)) return v->mask;
  if (const auto* m = std::get_if<Match>(&i.operation)) return m->mask;
  if (const auto* r = std::get_if<WarpReduce>(&i.operation)) return r->mask;
  throw NotModelled("the active mask of a warp depends on how lanes run");
}

}  // namespace

// The lanes named by the operation that `t` is at, as a mask; lanes that exited are not waited for.
std::uint64_t Machine::members(const State& s, ThreadId t) const {
  const ThreadProgram& program = context_.image.threads[t];
  if (program.warp_size < 2) throw NotModelled("a warp operation, with warps of one thread");
  const ThreadState& at = s.threads[t].state;
  const Value mask = interpreter_.evaluate(program, at, mask_of(program.kernel->at({at.block, at.index})));
  if (!mask.is_number()) throw NotModelled("a warp's mask depends on symbolic data");
  if ((mask.bits() >> (program.coordinates.index_in_cta % program.warp_size) & 1U) == 0)
    throw NotModelled("a thread that its warp operation's mask does not name");
  return mask.bits();
}

// Lanes in lock-step: who is at the meeting point goes on when nobody of the warp is behind.
bool Machine::complete_meeting(State& s, ThreadId one_of) {
  const ThreadProgram& program = context_.image.threads[one_of];
  const std::uint32_t warp = program.coordinates.index_in_cta / std::max(1U, program.warp_size);
  const InstructionRef point{s.threads[one_of].state.block, s.threads[one_of].state.index};
  std::vector<ThreadId> here;
  for (const ThreadId t : threads_of_cta_[context_.image.cta_of[one_of]]) {
    const Thread& thread = s.threads[t];
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
  const InstructionRef where{s.threads[one_of].state.block, s.threads[one_of].state.index};
  if (is_meeting_point(context_.image.threads[one_of].kernel->at(where))) return complete_meeting(s, one_of);
  const ThreadProgram& program = context_.image.threads[one_of];
  const std::uint64_t mask = members(s, one_of);
  const auto& mates = threads_of_cta_[context_.image.cta_of[one_of]];
  const std::uint32_t first = program.coordinates.index_in_cta / program.warp_size * program.warp_size;
  const InstructionRef at{s.threads[one_of].state.block, s.threads[one_of].state.index};
  std::vector<std::pair<std::uint32_t, ThreadId>> lanes;  // lane, thread
  for (std::uint32_t lane = 0; lane < program.warp_size && first + lane < mates.size(); ++lane) {
    const ThreadId t = mates[first + lane];
    const Thread& thread = s.threads[t];
    if ((mask >> lane & 1U) == 0 || thread.status == Status::exited) continue;
    if (thread.status != Status::at_warp || thread.passed) return false;
    if (InstructionRef{thread.state.block, thread.state.index} != at) return false;
    if (members(s, t) != mask) throw NotModelled("lanes of one warp operation give different masks");
    lanes.emplace_back(lane, t);
  }
  const Instruction& instruction = program.kernel->at(at);
  const auto value = [&](ThreadId t, const Operand& o) {
    return interpreter_.evaluate(context_.image.threads[t], s.threads[t].state, o);
  };
  const auto number = [&](ThreadId t, const Operand& o) {
    const Value v = value(t, o);
    if (!v.is_number()) throw NotModelled("a warp operation on symbolic data");
    return v.bits();
  };
  std::vector<std::array<Value, 2>> results(lanes.size());
  if (std::holds_alternative<WarpBarrier>(instruction.operation)) {
    View all;
    for (const auto& [lane, t] : lanes) {
      s.threads[t].segment = no_record;
      all.merge(s.threads[t].known);
    }
    for (const auto& [lane, t] : lanes) s.threads[t].known.merge(all);
  } else if (const auto* shuffle = std::get_if<Shuffle>(&instruction.operation)) {
    for (std::size_t n = 0; n < lanes.size(); ++n) {
      const auto& [lane, t] = lanes[n];
      const auto from = simt::shuffle_source(shuffle->mode, lane, static_cast<std::uint32_t>(number(t, shuffle->lane)),
                                       static_cast<std::uint32_t>(number(t, shuffle->clamp)));
      results[n] = std::array{value(t, shuffle->value), Value::number(static_cast<std::uint64_t>(from.has_value()))};
      if (!from) continue;
      const auto source = std::find_if(lanes.begin(), lanes.end(), [&](const auto& l) { return l.first == *from; });
      results[n][0] = source == lanes.end() ? context_.terms.poison("a shuffle from a lane that takes no part")
                                            : value(source->second, shuffle->value);
    }
  } else if (const auto* vote = std::get_if<Vote>(&instruction.operation)) {
    std::uint64_t ballot = 0, all = 0;
    for (const auto& [lane, t] : lanes) {
      all |= std::uint64_t{1} << lane;
      if (number(t, vote->predicate) != 0) ballot |= std::uint64_t{1} << lane;
    }
    std::uint64_t result = ballot;
    if (vote->mode == VoteMode::all) result = static_cast<std::uint64_t>(ballot == all);
    if (vote->mode == VoteMode::any) result = static_cast<std::uint64_t>(ballot != 0);
    if (vote->mode == VoteMode::uni) result = static_cast<std::uint64_t>(ballot == 0 || ballot == all);
    for (auto& r : results) r[0] = Value::number(result);
  } else if (const auto* match = std::get_if<Match>(&instruction.operation)) {
    std::uint64_t all = 0;
    for (const auto& [lane, t] : lanes) all |= std::uint64_t{1} << lane;
    for (std::size_t n = 0; n < lanes.size(); ++n) {
      std::uint64_t equal = 0;
      for (const auto& [lane, t] : lanes)
        if (number(t, match->value) == number(lanes[n].second, match->value)) equal |= std::uint64_t{1} << lane;
      const bool same = equal == all;
      results[n] = std::array{Value::number(match->mode == MatchMode::all && !same ? 0 : equal),
                    Value::number(static_cast<std::uint64_t>(same))};
    }
  } else if (const auto* reduction = std::get_if<WarpReduce>(&instruction.operation)) {
    Value sum = value(lanes.front().second, reduction->value);
    for (std::size_t n = 1; n < lanes.size(); ++n)
      sum = *context_.terms.atomic(reduction->op, reduction->type, sum, value(lanes[n].second, reduction->value), {});
    for (auto& r : results) r[0] = sum;
  }
  for (std::size_t n = 0; n < lanes.size(); ++n) {
    Thread& t = s.threads[lanes[n].second];
    t.passed = true;
    t.results = results[n];
    t.status = Status::running;
  }
  return true;
}

}  // namespace fencewise::view
