#include "checker/explore/partial_execution.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/explore/lockstep.h"
#include "kernels/core/access.h"
#include "kernels/core/error.h"

namespace fencewise {

LaunchContext::LaunchContext(const Problem& p, const Stage& s, const Reading& r, const MemoryImage& m,
                             Terms& t, Dependencies& d, std::uint32_t bound)
    : problem(p),
      stage(s),
      image(image_of(p, s)),
      reading(r),
      memory(m),
      terms(t),
      dependencies(d),
      interpreter(t, image.memory, &d),
      loop_bound(bound) {
  proxies = r.proxies && uses_proxies(p);
  for (const Kernel& kernel : p.kernels) {
    std::vector<RegisterId> at_exit;  // what a condition may ask for
    if (has_placed_threads())
      for (std::uint32_t n = 0; n < kernel.registers.size(); ++n) at_exit.push_back(RegisterId{n});
    liveness.emplace_back(kernel, at_exit);
    may_access.emplace_back(kernel);
    behind_barriers.emplace_back(kernel);
  }
}

bool LaunchContext::has_placed_threads() const {
  return std::any_of(stage.launches.begin(), stage.launches.end(),
                     [&](LaunchId l) { return !problem.launches[l.value].placed.empty(); });
}

ThreadId LaunchContext::thread_of_contract(std::uint32_t thread) const {
  const auto last = static_cast<std::uint32_t>(stage.launches.size() - 1);
  const auto first = std::find(image.launch_of.begin(), image.launch_of.end(), last) - image.launch_of.begin();
  return static_cast<ThreadId>(first) + thread;
}

PartialExecution::PartialExecution(const LaunchContext& context)
    : standing(context.image.ctas), context_(&context) {
  for (const ThreadProgram& program : context.image.threads) {
    graph.threads.push_back(program.coordinates.placement);
    threads.emplace_back().known.state = initial_state(program, true);
  }
}

// --- Events ---

EventId PartialExecution::add(Event event, EventInfo data, DependencySet depends) {
  const Resolved place{event.location, event.alias};
  event.location = {};
  const EventId id = graph.add(event);
  info.push_back(data);
  phase_of.push_back(0);
  if (!context_->reading.interleaving())
    for (const std::uint32_t read : context_->dependencies.elements(depends)) graph.dep.push_back({read, id});
  if (place.location.known()) this->place(id, place);
  changed_ = true;
  return id;
}

void PartialExecution::place(EventId id, const Resolved& place) {
  refuse_mixed_sizes(place.location);
  add_initial_writes(place.location);
  graph.events[id].location = place.location;
  graph.events[id].alias = place.alias;
  if (graph.events[id].is_write()) info[id].visible_since = ++stamp;
  changed_ = true;
}

void PartialExecution::refuse_mixed_sizes(const Location& location) const {
  for (const Event& e : graph.events)
    if (e.location.known() && overlap(e.location, location) && e.location != location)
      throw NotModelled(fmt::format("accesses of {} and {} bytes overlap at {}: mixed sizes are not modelled",
                                    e.location.size, location.size, context_->image.memory.name(location)));
}

void PartialExecution::add_initial_writes(const Location& location) {
  for (const Event& e : graph.events)
    if (e.kind == EventKind::init && e.location == location) return;
  const Allocation& allocation = context_->image.memory[location.storage];
  std::vector<Value> values;
  if (!allocation.buffer) {
    values = {
        context_->terms.poison(fmt::format("{} was never written", context_->image.memory.name(location)))};
  } else if (location.size != size_of(allocation.element)) {
    throw NotModelled(
        fmt::format("{} is accessed with {} bytes, its elements have {}: mixed sizes are not modelled",
                    context_->image.memory.name(location), location.size, size_of(allocation.element)));
  } else {
    values = context_->memory.all(*allocation.buffer, location.offset / location.size);
  }
  for (const Value value : values) {
    Event event;
    event.kind = EventKind::init;
    event.location = location;
    graph.add(event);
    EventInfo data;
    data.value = value;
    data.visible_since = stamp;
    info.push_back(data);
    phase_of.push_back(0);
  }
}

Value PartialExecution::value_of(EventId read) const {
  const EventId source = graph.rf[read];
  return source == no_event ? Terms::unknown() : info[source].value;
}

void PartialExecution::update(EventId event, Value value) {
  if (info[event].value == value) return;
  info[event].value = value;
  learnt_ = true;
}

// --- Running one thread ---

struct PartialExecution::Run {
  PartialExecution& execution;
  ThreadId id;
  Thread& thread;
  const LaunchContext& context;
  const ThreadProgram& program;
  Cursor* cursor;  // &thread.known while everything is known, then the scratch copy
  Action action;

