#include "tests/support/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

#include "checker/explore/memory_image.h"
#include "kernels/core/error.h"
#include "kernels/core/interpreter.h"
#include "memmodel/relations.h"
#include "tests/support/state_text.h"

namespace fencewise::testing {
namespace {

// Thrown to give up: the program or its size is not for the oracle.
struct NotForTheOracle {};

constexpr std::size_t most_facts = 512;
using Facts = std::bitset<most_facts>;  // of "this location holds this value"

constexpr std::uint32_t none = 0xffff'ffffU;

// --- Traces: what one thread does if its reads return what was guessed ---

struct TraceEvent {
  Event event;  // `rmw` is not used here
  Value value;  // read or written
  std::vector<std::uint32_t> depends;  // reads of this trace
  std::uint32_t rmw = none;            // the other half, in this trace
};

struct BarrierStop {
  std::uint32_t arrive = none;  // in the trace
  std::uint32_t wait = none;    // none: bar.arrive
  std::uint64_t id = 0;
  std::uint64_t count = 0;      // 0: all
  std::optional<std::uint32_t> instance;
};

struct Trace {
  std::vector<TraceEvent> events;
  std::vector<BarrierStop> stops;
  std::vector<Value> registers;  // where it ends
  std::vector<std::uint32_t> decided_end;  // reads that decided that it ends there
  Facts reads, writes;
};

using Values = std::map<Location, std::set<Value>>;  // what reads of a location are guessed to return

class Tracer {
 public:
  Tracer(const LaunchImage& image, ThreadId thread, const Reading& reading, Terms& terms,
         const std::function<const std::set<Value>&(const Location&)>& guesses)
      : program_(image.threads[thread]), thread_(thread), reading_(reading), terms_(terms), guesses_(guesses),
        interpreter_(terms, image.memory, &dependencies_) {}

  std::vector<Trace> all() {
    go(initial_state(program_, true), Trace{}, 0);
    return std::move(traces_);
  }

 private:
  using Reads = std::vector<std::uint32_t>;

