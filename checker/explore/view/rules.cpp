#include "checker/explore/view/rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise::view {
namespace {

Value stored(Value value, Type type) {
  return value.is_number() ? Value::number(truncate(type, value.bits())) : value;
}

}  // namespace

// --- Records ---

Record Machine::Rules::new_record() {
  const Record r = s.records++;
  t.known.add(r);
  return r;
}

Record Machine::Rules::segment() {
  if (t.segment == no_record) t.segment = new_record();
  return t.segment;
}

const View& Machine::Rules::released() {
  if (m.mutation_ != Mutation::release_keeps_segment) t.segment = no_record;
  return t.known;
}

// --- Memory ---

void Machine::Rules::note_write(const Location& location) {
  ++m.effects_;
  m.writes_ |= std::uint64_t{1} << (location.storage % 64);
}

Cell& Machine::Rules::cell(CellId c) {
  if (s.cells.size() <= c) s.cells.resize(c + 1);
  Cell& found = s.cells[c];
  if (found.messages.empty()) {
    Message initial;
    initial.value = m.initial_value((*m.locations_)[c]);
    initial.initial = true;
    found.messages.push_back(std::move(initial));
  }
  return found;
}

std::size_t Machine::Rules::low(const Cell& c) const {
  std::size_t p = c.messages.size() - 1;
  while (p > 0 && !t.known.knows(c.messages[p].record)) --p;
  return p;
}

bool Machine::Rules::morally_strong(Place other, Level other_level, bool other_strong, bool strong, Level level) const {
  return strong && other_strong &&
         (m.mutation_ == Mutation::scopes_are_wide ||
          (m.hierarchy_.reaches(place, level, other) && m.hierarchy_.reaches(other, other_level, place)));
}

bool Machine::Rules::races(CellId number, const Cell& c, bool write, bool strong, Level level, const View& known) const {
  bool any = false;
  std::optional<std::pair<Origin, bool>> first;  // of those that it races with, and whether that writes
  for (const PastAccesses& a : c.accesses) {
    if (!(write || a.kind.write) || known.includes(a.records) ||
        morally_strong(a.kind.place, a.kind.level, a.kind.strong, strong, level))
      continue;
    any = true;
    for (Record r = 0; r < a.origins.size(); ++r)
      if (a.records.knows(r) && !known.knows(r) && a.origins[r] != no_origin && (!first || a.origins[r] < first->first))
        first = {a.origins[r], a.kind.write};
  }
  if (m.retrace_ != nullptr && !m.retrace_->race && first)
    m.retrace_->race = {first->first, event(0), (*m.locations_)[number], first->second, write};
  return any;
}

void Machine::Rules::remember_read(Cell& c, bool strong, Level level, Origin read) {
  c.remember({.place = strong ? place : 0, .level = level, .strong = strong, .write = false}, segment(), read);
}

Location Machine::Rules::element(const Action& action, const fencewise::Access& access, unsigned n) const {
  Location l = action.place.location;
  l.offset += n * size_of(access.type);
  return l;
}

// --- Retracing ---

Retrace::PathEvent Machine::Rules::event(std::uint32_t element) const {
  return {m.original(s, id), s.sequence[id], element, {t.state.block, t.state.index}, EventKind::fence, {}, {}};
}

Origin Machine::Rules::origin(std::uint32_t element, EventKind kind, const Location& location, Value value) const {
  if (m.retrace_ == nullptr) return no_origin;
  Retrace::PathEvent noted = event(element);
  noted.kind = kind;
  noted.location = location;
  noted.value = value;
  return m.retrace_->add(noted);
}

void Machine::Rules::chose(const Message& message) const {
  if (m.retrace_ != nullptr) m.retrace_->moves.back().behind = message.origin;
}

// What an approximation takes privately and the exact reading as a move.
void Machine::Rules::note_private_move() const {
  if (m.retrace_ != nullptr && m.fences_are_full()) m.retrace_->moves.push_back({.thread = m.original(s, id)});
}

