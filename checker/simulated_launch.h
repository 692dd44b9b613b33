// One launch on a simulated machine: threads interleave on one memory, one visible action at a time.
//
// Spin loops are fair: a thread that goes round a loop while nothing changes sleeps until memory changes, so a launch in
// which every thread sleeps or waits at a barrier is known to be stuck, without a time limit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "checker/simulated_memory.h"
#include "kernels/core/address_space.h"
#include "kernels/core/interpreter.h"

namespace fencewise {

using SimulationRng = std::mt19937_64;

class SimulatedLaunch {
 public:
  // With `order` (a permutation of the CTAs) they finish in that order: each runs to its end in turn, the others only
  // while it waits for them.
  SimulatedLaunch(const LaunchImage& image, SimulatedMemory& memory, Terms& terms, SimulationRng& rng,
                  std::optional<std::vector<std::uint32_t>> order);

  // Runs to the end. Empty, or what went wrong: "CTA 0 thread 1 can never go on: ...".
  [[nodiscard]] std::string run();

  [[nodiscard]] const std::vector<std::uint32_t>& finish_order() const { return finish_order_; }
  [[nodiscard]] Value reg(std::uint32_t thread, RegisterId id) const {
    return threads_[thread].state.registers[id.value];
  }

 private:
  enum class Status : std::uint8_t { ready, asleep, at_barrier, at_exit, done };
  using LoopHead = std::uint32_t;  // BlockId
  struct Snapshot {
    ThreadState state;
    std::uint64_t memory_version = 0;
  };
  struct Thread {
    ThreadState state;
    Status status = Status::ready;
    std::uint64_t slept_at = 0;           // memory version
    std::map<LoopHead, Snapshot> rounds;  // the last time it came to a loop's head
    InstructionRef where;                 // of the last action
  };
  // A hardware barrier (or an instance of the litmus dialect) of one CTA.
  using BarrierKey = std::pair<std::uint64_t, std::optional<std::uint32_t>>;
  struct BarrierPhase {
    std::optional<std::uint64_t> count;  // none: all threads that have not exited
    std::uint64_t arrived = 0;
    std::uint64_t truths = 0;  // arrivals whose predicate holds
    std::vector<std::uint32_t> waiting;
  };

  [[nodiscard]] std::optional<std::uint32_t> pick();
  [[nodiscard]] std::vector<std::uint32_t> ready_threads(std::optional<std::uint32_t> cta) const;
  void wake_sleepers();
  void step(std::uint32_t thread);
  void take(std::uint32_t thread, const Action& action);
  void load(std::uint32_t thread, const Action& action);
  void store(const Action& action);
  void atomic(std::uint32_t thread, const Action& action);
  void barrier(std::uint32_t thread, const Action& action);
  void complete_if_full(std::uint32_t cta, const BarrierKey& key);
  void end_round(std::uint32_t thread);
  void leave(std::uint32_t thread);
  void leave_those_at_exit();
  void fail(std::uint32_t thread, const std::string& what);
  [[nodiscard]] std::uint64_t expected(std::uint32_t cta, const BarrierKey& key,
                                       const BarrierPhase& phase) const;
  [[nodiscard]] std::string stuck() const;
  [[nodiscard]] std::string name_of(std::uint32_t thread) const;

  const LaunchImage& image_;
  SimulatedMemory& memory_;
  Terms& terms_;
  SimulationRng& rng_;
  std::optional<std::vector<std::uint32_t>> order_;
  Interpreter interpreter_;
  std::vector<Thread> threads_;
  std::vector<std::map<BarrierKey, BarrierPhase>> barriers_;  // [cta]
  std::vector<std::uint32_t> live_;                           // [cta] threads that have not exited
  std::vector<std::uint32_t> finish_order_;
  std::uint64_t memory_version_ = 1;
  std::string failure_;
};

}  // namespace fencewise