  // Runs on from `state`, which has taken `action_number` actions; branches at each read.
  void go(ThreadState state, Trace trace, std::uint32_t action_number) {
    const Action action = interpreter_.next(program_, state);
    switch (action.kind) {
      case Action::Kind::load: return load(state, trace, action, action_number);
      case Action::Kind::store: return store(state, trace, action, action_number);
      case Action::Kind::atomic: return atomic(state, trace, action, action_number);
      case Action::Kind::fence:
      case Action::Kind::proxy_fence: return fence(state, trace, action, action_number);
      case Action::Kind::barrier: return barrier(state, trace, action, action_number);
      case Action::Kind::exit:
        trace.registers = state.registers;
        trace.decided_end = dependencies_.elements(action.control);
        traces_.push_back(std::move(trace));
        if (traces_.size() > 100'000) throw NotForTheOracle{};
        return;
      case Action::Kind::warp:
      case Action::Kind::choice:
      case Action::Kind::loop_header:
      case Action::Kind::trap:
      case Action::Kind::blocked:
      case Action::Kind::fault:
      case Action::Kind::unmodelled: throw NotForTheOracle{};
    }
  }

  void finish(ThreadState state, Trace trace, std::uint32_t action_number, const std::vector<Value>& results,
              const std::vector<std::uint32_t>& reads) {
    std::vector<DependencySet> origins;
    for (const std::uint32_t read : reads) origins.push_back(dependencies_.single(read));
    interpreter_.finish(program_, state, results, origins);
    go(std::move(state), std::move(trace), action_number + 1);
  }

  Event memory_event(EventKind kind, const Access& access, const Action& action, std::uint32_t action_number, unsigned half,
                     unsigned element) const {
    Event e;
    e.kind = kind;
    e.order = access.order;
    e.scope = access.scope;
    e.proxy = access.proxy;
    e.thread = thread_;
    e.po = 2 * action_number + half;
    e.location = action.place.location;
    e.location.offset += element * size_of(access.type);
    e.alias = action.place.alias;
    return e;
  }

  std::uint32_t add(Trace& trace, const Event& event, Value value, std::initializer_list<DependencySet> depends) {
    TraceEvent e;
    e.event = event;
    e.value = value;
    std::set<std::uint32_t> reads;
    for (const DependencySet set : depends)
      for (const std::uint32_t read : dependencies_.elements(set)) reads.insert(read);
    e.depends.assign(reads.begin(), reads.end());
    trace.events.push_back(e);
    return static_cast<std::uint32_t>(trace.events.size() - 1);
  }

  void load(const ThreadState& state, const Trace& trace, const Action& action, std::uint32_t n) {
    load_elements(state, trace, action, n, {}, {});
  }

  void load_elements(const ThreadState& state, const Trace& trace, const Action& action, std::uint32_t n,
                     const std::vector<Value>& values, const std::vector<std::uint32_t>& reads) {
    const auto& instruction = std::get<Load>(action.instruction->operation);
    const auto element = static_cast<unsigned>(values.size());
    if (element == instruction.count) return finish(state, trace, n, values, reads);
    const Event e = memory_event(EventKind::read, instruction.access, action, n, 0, element);
    for (const Value guess : guesses_(e.location)) {
      Trace longer = trace;
      auto more_values = values;
      auto more_reads = reads;
      more_reads.push_back(add(longer, e, guess, {action.address, action.control}));
      more_values.push_back(guess);
      load_elements(state, longer, action, n, more_values, more_reads);
    }
  }

  static Value stored(Value value, Type type) { return value.is_number() ? Value::number(truncate(type, value.bits())) : value; }

  void store(const ThreadState& state, Trace trace, const Action& action, std::uint32_t n) {
    const auto& instruction = std::get<Store>(action.instruction->operation);
    for (unsigned k = 0; k < instruction.count; ++k)
      add(trace, memory_event(EventKind::write, instruction.access, action, n, 0, k),
          stored(action.operands[k], instruction.access.type), {action.data[k], action.address, action.control});
    finish(state, std::move(trace), n, {}, {});
  }

  // The write depends on the operands and, unless it is an exchange, on what the read returned.
  void atomic(const ThreadState& state, const Trace& trace, const Action& action, std::uint32_t n) {
    const auto& instruction = std::get<Atomic>(action.instruction->operation);
    const Access& access = instruction.access;
    Event read = memory_event(EventKind::read, access, action, n, 0, 0);
    Event write = memory_event(EventKind::write, access, action, n, 1, 0);
    read.atomic = write.atomic = true;
    read.red = write.red = instruction.red;
    for (const Value old : guesses_(read.location)) {
      Trace longer = trace;
      const std::uint32_t r = add(longer, read, old, {action.address, action.control});
      auto now = terms_.atomic(instruction.op, access.type, old, stored(action.operands[0], access.type),
                               stored(action.operands[1], access.type));
      if (!now && reading_.failing_cas_writes) now = old;
      if (now) {
        const DependencySet own = instruction.op == AtomicOp::exch ? 0 : dependencies_.single(r);
        const std::uint32_t w = add(longer, write, *now, {own, action.data[0], action.data[1], action.address, action.control});
        longer.events[r].rmw = w;
        longer.events[w].rmw = r;
      }
      finish(state, longer, n, {old}, {r});
    }
  }

  void fence(const ThreadState& state, Trace trace, const Action& action, std::uint32_t n) {
    Event e;
    e.thread = thread_;
    e.po = 2 * n;
    if (const auto* fence = std::get_if<Fence>(&action.instruction->operation)) {
      e.kind = EventKind::fence;
      e.order = fence->order;
      e.scope = fence->scope;
    } else {
      e.kind = EventKind::proxy_fence;
      e.proxy_fence = std::get<ProxyFenceOp>(action.instruction->operation).kind;
    }
    add(trace, e, Value(), {action.control});
    finish(state, std::move(trace), n, {}, {});
  }

  void barrier(const ThreadState& state, Trace trace, const Action& action, std::uint32_t n) {
    const auto& instruction = std::get<Barrier>(action.instruction->operation);
    if (instruction.kind == BarrierKind::red) throw NotForTheOracle{};
    Event e;
    e.thread = thread_;
    e.kind = EventKind::arrive;
    e.po = 2 * n;
    BarrierStop stop;
    stop.arrive = add(trace, e, Value(), {action.control});
    if (instruction.kind == BarrierKind::sync) {
      e.kind = EventKind::wait;
      e.po = 2 * n + 1;
      stop.wait = add(trace, e, Value(), {});
    }
    stop.id = action.operands[0].bits();
    stop.count = instruction.count.present() ? action.operands[1].bits() : 0;
    stop.instance = instruction.instance;
    trace.stops.push_back(stop);
    finish(state, std::move(trace), n, {}, {});
  }

  const ThreadProgram& program_;
  ThreadId thread_;
  const Reading& reading_;
  Terms& terms_;
  const std::function<const std::set<Value>&(const Location&)>& guesses_;
  Dependencies dependencies_;
  Interpreter interpreter_;
  std::vector<Trace> traces_;
};

// --- Barriers: which waits are released by which arrivals, and where threads hang ---

struct BarrierOutcome {
  std::vector<std::size_t> length;  // [thread] events that happen
  bool stuck = false;
  struct Release {
    ThreadId arriver, waiter;
    std::uint32_t arrive, wait;
  };
  std::vector<Release> releases;
  struct Absence {  // a wait that was met because a thread had ended without coming
    ThreadId gone, waiter;
    std::uint32_t wait;
  };
  std::vector<Absence> absences;
};

// All ways to take `size` of `items`.
template <class T>
std::vector<std::vector<T>> subsets(const std::vector<T>& items, std::size_t size) {
  std::vector<std::vector<T>> found;
  for (std::uint32_t bits = 0; bits < (1U << items.size()); ++bits) {
    if (static_cast<std::size_t>(std::popcount(bits)) != size) continue;
    auto& subset = found.emplace_back();
    for (std::size_t n = 0; n < items.size(); ++n)
      if ((bits >> n & 1U) != 0) subset.push_back(items[n]);
  }
  return found;
}

// Threads run as far as they can; then any barrier that can be met is, by any threads that can meet at it, and so on.
//
// Without a count a barrier is met by every thread of the CTA that has not ended; with count N by N arrivals, and begins anew.
// The litmus dialect of the versioned models says it by the text: without a count by every such barrier instruction of the
// CTA's threads; with count N everybody passes once N have come, and some N of them are those that met.
class Barriers {
 public:
  Barriers(const LaunchImage& image, const Reading& reading, const std::vector<const Trace*>& traces)
      : image_(image), reading_(reading), traces_(traces) {}

