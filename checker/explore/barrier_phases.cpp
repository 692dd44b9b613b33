// Barriers of a partial execution, and the operations that warps take together: who meets whom.
//
// Lanes meet when all that their mask names, and that have not exited, are at the same operation with the same mask; which lanes
// an activemask finds together is a choice.
// Without a count a barrier is met when every thread of the CTA that has not exited waits at it. With count N it is met by N
// arrivals and then re-arms; where more threads may arrive than N, which of them meet is a choice of the search.
// In the litmus dialect of the versioned models (`barriers_rearm` off) a barrier without a count waits for every barrier
// instruction of its instance in the text of the CTA's threads; with N, all pass once N have arrived, and N of them met.
#include <algorithm>

#include "checker/explore/partial_execution.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::size_t most_groups = 4096;

// All ways to choose `size` of `from`, each with `first` in front.
std::vector<std::vector<std::size_t>> groups_with(std::size_t first, const std::vector<std::size_t>& from,
                                                  std::size_t size) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> taken(from.size(), false);
  std::fill(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(size), true);
  do {
    std::vector<std::size_t> group{first};
    for (std::size_t n = 0; n < from.size(); ++n)
      if (taken[n]) group.push_back(from[n]);
    groups.push_back(std::move(group));
    if (groups.size() > most_groups) throw NotModelled("too many ways for threads to meet at a barrier");
  } while (std::prev_permutation(taken.begin(), taken.end()));
  return groups;
}

bool same_barrier(const Barrier& barrier, std::uint64_t id, std::optional<std::uint32_t> instance) {
  const bool other_number = barrier.id.kind == Operand::Kind::immediate && barrier.id.bits != id;
  return !other_number && barrier.instance == instance;
}

// Whether control can reach an instruction that `is` one from `from`, that instruction included.
template <class Predicate> bool reaches(const Kernel& kernel, InstructionRef from, const Predicate& is) {
  std::vector<bool> seen(kernel.blocks.size(), false);
  std::vector<InstructionRef> work{from};
  while (!work.empty()) {
    const InstructionRef at = work.back();
    work.pop_back();
    const auto& instructions = kernel.blocks[at.block.value].instructions;
    for (std::uint32_t n = at.index; n < instructions.size(); ++n)
      if (is(instructions[n].operation)) return true;
    for (const BlockId next : successors(kernel.blocks[at.block.value])) {
      if (seen[next.value]) continue;
      seen[next.value] = true;
      work.push_back({next, 0});
    }
  }
  return false;
}

std::size_t barriers_in_text(const Kernel& kernel, std::uint64_t id, std::optional<std::uint32_t> instance) {
  std::size_t count = 0;
  for (const Block& block : kernel.blocks)
    for (const Instruction& i : block.instructions)
      if (const auto* barrier = std::get_if<Barrier>(&i.operation))
        count += static_cast<std::size_t>(same_barrier(*barrier, id, instance));
  return count;
}

}  // namespace

std::uint32_t PartialExecution::lane_of(ThreadId t) const {
  const ThreadProgram& program = context_->image.threads[t];
  return program.coordinates.index_in_cta % program.warp_size;
}

const Operation& PartialExecution::operation_of(const Arrival& a) const {
  return context_->image.threads[a.thread].kernel->at(info[a.arrive].where).operation;
}

// Whether the phase of `a` is of this thread's, unless it has exited: its CTA, or the lanes named of its warp.
bool PartialExecution::waits_for(const Arrival& a, ThreadId t) const {
  if (context_->image.cta_of[t] != context_->image.cta_of[a.thread]) return false;
  if (a.lanes == 0) return true;
  const ThreadProgram& mine = context_->image.threads[a.thread];
  const auto warp = [&](const ThreadProgram& p) { return p.coordinates.index_in_cta / p.warp_size; };
  return warp(context_->image.threads[t]) == warp(mine) && (a.lanes >> lane_of(t) & 1U) != 0;
}

std::vector<std::size_t> PartialExecution::group_of(std::size_t arrival) const {
  const Arrival& a = arrivals[arrival];
  std::vector<std::size_t> group;
  for (std::size_t n = 0; n < arrivals.size(); ++n) {
    const Arrival& b = arrivals[n];
    if (!waits_for(a, b.thread) || b.lanes != a.lanes) continue;
    const bool same = a.lanes == 0   ? b.id == a.id && b.instance == a.instance && b.count == a.count
                      : a.any_number ? info[b.arrive].where == info[a.arrive].where
                                     : same_warp_operation(operation_of(a), operation_of(b));
    if (same) group.push_back(n);
  }
  return group;
}

bool PartialExecution::may_still_arrive(ThreadId t, const Arrival& like) const {
  const Thread& thread = threads[t];
  if (thread.status != ThreadStatus::blocked && thread.status != ThreadStatus::at_barrier) return false;
  InstructionRef from = thread.at;
  if (thread.status == ThreadStatus::at_barrier) ++from.index;  // this arrival has happened
  return reaches(*context_->image.threads[t].kernel, from, [&](const Operation& operation) {
    if (like.lanes != 0) return same_warp_operation(operation, operation_of(like));
    const auto* barrier = std::get_if<Barrier>(&operation);
    return barrier != nullptr && same_barrier(*barrier, like.id, like.instance);
  });
}

