#include "checker/explore/view/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise::view {
namespace {

// A launch that runs this long without an operation that others can notice is refused rather than waited for.
constexpr std::uint64_t most_private_steps = 400'000'000;

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

Value stored(Value value, Type type) {
  return value.is_number() ? Value::number(truncate(type, value.bits())) : value;
}

}  // namespace

Machine::Machine(const LaunchContext& c, FenceReading fences, const Symmetry* symmetry, std::uint32_t resident,
                 Mutation mutation)
    : context_(c),
      hierarchy_(c),
      interpreter_(c.terms, c.image.memory, nullptr),
      fence_reading_(fences),
      symmetry_(symmetry),
      resident_(resident == 0 ? c.image.ctas : resident),
      mutation_(mutation),
      written_(written_storages(c)),
      threads_of_cta_(c.image.ctas) {
  for (const Kernel& kernel : c.problem.kernels) {
    std::vector<RegisterId> at_exit;
    if (!c.launch.placed.empty())
      for (std::uint32_t r = 0; r < kernel.registers.size(); ++r) at_exit.push_back(RegisterId{r});
    liveness_.emplace_back(kernel, at_exit);
    futures_.emplace_back(kernel, hierarchy_);
    deposits_.push_back(depositing_fences(kernel));
  }
  for (ThreadId t = 0; t < c.image.threads.size(); ++t) threads_of_cta_[c.image.cta_of[t]].push_back(t);
}