  std::vector<BarrierOutcome> all() {
    State start;
    start.next.assign(traces_.size(), 0);
    start.waiting.assign(traces_.size(), false);
    go(start);
    return std::move(outcomes_);
  }

 private:
  struct Arrival {
    ThreadId thread;
    std::size_t stop;
    friend bool operator==(const Arrival&, const Arrival&) = default;
  };
  struct State {
    std::vector<std::size_t> next;  // [thread] stop
    std::vector<bool> waiting;      // [thread]
    std::vector<Arrival> pending;
    std::vector<std::vector<Arrival>> phases;  // those who met, in order
    std::vector<std::vector<Arrival>> open;  // versioned models: all that came to a barrier that lets everybody pass
    BarrierOutcome outcome;                  // so far
  };

  const BarrierStop& stop(const Arrival& a) const { return traces_[a.thread]->stops[a.stop]; }
  bool waits(const Arrival& a) const { return stop(a).wait != none; }
  bool by_text(const Arrival& a) const { return !reading_.barriers_rearm && stop(a).instance.has_value(); }
  bool together(const Arrival& a, const Arrival& b) const {
    return image_.cta_of[a.thread] == image_.cta_of[b.thread] && stop(a).id == stop(b).id && stop(a).instance == stop(b).instance &&
           stop(a).count == stop(b).count;
  }

