#include "checker/explore/view/machine.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "checker/explore/barrier_rules.h"
#include "checker/explore/view/rules.h"
#include "kernels/core/error.h"

namespace fencewise::view {
namespace {

std::vector<bool> written_storages(const LaunchContext& c) {
  std::vector<bool> written(c.image.memory.size(), false);
  for (const ThreadProgram& program : c.image.threads)
    for (const Block& block : program.kernel->blocks)
      for (const Instruction& i : block.instructions) {
        const Access* access = nullptr;
        if (const auto* store = std::get_if<Store>(&i.operation)) access = &store->access;
        if (const auto* atomic = std::get_if<Atomic>(&i.operation)) access = &atomic->access;
        if (access == nullptr) continue;
        if (!access->address.array) return std::vector<bool>(written.size(), true);
        const std::uint64_t base = program.array_base[access->address.array->value];
        written[c.image.memory[static_cast<std::uint32_t>(base >> 32U) - 1].storage] = true;
      }
  return written;
}

// A fence.sc deposits if what comes next, of what other CTAs may see, may be a strong write (it publishes); else it takes.
std::vector<std::vector<bool>> depositing_fences(const Kernel& kernel) {
  std::vector<std::vector<bool>> deposits;
  const auto writes_next = [&](InstructionRef from) {
    std::vector<bool> seen(kernel.blocks.size(), false);
    std::vector<InstructionRef> work{from};
    while (!work.empty()) {
      const InstructionRef at = work.back();
      work.pop_back();
      bool decided = false;
      const auto& instructions = kernel.blocks[at.block.value].instructions;
      for (std::uint32_t n = at.index; n < instructions.size() && !decided; ++n) {
        const auto& operation = instructions[n].operation;
        if (const auto* store = std::get_if<Store>(&operation);
            store && is_strong(store->access.order) && store->access.space != StateSpace::shared)
          return true;
        if (const auto* atomic = std::get_if<Atomic>(&operation); atomic && atomic->access.space != StateSpace::shared)
          return true;
        const auto* load = std::get_if<Load>(&operation);
        decided = std::holds_alternative<Fence>(operation) || (load && load->access.space != StateSpace::shared);
      }
      if (decided) continue;
      for (const BlockId next : successors(kernel.blocks[at.block.value])) {
        if (seen[next.value]) continue;
        seen[next.value] = true;
        work.push_back({next, 0});
      }
    }
    return false;
  };
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    auto& row = deposits.emplace_back();
    for (std::uint32_t n = 0; n < kernel.blocks[b].instructions.size(); ++n) {
      const auto* fence = std::get_if<Fence>(&kernel.blocks[b].instructions[n].operation);
      row.push_back(fence && fence->order == Order::sc && writes_next({BlockId{b}, n + 1}));
    }
  }
  return deposits;
}

bool is_access(const Action& action) {
  return action.kind == Action::Kind::load || action.kind == Action::Kind::store || action.kind == Action::Kind::atomic;
}

// [array] of the launch's threads that run the kernel: it is one element, accessed as a whole.
std::vector<bool> single_locations(const LaunchContext& c, const Kernel& kernel) {
  std::vector<bool> single(kernel.arrays.size(), false);
  for (const ThreadProgram& program : c.image.threads)
    if (program.kernel == &kernel) {
      for (std::size_t a = 0; a < single.size(); ++a) {
        const Allocation& allocation = c.image.memory[static_cast<std::uint32_t>(program.array_base[a] >> 32U) - 1];
        single[a] = allocation.bytes == size_of(allocation.element);
      }
      break;
    }
  return single;
}

}  // namespace