  Run(PartialExecution& e, ThreadId t)
      : execution(e),
        id(t),
        thread(e.threads[t]),
        context(*e.context_),
        program(context.image.threads[t]),
        cursor(&thread.known) {}

  void stop(ThreadStatus status) {
    thread.status = status;
    thread.at = action.where;
    thread.sequence = cursor->sequence;
    thread.printed = cursor->printed;
    thread.settled =
        cursor == &thread.known && status != ThreadStatus::at_barrier && status != ThreadStatus::blocked &&
        status != ThreadStatus::choosing;
  }

  [[nodiscard]] bool issued() const { return thread.events.size() > cursor->sequence; }
  [[nodiscard]] std::array<EventId, 4>& events() { return thread.events[cursor->sequence]; }
  void issue() { thread.events.push_back({no_event, no_event, no_event, no_event}); }
  [[nodiscard]] DependencySet join(DependencySet a, DependencySet b) const {
    return context.dependencies.join(a, b);
  }
  [[nodiscard]] std::uint32_t po(unsigned half) const { return cursor->sequence * 2 + half; }

  [[nodiscard]] std::optional<Resolved> element_place(const Access& access, unsigned element) const {
    if (!action.place.location.known()) return std::nullopt;
    Resolved place = action.place;
    place.location.offset += element * size_of(access.type);
    return place;
  }

  EventId add_access(EventKind kind, const Access& access, unsigned element, unsigned half, Value value,
                     DependencySet depends, const Atomic* atomic = nullptr) {
    Event e;
    e.kind = kind;
    e.order = access.order;
    e.scope = access.scope;
    e.proxy = access.proxy;
    e.atomic = atomic != nullptr;
    e.red = atomic != nullptr && atomic->red;
    e.thread = id;
    e.po = po(half);
    if (const auto place = element_place(access, element)) {
      e.location = place->location;
      e.alias = place->alias;
    }
    EventInfo data;
    data.value = value;
    data.depends = depends;
    data.where = action.where;
    return execution.add(e, data, join(join(depends, action.address), action.control));
  }

  // An event that was issued without a location may have learnt it.
  void relocate(EventId event, const Access& access, unsigned element) {
    if (execution.graph.events[event].location.known()) return;
    if (const auto place = element_place(access, element)) execution.place(event, *place);
  }

  // Takes the action. From the first unknown result on the thread runs on a scratch copy.
  void finish(std::span<const Value> results, std::span<const DependencySet> origins) {
    const bool all_known =
        std::none_of(results.begin(), results.end(), [](Value v) { return v.is_unknown(); });
    if (!all_known && cursor == &thread.known) {
      execution.scratch_ = thread.known;
      cursor = &execution.scratch_;
    }
    context.interpreter.finish(program, cursor->state, results, origins);
    ++cursor->sequence;
  }

  void load() {
    const Load& instruction = std::get<Load>(action.instruction->operation);
    if (!issued()) {
      issue();
      for (unsigned n = 0; n < instruction.count; ++n)
        events()[n] = add_access(EventKind::read, instruction.access, n, 0, Terms::unknown(), 0);
    }
    std::array<Value, 4> values;
    std::array<DependencySet, 4> origins{};
    for (unsigned n = 0; n < instruction.count; ++n) {
      const EventId e = events()[n];
      relocate(e, instruction.access, n);
      values[n] = execution.value_of(e);
      execution.update(e, values[n]);
      origins[n] = context.dependencies.single(e);
    }
    finish({values.data(), instruction.count}, {origins.data(), instruction.count});
  }

