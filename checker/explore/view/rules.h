// The rules of the operational reading, for one thread of one state: what its accesses, fences and barriers do to what is known
// and to memory. docs/explorers.md gives them in words; machine.h says when they are applied.
#pragma once

#include "checker/explore/view/machine.h"

namespace fencewise::view {

struct Machine::Rules {
  Machine& m;
  State& s;
  ThreadId id;
  Thread& t;
  const ThreadProgram& program;
  Place place;
  Trouble trouble = Trouble::none;
  Symmetry::Sweep sweep;
  bool wrote_message = false;

  Rules(Machine& machine, State& state, ThreadId thread)
      : m(machine), s(state), id(thread), t(state.threads[thread]), program(machine.context_.image.threads[thread]),
        place(machine.context_.image.cta_of[thread]), sweep(machine.symmetry_) {}

  // --- Records ---

  Record new_record();
  Record segment();
  // What the thread knows is passed on: accesses after this are not.
  const View& released();

  // --- Memory ---

  void note_write(const Location& location);
  Cell& cell(CellId c);
  [[nodiscard]] std::size_t low(const Cell& c) const;
  [[nodiscard]] bool morally_strong(Place other, Level other_level, bool other_strong, bool strong, Level level) const;
  // Whether the access races with one that is past: that is not among what `known` has.
  [[nodiscard]] bool races(CellId number, const Cell& c, bool write, bool strong, Level level, const View& known) const;
  [[nodiscard]] bool races(CellId number, const Cell& c, bool write, bool strong, Level level) const {
    return races(number, c, write, strong, level, t.known);
  }
  void remember_read(Cell& c, bool strong, Level level, Origin read);

  [[nodiscard]] Location element(const Action& action, const fencewise::Access& access, unsigned n) const;

  // --- Retracing ---

  [[nodiscard]] Retrace::PathEvent event(std::uint32_t element) const;
  Origin origin(std::uint32_t element, EventKind kind, const Location& location = {}, Value value = {}) const;
  void chose(const Message& message) const;
  void note_private_move() const;
  void saw(const Message& message, Origin read) const;
  void acted();

  // A value as its thread takes it in.
  [[nodiscard]] Value taken_in(const Action& action, unsigned element, const Location& location, Value value) const;

  // --- Weak accesses ---

  void weak_load(const Action& action, const Load& load);
  void check_written(Value v, bool initial, const Location& location, std::uint32_t element);

  void weak_store(const Action& action, const Store& store);

  void finish(std::span<const Value> results);

  // --- Fences ---

  void take_in(Level level);
  void fence(const Fence& f);
  void fence_sc(const Fence& f, bool takes, bool deposits);

  // --- Private steps ---

  struct Round {  // of a loop, since its header was last passed
    BlockId header;
    std::vector<Value> registers;
    bool quiet = true;  // only plain loads
  };

  std::vector<Value> live_registers() const;

  void go(bool through_deposits);

  // Approximation::pollers_forget: leaves the thread what the messages of the location that it is about to poll have told.
  void forget_for_poll(CellId number);
  // Whether an arrival or exit is private, or the move that is taken.
  bool may_arrive();
  // Returns whether the thread goes on.
  bool arrive(const Action& action);

  // --- Visible operations ---

  Message write_message(CellId number, Value value, const fencewise::Access& access, std::uint32_t element);

  // What reading `message` tells. `acquiring`: the read may be one of an acquire pattern.
  void read(CellId number, const Message& message, const fencewise::Access& access, bool acquiring);

  void load(const Action& action, std::uint32_t option);

  void store(const Action& action, std::uint32_t option);

  [[nodiscard]] bool may_read(const Cell& c, std::size_t position, const Action& action, const Atomic& a) const;
  [[nodiscard]] std::optional<Value> result(const Action& action, const Atomic& a, Value old) const;

  // Whether an atomic that reads the message at that position has a race, here or where it reads an older one.
  [[nodiscard]] Trouble race_of(const Action& action, const Atomic& a, CellId number, std::size_t position) const;
  // Of which messages an atomic could read.
  [[nodiscard]] std::uint32_t outcomes(const Action& action, const Atomic& a);

  void atomic(const Action& action, std::uint32_t option);
};

}  // namespace fencewise::view