Machine::Machine(const LaunchContext& c, Approximation approximation, const Symmetry* symmetry, std::uint32_t resident,
                 Pace pace, Mutation mutation)
    : context_(c),
      hierarchy_(c),
      interpreter_(c.terms, c.image.memory, nullptr),
      approximation_(approximation),
      symmetry_(symmetry),
      resident_(resident == 0 ? c.image.ctas : resident),
      pace_(pace),
      mutation_(mutation),
      written_(written_storages(c)),
      threads_of_cta_(c.image.ctas) {
  for (const Kernel& kernel : c.problem.kernels) {
    meeting_points_.emplace_back(kernel);
    futures_.emplace_back(kernel, hierarchy_, single_locations(c, kernel), symmetry, c.problem.domain);
    deposits_.push_back(depositing_fences(kernel));
  }
  for (ThreadId t = 0; t < c.image.threads.size(); ++t) threads_of_cta_[c.image.cta_of[t]].push_back(t);
  if (symmetry == nullptr) return;
  const ThreadConstants constants(*c.image.threads.front().kernel);  // one kernel: that is asked of symmetry
  for (const ThreadProgram& program : c.image.threads) {
    const std::vector<Value> values = constants.of(program, c.terms);
    auto& of_thread = constants_.emplace_back();
    for (std::uint32_t r = 0; r < values.size(); ++r)
      if (symmetry->tells_apart()[r]) of_thread.emplace_back(r, values[r]);
  }
}

void Machine::clear_constants(Thread& t) const {
  if (constants_.empty() || t.state.registers.empty()) return;
  for (const auto& [r, value] : constants_.front()) t.state.registers[r] = Value();
}

void Machine::restore_constants(State& s, std::uint32_t cta) const {
  if (constants_.empty()) return;
  for (const ThreadId t : threads_of_cta_[cta])
    if (!s.threads.read(t).state.registers.empty())
      for (const auto& [r, value] : constants_[t]) s.threads[t].state.registers[r] = value;
}

State Machine::initial() {
  State s;
  for (const ThreadProgram& program : context_.image.threads) {
    Thread& t = s.threads.emplace_back();
    t.state = initial_state(program, false);
    if (resident_ < context_.image.ctas || context_.overlaps()) t.status = Status::waiting;
  }
  start_launches(s);
  return s;
}

// Launches, and so threads, come behind those that they wait for.
bool Machine::may_start(const State& s, ThreadId t) const {
  for (ThreadId earlier = 0; earlier < t; ++earlier)
    if (context_.comes_after(t, earlier) && s.threads[earlier].status != Status::exited) return false;
  return true;
}

// Whether some thread began. Where CTAs wait for a place, beginning is a move.
bool Machine::start_launches(State& s) const {
  if (!context_.overlaps() || resident_ < context_.image.ctas) return false;
  bool started = false;
  for (ThreadId t = 0; t < s.threads.size(); ++t) {
    if (s.threads.read(t).status != Status::waiting || !may_start(s, t)) continue;
    s.threads[t].status = Status::running;
    started = true;
  }
  return started;
}

// A thread has ended: those that wait for its launch will know what it knew.
void Machine::pass_on(State& s, ThreadId ended) const {
  for (ThreadId t = ended + 1; t < s.threads.size(); ++t)
    if (context_.comes_after(t, ended)) s.threads[t].known.merge(s.threads.read(ended).known);
}

Value Machine::initial_value(const Location& location) const {
  const Allocation& allocation = context_.image.memory[location.storage];
  if (!allocation.buffer)
    return context_.terms.poison(fmt::format("{} was never written", context_.image.memory.name(location)));
  if (location.size != size_of(allocation.element))
    throw NotModelled(fmt::format("{} is accessed with {} bytes, its elements have {}: mixed sizes are not modelled",
                                  context_.image.memory.name(location), location.size, size_of(allocation.element)));
  const std::uint64_t index = location.offset / location.size;
  if (context_.memory.ambiguous(*allocation.buffer, index))
    throw NotModelled(fmt::format("{} holds one of several values", context_.image.memory.name(location)));
  return context_.memory.at(*allocation.buffer, index);
}

bool Machine::deposits(ThreadId t, InstructionRef fence) const {
  return deposits_[kernel_of(t)][fence.block.value][fence.index];
}

DoingBits Machine::doing(const State& s, ThreadId t, const Location& location) const {
  const auto whose = owner(location);
  return doing(s, t, location.storage, whose && *whose != context_.image.cta_of[t]);
}

DoingBits Machine::doing(const State& s, ThreadId t, std::uint32_t storage, bool of_another) const {
  const Thread& thread = s.threads.read(t);
  if (thread.status == Status::exited || thread.status == Status::faulted) return 0;
  const InstructionRef at{thread.state.block, thread.state.index};
  const Future& future = futures_[kernel_of(t)];
  DoingBits bits = future.anywhere(at);
  const auto& bases = context_.image.threads[t].array_base;
  for (std::uint32_t a = 0; a < bases.size(); ++a)
    if (context_.image.memory[static_cast<std::uint32_t>(bases[a] >> 32U) - 1].storage == storage)
      bits |= of_another ? future.on_others(ArrayId{a}, at) : future.on(ArrayId{a}, at);
  return bits;
}