bool PartialExecution::others_may_arrive(const std::vector<std::size_t>& group) const {
  const Arrival& like = arrivals[group.front()];
  for (ThreadId t = 0; t < threads.size(); ++t) {
    if (!waits_for(like, t)) continue;
    const bool waits_here = std::any_of(group.begin(), group.end(), [&](std::size_t n) {
      return arrivals[n].thread == t && arrivals[n].waits;
    });
    if (!waits_here && may_still_arrive(t, like)) return true;
  }
  return false;
}

// How many arrivals complete the phase that `arrival` is in.
std::size_t PartialExecution::threads_needed(const Arrival& arrival, std::size_t arrived) const {
  if (arrival.count != 0) return arrival.count;
  if (arrival.any_number) return 1;
  const std::uint32_t cta = context_->image.cta_of[arrival.thread];
  std::size_t needed = 0;
  for (ThreadId t = 0; t < threads.size(); ++t) {
    if (!waits_for(arrival, t)) continue;
    if (context_->reading.barriers_rearm || !arrival.instance) {
      needed += static_cast<std::size_t>(threads[t].status != ThreadStatus::exited);
    } else {
      needed += barriers_in_text(*context_->image.threads[t].kernel, arrival.id, arrival.instance);
    }
  }
  if (context_->reading.barriers_rearm || !arrival.instance) return needed;
  // A barrier whose number is in a register counts only where it came out the same.
  for (const Arrival& other : arrivals)
    if (context_->image.cta_of[other.thread] == cta && other.instance == arrival.instance &&
        other.id != arrival.id && needed > arrived) {
      const Kernel& kernel = *context_->image.threads[other.thread].kernel;
      const auto& barrier = std::get<Barrier>(kernel.at(info[other.arrive].where).operation);
      needed -= static_cast<std::size_t>(barrier.id.kind != Operand::Kind::immediate);
    }
  return needed;
}

std::optional<Gathered> PartialExecution::gathered(ThreadId t) const {
  for (std::size_t n = 0; n < arrivals.size(); ++n) {
    const Arrival& a = arrivals[n];
    if (a.thread != t || !a.waits || a.lanes != 0) continue;
    const std::size_t came = group_of(n).size();
    return Gathered{came, threads_needed(a, came), a.count != 0};
  }
  return std::nullopt;
}

// Completes phases that leave no choice. Returns whether some did.
bool PartialExecution::complete_barriers() {
  for (std::size_t first = 0; first < arrivals.size(); ++first) {
    if (pass_latecomer(arrivals[first])) return true;
    const auto group = group_of(first);
    if (group.front() != first) continue;
    const std::size_t needed = threads_needed(arrivals[first], group.size());
    if (group.size() < needed || needed == 0) continue;
    const bool all_pass = !context_->reading.barriers_rearm && arrivals[first].instance.has_value();
    const bool some_meet = arrivals[first].count != 0 || arrivals[first].any_number;
    const bool a_choice = some_meet && !all_pass && (group.size() > needed || others_may_arrive(group));
    if (a_choice) continue;
    complete(group);
    return true;
  }
  return false;
}

// Litmus dialect, versioned models: a barrier that N have met lets everybody pass.
bool PartialExecution::pass_latecomer(const Arrival& a) {
  if (context_->reading.barriers_rearm || !a.instance || a.count == 0) return false;
  for (std::uint32_t p = 0; p < phases.size(); ++p) {
    Phase& phase = phases[p];
    if (phase.quorum == 0 || phase.id != a.id || phase.instance != a.instance ||
        phase.cta != context_->image.cta_of[a.thread])
      continue;
    phase.arrivals.push_back(a.arrive);
    const Arrival copy = a;
    std::erase_if(arrivals, [&](const Arrival& other) { return other.number == copy.number; });
    if (copy.waits) {
      const EventId wait = let_pass(copy, p);
      phases[p].waits.push_back(wait);
    }
    return true;
  }
  return false;
}

