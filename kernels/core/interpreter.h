// The one-thread interpreter: runs a thread's register instructions and stops at each action that others may notice.
//
// A thread is a program (ThreadProgram) and a state (pc, registers); copying the state is a snapshot. The interpreter
// decides nothing that memory models read differently: what a load returns, whether a barrier lets pass, is told to it.
//
//   Action a = interpreter.next(program, state);    // runs up to the next action, does not take it
//   ... the engine decides what it returns ...
//   interpreter.finish(program, state, results);    // takes it
//
// Values may be *unknown* (a read without a source yet); a thread runs past them as far as nothing is decided by one,
// and stops with Action::blocked where something is. With a Dependencies table each register carries the set of reads
// its value came from, for the no-thin-air axiom: address, data and control dependencies as PTX's text has them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/core/address_space.h"
#include "kernels/core/value.h"
#include "kernels/core/warp.h"

namespace fencewise {

// A set of reads, interned: 0 is the empty set. A read is a number that the engine chooses.
using DependencySet = std::uint32_t;

class Dependencies {
 public:
  Dependencies();
  [[nodiscard]] DependencySet single(std::uint32_t read);
  [[nodiscard]] DependencySet join(DependencySet a, DependencySet b);
  [[nodiscard]] const std::vector<std::uint32_t>& elements(DependencySet set) const { return sets_[set]; }

 private:
  [[nodiscard]] DependencySet intern(std::vector<std::uint32_t> set);
  std::vector<std::vector<std::uint32_t>> sets_;
  std::unordered_map<std::string, DependencySet> index_;
  std::unordered_map<std::uint64_t, DependencySet> joins_;
};

struct ThreadState {
  BlockId block;
  std::uint32_t index = 0;             // next instruction
  DependencySet control = 0;           // reads that decided a branch so far
  std::vector<Value> registers;        // [register]
  std::vector<DependencySet> origins;  // [register]; empty without a Dependencies table
  friend bool operator==(const ThreadState&, const ThreadState&) = default;
};
[[nodiscard]] ThreadState initial_state(const ThreadProgram& program, bool with_dependencies);

struct Action {
  enum class Kind : std::uint8_t {
    load,
    store,
    atomic,
    fence,
    proxy_fence,
    barrier,
    warp,         // bar.warp.sync, shuffle, vote, ...: an instruction of a warp
    loop_header,  // about to enter a loop's header (`again`: not for the first time); the next next() goes on
    exit,
    trap,
    blocked,      // an unknown value decides what comes next
    choice,       // a free value decides what comes next: choose() gives it
    fault,        // out of bounds, misaligned, poison steers control or an address, a warp's mask without the lane itself
    unmodelled,   // `text` says what
  };
  enum class Fault : std::uint8_t { none, out_of_bounds, misaligned, poison, not_in_mask };

  Kind kind = Kind::exit;
  Fault fault = Fault::none;
  bool again = false;
  InstructionRef where;
  const Instruction* instruction = nullptr;
  // Memory: the location of the first element; not known while the address is unknown.
  Resolved place;
  // store: values; atomic: a, b; barrier: id, count, predicate; warp: value, lane, clamp, mask
  std::array<Value, 4> operands{};
  std::array<DependencySet, 4> data{};     // reads each operand depends on
  DependencySet address = 0;               // reads the address depends on
  DependencySet control = 0;               // reads that decided that this happens
  DependencySet blockers = 0;              // blocked: the reads it waits for
  RegisterId predicate;                    // choice: what is free
  std::string text;                        // fault, trap, unmodelled
  // What was printed on the way here, with the values of its arguments; unknown where they are no operands.
  struct Printed {
    InstructionRef where;
    std::vector<Value> values;
  };
  std::vector<Printed> printed;
};

class Interpreter {
 public:
  // `dependencies` may be null: then no sets are kept.
  Interpreter(Terms& terms, const AddressSpace& memory, Dependencies* dependencies)
      : terms_(terms), memory_(memory), dependencies_(dependencies) {}

  [[nodiscard]] Action next(const ThreadProgram& program, ThreadState& state) const;
  // Gives the results (load: count values; atomic: the old value; barrier red and warp: one, and a second where
  // the instruction has a second result) and moves on.
  void finish(const ThreadProgram& program, ThreadState& state, std::span<const Value> results = {},
              std::span<const DependencySet> origins = {}) const;

  // Takes a choice: the predicate is true or not from here on.
  static void choose(ThreadState& state, RegisterId predicate, bool outcome) {
    state.registers[predicate.value] = Value::number(static_cast<std::uint64_t>(outcome));
  }

  [[nodiscard]] Value evaluate(const ThreadProgram& program, const ThreadState& state, const Operand& operand) const;

 private:
  struct Step;
  [[nodiscard]] DependencySet origin(const ThreadState& state, const Operand& operand) const;
  [[nodiscard]] DependencySet join(DependencySet a, DependencySet b) const;
  void assign(ThreadState& state, RegisterId dst, Value value, DependencySet origin, Type type) const;
  void arithmetic(const ThreadProgram& program, ThreadState& state, const Arithmetic& instruction) const;
  void resolve(const ThreadProgram& program, const ThreadState& state, const Access& access, unsigned count,
               Action& action) const;
  [[nodiscard]] Action::Printed printed(const ThreadProgram& program, const ThreadState& state, const Print& print) const;
  void describe(const ThreadProgram& program, const ThreadState& state, Action& action) const;
  void describe_warp(const ThreadProgram& program, const WarpOperands& operands, Action& action) const;
  [[nodiscard]] bool decide(const ThreadState& state, RegisterId predicate, Action& action, bool& outcome) const;

  Terms& terms_;
  const AddressSpace& memory_;
  Dependencies* dependencies_;
};

}  // namespace fencewise