bool Machine::unordered(const State& s, const Location& location) const {
  for (ThreadId t = 0; t < s.threads.size(); ++t)
    if ((doing(s, t, location) & Doing::ordered) != 0) return false;
  return true;
}

bool Machine::ended(const State& s) const {
  return std::all_of(s.threads.begin(), s.threads.end(), [](const Thread& t) { return t.status == Status::exited; });
}


Trouble Machine::run(State& s, ThreadId t, bool through_deposits) {
  s.threads[t].status = Status::running;
  Rules rules(*this, s, t);
  rules.go(through_deposits);
  return rules.trouble;
}

Trouble Machine::settle(State& s) {
  std::vector<ThreadId> all(s.threads.size());
  std::iota(all.begin(), all.end(), 0);
  return settle_threads(s, all);
}

Trouble Machine::settle(State& s, std::uint32_t cta) {
  const Trouble trouble = settle_threads(s, threads_of_cta_[cta]);
  return trouble != Trouble::none ? trouble : settle(s);
}

Trouble Machine::settle_threads(State& s, const std::vector<ThreadId>& threads) {
  for (bool again = true; again;) {
    again = false;
    for (const ThreadId t : threads) {
      if (s.threads.read(t).status != Status::running) continue;
      if (const Trouble trouble = run(s, t, false); trouble != Trouble::none) return trouble;
    }
    for (const ThreadId t : threads) {
      if (s.threads.read(t).status == Status::at_barrier) {
        if (is_left_behind(s, t)) return Trouble::fault;
        again |= complete_barrier(s, t);
      }
      if (s.threads.read(t).status == Status::at_warp) again |= complete_warp(s, t);
    }
    again |= start_launches(s);
  }
  return Trouble::none;
}

// --- Barriers ---

bool Machine::misused(const State& s, const Arrival& arrival) const {
  const LaunchImage& image = context_.image;
  const AtBarrier mine{arrival.thread, arrival.where};
  return !arrival.instance && std::any_of(s.arrivals.begin(), s.arrivals.end(), [&](const Arrival& a) {
    if (image.cta_of[a.thread] != image.cta_of[arrival.thread]) return false;
    const AtBarrier other{a.thread, a.where};
    const bool same = a.id == arrival.id;
    return (same && mixes_reduction(image, mine, other)) ||
           ((same || (a.waits && arrival.waits)) && parts_lanes(image, mine, other));
  });
}

bool Machine::is_past_barriers(ThreadId t, InstructionRef where) const {
  return context_.image.threads[t].warp_size > 1 && threads_of_cta_[context_.image.cta_of[t]].size() > 1 &&
         context_.behind_barriers[kernel_of(t)].has(where);
}

bool Machine::is_left_behind(const State& s, ThreadId waiting) const {
  const Thread& thread = s.threads.read(waiting);
  const AtBarrier at{waiting, {thread.state.block, thread.state.index}};
  if (!wants_whole_warps(barrier_of(context_.image, at))) return false;
  return std::ranges::any_of(threads_of_cta_[context_.image.cta_of[waiting]], [&](ThreadId t) {
    const Thread& other = s.threads.read(t);
    return other.status == Status::exited && other.past_barriers && of_one_warp(context_.image, t, waiting);
  });
}

// The arrivals at the barrier that a thread waits at.
std::vector<const Arrival*> Machine::phase_of(const State& s, ThreadId waiting) const {
  const auto& cta_of = context_.image.cta_of;
  const auto mine = std::find_if(s.arrivals.begin(), s.arrivals.end(),
                                 [&](const Arrival& a) { return a.thread == waiting && a.waits; });
  std::vector<const Arrival*> phase;
  for (const Arrival& a : s.arrivals)
    if (cta_of[a.thread] == cta_of[waiting] && a.id == mine->id && a.count == mine->count && a.instance == mine->instance)
      phase.push_back(&a);
  return phase;
}