std::optional<PartialExecution::OpenPhase> PartialExecution::open_phase() const {
  for (std::size_t first = 0; first < arrivals.size(); ++first) {
    const Arrival& a = arrivals[first];
    const auto group = group_of(first);
    if ((a.count == 0 && !a.any_number) || group.size() < a.count) continue;
    std::vector<std::size_t> others;
    for (const std::size_t n : group)
      if (n > first || arrivals[n].not_with_before != 0) {
        if (n != first) others.push_back(n);
      }
    if (others.size() + 1 < a.count) continue;
    // Without it, others may come, or those that are there may meet and leave it behind.
    const bool may_wait = others_may_arrive(group) || (!a.any_number && group.size() > a.count);
    OpenPhase open{first, {}, may_wait};
    const std::size_t least = a.any_number ? 0 : a.count - 1, most = a.any_number ? others.size() : a.count - 1;
    for (std::size_t size = least; size <= most; ++size)
      for (auto& members : groups_with(first, others, size)) open.groups.push_back(std::move(members));
    // After it was left open, its phase holds somebody who came later; likewise for those it would meet. What a thread
    // contributed earlier is counted earlier.
    std::erase_if(open.groups, [&](const std::vector<std::size_t>& members) {
      std::uint32_t latest = 0, required = 0;
      bool passes_over = false;
      for (const std::size_t n : members) {
        latest = std::max(latest, arrivals[n].number);
        required = std::max(required, arrivals[n].not_with_before);
        for (const std::size_t m : group)
          passes_over |= arrivals[m].thread == arrivals[n].thread && arrivals[m].sequence < arrivals[n].sequence &&
                         std::find(members.begin(), members.end(), m) == members.end();
      }
      return latest < required || passes_over;
    });
    if (!open.groups.empty()) return open;
  }
  return std::nullopt;
}

void PartialExecution::leave_open(std::size_t arrival) { arrivals[arrival].not_with_before = arrived_ + 1; }

bool PartialExecution::phase_overdue() const {
  for (std::size_t n = 0; n < arrivals.size(); ++n)
    if (arrivals[n].any_number || (arrivals[n].count != 0 && group_of(n).size() >= arrivals[n].count)) return true;
  return false;
}

EventId PartialExecution::let_pass(const Arrival& a, std::uint32_t phase) {
  Event e;
  e.kind = EventKind::wait;
  e.thread = a.thread;
  e.po = a.sequence * 2 + 1;
  EventInfo data;
  data.where = info[a.arrive].where;
  const EventId wait = add(e, data, 0);
  phase_of[wait] = phase;
  threads[a.thread].events[a.sequence][1] = wait;
  threads[a.thread].passed = a.sequence + 1;
  threads[a.thread].settled = false;
  return wait;
}

void PartialExecution::complete(const std::vector<std::size_t>& group) {
  const auto number = static_cast<std::uint32_t>(phases.size());
  phases.emplace_back();
  const Arrival& like = arrivals[group.front()];
  Phase phase;
  phase.id = like.id;
  phase.instance = like.instance;
  phase.cta = context_->image.cta_of[like.thread];
  phase.count = like.count;
  phase.of_warp = like.lanes != 0;
  if (!context_->reading.barriers_rearm && like.instance) phase.quorum = like.count;
  for (const std::size_t n : group) phase.arrivals.push_back(arrivals[n].arrive);
  for (const std::size_t n : group)
    if (arrivals[n].waits) phase.waits.push_back(let_pass(arrivals[n], number));
  // With a quorum, which arrivals met is decided when all are known (GraphExplorer, at leaves). Of what lanes do together only
  // bar.warp.sync orders memory; the others exchange values.
  const bool orders = like.lanes == 0 || std::holds_alternative<WarpBarrier>(operation_of(like)) || context_->reading.interleaving();
  if (phase.quorum == 0 && orders)
    for (const EventId wait : phase.waits)
      for (const EventId arrive : phase.arrivals) graph.sync.push_back({arrive, wait});
  if (context_->reading.interleaving() && like.count == 0 && !like.any_number) order_after_exits(phase, like);
  phases[number] = std::move(phase);
  std::vector<bool> gone(arrivals.size(), false);
  for (const std::size_t n : group) gone[n] = true;
  std::size_t kept = 0;
  for (std::size_t n = 0; n < arrivals.size(); ++n)
    if (!gone[n]) arrivals[kept++] = arrivals[n];
  arrivals.resize(kept);
}

// In one interleaving, threads that were not waited for have ended before.
void PartialExecution::order_after_exits(const Phase& phase, const Arrival& like) {
  for (ThreadId t = 0; t < threads.size(); ++t) {
    if (!waits_for(like, t) || threads[t].status != ThreadStatus::exited || threads[t].events.empty()) continue;
    for (const EventId last : threads[t].events.back())
      for (const EventId wait : phase.waits)
        if (last != no_event) graph.sync.push_back({last, wait});
  }
}

Value PartialExecution::reduce(const Barrier& barrier, const Phase& phase, DependencySet& origin) const {
  std::uint64_t count = 0;
  for (const EventId e : phase.arrivals) {
    origin = context_->dependencies.join(origin, info[e].depends);
    const Value v = info[e].value;
    if (v.is_unknown() || context_->terms.is_poison(v)) return v;
    if (!v.is_number()) throw NotModelled("a barrier reduction of symbolic data");
    count += static_cast<std::uint64_t>(v.bits() != 0);
  }
  switch (barrier.reduction) {
    case BarrierReduction::all:
      return Value::number(static_cast<std::uint64_t>(count == phase.arrivals.size()));
    case BarrierReduction::any: return Value::number(static_cast<std::uint64_t>(count != 0));
    case BarrierReduction::popc: return Value::number(count);
    case BarrierReduction::none: break;
  }
  return Value::number(0);
}

}  // namespace fencewise