void Machine::Rules::saw(const Message& message, Origin read) const {
  if (m.retrace_ != nullptr) m.retrace_->reads_from.emplace_back(read, message.origin);
}

void Machine::Rules::acted() {
  if (!s.sequence.empty()) ++s.sequence[id];
}

Value Machine::Rules::taken_in(const Action& action, unsigned element, const Location& l, Value v) const {
  if (m.symmetry_ == nullptr || !m.symmetry_->adds_in_order(action.where, element)) return v;
  const LaunchContext& c = m.context_;
  const Allocation& allocation = c.image.memory[l.storage];
  if (!allocation.buffer) throw SymmetryBroken("memory that is no buffer is swept");
  const Value name = symbol_of(c.problem.buffers[allocation.buffer->value], l.offset / size_of(allocation.element), 0, c.terms);
  return c.terms.placed(name, v);
}

// --- Weak accesses ---

void Machine::Rules::weak_load(const Action& action, const Load& load) {
  std::array<Value, 4> values;
  for (unsigned n = 0; n < load.count; ++n) {
    const Location l = element(action, load.access, n);
    sweep.access(action.where, n, l, place);
    if (!m.written_[l.storage]) {
      values[n] = m.initial_value(l);
      if (m.retrace_ != nullptr) m.retrace_->reads_from.emplace_back(origin(n, EventKind::read, l, values[n]), no_origin);
      check_written(values[n], true, l, n);
      values[n] = taken_in(action, n, l, values[n]);
      continue;
    }
    if (load.access.cache == CacheOperator::nc)
      throw NotModelled("ld.global.nc of memory that the launch may write, in the view explorer");
    const CellId number = m.locations_->number(l);
    Cell& c = cell(number);
    if (races(number, c, false, false, 0)) trouble = Trouble::race;
    const Message& message = c.messages[low(c)];
    values[n] = message.value;
    check_written(values[n], message.initial, l, n);
    const Origin read = origin(n, EventKind::read, l, values[n]);
    saw(message, read);
    if (m.written_[l.storage]) remember_read(c, false, 0, read);
    values[n] = taken_in(action, n, l, values[n]);
  }
  finish({values.data(), load.count});
}

void Machine::Rules::check_written(Value v, bool initial, const Location& location, std::uint32_t element) {
  if (m.only_races_ || (m.retrace_ != nullptr && m.retrace_->only_races)) return;
  if (!initial || !m.context_.terms.is_poison(v) || trouble != Trouble::none) return;
  trouble = Trouble::unwritten_read;
  if (m.retrace_ != nullptr) m.retrace_->unwritten = {event(element), location};
}

void Machine::Rules::weak_store(const Action& action, const Store& store) {
  for (unsigned n = 0; n < store.count; ++n) {
    const Location l = element(action, store.access, n);
    sweep.access(action.where, n, l, place);
    const CellId number = m.locations_->number(l);
    Cell& c = cell(number);
    note_write(l);
    if (races(number, c, true, false, 0)) trouble = Trouble::race;
    Message message;
    message.value = stored(action.operands[n], store.access.type);
    message.record = segment();
    message.origin = origin(n, EventKind::write, l, message.value);
    // Who doesn't know this write races with it; who does knows all that this thread knows.
    for (PastAccesses& a : c.accesses) a.records.remove(t.known);
    std::erase_if(c.accesses, [](const PastAccesses& a) { return a.records.empty(); });
    c.messages.clear();
    c.remember({.place = 0, .level = 0, .strong = false, .write = true}, message.record, message.origin);
    c.messages.push_back(std::move(message));
  }
  finish({});
}

void Machine::Rules::finish(std::span<const Value> results) {
  t.past_barriers |= m.is_past_barriers(id, {t.state.block, t.state.index});
  m.interpreter_.finish(program, t.state, results);
  acted();
}

// --- Fences ---