Gathered Machine::gathered(const State& s, ThreadId waiting) const {
  const std::vector<const Arrival*> phase = phase_of(s, waiting);
  const std::uint64_t count = phase.front()->count;
  std::size_t needed = count;
  if (count == 0)
    for (const ThreadId t : threads_of_cta_[context_.image.cta_of[waiting]])
      needed += static_cast<std::size_t>(s.threads.read(t).status != Status::exited);
  return {phase.size(), needed, count != 0};
}

// What a thread read before it left is settled here; for the axioms it may still come from what others write behind a meeting that
// did not wait for it, since nothing orders its exit before that.
void Machine::refuse_early_leavers(const State& s, const std::vector<ThreadId>& not_waited_for) const {
  for (const ThreadId t : not_waited_for)
    if (s.threads.read(t).status == Status::exited && s.threads.read(t).looked)
      throw NotModelled("a thread that leaves after a strong read or a fence.sc while others of its CTA meet, in the view explorer");
}

bool Machine::complete_barrier(State& s, ThreadId one_of) {
  const Gathered now = gathered(s, one_of);
  if (now.came < now.needed) return false;
  const std::vector<const Arrival*> phase = phase_of(s, one_of);
  if (now.came > now.needed) throw NotModelled("more threads come to a barrier than it counts");
  if (!now.counted) refuse_early_leavers(s, threads_of_cta_[context_.image.cta_of[one_of]]);
  View all;
  for (const Arrival* a : phase) all.merge(a->known);
  const Thread& first = s.threads.read(one_of);
  const Kernel& kernel = *context_.image.threads[one_of].kernel;
  const auto& barrier = std::get<Barrier>(kernel.at({first.state.block, first.state.index}).operation);
  const Value result = barrier.kind == BarrierKind::red ? reduce(barrier, phase) : Value();
  std::vector<bool> met(s.arrivals.size(), false);
  for (const Arrival* a : phase) {
    met[static_cast<std::size_t>(a - s.arrivals.data())] = true;
    if (!a->waits) continue;
    Thread& t = s.threads[a->thread];
    if (mutation_ != Mutation::barrier_gives_nothing) t.known.merge(all);
    t.looked = t.looked && now.counted;
    t.passed = true;
    t.results = {result, Value()};
    t.status = Status::running;
  }
  std::size_t kept = 0;
  for (std::size_t n = 0; n < met.size(); ++n)
    if (!met[n] && kept++ != n) s.arrivals[kept - 1] = std::move(s.arrivals[n]);
  s.arrivals.resize(kept);
  return true;
}

Value Machine::reduce(const Barrier& barrier, const std::vector<const Arrival*>& phase) const {
  std::uint64_t count = 0;
  for (const Arrival* a : phase) {
    if (context_.terms.is_poison(a->predicate)) return a->predicate;
    if (!a->predicate.is_number()) throw NotModelled("a barrier reduction of symbolic data");
    count += static_cast<std::uint64_t>(a->predicate.bits() != 0);
  }
  switch (barrier.reduction) {
    case BarrierReduction::all: return Value::number(static_cast<std::uint64_t>(count == phase.size()));
    case BarrierReduction::any: return Value::number(static_cast<std::uint64_t>(count != 0));
    case BarrierReduction::popc: return Value::number(count);
    case BarrierReduction::none: break;
  }
  return Value::number(0);
}

// --- Moves ---

bool Machine::may_move(const State& s, ThreadId t) const {
  const auto& mates = threads_of_cta_[context_.image.cta_of[t]];
  switch (s.threads[t].status) {
    case Status::visible: return true;
    case Status::waiting: return mates.front() == t && has_free_place(s) && may_start(s, t);
    case Status::deposit:
    case Status::at_barrier:
    case Status::at_warp:
      return approximation_.fences != FenceReading::exact &&
             std::any_of(mates.begin(), mates.end(), [&](ThreadId u) { return s.threads[u].status == Status::deposit; });
    default: return false;
  }
}

bool Machine::has_free_place(const State& s) const {
  std::uint32_t taken = 0;
  for (const auto& threads : threads_of_cta_)
    taken += static_cast<std::uint32_t>(std::any_of(threads.begin(), threads.end(), [&](ThreadId t) {
      return s.threads[t].status != Status::waiting && s.threads[t].status != Status::exited;
    }));
  return taken < resident_;
}

