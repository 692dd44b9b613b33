// The rules of the operational reading: how a state goes on, one step of one thread at a time.
//
// A step is *private* if no other thread can notice it: registers, weak accesses (in a race-free run they return what the thread
// knows to be last), fences that only touch the thread's own views, barriers, exit. Private steps are taken at once, so states
// are compared at visible operations only: strong accesses and fence.sc. A *move* is one visible operation of a thread with one
// of its outcomes, the private steps that lead to it, and those that follow.
//
// fence.sc may be *one-sided*: sites that are followed by writes only deposit what the thread knows, and are put off until the
// thread's next visible operation; the others only take what was deposited. Less is known, so more is allowed: an
// over-approximation. docs/explorers.md gives the rules and why they are exact up to the first race.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/explore/lockstep.h"
#include "checker/explore/partial_execution.h"
#include "checker/explore/symmetry.h"
#include "checker/explore/view/future.h"
#include "checker/explore/view/mutation.h"
#include "checker/explore/view/retrace.h"
#include "checker/explore/view/state.h"

namespace fencewise::view {

// For a path that is retraced, in full: `in_place`, taken when one-sided fences are; `at_once`, when they are reached.
enum class FenceReading : std::uint8_t { exact, one_sided, in_place, at_once };

// What a search takes more freely than the model does, so that fewer situations differ. Whatever may happen may happen then too.
struct Approximation {
  FenceReading fences = FenceReading::exact;
  bool pollers_forget = false;  // who polls a location knows no more than the messages there have told it
  friend bool operator==(const Approximation&, const Approximation&) = default;
};
inline constexpr Approximation exactly{};

// Why a path ends badly. What exactly is wrong is found by retracing it.
// `race_elsewhere`: who reads what is older has a race; what was read here may order the accesses.
enum class Trouble : std::uint8_t { none, race, race_elsewhere, unwritten_read, fault };

struct Move {
  ThreadId thread = 0;
  std::uint32_t option = 0;  // which message to read, or where in coherence order to write
};

// What a progress model asks of the moves.
struct Pace {
  // Arrivals at barriers and exits are moves too, and no private steps: a thread may be left standing just before one, and others
  // notice.
  bool arrivals_are_moves = false;
  bool notes_who_stepped = false;  // Thread::stepped
};

class Machine {
 public:
  // `symmetry` may be null; else sweeps over slots are checked to be whole (SymmetryBroken).
  // `resident`: how many CTAs may be resident at a time; 0: all.
  Machine(const LaunchContext& context, Approximation approximation, const Symmetry* symmetry, std::uint32_t resident,
          Pace pace = {}, Mutation mutation = Mutation::none);

  [[nodiscard]] State initial();
  // Takes all private steps; of one CTA before the others, if asked to.
  [[nodiscard]] Trouble settle(State& state);
  [[nodiscard]] Trouble settle(State& state, std::uint32_t cta);

  // May this thread make a move? Cheap; `prepare` tells for sure. The first thread of a CTA that is not resident moves for all of
  // them: the CTA starts.
  [[nodiscard]] bool may_move(const State& state, ThreadId thread) const;
  // Whether the move makes a CTA resident and may be taken before all that others do: it takes a free place and does nothing else,
  // so who is next to take it matters, and when does not. Not where launches overlap: one that can't begin yet may want the place.
  [[nodiscard]] bool takes_place(const State& state, ThreadId thread) const;
  // Takes the private steps before the thread's next visible operation. False: it can't reach one.
  [[nodiscard]] bool prepare(State& state, ThreadId thread, Trouble& trouble);
  // Whether the thread's visible operation may be taken before all that others do: a store (others may still read what is older,
  // and write before it), a load of what nobody writes any more, an atomic on what nobody else accesses any more.
  [[nodiscard]] bool goes_first(State& state, ThreadId thread);
  // Whether its next visible operation is a store.
  [[nodiscard]] bool at_store(const State& state, ThreadId thread) const;
  // The storage that its next visible operation loads from, if it is a load.
  [[nodiscard]] std::optional<std::uint32_t> loads_from(State& state, ThreadId thread);
  // The outcome in which it reads, or writes behind, the message of that origin. No value: there is none.
  [[nodiscard]] std::optional<std::uint32_t> option_of(State& state, ThreadId thread, Origin origin);
  // How many outcomes the visible operation has; 1 where the thread only ended.
  [[nodiscard]] std::uint32_t options(State& state, ThreadId thread);
  struct Taken {
    Trouble trouble = Trouble::none;
    bool newest = true;  // it read what is last in coherence order, if anything
    bool quiet = false;  // it wrote nothing: a load or a cas that failed
    bool idle = false;   // and the thread is back where it was: it can only have learnt something
    // Storages that were written since its thread was prepared, also by others who went on then, and in outcomes taken before: bit
    // n % 64 for storage n.
    std::uint64_t writes = 0;
  };
  // Takes it, then settles.
  [[nodiscard]] Taken take(State& state, Move move);

