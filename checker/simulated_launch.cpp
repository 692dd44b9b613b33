#include "checker/simulated_launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

// A backstop for loops that change something in every round and never end.
constexpr std::uint64_t most_steps = 10'000'000;

Location element_at(const Location& first, std::uint32_t n) {
  return {first.storage, first.offset + n * first.size, first.size};
}

}  // namespace

SimulatedLaunch::SimulatedLaunch(const LaunchImage& image, SimulatedMemory& memory, Terms& terms,
                                 SimulationRng& rng, std::optional<std::vector<std::uint32_t>> order)
    : image_(image),
      memory_(memory),
      terms_(terms),
      rng_(rng),
      order_(std::move(order)),
      interpreter_(terms, image.memory, nullptr),
      threads_(image.threads.size()),
      barriers_(image.ctas),
      live_(image.ctas) {
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    threads_[t].state = initial_state(image.threads[t], false);
    ++live_[image.cta_of[t]];
  }
}

std::string SimulatedLaunch::run() {
  for (std::uint64_t steps = 0; failure_.empty() && finish_order_.size() < image_.ctas; ++steps) {
    const auto thread = pick();
    if (!thread) return stuck();
    if (steps == most_steps) return fmt::format("{} has no end after {} steps", name_of(*thread), steps);
    step(*thread);
  }
  return failure_;
}

// --- who runs next ---

std::optional<std::uint32_t> SimulatedLaunch::pick() {
  wake_sleepers();
  std::vector<std::uint32_t> ready;
  if (order_) ready = ready_threads((*order_)[finish_order_.size()]);
  if (ready.empty()) ready = ready_threads(std::nullopt);
  if (ready.empty()) return std::nullopt;
  return ready[rng_() % ready.size()];
}

std::vector<std::uint32_t> SimulatedLaunch::ready_threads(std::optional<std::uint32_t> cta) const {
  std::vector<std::uint32_t> ready;
  for (std::uint32_t t = 0; t < threads_.size(); ++t)
    if (threads_[t].status == Status::ready && (!cta || image_.cta_of[t] == *cta)) ready.push_back(t);
  return ready;
}

void SimulatedLaunch::wake_sleepers() {
  for (Thread& thread : threads_)
    if (thread.status == Status::asleep && thread.slept_at != memory_version_) thread.status = Status::ready;
}

// --- one action ---

void SimulatedLaunch::step(std::uint32_t thread) {
  Thread& t = threads_[thread];
  const Action action = interpreter_.next(image_.threads[thread], t.state);
  t.where = action.where;
  take(thread, action);
}

void SimulatedLaunch::take(std::uint32_t thread, const Action& action) {
  const auto move_on = [&] { interpreter_.finish(image_.threads[thread], threads_[thread].state); };
  switch (action.kind) {
    case Action::Kind::load: return load(thread, action);
    case Action::Kind::store: store(action); return move_on();
    case Action::Kind::atomic: return atomic(thread, action);
    case Action::Kind::fence:
    case Action::Kind::proxy_fence: return move_on();
    case Action::Kind::barrier: return barrier(thread, action);
    case Action::Kind::loop_header: return end_round(thread);
    case Action::Kind::exit: threads_[thread].status = Status::at_exit; return leave_those_at_exit();
    case Action::Kind::trap: return fail(thread, fmt::format("trap: {}", action.text));
    case Action::Kind::fault: return fail(thread, action.text);
    case Action::Kind::warp: throw NotModelled("warp operations are not modelled by simulate");
    case Action::Kind::unmodelled: throw NotModelled(fmt::format("{} is not modelled", action.text));
    case Action::Kind::choice: throw NotModelled("control that depends on a clock is not modelled by simulate");
    case Action::Kind::blocked: throw InternalError("a simulated thread has an unknown value");
  }
}

void SimulatedLaunch::load(std::uint32_t thread, const Action& action) {
  const auto& instruction = std::get<Load>(action.instruction->operation);
  std::vector<Value> values;
  for (std::uint32_t n = 0; n < instruction.count; ++n)
    values.push_back(memory_.read(element_at(action.place.location, n)));
  interpreter_.finish(image_.threads[thread], threads_[thread].state, values);
}

void SimulatedLaunch::store(const Action& action) {
  const auto& instruction = std::get<Store>(action.instruction->operation);
  for (std::uint32_t n = 0; n < instruction.count; ++n)
    if (memory_.write(element_at(action.place.location, n), action.operands[n])) ++memory_version_;
}

void SimulatedLaunch::atomic(std::uint32_t thread, const Action& action) {
  const auto& instruction = std::get<Atomic>(action.instruction->operation);
  const Value old = memory_.read(action.place.location);
  const auto written =
      terms_.atomic(instruction.op, instruction.access.type, old, action.operands[0], action.operands[1]);
  if (written && memory_.write(action.place.location, *written)) ++memory_version_;
  interpreter_.finish(image_.threads[thread], threads_[thread].state, std::array{old});
}