bool Machine::takes_place(const State& s, ThreadId t) const {
  return s.threads[t].status == Status::waiting && !context_.overlaps();
}

bool Machine::prepare(State& s, ThreadId t, Trouble& trouble) {
  writes_ = 0;
  if (!may_move(s, t)) return false;
  restore_constants(s, context_.image.cta_of[t]);
  if (s.threads[t].status == Status::visible) return true;
  const auto& mates = threads_of_cta_[context_.image.cta_of[t]];
  if (s.threads[t].status == Status::waiting) {
    for (const ThreadId u : mates) s.threads[u].status = Status::running;
    return true;
  }
  const bool was_pending = s.threads[t].status == Status::deposit;
  for (;;) {
    Thread& thread = s.threads[t];
    if (thread.status == Status::deposit || thread.status == Status::running) trouble = run(s, t, true);
    if (trouble != Trouble::none) return true;
    if (thread.status == Status::visible) return true;
    if (thread.status == Status::exited) return was_pending;
    if (thread.status != Status::at_barrier && thread.status != Status::at_warp) return false;
    const auto met = [&] {
      return thread.status == Status::at_barrier ? complete_barrier(s, t) : complete_warp(s, t);
    };
    if (met()) continue;
    bool helped = false;
    for (const ThreadId u : mates) {
      const Status status = s.threads.read(u).status;
      if (status == Status::running || (status == Status::deposit && u != t)) {
        trouble = run(s, u, true);
        if (trouble != Trouble::none) return true;
        helped = true;
      }
    }
    if (!helped && !met()) return false;
  }
}

bool Machine::goes_first(State& s, ThreadId id) {
  restore_constants(s, context_.image.cta_of[id]);
  const Thread& t = s.threads[id];
  if (t.status != Status::visible || t.deposited) return false;
  Rules rules(*this, s, id);
  const Action action = interpreter_.next(rules.program, rules.t.state);
  if (action.kind == Action::Kind::store) return true;
  if (!is_access(action)) return false;
  const DoingBits others_must_not =
      action.kind == Action::Kind::load ? Doing::any_write : Doing::any_read | Doing::any_write;
  for (ThreadId u = 0; u < s.threads.size(); ++u)
    if (u != id && (doing(s, u, action.place.location) & others_must_not) != 0) return false;
  return true;
}

std::optional<std::uint32_t> Machine::loads_from(State& s, ThreadId id) {
  if (s.threads.read(id).status != Status::visible || s.threads.read(id).deposited) return std::nullopt;
  restore_constants(s, context_.image.cta_of[id]);
  Rules rules(*this, s, id);
  const Action action = interpreter_.next(rules.program, rules.t.state);
  if (action.kind != Action::Kind::load) return std::nullopt;
  return action.place.location.storage;
}

bool Machine::at_store(const State& s, ThreadId id) const {
  const Thread& t = s.threads[id];
  return t.status == Status::visible &&
         std::holds_alternative<Store>(context_.image.threads[id].kernel->at({t.state.block, t.state.index}).operation);
}

std::uint32_t Machine::options(State& s, ThreadId id) {
  if (s.threads[id].status != Status::visible) return 1;
  Rules rules(*this, s, id);
  const Action action = interpreter_.next(rules.program, rules.t.state);
  if (!is_access(action)) return 1;
  const Cell& c = rules.cell(locations_->number(action.place.location));
  std::uint32_t count = 0;
  for (std::size_t p = rules.low(c); p < c.messages.size(); ++p) {
    const bool newest = p + 1 == c.messages.size();
    if (mutation_ == Mutation::loads_are_fresh && action.kind == Action::Kind::load && !newest) continue;
    if (mutation_ == Mutation::stores_come_last && action.kind == Action::Kind::store && !newest) continue;
    if (action.kind == Action::Kind::load) ++count;
    if (action.kind == Action::Kind::store) count += static_cast<std::uint32_t>(!c.messages[p].glued);
    if (action.kind == Action::Kind::atomic)
      count += static_cast<std::uint32_t>(rules.may_read(c, p, action, std::get<Atomic>(action.instruction->operation)));
  }
  return count;
}