State Machine::initial() {
  State s;
  for (const ThreadProgram& program : context_.image.threads) {
    Thread& t = s.threads.emplace_back();
    t.state = initial_state(program, false);
    if (resident_ < context_.image.ctas) t.status = Status::waiting;
  }
  return s;
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

std::uint8_t Machine::doing(const State& s, ThreadId t, std::uint32_t storage) const {
  const Thread& thread = s.threads[t];
  if (thread.status == Status::exited || thread.status == Status::faulted) return 0;
  const InstructionRef at{thread.state.block, thread.state.index};
  const Future& future = futures_[kernel_of(t)];
  std::uint8_t bits = future.anywhere(at);
  const auto& bases = context_.image.threads[t].array_base;
  for (std::uint32_t a = 0; a < bases.size(); ++a)
    if (context_.image.memory[static_cast<std::uint32_t>(bases[a] >> 32U) - 1].storage == storage)
      bits |= future.on(ArrayId{a}, at);
  return bits;
}

bool Machine::unordered(const State& s, std::uint32_t storage) const {
  if (context_.problem.domain == ValueDomain::expressions) return false;  // which sum comes out is the question
  for (ThreadId t = 0; t < s.threads.size(); ++t)
    if ((doing(s, t, storage) & Doing::ordered) != 0) return false;
  return true;
}

bool Machine::ended(const State& s) const {
  return std::all_of(s.threads.begin(), s.threads.end(), [](const Thread& t) { return t.status == Status::exited; });
}

// --- One thread ---

struct Machine::Run {
  Machine& m;
  State& s;
  ThreadId id;
  Thread& t;
  const ThreadProgram& program;
  Place place;
  Trouble trouble = Trouble::none;
  Sweep sweep;
  bool wrote_message = false;

  Run(Machine& machine, State& state, ThreadId thread)
      : m(machine), s(state), id(thread), t(state.threads[thread]), program(machine.context_.image.threads[thread]),
        place(machine.context_.image.cta_of[thread]) {}

  // --- Records ---

  Record new_record() {
    const Record r = s.records++;
    t.known.add(r);
    return r;
  }
  Record segment() {
    if (t.segment == no_record) t.segment = new_record();
    return t.segment;
  }
  // What the thread knows is passed on: accesses after this are not.
  const View& released() {
    if (m.mutation_ != Mutation::release_keeps_segment) t.segment = no_record;
    return t.known;
  }

  // --- Memory ---

  Cell& cell(CellId c) {
    if (s.cells.size() <= c) s.cells.resize(c + 1);
    Cell& found = s.cells[c];
    if (found.messages.empty()) {
      Message initial;
      initial.value = m.initial_value(m.locations_[c]);
      initial.initial = true;
      found.messages.push_back(std::move(initial));
    }
    return found;
  }
  [[nodiscard]] std::size_t low(const Cell& c) const {
    std::size_t p = c.messages.size() - 1;
    while (p > 0 && !t.known.knows(c.messages[p].record)) --p;
    return p;
  }
  [[nodiscard]] bool morally_strong(Place other, Level other_level, bool other_strong, bool strong, Level level) const {
    return strong && other_strong &&
           (m.mutation_ == Mutation::scopes_are_wide ||
            (m.hierarchy_.reaches(place, level, other) && m.hierarchy_.reaches(other, other_level, place)));
  }
  // Whether the access races with one that is past.
  [[nodiscard]] bool races(CellId number, const Cell& c, bool write, bool strong, Level level) const {
    const auto past = std::find_if(c.accesses.begin(), c.accesses.end(), [&](const PastAccess& a) {
      return (write || a.write) && !t.known.knows(a.record) &&
             !morally_strong(a.place, a.level, a.strong, strong, level);
    });
    if (past == c.accesses.end()) return false;
    if (m.retrace_ != nullptr && !m.retrace_->race && past->origin != no_origin)
      m.retrace_->race = {past->origin, event(0), m.locations_[number], past->write, write};
    return true;
  }
  void remember_read(Cell& c, bool strong, Level level, Origin read) {
    const Record r = segment();
    for (auto a = c.accesses.rbegin(); a != c.accesses.rend(); ++a)
      if (a->record == r && !a->write && a->strong == strong && a->level == level && a->place == (strong ? place : 0)) return;
    c.accesses.push_back({r, strong ? place : 0, level, strong, false, read});
  }

  [[nodiscard]] Location element(const Action& action, const fencewise::Access& access, unsigned n) const {
    Location l = action.place.location;
    l.offset += n * size_of(access.type);
    return l;
  }

  // --- Retracing ---

  [[nodiscard]] Retrace::PathEvent event(std::uint32_t element) const {
    return {m.original(s, id), s.sequence[id], element, {t.state.block, t.state.index}};
  }
  Origin origin(std::uint32_t element) const {
    return m.retrace_ == nullptr ? no_origin : m.retrace_->add(event(element));
  }
  void chose(const Message& message) const {
    if (m.retrace_ != nullptr) m.retrace_->moves.back().second = message.origin;
  }
  void saw(const Message& message, Origin read) const {
    if (m.retrace_ != nullptr) m.retrace_->reads_from.emplace_back(read, message.origin);
  }
  void acted() {
    if (!s.sequence.empty()) ++s.sequence[id];
  }

  // --- Weak accesses ---

  void weak_load(const Action& action, const Load& load) {
    std::array<Value, 4> values;
    for (unsigned n = 0; n < load.count; ++n) {
      const Location l = element(action, load.access, n);
      note_sweep(action, l);
      if (!m.written_[l.storage]) {
        values[n] = m.initial_value(l);
        if (m.retrace_ != nullptr) m.retrace_->reads_from.emplace_back(origin(n), no_origin);
        check_written(values[n], true);
        continue;
      }
      const CellId number = m.locations_.number(l);
      Cell& c = cell(number);
      if (races(number, c, false, false, 0)) trouble = Trouble::race;
      const Message& message = c.messages[low(c)];
      values[n] = message.value;
      check_written(values[n], message.initial);
      const Origin read = origin(n);
      saw(message, read);
      if (m.written_[l.storage]) remember_read(c, false, 0, read);
    }
    finish({values.data(), load.count});
  }
  void check_written(Value v, bool initial) {
    if (m.retrace_ != nullptr && m.retrace_->only_races) return;
    if (initial && m.context_.terms.is_poison(v) && trouble == Trouble::none)
      trouble = Trouble::unwritten_read;
  }

  void weak_store(const Action& action, const Store& store) {
    for (unsigned n = 0; n < store.count; ++n) {
      const Location l = element(action, store.access, n);
      note_sweep(action, l);
      const CellId number = m.locations_.number(l);
      Cell& c = cell(number);
      ++m.effects_;
      if (races(number, c, true, false, 0)) trouble = Trouble::race;
      Message message;
      message.value = stored(action.operands[n], store.access.type);
      message.record = segment();
      message.origin = origin(n);
      // Who doesn't know this write races with it; who does knows all that this thread knows.
      std::erase_if(c.accesses, [&](const PastAccess& a) { return t.known.knows(a.record); });
      c.messages.clear();
      c.accesses.push_back({message.record, 0, 0, false, true, message.origin});
      c.messages.push_back(std::move(message));
    }
    finish({});
  }

  void finish(std::span<const Value> results) {
    m.interpreter_.finish(program, t.state, results);
    acted();
  }

  // --- Sweeps (symmetry) ---

  void note_sweep(const Action& action, const Location& l) {
    if (m.symmetry_ == nullptr) return;
    switch (m.symmetry_->reach(action.where)) {
      case Symmetry::Reach::sweep: {
        auto& counts = sweep.visits[{l.storage, m.symmetry_->place_in_slot(l)}];
        counts.resize(m.symmetry_->ctas(), 0);
        ++counts[*m.symmetry_->owner(l)];
        return;
      }
      case Symmetry::Reach::own_slot:
        if (m.symmetry_->owner(l) != place) throw SymmetryBroken("a thread reaches another CTA's slot by its own id");
        break;
      case Symmetry::Reach::other: break;
    }
    end_sweep();
  }
  void end_sweep() {
    for (const auto& [at, counts] : sweep.visits)
      if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) != counts.end())
        throw SymmetryBroken("a thread reads some CTAs' slots, not all");
    sweep.visits.clear();
  }

  // --- Fences ---

  void take_in(Level level) {
    for (const auto& [c, structure] : t.taken) m.hierarchy_.take(structure, place, level, t.known);
  }
  void fence(const Fence& f) {
    const Level level = m.hierarchy_.level(f.scope);
    if (f.order == Order::sc || acquires(f.order)) take_in(level);
    if (f.order == Order::sc || releases(f.order)) m.hierarchy_.put(t.fences, place, level, released());
  }
  void fence_sc(const Fence& f, bool takes, bool deposits) {
    if (m.fence_reading_ == FenceReading::in_place) takes = deposits = true;
    const Level level = m.hierarchy_.level(f.scope);
    take_in(level);
    if (takes && m.mutation_ != Mutation::fence_sc_takes_nothing) m.hierarchy_.take(s.fence_sc, place, level, t.known);
    m.hierarchy_.put(t.fences, place, level, released());
    if (deposits) m.hierarchy_.put(s.fence_sc, place, level, t.known);
  }

  // --- Private steps ---

  struct Round {  // of a loop, since its header was last passed
    BlockId header;
    std::vector<Value> registers;
    bool quiet = true;  // only plain loads
  };

  std::vector<Value> live_registers() const {
    std::vector<Value> values = t.state.registers;
    const auto& live = m.liveness_[m.kernel_of(id)].before({t.state.block, t.state.index});
    for (std::uint32_t r = 0; r < values.size(); ++r)
      if (!live.contains(RegisterId{r})) values[r] = Value();
    return values;
  }

  void go(bool through_deposits) {
    std::vector<Round> rounds;
    const auto loud = [&] {
      for (Round& r : rounds) r.quiet = false;
    };
    const auto stop = [&](Status status) {
      end_sweep();
      t.status = status;
    };
    for (;;) {
      if (++m.private_steps_ > most_private_steps) throw NotModelled("a thread runs too long on its own");
      const Action action = m.interpreter_.next(program, t.state);
      switch (action.kind) {
        case Action::Kind::load: {
          const Load& load = std::get<Load>(action.instruction->operation);
          if (is_strong(load.access.order)) {
            if (load.count > 1) throw NotModelled("a strong vector load in the view explorer");
            return stop(Status::visible);
          }
          weak_load(action, load);
          break;
        }
        case Action::Kind::store: {
          const Store& store = std::get<Store>(action.instruction->operation);
          if (is_strong(store.access.order)) {
            if (store.count > 1) throw NotModelled("a strong vector store in the view explorer");
            return stop(Status::visible);
          }
          loud();
          weak_store(action, store);
          break;
        }
        case Action::Kind::atomic: {
          const Atomic& a = std::get<Atomic>(action.instruction->operation);
          const bool adds = a.red && a.op == AtomicOp::add && a.access.order == Order::relaxed;
          if (!adds || m.fence_reading_ == FenceReading::exact || !m.unordered(s, action.place.location.storage) ||
              outcomes(action, a) != 1)
            return stop(Status::visible);
          end_sweep();
          loud();
          atomic(action, 0);
          break;
        }
        case Action::Kind::fence: {
          end_sweep();
          loud();
          const Fence& f = std::get<Fence>(action.instruction->operation);
          if (f.order != Order::sc) {
            fence(f);
          } else {
            if (m.fence_reading_ == FenceReading::exact) return stop(Status::visible);
            if (m.deposits(id, action.where)) {
              if (!through_deposits && m.mutation_ != Mutation::deposit_at_once) return stop(Status::deposit);
              fence_sc(f, false, true);
              t.deposited = true;
            } else {
              if (t.deposited) return stop(Status::visible);
              fence_sc(f, true, false);
            }
          }
          finish({});
          break;
        }
        case Action::Kind::barrier: {
          end_sweep();
          loud();
          if (t.passed) {
            t.passed = false;
            finish(t.results);
            break;
          }
          if (!arrive(action)) return stop(Status::at_barrier);
          break;
        }
        case Action::Kind::warp:
          end_sweep();
          loud();
          if (t.passed) {
            t.passed = false;
            finish(t.results);
            break;
          }
          ++m.effects_;
          return stop(Status::at_warp);
        case Action::Kind::loop_header: {
          const BlockId header = t.state.block;
          auto round = std::find_if(rounds.begin(), rounds.end(), [&](const Round& r) { return r.header == header; });
          if (round != rounds.end() && action.again) {
            std::vector<Value> now = live_registers();
            if (round->quiet && now == round->registers) return stop(Status::spinning);
            *round = {header, std::move(now), true};
          } else if (round != rounds.end()) {
            *round = {header, live_registers(), true};
          } else {
            rounds.push_back({header, live_registers(), true});
          }
          break;
        }
        case Action::Kind::exit: return stop(Status::exited);
        case Action::Kind::trap:
        case Action::Kind::fault:
          trouble = Trouble::fault;
          return stop(Status::faulted);
        case Action::Kind::proxy_fence: throw NotModelled("proxies in the view explorer");
        case Action::Kind::unmodelled: throw NotModelled(fmt::format("{} is not modelled", action.text));
        case Action::Kind::blocked: throw InternalError("view explorer: an unknown value");
      }
      if (trouble != Trouble::none) return stop(Status::faulted);
    }
  }

  // Returns whether the thread goes on.
  bool arrive(const Action& action) {
    const Barrier& barrier = std::get<Barrier>(action.instruction->operation);
    if (!action.operands[0].is_number() || !action.operands[1].is_number())
      throw NotModelled("a barrier's number or count depends on symbolic data");
    fencewise::view::Arrival a;
    a.thread = id;
    a.waits = barrier.kind != BarrierKind::arrive;
    a.id = action.operands[0].bits();
    a.count = barrier.count.present() ? action.operands[1].bits() : 0;
    a.instance = barrier.instance;
    a.predicate = action.operands[2];
    a.known = released();
    ++m.effects_;
    s.arrivals.push_back(std::move(a));
    if (barrier.kind == BarrierKind::arrive) finish({});
    return barrier.kind == BarrierKind::arrive;
  }

  // --- Visible operations ---

  Message write_message(CellId number, Value value, const fencewise::Access& access, std::uint32_t element) {
    wrote_message = true;
    ++m.effects_;
    Message message;
    message.value = value;
    message.record = new_record();
    message.place = place;
    message.level = m.hierarchy_.level(access.scope);
    message.strong = true;
    message.seen.add(message.record);
    if (releases(access.order)) m.hierarchy_.put(t.own[number], place, message.level, released());
    message.released = t.fences;
    if (const auto own = t.own.find(number); own != t.own.end()) message.released.merge(own->second);
    message.origin = origin(element);
    return message;
  }

  // What reading `message` tells. `acquiring`: the read may be one of an acquire pattern.
  void read(CellId number, const Message& message, const fencewise::Access& access, bool acquiring) {
    const Level level = m.hierarchy_.level(access.scope);
    if (morally_strong(message.place, message.level, message.strong, true, level)) {
      t.known.merge(message.seen);
      if (m.mutation_ == Mutation::acquire_takes_what_it_read) t.taken.erase(number);
      if (acquiring && !message.released.empty()) t.taken[number].merge(message.released);
    }
    if (acquiring && acquires(access.order))
      if (const auto taken = t.taken.find(number); taken != t.taken.end())
        m.hierarchy_.take(taken->second, place, level, t.known);
  }

  void load(const Action& action, std::uint32_t option) {
    const Load& l = std::get<Load>(action.instruction->operation);
    const CellId number = m.locations_.number(action.place.location);
    Cell& c = cell(number);
    const Level level = m.hierarchy_.level(l.access.scope);
    if (races(number, c, false, true, level)) trouble = option == 0 ? Trouble::race : Trouble::race_elsewhere;
    const Message message =
        m.mutation_ == Mutation::loads_are_fresh ? c.messages.back() : c.messages[low(c) + option];
    check_written(message.value, message.initial);
    const Origin read_event = origin(0);
    saw(message, read_event);
    chose(message);
    read(number, message, l.access, true);
    remember_read(cell(number), true, level, read_event);
    finish({&message.value, 1});
  }

  void store(const Action& action, std::uint32_t option) {
    const Store& st = std::get<Store>(action.instruction->operation);
    const CellId number = m.locations_.number(action.place.location);
    Cell& c = cell(number);
    const Level level = m.hierarchy_.level(st.access.scope);
    if (races(number, c, true, true, level)) trouble = Trouble::race;
    std::size_t position = m.mutation_ == Mutation::stores_come_last ? c.messages.size() : low(c) + 1;
    for (std::uint32_t skipped = 0;; ++position) {
      if (c.messages[position - 1].glued) continue;
      if (skipped++ == option) break;
    }
    chose(c.messages[position - 1]);
    Message message = write_message(number, stored(action.operands[0], st.access.type), st.access, 0);
    c.accesses.push_back({message.record, place, level, true, true, message.origin});
    c.messages.insert(c.messages.begin() + static_cast<std::ptrdiff_t>(position), std::move(message));
    finish({});
  }

  [[nodiscard]] bool may_read(const Cell& c, std::size_t position, const Action& action, const Atomic& a) const {
    if (!c.messages[position].glued) return true;
    return a.op == AtomicOp::cas && !result(action, a, c.messages[position].value);
  }
  [[nodiscard]] std::optional<Value> result(const Action& action, const Atomic& a, Value old) const {
    return m.context_.terms.atomic(a.op, a.access.type, old, stored(action.operands[0], a.access.type),
                                   stored(action.operands[1], a.access.type));
  }

  // Of which messages an atomic could read.
  [[nodiscard]] std::uint32_t outcomes(const Action& action, const Atomic& a) {
    const Cell& c = cell(m.locations_.number(action.place.location));
    std::uint32_t count = 0;
    for (std::size_t p = low(c); p < c.messages.size(); ++p) count += static_cast<std::uint32_t>(may_read(c, p, action, a));
    return count;
  }

  void atomic(const Action& action, std::uint32_t option) {
    const Atomic& a = std::get<Atomic>(action.instruction->operation);
    const CellId number = m.locations_.number(action.place.location);
    Cell& c = cell(number);
    const Level level = m.hierarchy_.level(a.access.scope);
    std::size_t position = low(c);
    for (std::uint32_t skipped = 0;; ++position)
      if (may_read(c, position, action, a) && skipped++ == option) break;
    const Value old = c.messages[position].value;
    const auto value = result(action, a, old);
    const Message source = c.messages[position];
    if (races(number, c, value.has_value(), true, level)) trouble = option == 0 ? Trouble::race : Trouble::race_elsewhere;
    check_written(old, source.initial);
    const Origin read_event = origin(0);
    saw(source, read_event);
    if (t.status == Status::visible) chose(source);
    // With one-sided fences a red tells its thread nothing: its place in the chain need not be remembered.
    if (!a.red || m.fence_reading_ != FenceReading::one_sided)
      read(number, source, a.access, !a.red || m.mutation_ == Mutation::red_acquires);
    if (value) {
      Message message = write_message(number, *value, a.access, 1);
      if (morally_strong(source.place, source.level, source.strong, true, level)) {
        message.seen.merge(source.seen);
        if (m.mutation_ != Mutation::chain_is_cut) message.released.merge(source.released);
      }
      Cell& now = cell(number);
      now.messages[position].glued = m.mutation_ != Mutation::atomics_share_a_write;
      now.accesses.push_back({message.record, place, level, true, true, message.origin});
      now.messages.insert(now.messages.begin() + static_cast<std::ptrdiff_t>(position) + 1, std::move(message));
    } else {
      remember_read(cell(number), true, level, read_event);
    }
    finish({&old, 1});
  }
};

