// An execution under construction: the graph so far, and each thread run as far as its known values allow.
//
// Threads run ahead past reads that have no source yet: such a read's value is unknown, what is computed from it is
// unknown, and a thread stops only where an unknown value decides (a branch, a barrier's id). So a read may take its value
// from a write that comes later in any thread, which is load buffering, and No-Thin-Air makes this complete: in a
// consistent execution some order of events respects reads-from and dependencies.
//
// When a source is chosen, the threads that waited for it are run again from the last point at which all their values were
// known; events they had issued keep their ids and only learn their locations and values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/explore/barrier_rules.h"
#include "checker/explore/memory_image.h"
#include "kernels/core/flow.h"
#include "kernels/core/interpreter.h"
#include "memmodel/execution_graph.h"
#include "memmodel/model.h"

namespace fencewise {

// What never changes while one launch, or a stage of launches that overlap, is explored.
struct LaunchContext {
  const Problem& problem;
  const Stage stage;
  LaunchImage image;
  Reading reading;
  const MemoryImage& memory;  // as the launch finds it
  Terms& terms;
  Dependencies& dependencies;
  Interpreter interpreter;
  std::uint32_t loop_bound;
  bool proxies = false;               // some access is not generic, or some buffer is an alias
  std::vector<Liveness> liveness;     // [kernel]
  std::vector<MayAccess> may_access;  // [kernel]
  std::vector<BehindBarriers> behind_barriers;  // [kernel]

  LaunchContext(const Problem& problem, const Stage& stage, const Reading& reading,
                const MemoryImage& memory, Terms& terms, Dependencies& dependencies,
                std::uint32_t loop_bound);

  [[nodiscard]] const Launch& launch_of(ThreadId thread) const {
    return problem.launches[stage.launches[image.launch_of[thread]].value];
  }
  [[nodiscard]] bool overlaps() const { return stage.launches.size() > 1; }
  // Some thread is placed by hand, and its registers may be spoken of when it has ended.
  [[nodiscard]] bool has_placed_threads() const;
  // Whether a thread's launch waits for the launch of the other.
  [[nodiscard]] bool comes_after(ThreadId later, ThreadId earlier) const {
    return stage.is_before(image.launch_of[earlier], image.launch_of[later]);
  }
  // The thread that a contract calls `thread`: one of the plan's last launch.
  [[nodiscard]] ThreadId thread_of_contract(std::uint32_t thread) const;
};

// What the graph does not hold of an event.
struct EventInfo {
  Value value;                // read from, or written; unknown where it is not known yet
  DependencySet depends = 0;  // writes: reads that the value depends on; reads: reads its address depends on
  InstructionRef where;
  std::uint32_t visible_since = 0;  // writes: stamp at which the location was known
  std::uint32_t not_before = 0;  // reads without source: only writes visible since then are still to be tried
  EventId closed_to = 0;         // writes: atomics below this id that have no source don't read it
  bool undecided = false;        // read half of a cas: whether it writes waits for a value
};

enum class ThreadStatus : std::uint8_t {
  gated,    // not begun: its launch waits for others that have not ended
  blocked,  // an unknown value decides
  choosing,  // a free value decides: the search decides for it
  at_barrier,  // or at an operation that its warp takes together
  spinning,  // repeats an iteration that changes nothing
  exited,
  faulted,     // out of bounds, poison steers, trap: `note` says what
  loop_bound,  // another round of a loop would exceed the bound
  unmodelled,
};

// A thread that takes so many steps in a row that nobody else could notice is refused, not waited for.
inline constexpr std::uint64_t most_private_steps = 10'000'000;

// How many threads have come to a barrier of their CTA, and how many it needs; `counted`: it says how many itself.
struct Gathered {
  std::size_t came = 0, needed = 0;
  bool counted = false;
};

class PartialExecution {
 public:
  explicit PartialExecution(const LaunchContext& context);

  // Runs every thread as far as it goes. Returns whether events or locations changed.
  bool advance();
  void choose(EventId read, EventId write) { graph.rf[read] = write; }

  ExecutionGraph graph;
  std::vector<EventInfo> info;  // [event]
  std::uint32_t stamp = 0;      // counts what became visible

  struct LoopRecord {
    BlockId header;
    std::uint32_t rounds = 0;      // that memory decided
    DependencySet control = 0;     // at the last visit of the header
    std::uint32_t sequence = 0;    // likewise
    std::vector<Value> registers;  // likewise
    friend bool operator==(const LoopRecord&, const LoopRecord&) = default;
  };
  struct Printed {
    std::uint32_t before = 0;  // the action that came next
    Action::Printed what;
  };
  struct Cursor {
    ThreadState state;
    std::uint32_t sequence = 0;  // actions taken
    std::vector<LoopRecord> loops;
    std::vector<Printed> printed;
  };
  struct Thread {
    Cursor known;  // the last point at which all values are known
    ThreadStatus status = ThreadStatus::gated;
    Action::Kind fault_kind = Action::Kind::exit;
    Action::Fault fault = Action::Fault::none;
    InstructionRef at;            // where it stopped
    DependencySet blockers = 0;   // blocked: reads it waits for
    std::string note;             // faults
    std::uint32_t sequence = 0;   // actions taken where it stopped
    std::uint32_t spin_from = 0;  // spinning: first action of the repeated iteration
    std::uint32_t passed = 0;     // actions below this are past their barrier
    std::map<std::uint32_t, bool> chosen;  // [action] what a free predicate was taken for
    std::vector<std::array<EventId, 4>>
        events;                    // [action] elements of a vector; read, write of an atomic; arrive, wait
    std::vector<Value> registers;  // exited: final registers
    std::vector<Printed> printed;  // until where it stopped
    bool settled = false;          // nothing unknown behind it: no need to run it again
  };
  std::vector<Thread> threads;