  void store() {
    const Store& instruction = std::get<Store>(action.instruction->operation);
    if (!issued()) {
      issue();
      for (unsigned n = 0; n < instruction.count; ++n)
        events()[n] =
            add_access(EventKind::write, instruction.access, n, 0, Terms::unknown(), action.data[n]);
    }
    for (unsigned n = 0; n < instruction.count; ++n) {
      relocate(events()[n], instruction.access, n);
      execution.update(events()[n], stored(action.operands[n], instruction.access.type));
    }
    finish({}, {});
  }

  static Value stored(Value value, Type type) {
    return value.is_number() ? Value::number(truncate(type, value.bits())) : value;
  }

  void atomic() {
    const Atomic& instruction = std::get<Atomic>(action.instruction->operation);
    const Access& access = instruction.access;
    if (!issued()) {
      issue();
      events()[0] = add_access(EventKind::read, access, 0, 0, Terms::unknown(), 0, &instruction);
    }
    const EventId read = events()[0];
    relocate(read, access, 0);
    const Value old = execution.value_of(read);
    execution.update(read, old);
    write_half(instruction, read, old);
    const DependencySet origin = context.dependencies.single(read);
    finish({&old, 1}, {&origin, 1});
  }

  // A failing cas writes nothing under the ISA, the old value under the versioned models; while it is undecided, it has no
  // write half under the ISA.
  void write_half(const Atomic& instruction, EventId read, Value old) {
    const bool cas = instruction.op == AtomicOp::cas;
    auto value = context.terms.atomic(instruction.op, instruction.access.type, old,
                                      stored(action.operands[0], instruction.access.type),
                                      stored(action.operands[1], instruction.access.type));
    // The new value may be unknown though it is certain that it is written.
    const bool undecided = cas && (old.is_unknown() || action.operands[0].is_unknown());
    execution.info[read].undecided = undecided;
    if (!value && context.reading.failing_cas_writes) value = old;
    if (!value || (undecided && !context.reading.failing_cas_writes)) return;
    if (events()[1] == no_event) {
      const DependencySet own = instruction.op == AtomicOp::exch ? 0 : context.dependencies.single(read);
      const EventId write = add_access(EventKind::write, instruction.access, 0, 1, Terms::unknown(),
                                       join(join(action.data[0], action.data[1]), own), &instruction);
      events()[1] = write;
      execution.graph.events[write].rmw = read;
      execution.graph.events[read].rmw = write;
    }
    relocate(events()[1], instruction.access, 0);
    execution.update(events()[1], *value);
  }

  EventId add_plain(EventKind kind, unsigned half, DependencySet depends) {
    Event e;
    e.kind = kind;
    e.thread = id;
    e.po = po(half);
    if (const auto* fence = std::get_if<Fence>(&action.instruction->operation)) {
      e.order = fence->order;
      e.scope = fence->scope;
    } else if (const auto* proxy = std::get_if<ProxyFenceOp>(&action.instruction->operation)) {
      e.proxy_fence = proxy->kind;
    }
    EventInfo data;
    data.depends = depends;
    data.where = action.where;
    return execution.add(e, data, join(depends, action.control));
  }

  void fence(EventKind kind) {
    if (!issued()) {
      issue();
      events()[0] = add_plain(kind, 0, 0);
    }
    finish({}, {});
  }

  // Returns false where the thread has to wait.
  bool barrier() {
    const Barrier& instruction = std::get<Barrier>(action.instruction->operation);
    if (action.operands[0].is_unknown() || action.operands[1].is_unknown()) {
      thread.blockers = join(action.data[0], action.data[1]);
      stop(ThreadStatus::blocked);
      return false;
    }
    const bool waits = instruction.kind != BarrierKind::arrive;
    if (!issued()) {
      if (!action.operands[0].is_number() || !action.operands[1].is_number())
        throw NotModelled("a barrier's number or count depends on symbolic data");
      issue();
      events()[0] = add_plain(EventKind::arrive, 0, action.data[2]);
      Arrival a{.thread = id, .sequence = cursor->sequence, .arrive = events()[0], .waits = waits};
      a.id = action.operands[0].bits();
      if (instruction.count.present()) a.count = action.operands[1].bits();
      a.instance = instruction.instance;
      execution.arrive(a);
    }
    execution.update(events()[0], action.operands[2]);  // a reduction's contribution
    if (waits && thread.passed <= cursor->sequence) {
      stop(ThreadStatus::at_barrier);
      return false;
    }
    if (instruction.kind == BarrierKind::red) {
      DependencySet origin = 0;
      const Value result =
          execution.reduce(instruction, execution.phases[execution.phase_of[events()[1]]], origin);
      finish({&result, 1}, {&origin, 1});
    } else {
      finish({}, {});
    }
    return true;
  }