  void go(State state) {
    for (ThreadId t = 0; t < traces_.size(); ++t)
      while (!state.waiting[t] && state.next[t] < traces_[t]->stops.size()) arrive(state, {t, state.next[t]});
    bool moved = false;
    for (std::size_t n = 0; n < state.pending.size(); ++n) {
      std::vector<Arrival> there;
      for (const Arrival& a : state.pending)
        if (together(state.pending[n], a)) there.push_back(a);
      if (there.front() != state.pending[n]) continue;
      for (const auto& met : meetings(state, there)) {
        State next = state;
        complete(next, met, by_text(met.front()) && stop(met.front()).count != 0);
        go(std::move(next));
        moved = true;
      }
    }
    if (!moved) end(state);
  }

  void arrive(State& state, Arrival a) {
    if (waits(a)) {
      state.waiting[a.thread] = true;
    } else {
      ++state.next[a.thread];
    }
    for (auto& group : state.open)
      if (together(group.front(), a)) {
        group.push_back(a);
        if (waits(a)) let_go(state, a);
        return;
      }
    state.pending.push_back(a);
  }

  void let_go(State& state, const Arrival& a) const {
    state.waiting[a.thread] = false;
    ++state.next[a.thread];
  }

  // Threads that don't wait have run to their ends.
  std::size_t alive(const State& state, std::uint32_t cta) const {
    std::size_t count = 0;
    for (ThreadId t = 0; t < traces_.size(); ++t)
      if (image_.cta_of[t] == cta && state.waiting[t]) ++count;
    return count;
  }

  std::size_t in_text(const Arrival& like) const {
    std::size_t count = 0;
    for (ThreadId t = 0; t < traces_.size(); ++t) {
      if (image_.cta_of[t] != image_.cta_of[like.thread]) continue;
      for (const Block& block : image_.threads[t].kernel->blocks)
        for (const Instruction& i : block.instructions)
          if (const auto* barrier = std::get_if<Barrier>(&i.operation); barrier && barrier->instance == stop(like).instance) {
            if (barrier->id.kind != Operand::Kind::immediate) throw NotForTheOracle{};
            count += static_cast<std::size_t>(barrier->id.bits == stop(like).id);
          }
    }
    return count;
  }

  // The groups among `there` that can meet now.
  std::vector<std::vector<Arrival>> meetings(const State& state, const std::vector<Arrival>& there) const {
    const Arrival& like = there.front();
    const std::uint64_t count = stop(like).count;
    using Groups = std::vector<std::vector<Arrival>>;
    if (by_text(like)) return there.size() >= (count != 0 ? count : in_text(like)) ? Groups{there} : Groups{};
    if (count == 0) {
      const std::size_t living = alive(state, image_.cta_of[like.thread]);
      const auto coming = static_cast<std::size_t>(std::count_if(there.begin(), there.end(), [&](const Arrival& a) { return waits(a); }));
      if (coming != there.size()) throw NotForTheOracle{};  // bar.arrive needs a count
      return coming == living ? Groups{there} : Groups{};
    }
    auto groups = subsets(there, count);
    // A thread's arrivals come in program order.
    std::erase_if(groups, [&](const std::vector<Arrival>& group) {
      return std::any_of(group.begin(), group.end(), [&](const Arrival& a) {
        return std::any_of(there.begin(), there.end(), [&](const Arrival& b) {
          return b.thread == a.thread && b.stop < a.stop && std::find(group.begin(), group.end(), b) == group.end();
        });
      });
    });
    return groups;
  }

  void complete(State& state, const std::vector<Arrival>& met, bool stays_open) {
    std::erase_if(state.pending, [&](const Arrival& a) { return std::find(met.begin(), met.end(), a) != met.end(); });
    state.phases.push_back(met);
    if (stays_open) {
      state.open.push_back(met);
    } else {
      release(state.outcome, met, met);
    }
    if (stop(met.front()).count == 0 && !by_text(met.front())) note_absences(state, met);
    for (const Arrival& a : met)
      if (waits(a)) let_go(state, a);
  }