void Machine::Rules::take_in(Level level) {
  for (const auto& [c, structure] : t.taken) m.hierarchy_.take(structure, place, level, t.known);
}

void Machine::Rules::fence(const Fence& f) {
  origin(0, EventKind::fence);
  const Level level = m.hierarchy_.level(f.scope);
  if (f.order == Order::sc || acquires(f.order)) take_in(level);
  if (f.order == Order::sc || releases(f.order)) m.hierarchy_.put(t.fences, place, level, released());
}

void Machine::Rules::fence_sc(const Fence& f, bool takes, bool deposits) {
  origin(0, EventKind::fence);
  if (m.fences_are_full()) takes = deposits = true;
  const Level level = m.hierarchy_.level(f.scope);
  t.looked = true;
  take_in(level);
  if (takes && m.mutation_ != Mutation::fence_sc_takes_nothing) m.hierarchy_.take(s.fence_sc, place, level, t.known);
  m.hierarchy_.put(t.fences, place, level, released());
  if (deposits) m.hierarchy_.put(s.fence_sc, place, level, t.known);
}

// --- Private steps ---

std::vector<Value> Machine::Rules::live_registers() const {
  std::vector<Value> values = t.state.registers;
  const auto& live = m.context_.liveness[m.kernel_of(id)].before({t.state.block, t.state.index});
  for (std::uint32_t r = 0; r < values.size(); ++r)
    if (!live.contains(RegisterId{r})) values[r] = Value();
  return values;
}