  // An arrival whose barrier phase is not complete; of a lane, at an operation that its warp takes together.
  struct Arrival {
    ThreadId thread;
    std::uint32_t sequence;
    EventId arrive;
    bool waits = true;
    std::uint64_t id = 0, count = 0;  // count 0: all threads of the CTA
    std::optional<std::uint32_t> instance = std::nullopt;
    std::uint64_t lanes = 0;   // of a warp: the lanes named by its mask; 0: of a CTA
    bool any_number = false;   // activemask: any of those that are there may meet
    std::uint32_t not_with_before =
        0;                     // its phase holds an arrival with this number or a later one (see open_phase)
    std::uint32_t number = 0;  // arrivals count up
  };
  std::vector<Arrival> arrivals;
  struct Phase {
    std::vector<EventId> arrivals, waits;
    std::size_t quorum =
        0;  // of a barrier that lets all arrivals beyond its count pass: how many of them met; else 0
    std::uint64_t id = 0;
    std::optional<std::uint32_t> instance;
    std::uint32_t cta = 0;
    std::uint64_t count = 0;  // 0: all threads of the CTA
    bool of_warp = false;
  };
  std::vector<Phase> phases;
  std::vector<std::uint32_t> phase_of;  // [event] of a wait: its phase

  // A barrier with a count that more threads may reach than it counts: which of them meet is a choice. The first arrival
  // is in one of the groups of arrivals (indices), or, if `may_wait`, in one with an arrival that is still to come.
  struct OpenPhase {
    std::size_t first = 0;
    std::vector<std::vector<std::size_t>> groups;
    bool may_wait = false;
  };
  [[nodiscard]] std::optional<OpenPhase> open_phase() const;
  void complete(const std::vector<std::size_t>& group);  // indices into arrivals
  void leave_open(std::size_t arrival);                  // the other choice
  [[nodiscard]] bool phase_overdue() const;  // enough threads have arrived for a phase that is left open

  // At the barrier of the CTA that a thread waits at. No value: it waits at none.
  [[nodiscard]] std::optional<Gathered> gathered(ThreadId thread) const;

  // A thread whose next step depends on a free value.
  [[nodiscard]] std::optional<ThreadId> choosing() const;
  void decide(ThreadId thread, bool outcome);

  // Kept by Symmetry: the choices made for each CTA.
  struct Standing {
    std::uint64_t history = 0;  // choices that mean the same for every CTA, in order
    bool unique = false;        // tied to another CTA: interchangeable with none
  };
  std::vector<Standing> standing;  // [cta]
  // (standing, role) -> what the last CTA of that standing chose to read there
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> floors;

  // An atomic's write of the very value that it read: nobody can tell it from no write, but for what it synchronizes.
  [[nodiscard]] bool writes_back(EventId write) const;

  [[nodiscard]] const LaunchContext& context() const { return *context_; }
  [[nodiscard]] bool finished(ThreadId t) const { return threads[t].status == ThreadStatus::exited; }

 private:
  struct Run;  // one run of one thread
  EventId add(Event event, EventInfo data, DependencySet depends);
  void place(EventId event, const Resolved& place);
  void add_initial_writes(const Location& location);
  void refuse_mixed_sizes(const Location& location) const;
  [[nodiscard]] Value value_of(EventId read) const;
  void update(EventId event, Value value);
  void run(ThreadId thread);
  [[nodiscard]] bool may_start(ThreadId thread) const;
  void order_launches();
  void arrive(Arrival arrival);
  bool complete_barriers();
  [[nodiscard]] std::vector<std::size_t> group_of(std::size_t arrival) const;
  [[nodiscard]] bool waits_for(const Arrival& arrival, ThreadId thread) const;
  [[nodiscard]] bool may_still_arrive(ThreadId thread, const Arrival& like) const;
  [[nodiscard]] bool others_may_arrive(const std::vector<std::size_t>& group) const;
  [[nodiscard]] std::size_t threads_needed(const Arrival& arrival, std::size_t arrived) const;
  [[nodiscard]] const Operation& operation_of(const Arrival& arrival) const;
  bool pass_latecomer(const Arrival& arrival);
  EventId let_pass(const Arrival& arrival, std::uint32_t phase);
  void order_after_exits(const Phase& phase, const Arrival& like);
  [[nodiscard]] Value reduce(const Barrier& barrier, const Phase& phase, DependencySet& origin) const;
  [[nodiscard]] std::uint32_t lane_of(ThreadId thread) const;

  const LaunchContext* context_;
  bool changed_ = false;  // an event or a location is new
  std::uint32_t arrived_ = 0;
  bool learnt_ = false;  // a value became known
  EventId in_launch_order_ = 0;  // events below this have their edges between launches
  Cursor scratch_;
};

}  // namespace fencewise
