#include "tests/support/interleave.h"

#include <algorithm>
#include <map>
#include <vector>

#include "checker/explore/memory_image.h"
#include "kernels/core/error.h"
#include "kernels/core/interpreter.h"
#include "tests/support/state_text.h"

namespace fencewise::testing {
namespace {

struct NotKnown {};

struct Arrival {
  ThreadId thread;
  std::uint64_t id, count;
  std::optional<std::uint32_t> instance;
  bool waits;
};

struct Machine {
  std::vector<ThreadState> threads;
  std::vector<bool> waiting, ended;
  std::map<Location, Value> memory;  // what was written
  std::vector<Arrival> arrivals;
};

class Interleaver {
 public:
  explicit Interleaver(const Problem& problem)
      : problem_(problem), terms_(problem.domain), image_(image_of(problem, LaunchId{0})),
        initial_(MemoryImage::initial(problem, terms_)), interpreter_(terms_, image_.memory, nullptr) {
    if (problem.launches.size() != 1 || problem.replays != 1) throw NotKnown{};
  }

  Interleavings run() {
    Machine machine;
    for (const ThreadProgram& program : image_.threads) machine.threads.push_back(initial_state(program, false));
    machine.waiting.assign(machine.threads.size(), false);
    machine.ended = machine.waiting;
    for (ThreadId t = 0; t < machine.threads.size(); ++t) run_unnoticed(machine, t);
    go(machine);
    return std::move(result_);
  }

 private:
  void go(const Machine& machine) {
    if (complete_barriers(machine)) return;
    bool moved = false;
    for (ThreadId t = 0; t < machine.threads.size(); ++t) {
      if (machine.waiting[t] || machine.ended[t]) continue;
      moved = true;
      Machine next = machine;
      step(next, t);
      run_unnoticed(next, t);
      go(next);
    }
    if (moved) return;
    if (std::find(machine.waiting.begin(), machine.waiting.end(), true) != machine.waiting.end()) {
      result_.stuck = true;
      return;
    }
    std::vector<std::vector<Value>> registers;
    for (const ThreadState& thread : machine.threads) registers.push_back(thread.registers);
    result_.final_states.insert(state_text(problem_, image_, terms_, registers, machine.memory, initial_));
  }

  Value& cell(Machine& machine, const Location& location) {
    const Allocation& allocation = image_.memory[location.storage];
    if (!allocation.buffer || location.size != size_of(allocation.element)) throw NotKnown{};
    return machine.memory.try_emplace(location, initial_.at(*allocation.buffer, location.offset / location.size)).first->second;
  }

  // Fences and the end of a thread: when they happen makes no difference to others.
  void run_unnoticed(Machine& machine, ThreadId t) {
    while (!machine.waiting[t] && !machine.ended[t]) {
      ThreadState peek = machine.threads[t];
      const Action::Kind kind = interpreter_.next(image_.threads[t], peek).kind;
      if (kind != Action::Kind::fence && kind != Action::Kind::proxy_fence && kind != Action::Kind::exit) return;
      step(machine, t);
    }
  }

  static Value stored(Value value, Type type) { return value.is_number() ? Value::number(truncate(type, value.bits())) : value; }

  void step(Machine& machine, ThreadId t) {
    const ThreadProgram& program = image_.threads[t];
    ThreadState& state = machine.threads[t];
    const Action action = interpreter_.next(program, state);
    const auto finish = [&](std::initializer_list<Value> results) { interpreter_.finish(program, state, std::vector<Value>(results)); };
    switch (action.kind) {
      case Action::Kind::load:
        if (std::get<Load>(action.instruction->operation).count != 1) throw NotKnown{};
        return finish({cell(machine, action.place.location)});
      case Action::Kind::store: {
        const auto& store = std::get<Store>(action.instruction->operation);
        if (store.count != 1) throw NotKnown{};
        cell(machine, action.place.location) = stored(action.operands[0], store.access.type);
        return finish({});
      }
      case Action::Kind::atomic: {
        const auto& atomic = std::get<Atomic>(action.instruction->operation);
        const Type type = atomic.access.type;
        Value& place = cell(machine, action.place.location);
        const Value old = place;
        place = terms_.atomic(atomic.op, type, old, stored(action.operands[0], type), stored(action.operands[1], type)).value_or(old);
        return finish({old});
      }
      case Action::Kind::fence:
      case Action::Kind::proxy_fence: return finish({});
      case Action::Kind::barrier: {
        const auto& barrier = std::get<Barrier>(action.instruction->operation);
        if (barrier.kind == BarrierKind::red) throw NotKnown{};
        machine.arrivals.push_back({t, action.operands[0].bits(), barrier.count.present() ? action.operands[1].bits() : 0, barrier.instance,
                                    barrier.kind == BarrierKind::sync});
        if (barrier.kind == BarrierKind::arrive) return finish({});
        machine.waiting[t] = true;
        return;
      }
      case Action::Kind::exit: machine.ended[t] = true; return;
      case Action::Kind::warp:
      case Action::Kind::choice:
      case Action::Kind::loop_header:
      case Action::Kind::trap:
      case Action::Kind::blocked:
      case Action::Kind::fault:
      case Action::Kind::unmodelled: throw NotKnown{};
    }
  }

  // Lets go the threads of a barrier that is met, if there is one: a barrier is over as soon as enough have come.
  bool complete_barriers(const Machine& machine) {
    for (const Arrival& first : machine.arrivals) {
      const std::uint32_t cta = image_.cta_of[first.thread];
      std::vector<Arrival> met, others;
      for (const Arrival& a : machine.arrivals)
        (image_.cta_of[a.thread] == cta && a.id == first.id && a.instance == first.instance && a.count == first.count ? met : others).push_back(a);
      std::size_t alive = 0;
      for (ThreadId t = 0; t < machine.threads.size(); ++t) alive += static_cast<std::size_t>(image_.cta_of[t] == cta && !machine.ended[t]);
      if (met.size() < (first.count == 0 ? alive : first.count)) continue;
      Machine next = machine;
      next.arrivals = others;
      for (const Arrival& a : met) {
        if (!next.waiting[a.thread] || !a.waits) continue;
        next.waiting[a.thread] = false;
        interpreter_.finish(image_.threads[a.thread], next.threads[a.thread]);
        run_unnoticed(next, a.thread);
      }
      go(next);
      return true;
    }
    return false;
  }

  const Problem& problem_;
  Terms terms_;
  LaunchImage image_;
  MemoryImage initial_;
  Interpreter interpreter_;
  Interleavings result_;
};

}  // namespace

std::optional<Interleavings> interleave(const Problem& problem) {
  try {
    return Interleaver(problem).run();
  } catch (const NotKnown&) {
    return std::nullopt;
  } catch (const NotModelled&) {
    return std::nullopt;
  }
}

}  // namespace fencewise::testing