std::optional<std::uint32_t> Machine::option_of(State& s, ThreadId id, Origin origin) {
  if (s.threads[id].status != Status::visible) return 0;
  Rules rules(*this, s, id);
  const Action action = interpreter_.next(rules.program, rules.t.state);
  if (!is_access(action)) return 0;
  const Cell& c = rules.cell(locations_->number(action.place.location));
  std::uint32_t option = 0;
  for (std::size_t p = rules.low(c); p < c.messages.size(); ++p) {
    const bool may = action.kind == Action::Kind::load ||
                     (action.kind == Action::Kind::store && !c.messages[p].glued) ||
                     (action.kind == Action::Kind::atomic &&
                      rules.may_read(c, p, action, std::get<Atomic>(action.instruction->operation)));
    if (!may) continue;
    if (c.messages[p].origin == origin) return option;
    ++option;
  }
  return std::nullopt;
}

Machine::Taken Machine::take(State& s, Move move) {
  Taken taken;
  if (retrace_ != nullptr) retrace_->moves.push_back({.thread = original(s, move.thread), .option = move.option});
  const std::uint32_t cta = context_.image.cta_of[move.thread];
  const ThreadState from = s.threads[move.thread].state;
  const std::uint64_t effects = effects_;
  bool first_step = false;
  if (s.threads[move.thread].status == Status::visible) {
    first_step = pace_.notes_who_stepped && !s.threads[move.thread].stepped;
    s.threads[move.thread].stepped |= first_step;
    Rules rules(*this, s, move.thread);
    const Action action = interpreter_.next(rules.program, rules.t.state);
    taken.newest = !is_access(action) || move.option + 1 == options(s, move.thread);
    if (symmetry_ != nullptr) {
      Thread& thread = s.threads[move.thread];
      rules.sweep.visited = std::move(thread.swept);
      if (is_access(action))
        rules.sweep.access(action.where, 0, action.place.location, rules.place);
      else
        rules.sweep.end();
      thread.swept = std::move(rules.sweep.visited);
      rules.sweep.visited.clear();
    }
    switch (action.kind) {
      case Action::Kind::load: rules.load(action, move.option); break;
      case Action::Kind::store: rules.store(action, move.option); break;
      case Action::Kind::atomic: rules.atomic(action, move.option); break;
      case Action::Kind::barrier:
      case Action::Kind::warp:
      case Action::Kind::exit: arriving_ = move.thread; break;
      default: {
        const Fence& fence = std::get<Fence>(action.instruction->operation);
        rules.fence_sc(fence, true, approximation_.fences != FenceReading::one_sided || deposits(move.thread, action.where));
        rules.finish({});
      }
    }
    taken.quiet = action.kind == Action::Kind::load || action.kind == Action::Kind::fence ||
                  (action.kind == Action::Kind::atomic && !rules.wrote_message);
    taken.trouble = rules.trouble;
    if (taken.trouble != Trouble::none) return taken;
    rules.t.status = Status::running;
  }
  for (const ThreadId t : threads_of_cta_[cta])
    if (s.threads.read(t).deposited) s.threads[t].deposited = false;
  taken.trouble = settle(s);
  taken.writes = writes_;
  Thread& thread = s.threads[move.thread];
  if (taken.quiet && effects_ == effects && thread.status == Status::visible) {
    clear_dead_registers(thread, move.thread);
    Thread before;
    before.state = from;
    clear_dead_registers(before, move.thread);
    taken.idle = thread.state == before.state && !first_step;
  }
  return taken;
}

ThreadId Machine::original(const State& s, ThreadId t) const { return counterpart(t, s.cta_names[context_.image.cta_of[t]]); }

// Registers that nothing reads any more hold zero; of a thread that has exited, none are kept but those of placed threads.
void Machine::clear_dead_registers(Thread& t, ThreadId id) const {
  if (t.status == Status::exited && !context_.has_placed_threads()) {
    t.state.registers.clear();
    return;
  }
  const auto& live = context_.liveness[kernel_of(id)].before({t.state.block, t.state.index});
  for (std::uint32_t r = 0; r < t.state.registers.size(); ++r)
    if (!live.contains(RegisterId{r})) t.state.registers[r] = Value();
}

}  // namespace fencewise::view