  // Likewise.
  bool warp() {
    const Operation& operation = action.instruction->operation;
    if (!issued()) {
      issue();
      events()[0] = add_plain(EventKind::arrive, 0, action.data[0]);
      Arrival a{.thread = id, .sequence = cursor->sequence, .arrive = events()[0]};
      a.any_number = std::holds_alternative<ActiveMask>(operation);
      a.lanes = a.any_number ? ~std::uint64_t{0} : action.operands[3].bits();
      execution.arrive(a);
    }
    execution.update(events()[0], action.operands[0]);
    if (thread.passed <= cursor->sequence) {
      stop(ThreadStatus::at_barrier);
      return false;
    }
    std::vector<LaneValue> met;
    DependencySet all = 0;
    const std::vector<EventId>& lanes = execution.phases[execution.phase_of[events()[1]]].arrivals;
    for (const EventId e : lanes) {
      met.push_back({execution.lane_of(execution.graph.events[e].thread), execution.info[e].value});
      all = join(all, execution.info[e].depends);
    }
    const Exchanged got =
        exchange(operation, execution.lane_of(id), action.operands[1], action.operands[2], met, context.terms);
    const DependencySet own = join(join(action.data[1], action.data[2]), action.data[3]);
    const std::array origins{join(own, got.from ? execution.info[lanes[*got.from]].depends : all), got.from ? own : join(own, all)};
    finish(got.results, origins);
    return true;
  }

  // Likewise.
  bool choice() {
    if (!issued()) issue();  // an action without events
    const auto outcome = thread.chosen.find(cursor->sequence);
    if (outcome == thread.chosen.end()) {
      stop(ThreadStatus::choosing);
      return false;
    }
    Interpreter::choose(cursor->state, action.predicate, outcome->second);
    ++cursor->sequence;
    return true;
  }

  // At a loop's header again. A round that memory, or a choice, decided counts towards the bound, and so does one that left everything
  // live as it was, since nothing else can end the loop. If such a round did nothing that others can notice it is a spin: the thread
  // stops here, as the same behaviour exists with the read taking its last value at once.
  bool loop_header() {
    const BlockId header = cursor->state.block;
    auto& loops = cursor->loops;
    auto record =
        std::find_if(loops.begin(), loops.end(), [&](const LoopRecord& l) { return l.header == header; });
    if (record == loops.end()) record = loops.insert(loops.end(), LoopRecord{header, 0, 0, 0, {}});
    if (!action.again) {
      *record = {header, 0, cursor->state.control, cursor->sequence, live_registers()};
      return true;
    }
    const auto choice = thread.chosen.lower_bound(record->sequence);
    std::vector<Value> live = live_registers();
    if (live == record->registers && quiet_since(record->sequence)) {
      thread.spin_from = record->sequence;
      stop(ThreadStatus::spinning);
      return false;
    }
    if (live == record->registers || record->control != cursor->state.control || (choice != thread.chosen.end() && choice->first < cursor->sequence)) {
      if (++record->rounds >= context.loop_bound) {
        stop(ThreadStatus::loop_bound);
        return false;
      }
      record->registers = std::move(live);
    }
    record->control = cursor->state.control;
    record->sequence = cursor->sequence;
    return true;
  }

  std::vector<Value> live_registers() const {
    std::vector<Value> values = cursor->state.registers;
    const auto& live =
        context.liveness[program.coordinates.kernel.value].before({cursor->state.block, cursor->state.index});
    for (std::uint32_t r = 0; r < values.size(); ++r)
      if (!live.contains(RegisterId{r})) values[r] = Value();
    return values;
  }

  [[nodiscard]] bool quiet_since(std::uint32_t sequence) const {
    for (std::uint32_t s = sequence; s < cursor->sequence; ++s)
      for (const EventId e : thread.events[s]) {
        if (e == no_event) continue;
        const EventKind kind = execution.graph.events[e].kind;
        if (kind == EventKind::arrive || kind == EventKind::wait) return false;
        if (kind == EventKind::write && !execution.writes_back(e)) return false;
      }
    return true;
  }