void Machine::Rules::go(bool through_deposits) {
  std::vector<Round> rounds;
  const auto loud = [&] {
    for (Round& r : rounds) r.quiet = false;
  };
  sweep.visited = std::move(t.swept);
  t.swept.clear();
  const auto stop = [&](Status status) {
    sweep.end();
    t.status = status;
  };
  // At a barrier or an operation of the warp: whether it is complete.
  const auto passed = [&] {
    sweep.end();
    loud();
    if (!t.passed) return false;
    t.passed = false;
    finish(t.results);
    return true;
  };
  for (std::uint64_t steps = 0;; ++steps) {
    if (steps == most_private_steps) throw NotModelled("a thread runs too long on its own");
    const Action action = m.interpreter_.next(program, t.state);
    switch (action.kind) {
      case Action::Kind::load: {
        const Load& load = std::get<Load>(action.instruction->operation);
        if (is_strong(load.access.order)) {
          if (load.count > 1) throw NotModelled("a strong vector load in the view explorer");
          if (m.symmetry_ != nullptr && m.symmetry_->sweeps(action.where)) t.swept = std::move(sweep.visited);
          if (m.approximation_.pollers_forget && m.future(id).polls(action.where)) forget_for_poll(m.locations_->number(action.place.location));
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
        if (!adds || m.approximation_.fences == FenceReading::exact || !m.unordered(s, action.place.location) ||
            outcomes(action, a) != 1)
          return stop(Status::visible);
        sweep.end();
        loud();
        note_private_move();
        atomic(action, 0);
        break;
      }
      case Action::Kind::fence: {
        sweep.end();
        loud();
        const Fence& f = std::get<Fence>(action.instruction->operation);
        if (f.order != Order::sc) {
          fence(f);
        } else {
          if (m.approximation_.fences == FenceReading::exact) return stop(Status::visible);
          if (m.deposits(id, action.where)) {
            if (!through_deposits && m.approximation_.fences != FenceReading::at_once && m.mutation_ != Mutation::deposit_at_once)
                return stop(Status::deposit);
            note_private_move();
            fence_sc(f, false, true);
            t.deposited = true;
          } else {
            if (t.deposited) return stop(Status::visible);
            note_private_move();
            fence_sc(f, true, false);
          }
        }
        finish({});
        break;
      }
      case Action::Kind::barrier: {
        if (passed()) break;
        if (!may_arrive()) return stop(Status::visible);
        if (!arrive(action)) return stop(Status::at_barrier);
        break;
      }
      case Action::Kind::warp:
        if (passed()) break;
        if (!is_meeting_point(*action.instruction) && !may_arrive()) return stop(Status::visible);
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
      case Action::Kind::exit:
        if (!may_arrive()) return stop(Status::visible);
        stop(Status::exited);
        return m.pass_on(s, id);
      case Action::Kind::trap:
      case Action::Kind::fault:
        trouble = Trouble::fault;
        return stop(Status::faulted);
      case Action::Kind::proxy_fence: throw NotModelled("proxies in the view explorer");
      case Action::Kind::unmodelled: throw NotModelled(fmt::format("{} is not modelled", action.text));
      case Action::Kind::choice: throw NotModelled("control that depends on a clock, in the view explorer");
      case Action::Kind::blocked: throw InternalError("view explorer: an unknown value");
    }
    if (trouble != Trouble::none) return stop(Status::faulted);
  }
}

void Machine::Rules::forget_for_poll(CellId number) {
  View told;
  for (const Message& message : cell(number).messages) {
    told.add(message.record);
    told.merge(message.seen);
    for (const auto& [group, view] : message.released.views()) told.merge(view);
  }
  t.known.intersect(told);
  if (t.segment != no_record && !t.known.knows(t.segment)) t.segment = no_record;
  std::erase_if(t.taken, [&](const auto& entry) { return entry.first != number; });
}

bool Machine::Rules::may_arrive() {
  if (!m.pace_.arrivals_are_moves) return true;
  if (m.arriving_ != id) return false;
  m.arriving_.reset();
  return true;
}

bool Machine::Rules::arrive(const Action& action) {
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
  a.where = action.where;
  if (m.misused(s, a)) trouble = Trouble::fault;
  a.known = released();
  origin(0, EventKind::arrive);
  ++m.effects_;
  s.arrivals.push_back(std::move(a));
  if (barrier.kind == BarrierKind::arrive) finish({});
  return barrier.kind == BarrierKind::arrive;
}

// --- Visible operations ---

Message Machine::Rules::write_message(CellId number, Value value, const fencewise::Access& access, std::uint32_t element) {
  wrote_message = true;
  note_write((*m.locations_)[number]);
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
  message.origin = origin(element, EventKind::write, (*m.locations_)[number], value);
  return message;
}

void Machine::Rules::read(CellId number, const Message& message, const fencewise::Access& access, bool acquiring) {
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

void Machine::Rules::load(const Action& action, std::uint32_t option) {
  const Load& l = std::get<Load>(action.instruction->operation);
  const CellId number = m.locations_->number(action.place.location);
  Cell& c = cell(number);
  const Level level = m.hierarchy_.level(l.access.scope);
  if (races(number, c, false, true, level)) trouble = option == 0 ? Trouble::race : Trouble::race_elsewhere;
  const Message message =
      m.mutation_ == Mutation::loads_are_fresh ? c.messages.back() : c.messages[low(c) + option];
  check_written(message.value, message.initial, action.place.location, 0);
  const Origin read_event = origin(0, EventKind::read, (*m.locations_)[number], message.value);
  saw(message, read_event);
  chose(message);
  read(number, message, l.access, true);
  t.looked = true;
  remember_read(cell(number), true, level, read_event);
  const Value value = taken_in(action, 0, action.place.location, message.value);
  finish({&value, 1});
}

void Machine::Rules::store(const Action& action, std::uint32_t option) {
  const Store& st = std::get<Store>(action.instruction->operation);
  const CellId number = m.locations_->number(action.place.location);
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
  c.remember({.place = place, .level = level, .strong = true, .write = true}, message.record, message.origin);
  c.messages.insert(c.messages.begin() + static_cast<std::ptrdiff_t>(position), std::move(message));
  finish({});
}

bool Machine::Rules::may_read(const Cell& c, std::size_t position, const Action& action, const Atomic& a) const {
  if (!c.messages[position].glued) return true;
  return a.op == AtomicOp::cas && !result(action, a, c.messages[position].value);
}

std::optional<Value> Machine::Rules::result(const Action& action, const Atomic& a, Value old) const {
  return m.context_.terms.atomic(a.op, a.access.type, old, stored(action.operands[0], a.access.type),
                                 stored(action.operands[1], a.access.type));
}

// A cas that reads what is older may fail: then it writes nothing, and does not race with a read. So it has to be asked whether the
// one that succeeds does; what it acquires from the message that it reads may order that read before it.
Trouble Machine::Rules::race_of(const Action& action, const Atomic& a, CellId number, std::size_t position) const {
  const Cell& c = s.cells.read(number);
  const Level level = m.hierarchy_.level(a.access.scope);
  const auto writes = [&](std::size_t p) { return result(action, a, c.messages[p].value).has_value(); };
  std::size_t older = 0;  // messages that it could read
  for (std::size_t p = low(c); p < position; ++p) {
    if (!may_read(c, p, action, a)) continue;
    ++older;
    if (writes(p) >= writes(position)) return races(number, c, writes(position), true, level) ? Trouble::race_elsewhere : Trouble::none;
  }
  View ordered = t.known;
  if (older > 0 && !a.red && acquires(a.access.order)) {
    Structure taken;
    if (const auto known = t.taken.find(number); known != t.taken.end()) taken = known->second;
    const Message& source = c.messages[position];
    if (morally_strong(source.place, source.level, source.strong, true, level)) taken.merge(source.released);
    m.hierarchy_.take(taken, place, level, ordered);
  }
  return races(number, c, writes(position), true, level, ordered) ? Trouble::race : Trouble::none;
}

std::uint32_t Machine::Rules::outcomes(const Action& action, const Atomic& a) {
  const Cell& c = cell(m.locations_->number(action.place.location));
  std::uint32_t count = 0;
  for (std::size_t p = low(c); p < c.messages.size(); ++p) count += static_cast<std::uint32_t>(may_read(c, p, action, a));
  return count;
}

void Machine::Rules::atomic(const Action& action, std::uint32_t option) {
  const Atomic& a = std::get<Atomic>(action.instruction->operation);
  const CellId number = m.locations_->number(action.place.location);
  Cell& c = cell(number);
  const Level level = m.hierarchy_.level(a.access.scope);
  std::size_t position = low(c);
  for (std::uint32_t skipped = 0;; ++position)
    if (may_read(c, position, action, a) && skipped++ == option) break;
  const Value old = c.messages[position].value;
  const auto value = result(action, a, old);
  const Message source = c.messages[position];
  if (const Trouble race = race_of(action, a, number, position); race != Trouble::none) trouble = race;
  check_written(old, source.initial, action.place.location, 0);
  const Origin read_event = origin(0, EventKind::read, (*m.locations_)[number], old);
  saw(source, read_event);
  t.looked = true;
  if (t.status == Status::visible || m.fences_are_full()) chose(source);
  // With one-sided fences a red tells its thread nothing: its place in the chain need not be remembered.
  if (!a.red || m.approximation_.fences != FenceReading::one_sided)
    read(number, source, a.access, !a.red || m.mutation_ == Mutation::red_acquires);
  if (value) {
    Message message = write_message(number, *value, a.access, 1);
    if (morally_strong(source.place, source.level, source.strong, true, level)) {
      message.seen.merge(source.seen);
      if (m.mutation_ != Mutation::chain_is_cut) message.released.merge(source.released);
    }
    Cell& now = cell(number);
    now.messages[position].glued = m.mutation_ != Mutation::atomics_share_a_write;
    now.remember({.place = place, .level = level, .strong = true, .write = true}, message.record, message.origin);
    now.messages.insert(now.messages.begin() + static_cast<std::ptrdiff_t>(position) + 1, std::move(message));
  } else {
    remember_read(cell(number), true, level, read_event);
  }
  finish({&old, 1});
}

}  // namespace fencewise::view