  void release(BarrierOutcome& outcome, const std::vector<Arrival>& met, const std::vector<Arrival>& let_pass) const {
    for (const Arrival& from : met)
      for (const Arrival& to : let_pass)
        if (waits(to)) outcome.releases.push_back({from.thread, to.thread, stop(from).arrive, stop(to).wait});
  }

  void note_absences(State& state, const std::vector<Arrival>& met) const {
    for (const Arrival& a : met)
      for (ThreadId t = 0; t < traces_.size(); ++t)
        if (image_.cta_of[t] == image_.cta_of[a.thread] && !state.waiting[t]) state.outcome.absences.push_back({t, a.thread, stop(a).wait});
  }

  void end(State& state) {
    for (ThreadId t = 0; t < traces_.size(); ++t) {
      state.outcome.stuck = state.outcome.stuck || state.waiting[t];
      state.outcome.length.push_back(state.waiting[t] ? traces_[t]->stops[state.next[t]].wait : traces_[t]->events.size());
    }
    if (reading_.interleaving()) order_phases(state);
    choose_quorums(state, 0, state.outcome);
  }

  // In one interleaving, who came to one phase of a barrier came before those who came to its next.
  void order_phases(State& state) const {
    const auto all_before = [&](const std::vector<Arrival>& earlier, const Arrival& later) {
      for (const Arrival& a : earlier)
        if (together(a, later)) state.outcome.releases.push_back({a.thread, later.thread, stop(a).arrive, stop(later).arrive});
    };
    for (std::size_t p = 0; p < state.phases.size(); ++p) {
      for (std::size_t q = p + 1; q < state.phases.size(); ++q)
        for (const Arrival& later : state.phases[q]) all_before(state.phases[p], later);
      for (const Arrival& later : state.pending) all_before(state.phases[p], later);
    }
  }

  void choose_quorums(const State& state, std::size_t n, const BarrierOutcome& outcome) {
    if (outcomes_.size() > 1000) throw NotForTheOracle{};
    if (n == state.open.size()) {
      outcomes_.push_back(outcome);
      return;
    }
    for (const auto& met : subsets(state.open[n], stop(state.open[n].front()).count)) {
      BarrierOutcome more = outcome;
      release(more, met, state.open[n]);
      choose_quorums(state, n + 1, more);
    }
  }

  const LaunchImage& image_;
  const Reading& reading_;
  const std::vector<const Trace*>& traces_;
  std::vector<BarrierOutcome> outcomes_;
};

// --- Partial orders of the writes of one location ---

using Order2 = std::vector<Edge>;  // all pairs (before, after)

bool transitive(const Order2& order) {
  const auto has = [&](EventId a, EventId b) { return std::find(order.begin(), order.end(), Edge{a, b}) != order.end(); };
  for (const Edge& x : order)
    for (const Edge& y : order)
      if (x.to == y.from && !has(x.from, y.to)) return false;
  return true;
}

// Every strict partial order of the writes that relates each pair of morally strong ones.
std::vector<Order2> partial_orders(const std::vector<EventId>& writes, const Relation& ms) {
  if (writes.size() > 4) throw NotForTheOracle{};
  std::vector<Edge> pairs;
  for (std::size_t i = 0; i < writes.size(); ++i)
    for (std::size_t j = i + 1; j < writes.size(); ++j) pairs.push_back({writes[i], writes[j]});
  std::vector<Order2> found;
  Order2 chosen;
  const std::function<void(std::size_t)> choose = [&](std::size_t n) {
    if (n == pairs.size()) {
      if (transitive(chosen)) found.push_back(chosen);
      return;
    }
    const Edge pair = pairs[n];
    for (const Edge& edge : {pair, Edge{pair.to, pair.from}}) {
      chosen.push_back(edge);
      choose(n + 1);
      chosen.pop_back();
    }
    if (!ms(pair.from, pair.to)) choose(n + 1);
  };
  choose(0);
  return found;
}

// --- The oracle ---

class Oracle {
 public:
  Oracle(const Problem& problem, Model model, const OracleLimits& limits)
      : problem_(problem), reading_(reading_of(model)), limits_(limits), terms_(problem.domain),
        image_(image_of(problem, LaunchId{0})), memory_(MemoryImage::initial(problem, terms_)) {
    if (problem.launches.size() != 1 || problem.replays != 1) throw NotForTheOracle{};
  }