  void fault(ThreadStatus status) {
    thread.fault_kind = action.kind;
    thread.fault = action.fault;
    thread.note = action.text;
    stop(status);
  }

  void go() {
    thread.settled = false;
    for (std::uint64_t steps = 0;; ++steps) {
      if (steps == most_private_steps) throw NotModelled("a thread runs too long on its own");
      action = context.interpreter.next(program, cursor->state);
      for (Action::Printed& printed : action.printed) cursor->printed.push_back({cursor->sequence, std::move(printed)});
      switch (action.kind) {
        case Action::Kind::load: load(); break;
        case Action::Kind::store: store(); break;
        case Action::Kind::atomic: atomic(); break;
        case Action::Kind::fence: fence(EventKind::fence); break;
        case Action::Kind::proxy_fence: fence(EventKind::proxy_fence); break;
        case Action::Kind::barrier:
          if (!barrier()) return;
          break;
        case Action::Kind::warp:
          if (is_meeting_point(*action.instruction)) {  // of lanes in lock-step: it orders nothing
            if (!issued()) issue();
            finish({}, {});
            break;
          }
          if (!warp()) return;
          break;
        case Action::Kind::choice:
          if (!choice()) return;
          break;
        case Action::Kind::loop_header:
          if (!loop_header()) return;
          break;
        case Action::Kind::blocked: thread.blockers = action.blockers; return stop(ThreadStatus::blocked);
        case Action::Kind::exit:
          thread.registers = cursor->state.registers;
          return stop(ThreadStatus::exited);
        case Action::Kind::trap:
        case Action::Kind::fault: return fault(ThreadStatus::faulted);
        case Action::Kind::unmodelled: return fault(ThreadStatus::unmodelled);
      }
    }
  }
};

void PartialExecution::arrive(Arrival arrival) {
  arrival.number = ++arrived_;
  arrivals.push_back(arrival);
}

bool PartialExecution::writes_back(EventId write) const {
  const EventId read = graph.events[write].rmw;
  return read != no_event && !info[write].value.is_unknown() && info[write].value == info[read].value &&
         !context_->terms.is_free(info[write].value);
}

std::optional<ThreadId> PartialExecution::choosing() const {
  for (ThreadId t = 0; t < threads.size(); ++t)
    if (threads[t].status == ThreadStatus::choosing) return t;
  return std::nullopt;
}

void PartialExecution::decide(ThreadId t, bool outcome) { threads[t].chosen[threads[t].sequence] = outcome; }

bool PartialExecution::advance() {
  changed_ = false;
  do {
    do {
      learnt_ = false;
      for (ThreadId t = 0; t < threads.size(); ++t)
        if (!threads[t].settled && may_start(t)) Run(*this, t).go();
    } while (learnt_);
  } while (complete_barriers());
  order_launches();
  return changed_;
}

// --- Launches that overlap ---

// Launches, and so threads, come behind those that they wait for.
bool PartialExecution::may_start(ThreadId t) const {
  if (!context_->overlaps() || !threads[t].events.empty()) return true;
  for (ThreadId earlier = 0; earlier < t; ++earlier)
    if (context_->comes_after(t, earlier) && threads[earlier].status != ThreadStatus::exited) return false;
  return true;
}

// The end of each thread comes before the beginning of each thread of the launches that wait for its own. What ends in a cas may
// get its write half late.
void PartialExecution::order_launches() {
  if (!context_->overlaps()) return;
  const auto order = [&](EventId fresh, ThreadId one, ThreadId other) {
    if (!context_->comes_after(other, one) || threads[one].events.empty() || threads[other].events.empty()) return;
    for (const EventId last : threads[one].events.back())
      for (const EventId first : threads[other].events.front())
        if (last != no_event && first != no_event && std::max(last, first) == fresh) graph.sync.push_back({last, first});
  };
  for (; in_launch_order_ < graph.events.size(); ++in_launch_order_) {
    const ThreadId t = graph.events[in_launch_order_].thread;
    if (t == no_thread) continue;
    for (ThreadId other = 0; other < threads.size(); ++other) {
      order(in_launch_order_, t, other);
      order(in_launch_order_, other, t);
    }
  }
}

}  // namespace fencewise