  [[nodiscard]] bool ended(const State& state) const;
  // At the barrier that a thread waits at.
  [[nodiscard]] Gathered gathered(const State& state, ThreadId thread) const;
  [[nodiscard]] const LaunchContext& context() const { return context_; }
  [[nodiscard]] const Hierarchy& hierarchy() const { return hierarchy_; }
  [[nodiscard]] const Future& future(ThreadId t) const { return futures_[kernel_of(t)]; }
  [[nodiscard]] LocationTable& locations() { return *locations_; }  // copies of a machine share it
  // Doing bits of a live thread on the arrays of a location, from where it is on; of those that may be that location.
  [[nodiscard]] DoingBits doing(const State& state, ThreadId thread, const Location& location) const;
  // On a storage; `of_another`: on slots of other CTAs.
  [[nodiscard]] DoingBits doing(const State& state, ThreadId thread, std::uint32_t storage, bool of_another) const;
  // CTA whose slot the location is, if any.
  [[nodiscard]] std::optional<std::uint32_t> owner(const Location& location) const {
    return symmetry_ == nullptr ? std::nullopt : symmetry_->owner(location);
  }
  [[nodiscard]] const std::vector<ThreadId>& threads_of(std::uint32_t cta) const { return threads_of_cta_[cta]; }
  [[nodiscard]] Value initial_value(const Location& location) const;
  // The thread of that CTA which corresponds to this one.
  [[nodiscard]] ThreadId counterpart(ThreadId thread, std::uint32_t cta) const {
    return threads_of_cta_[cta][context_.image.threads[thread].coordinates.index_in_cta];
  }
  // While a path is retraced: the thread whose part this one plays.
  [[nodiscard]] ThreadId original(const State& state, ThreadId thread) const;
  void clear_dead_registers(Thread& thread, ThreadId id) const;
  // Registers that tell interchangeable CTAs apart hold nothing in a stored state, whose CTAs may be renamed. They are there again
  // in the threads of a CTA as soon as one of them is prepared or asked whether it goes first.
  void clear_constants(Thread& thread) const;
  // From now on reads are noted in `retrace`, unless it is null.
  void retrace_into(Retrace* retrace) { retrace_ = retrace; }
  void approximate(Approximation approximation) { approximation_ = approximation; }
  // From now on a read of what nobody wrote is no trouble: it gives poison.
  void see_only_races() { only_races_ = true; }
  [[nodiscard]] Approximation approximation() const { return approximation_; }

 private:
  struct Rules;  // rules.h
  [[nodiscard]] bool fences_are_full() const {
    return approximation_.fences == FenceReading::in_place || approximation_.fences == FenceReading::at_once;
  }
  void restore_constants(State& state, std::uint32_t cta) const;
  [[nodiscard]] std::size_t kernel_of(ThreadId t) const {
    return context_.image.threads[t].coordinates.kernel.value;
  }
  // Whether a relaxed red.add to this location commutes with all that anybody may still do there.
  [[nodiscard]] bool unordered(const State& state, const Location& location) const;
  [[nodiscard]] bool has_free_place(const State& state) const;
  [[nodiscard]] bool may_start(const State& state, ThreadId thread) const;
  bool start_launches(State& state) const;
  void pass_on(State& state, ThreadId ended) const;
  [[nodiscard]] bool deposits(ThreadId thread, InstructionRef fence) const;
  [[nodiscard]] Trouble settle_threads(State& state, const std::vector<ThreadId>& threads);
  [[nodiscard]] Trouble run(State& state, ThreadId thread, bool through_deposits);
  // Whether an arrival does not go together with one that is there (explore/barrier_rules.h). What depends on when a phase ends is
  // declined (eligibility.cpp).
  [[nodiscard]] bool misused(const State& state, const Arrival& arrival) const;
  // Whether a lane comes to an instruction behind the barriers that others of its warp may wait at; and whether a lane waits at one
  // that another has exited from behind.
  [[nodiscard]] bool is_past_barriers(ThreadId thread, InstructionRef where) const;
  [[nodiscard]] bool is_left_behind(const State& state, ThreadId waiting) const;
  [[nodiscard]] std::vector<const Arrival*> phase_of(const State& state, ThreadId waiting) const;
  [[nodiscard]] bool complete_barrier(State& state, ThreadId one_of);
  [[nodiscard]] bool complete_warp(State& state, ThreadId one_of);
  void refuse_early_leavers(const State& state, const std::vector<ThreadId>& not_waited_for) const;
  [[nodiscard]] bool complete_meeting(State& state, ThreadId one_of);
  [[nodiscard]] std::uint64_t members(const State& state, ThreadId thread) const;
  [[nodiscard]] Value reduce(const Barrier& barrier, const std::vector<const Arrival*>& phase) const;

  const LaunchContext& context_;
  Hierarchy hierarchy_;
  Interpreter interpreter_;
  Approximation approximation_;
  const Symmetry* symmetry_;
  std::uint32_t resident_;
  Pace pace_;
  std::optional<ThreadId> arriving_;  // whose arrival or exit is the move that is taken
  Mutation mutation_;
  std::vector<std::vector<std::pair<std::uint32_t, Value>>> constants_;  // [thread] (register, value), that tell CTAs apart
  std::vector<MeetingPoints> meeting_points_;  // [kernel]
  std::vector<Future> futures_;      // [kernel]
  std::vector<std::vector<std::vector<bool>>> deposits_;  // [kernel][block][instruction]
  std::vector<bool> written_;        // [storage] some thread may write it
  std::vector<std::vector<ThreadId>> threads_of_cta_;
  std::shared_ptr<LocationTable> locations_ = std::make_shared<LocationTable>();
  Retrace* retrace_ = nullptr;
  bool only_races_ = false;
  std::uint64_t effects_ = 0;  // writes, arrivals at barriers and the like: what others may notice
  std::uint64_t writes_ = 0;   // Taken::writes
};

}  // namespace fencewise::view