  OracleAnswer run() {
    guess_values();
    name_facts();
    std::vector<const Trace*> chosen;
    combine(chosen, Facts(), initial_facts_);
    spell_states();
    return std::move(answer_);
  }

 private:
  // --- Guessing ---

  const std::set<Value>& guesses(const Location& location) {
    const auto [it, fresh] = values_.try_emplace(location);
    if (fresh) it->second = {initial(location)};
    return it->second;
  }

  Value initial(const Location& location) {
    const Allocation& allocation = image_.memory[location.storage];
    if (!allocation.buffer) return terms_.poison(fmt::format("{} was never written", image_.memory.name(location)));
    if (location.size != size_of(allocation.element)) throw NotForTheOracle{};
    return memory_.at(*allocation.buffer, location.offset / location.size);
  }

  void trace_all() {
    traces_.clear();
    const std::function<const std::set<Value>&(const Location&)> guess = [this](const Location& l) -> const std::set<Value>& {
      return guesses(l);
    };
    for (ThreadId t = 0; t < image_.threads.size(); ++t) traces_.push_back(Tracer(image_, t, reading_, terms_, guess).all());
  }

  std::size_t most_writes() const {
    std::size_t total = 0;
    for (const auto& traces : traces_) {
      std::size_t most = 0;
      for (const Trace& trace : traces)
        most = std::max<std::size_t>(most, static_cast<std::size_t>(std::count_if(trace.events.begin(), trace.events.end(), [](const TraceEvent& e) {
                                       return e.event.kind == EventKind::write;
                                     })));
      total += most;
    }
    return total;
  }

  bool learn_values() {
    bool grown = false;
    for (const auto& traces : traces_)
      for (const Trace& trace : traces)
        for (const TraceEvent& e : trace.events)
          if (e.event.kind == EventKind::write) {
            (void)guesses(e.event.location);
            grown |= values_[e.event.location].insert(e.value).second;
          }
    return grown;
  }

  void guess_values() {
    trace_all();
    for (std::size_t round = 0; round < most_writes() && learn_values(); ++round) trace_all();
    for (const auto& [a, unused] : values_)
      for (const auto& [b, also_unused] : values_)
        if (a != b && overlap(a, b)) throw NotForTheOracle{};
  }

  // --- Combining: a trace a thread, such that every value read is there at all ---

  std::size_t fact(const Location& location, Value value) {
    const std::size_t n = fact_names_.try_emplace({location, value}, fact_names_.size()).first->second;
    if (n >= most_facts) throw NotForTheOracle{};
    return n;
  }

  void name_facts() {
    for (const auto& [location, unused] : values_) initial_facts_.set(fact(location, initial(location)));
    may_be_written_.assign(traces_.size() + 1, Facts());
    for (std::size_t t = traces_.size(); t-- > 0;) {
      may_be_written_[t] = may_be_written_[t + 1];
      for (Trace& trace : traces_[t]) {
        for (const TraceEvent& e : trace.events) {
          if (e.event.kind == EventKind::read) trace.reads.set(fact(e.event.location, e.value));
          if (e.event.kind == EventKind::write) trace.writes.set(fact(e.event.location, e.value));
        }
        may_be_written_[t] |= trace.writes;
      }
    }
  }

  void combine(std::vector<const Trace*>& chosen, const Facts& read, const Facts& there) {
    const std::size_t t = chosen.size();
    if (t == traces_.size()) return execute(chosen);
    for (const Trace& trace : traces_[t]) {
      if (++combinations_ > limits_.combinations) throw NotForTheOracle{};
      const Facts now_read = read | trace.reads;
      const Facts now_there = there | trace.writes;
      if ((now_read & ~(now_there | may_be_written_[t + 1])).any()) continue;
      chosen.push_back(&trace);
      combine(chosen, now_read, now_there);
      chosen.pop_back();
    }
  }

  // --- One combination: the graph without its choices ---