// A thread that comes round to the same state with memory as it was would go round for ever: it sleeps.
void SimulatedLaunch::end_round(std::uint32_t thread) {
  Thread& t = threads_[thread];
  Snapshot& last = t.rounds[t.state.block.value];
  if (last.memory_version == memory_version_ && last.state == t.state) {
    t.status = Status::asleep;
    t.slept_at = memory_version_;
  } else {
    last = {t.state, memory_version_};
  }
}

void SimulatedLaunch::leave_those_at_exit() {
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    const std::uint32_t cta = image_.cta_of[t];
    if (threads_[t].status != Status::at_exit) continue;
    // The last thread of a CTA waits at its end for the CTA's turn.
    const bool last = live_[cta] == 1;
    if (last && order_ && (*order_)[finish_order_.size()] != cta) continue;
    leave(t);
    if (last) return leave_those_at_exit();
  }
}

void SimulatedLaunch::leave(std::uint32_t thread) {
  const std::uint32_t cta = image_.cta_of[thread];
  threads_[thread].status = Status::done;
  if (--live_[cta] == 0) {
    finish_order_.push_back(cta);
    return;
  }
  std::vector<BarrierKey> keys;
  for (const auto& entry : barriers_[cta]) keys.push_back(entry.first);
  for (const BarrierKey& key : keys) complete_if_full(cta, key);
}

// --- barriers ---

void SimulatedLaunch::barrier(std::uint32_t thread, const Action& action) {
  const auto& instruction = std::get<Barrier>(action.instruction->operation);
  const std::uint32_t cta = image_.cta_of[thread];
  const BarrierKey key{action.operands[0].bits(), instruction.instance};
  BarrierPhase& phase = barriers_[cta][key];
  const auto count = instruction.count.present() ? std::optional(action.operands[1].bits()) : std::nullopt;
  if (phase.arrived > 0 && phase.count != count)
    return fail(thread, fmt::format("barrier {} is used with different thread counts", key.first));
  phase.count = count;
  ++phase.arrived;
  phase.truths += static_cast<std::uint64_t>(action.operands[2].bits() != 0);
  if (instruction.kind == BarrierKind::arrive) {
    interpreter_.finish(image_.threads[thread], threads_[thread].state);
  } else {
    threads_[thread].status = Status::at_barrier;
    phase.waiting.push_back(thread);
  }
  complete_if_full(cta, key);
}

// Exited threads are not waited for, except by an instance of the litmus dialect.
std::uint64_t SimulatedLaunch::expected(std::uint32_t cta, const BarrierKey& key,
                                        const BarrierPhase& phase) const {
  if (phase.count) return *phase.count;
  if (!key.second) return live_[cta];
  return static_cast<std::uint64_t>(std::count(image_.cta_of.begin(), image_.cta_of.end(), cta));
}

void SimulatedLaunch::complete_if_full(std::uint32_t cta, const BarrierKey& key) {
  BarrierPhase& phase = barriers_[cta][key];
  const std::uint64_t all = expected(cta, key, phase);
  if (phase.arrived == 0 || phase.arrived < all) return;
  for (const std::uint32_t t : phase.waiting) {
    const auto& instruction = std::get<Barrier>(image_.threads[t].kernel->at(threads_[t].where).operation);
    std::uint64_t result = 0;
    switch (instruction.reduction) {
      case BarrierReduction::none: break;
      case BarrierReduction::all: result = static_cast<std::uint64_t>(phase.truths == phase.arrived); break;
      case BarrierReduction::any: result = static_cast<std::uint64_t>(phase.truths != 0); break;
      case BarrierReduction::popc: result = phase.truths; break;
    }
    interpreter_.finish(image_.threads[t], threads_[t].state, std::array{Value::number(result)});
    threads_[t].status = Status::ready;
  }
  barriers_[cta].erase(key);
}

// --- what went wrong ---

void SimulatedLaunch::fail(std::uint32_t thread, const std::string& what) {
  const Kernel& kernel = *image_.threads[thread].kernel;
  const std::string line = print(kernel.at(threads_[thread].where).where, kernel);
  failure_ = fmt::format("{}: {}{}", name_of(thread), what, line.empty() ? "" : fmt::format(" ({})", line));
}

std::string SimulatedLaunch::stuck() const {
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    const Thread& thread = threads_[t];
    if (thread.status != Status::at_barrier && thread.status != Status::asleep) continue;
    const Kernel& kernel = *image_.threads[t].kernel;
    const std::string line = print(kernel.at(thread.where).where, kernel);
    return fmt::format("stuck: {} {} for ever{}", name_of(t),
                       thread.status == Status::asleep ? "spins" : "waits at a barrier",
                       line.empty() ? "" : fmt::format(" ({})", line));
  }
  throw InternalError("a simulated launch stopped without a reason");
}

std::string SimulatedLaunch::name_of(std::uint32_t thread) const {
  return fmt::format("CTA {} thread {}", image_.cta_of[thread],
                     image_.threads[thread].coordinates.index_in_cta);
}

}  // namespace fencewise