Trouble Machine::run(State& s, ThreadId t, bool through_deposits) {
  s.threads[t].status = Status::running;
  Run run(*this, s, t);
  run.go(through_deposits);
  return run.trouble;
}

Trouble Machine::settle(State& s) {
  for (bool again = true; again;) {
    again = false;
    for (ThreadId t = 0; t < s.threads.size(); ++t) {
      if (s.threads[t].status != Status::running) continue;
      if (const Trouble trouble = run(s, t, false); trouble != Trouble::none) return trouble;
    }
    for (ThreadId t = 0; t < s.threads.size(); ++t) {
      if (s.threads[t].status == Status::at_barrier) again |= complete_barrier(s, t);
      if (s.threads[t].status == Status::at_warp) again |= complete_warp(s, t);
    }
  }
  return Trouble::none;
}

// --- Barriers ---

bool Machine::complete_barrier(State& s, ThreadId one_of) {
  const auto& cta_of = context_.image.cta_of;
  const auto mine = std::find_if(s.arrivals.begin(), s.arrivals.end(),
                                 [&](const Arrival& a) { return a.thread == one_of && a.waits; });
  std::vector<const Arrival*> phase;
  for (const Arrival& a : s.arrivals)
    if (cta_of[a.thread] == cta_of[one_of] && a.id == mine->id && a.count == mine->count && a.instance == mine->instance)
      phase.push_back(&a);
  std::size_t needed = mine->count;
  if (needed == 0)
    for (const ThreadId t : threads_of_cta_[cta_of[one_of]])
      needed += static_cast<std::size_t>(s.threads[t].status != Status::exited);
  if (phase.size() < needed) return false;
  if (phase.size() > needed) throw NotModelled("more threads come to a barrier than it counts");
  View all;
  for (const Arrival* a : phase) all.merge(a->known);
  const Thread& first = s.threads[one_of];
  const Kernel& kernel = *context_.image.threads[one_of].kernel;
  const auto& barrier = std::get<Barrier>(kernel.at({first.state.block, first.state.index}).operation);
  const Value result = barrier.kind == BarrierKind::red ? reduce(barrier, phase) : Value();
  std::vector<bool> met(s.arrivals.size(), false);
  for (const Arrival* a : phase) {
    met[static_cast<std::size_t>(a - s.arrivals.data())] = true;
    if (!a->waits) continue;
    Thread& t = s.threads[a->thread];
    if (mutation_ != Mutation::barrier_gives_nothing) t.known.merge(all);
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

bool Machine::may_move(const State& s, ThreadId t) {
  const Status status = s.threads[t].status;
  return status == Status::visible || status == Status::deposit ||
         status == Status::at_barrier || status == Status::at_warp || status == Status::waiting;
}

bool Machine::has_free_place(const State& s) const {
  std::uint32_t taken = 0;
  for (const auto& threads : threads_of_cta_)
    taken += static_cast<std::uint32_t>(std::any_of(threads.begin(), threads.end(), [&](ThreadId t) {
      return s.threads[t].status != Status::waiting && s.threads[t].status != Status::exited;
    }));
  return taken < resident_;
}

bool Machine::prepare(State& s, ThreadId t, Trouble& trouble) {
  if (s.threads[t].status == Status::visible) return true;
  if (s.threads[t].status == Status::waiting) {
    const auto& threads = threads_of_cta_[context_.image.cta_of[t]];
    if (threads.front() != t || !has_free_place(s)) return false;
    for (const ThreadId u : threads) s.threads[u].status = Status::running;
    return true;
  }
  if (fence_reading_ == FenceReading::exact) return false;
  const auto& mates = threads_of_cta_[context_.image.cta_of[t]];
  const bool was_pending = s.threads[t].status == Status::deposit;
  if (std::none_of(mates.begin(), mates.end(), [&](ThreadId u) { return s.threads[u].status == Status::deposit; }))
    return false;
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
      Status& status = s.threads[u].status;
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
  const Thread& t = s.threads[id];
  if (t.status != Status::visible || t.deposited) return false;
  Run run(*this, s, id);
  const Action action = interpreter_.next(run.program, run.t.state);
  if (action.kind == Action::Kind::store) return true;
  if (action.kind == Action::Kind::fence) return false;
  const std::uint8_t others_must_not =
      action.kind == Action::Kind::load ? Doing::any_write : Doing::any_read | Doing::any_write;
  for (ThreadId u = 0; u < s.threads.size(); ++u)
    if (u != id && (doing(s, u, action.place.location.storage) & others_must_not) != 0) return false;
  return true;
}

std::uint32_t Machine::options(State& s, ThreadId id) {
  if (s.threads[id].status != Status::visible) return 1;
  Run run(*this, s, id);
  const Action action = interpreter_.next(run.program, run.t.state);
  if (action.kind == Action::Kind::fence) return 1;
  const Cell& c = run.cell(locations_.number(action.place.location));
  std::uint32_t count = 0;
  for (std::size_t p = run.low(c); p < c.messages.size(); ++p) {
    const bool newest = p + 1 == c.messages.size();
    if (mutation_ == Mutation::loads_are_fresh && action.kind == Action::Kind::load && !newest) continue;
    if (mutation_ == Mutation::stores_come_last && action.kind == Action::Kind::store && !newest) continue;
    if (action.kind == Action::Kind::load) ++count;
    if (action.kind == Action::Kind::store) count += static_cast<std::uint32_t>(!c.messages[p].glued);
    if (action.kind == Action::Kind::atomic)
      count += static_cast<std::uint32_t>(run.may_read(c, p, action, std::get<Atomic>(action.instruction->operation)));
  }
  return count;
}

std::optional<std::uint32_t> Machine::option_of(State& s, ThreadId id, Origin origin) {
  if (s.threads[id].status != Status::visible) return 0;
  Run run(*this, s, id);
  const Action action = interpreter_.next(run.program, run.t.state);
  if (action.kind == Action::Kind::fence) return 0;
  const Cell& c = run.cell(locations_.number(action.place.location));
  std::uint32_t option = 0;
  for (std::size_t p = run.low(c); p < c.messages.size(); ++p) {
    const bool may = action.kind == Action::Kind::load ||
                     (action.kind == Action::Kind::store && !c.messages[p].glued) ||
                     (action.kind == Action::Kind::atomic &&
                      run.may_read(c, p, action, std::get<Atomic>(action.instruction->operation)));
    if (!may) continue;
    if (c.messages[p].origin == origin) return option;
    ++option;
  }
  return std::nullopt;
}

Machine::Taken Machine::take(State& s, Move move) {
  Taken taken;
  if (retrace_ != nullptr) retrace_->moves.emplace_back(original(s, move.thread), no_origin);
  const std::uint32_t cta = context_.image.cta_of[move.thread];
  const ThreadState from = s.threads[move.thread].state;
  const std::uint64_t effects = effects_;
  if (s.threads[move.thread].status == Status::visible) {
    Run run(*this, s, move.thread);
    const Action action = interpreter_.next(run.program, run.t.state);
    taken.newest = action.kind == Action::Kind::fence || move.option + 1 == options(s, move.thread);
    switch (action.kind) {
      case Action::Kind::load: run.load(action, move.option); break;
      case Action::Kind::store: run.store(action, move.option); break;
      case Action::Kind::atomic: run.atomic(action, move.option); break;
      default: {
        const Fence& fence = std::get<Fence>(action.instruction->operation);
        run.fence_sc(fence, true, fence_reading_ != FenceReading::one_sided || deposits(move.thread, action.where));
        run.finish({});
      }
    }
    taken.quiet = action.kind == Action::Kind::load || action.kind == Action::Kind::fence ||
                  (action.kind == Action::Kind::atomic && !run.wrote_message);
    taken.trouble = run.trouble;
    if (taken.trouble != Trouble::none) return taken;
    run.t.status = Status::running;
  }
  for (const ThreadId t : threads_of_cta_[cta]) s.threads[t].deposited = false;
  taken.trouble = settle(s);
  Thread& thread = s.threads[move.thread];
  if (taken.quiet && effects_ == effects && thread.status == Status::visible) {
    clear_dead_registers(thread, move.thread);
    Thread before;
    before.state = from;
    clear_dead_registers(before, move.thread);
    taken.idle = thread.state == before.state;
  }
  return taken;
}

ThreadId Machine::original(const State& s, ThreadId t) const {
  const std::uint32_t cta = context_.image.cta_of[t];
  return threads_of_cta_[s.cta_names[cta]][context_.image.threads[t].coordinates.index_in_cta];
}

// Registers that nothing reads any more hold zero; of a thread that has exited, none are kept but those of placed threads.
void Machine::clear_dead_registers(Thread& t, ThreadId id) const {
  if (t.status == Status::exited && context_.launch.placed.empty()) {
    t.state.registers.clear();
    return;
  }
  const auto& live = liveness_[kernel_of(id)].before({t.state.block, t.state.index});
  for (std::uint32_t r = 0; r < t.state.registers.size(); ++r)
    if (!live.contains(RegisterId{r})) t.state.registers[r] = Value();
}

}  // namespace fencewise::view