  void execute(const std::vector<const Trace*>& chosen) {
    for (const BarrierOutcome& barriers : Barriers(image_, reading_, chosen).all()) execute(chosen, barriers);
  }

  void execute(const std::vector<const Trace*>& chosen, const BarrierOutcome& barriers) {
    graph_.clear();
    event_values_.clear();
    for (const ThreadProgram& program : image_.threads) graph_.threads.push_back(program.coordinates.placement);
    for (const auto& [location, unused] : values_) {
      Event e;
      e.location = location;
      graph_.add(e);
      event_values_.push_back(initial(location));
    }
    std::vector<std::vector<EventId>> ids(chosen.size());
    for (ThreadId t = 0; t < chosen.size(); ++t)
      for (std::size_t n = 0; n < barriers.length[t]; ++n) {
        ids[t].push_back(graph_.add(chosen[t]->events[n].event));
        event_values_.push_back(chosen[t]->events[n].value);
      }
    for (ThreadId t = 0; t < chosen.size(); ++t)
      for (std::size_t n = 0; n < barriers.length[t]; ++n) {
        const TraceEvent& e = chosen[t]->events[n];
        if (e.rmw != none) graph_.events[ids[t][n]].rmw = ids[t][e.rmw];
        if (!reading_.interleaving())
          for (const std::uint32_t read : e.depends) graph_.dep.push_back({ids[t][read], ids[t][n]});
      }
    add_barriers(chosen, barriers, ids);
    choose_everything(chosen, barriers.stuck);
  }

  // Barriers are things that happen: that one is over depends on all who came (and so on what decided that they come), or on
  // what decided that a thread ends without coming; what follows a wait depends on it. Without this a thread could pass a
  // barrier by a value that is written behind it. (No order follows from it that the model doesn't know, but that an ended
  // thread has ended before in model sc.)
  void add_barriers(const std::vector<const Trace*>& chosen, const BarrierOutcome& barriers, const std::vector<std::vector<EventId>>& ids) {
    for (const auto& r : barriers.releases) graph_.sync.push_back({ids[r.arriver][r.arrive], ids[r.waiter][r.wait]});
    if (reading_.interleaving()) {
      for (const auto& absence : barriers.absences)
        if (!ids[absence.gone].empty()) graph_.sync.push_back({ids[absence.gone].back(), ids[absence.waiter][absence.wait]});
      return;
    }
    for (const Edge& e : graph_.sync) graph_.dep.push_back(e);
    for (const auto& absence : barriers.absences)
      for (const std::uint32_t read : chosen[absence.gone]->decided_end)
        graph_.dep.push_back({ids[absence.gone][read], ids[absence.waiter][absence.wait]});
    for (const std::vector<EventId>& thread : ids)
      for (std::size_t n = 0; n < thread.size(); ++n)
        if (graph_.events[thread[n]].kind == EventKind::wait)
          for (std::size_t later = n + 1; later < thread.size(); ++later) graph_.dep.push_back({thread[n], thread[later]});
  }

  void choose_everything(const std::vector<const Trace*>& chosen, bool stuck) {
    std::vector<EventId> reads;
    std::vector<std::vector<EventId>> sources;
    std::map<Location, std::vector<EventId>> writes;
    for (EventId e = 0; e < graph_.events.size(); ++e) {
      if (graph_.events[e].kind == EventKind::write) writes[graph_.events[e].location].push_back(e);
      if (graph_.events[e].kind != EventKind::read) continue;
      reads.push_back(e);
      sources.emplace_back();
      for (EventId w = 0; w < graph_.events.size(); ++w)
        if (graph_.events[w].is_write() && graph_.events[w].location == graph_.events[e].location && event_values_[w] == event_values_[e])
          sources.back().push_back(w);
      if (sources.back().empty()) return;
    }
    relations_.prepare(graph_, reading_);
    std::vector<std::vector<Order2>> orders;
    for (const auto& [location, all] : writes) orders.push_back(partial_orders(all, relations_.ms));

    const std::function<void(std::size_t)> order_fences = [&](std::size_t n) {
      if (n == relations_.fence_pairs.size()) return judge_candidate(chosen, stuck, writes);
      const Edge pair = relations_.fence_pairs[n];
      for (const Edge& edge : {pair, Edge{pair.to, pair.from}}) {
        graph_.fence_sc.push_back(edge);
        order_fences(n + 1);
        graph_.fence_sc.pop_back();
      }
    };
    const std::function<void(std::size_t)> order_writes = [&](std::size_t n) {
      if (n == orders.size()) return order_fences(0);
      for (const Order2& order : orders[n]) {
        const std::size_t before = graph_.co.size();
        graph_.co.insert(graph_.co.end(), order.begin(), order.end());
        order_writes(n + 1);
        graph_.co.resize(before);
      }
    };
    const std::function<void(std::size_t)> choose_sources = [&](std::size_t n) {
      if (n == reads.size()) return order_writes(0);
      for (const EventId source : sources[n]) {
        graph_.rf[reads[n]] = source;
        choose_sources(n + 1);
      }
    };
    choose_sources(0);
  }

  // --- Judging ---

  // Coherence as given is what it must be: nothing that follows from it or from causality is missing.
  bool coherence_is_complete(const std::map<Location, std::vector<EventId>>& writes) const {
    std::size_t derived = 0;
    for (const auto& [location, all] : writes)
      for (const EventId a : all) relations_.co.each(a, [&](EventId) { ++derived; });
    return derived == graph_.co.size();
  }

  void judge_candidate(const std::vector<const Trace*>& chosen, bool stuck, const std::map<Location, std::vector<EventId>>& writes) {
    if (++answer_.candidates > limits_.candidates) throw NotForTheOracle{};
    relations_.derive(graph_);
    if (!coherence_is_complete(writes) || relations_.violated_axiom(graph_)) return;
    ++answer_.consistent;
    answer_.race = answer_.race || !relations_.races(graph_).empty();
    answer_.stuck |= stuck;
    if (stuck) return;
    std::vector<std::vector<Value>> registers;
    for (const Trace* trace : chosen) registers.push_back(trace->registers);
    std::map<Location, Value> memory;
    keep_states(registers, memory, writes.begin(), writes.end());
  }

  // For each location written, every write that none comes after may be the last.
  using Written = std::map<Location, std::vector<EventId>>::const_iterator;
  void keep_states(const std::vector<std::vector<Value>>& registers, std::map<Location, Value>& memory, Written now, Written end) {
    if (now == end) {
      states_.emplace(registers, memory);
      return;
    }
    for (const EventId w : now->second) {
      const bool last = std::none_of(graph_.co.begin(), graph_.co.end(), [&](const Edge& e) { return e.from == w; });
      if (!last) continue;
      memory[now->first] = event_values_[w];
      keep_states(registers, memory, std::next(now), end);
    }
    memory.erase(now->first);
  }

  void spell_states() {
    for (const auto& [registers, memory] : states_)
      answer_.final_states.insert(state_text(problem_, image_, terms_, registers, memory, memory_));
  }

  const Problem& problem_;
  const Reading& reading_;
  OracleLimits limits_;
  Terms terms_;
  LaunchImage image_;
  MemoryImage memory_;
  Values values_;
  std::vector<std::vector<Trace>> traces_;  // [thread]
  std::map<std::pair<Location, Value>, std::size_t> fact_names_;
  Facts initial_facts_;
  std::vector<Facts> may_be_written_;       // [thread] by it or a later one
  std::uint64_t combinations_ = 0;
  ExecutionGraph graph_;
  std::vector<Value> event_values_;         // [event]
  Relations relations_;
  std::set<std::pair<std::vector<std::vector<Value>>, std::map<Location, Value>>> states_;
  OracleAnswer answer_;
};

}  // namespace

std::optional<OracleAnswer> brute_force(const Problem& problem, Model model, const OracleLimits& limits) {
  try {
    return Oracle(problem, model, limits).run();
  } catch (const NotForTheOracle&) {
    return std::nullopt;
  } catch (const NotModelled&) {
    return std::nullopt;
  }
}

}  // namespace fencewise::testing
