// Checks a problem: explores every behaviour that the model allows, or says what stopped it.
//
// The one door to the engines. "verified" is a promise: every behaviour was explored. Anything left unexplored is
// `inconclusive`, with the reason.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/progress_model.h"
#include "kernels/core/problem.h"
#include "kernels/core/verdict.h"
#include "memmodel/execution_graph.h"
#include "memmodel/model.h"

namespace fencewise {

enum class Races : std::uint8_t { fail, report, off };
enum class Reduction : std::uint8_t { automatic, on, off };
enum class Engine : std::uint8_t { automatic, view, graph };
// What a vector access is: separate scalars in any order, as the ISA has it; or, where it is aligned and has at most 16 bytes, one
// access, as hardware does it.
enum class Vectors : std::uint8_t { strict, whole };

// Reductions of the view explorer; none changes an answer. For tests and measurements.
struct ViewReductions {
  std::uint8_t mutation = 0;  // tests of the tests: a condition that is left out (checker/explore/view/mutation.h)
  bool forget = true;   // drop messages, past accesses and views that nobody can use any more
  bool merge = true;    // records known to the same threads and messages become one
  bool subsume = true;  // drop a state that knows more than a stored one
  bool collapse = true;  // store states in pieces that they share
  bool idle = true;     // a poll that leaves its thread where it was is no new state
  bool alone = true;    // an operation that nothing others do can change is taken before theirs; so is taking a free place
  bool early = true;     // so is a load from where nobody else writes meanwhile, as is assumed at first and found out later
};

// Options that can change a verdict.
struct CheckOptions {
  Model model = Model::ptx;
  Races races = Races::fail;
  Vectors vectors = Vectors::strict;
  Engine engine = Engine::automatic;
  // One behaviour of each set that differs only by the names of interchangeable CTAs. `automatic`: for more than 8 CTAs,
  // unless the engine is `graph`.
  Reduction symmetry = Reduction::automatic;
  // First explore what allows more, and take only "verified" and one final state from that (view explorer): with one-sided
  // fence.sc; with threads that, where they poll, forget all but what the polled location's messages have told.
  Reduction one_sided = Reduction::automatic;
  Reduction forgetful_polls = Reduction::automatic;
  ViewReductions reductions{};
  // At most so many CTAs of a launch are resident at a time; a CTA leaves its place when it exits, and any that has not started
  // may take it. Only resident CTAs are promised to go on. 0: all are. View explorer only.
  std::uint32_t resident = 0;
  // Who is promised to go on. Anything but fair at each level: view explorer only.
  ProgressModels progress{};
  std::uint32_t loop_bound = 8;  // rounds of a loop whose condition depends on memory, per thread
  // Whether an output depends on the order in which CTAs finish: what verifies is explored again with sums of floats as ordered
  // expressions and float inputs as symbols, and two behaviours that leave an output with different ones are a finding.
  bool determinism = false;
  unsigned workers = 1;          // threads of the view explorer; the answer is the same for any number
  bool stop_at_first = true;     // stop at the first finding that violates (else: collect one per kind and place)
  bool collect_states = false;   // fill CheckResult::final_states
};

// How the model is read under these options.
[[nodiscard]] Reading reading_of(const CheckOptions& options);

// Limits: reaching one makes the verdict inconclusive. 0: none.
struct Limits {
  using Clock = std::chrono::steady_clock;
  double seconds = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t states = 0;
  std::uint64_t graphs = 0;
  std::optional<Clock::time_point> since = {};  // from when `seconds` count, where several checks share them; else from the check's start

  [[nodiscard]] double seconds_left() const {  // infinite without a limit
    const double spent = since ? std::chrono::duration<double>(Clock::now() - *since).count() : 0;
    return seconds == 0 ? std::numeric_limits<double>::infinity() : seconds - spent;
  }
};

// What was explored. For one launch plan; deterministic for the same problem and options.
struct SearchStats {
  std::uint64_t graphs = 0;         // complete consistent behaviours, over all launches
  std::uint64_t blocked = 0;        // consistent behaviours in which a thread never ends
  std::uint64_t steps = 0;          // nodes of the search tried
  std::uint64_t interchangeable = 0;  // CTAs that were taken as one another: graphs are counted up to their names; else 0
  std::uint64_t states = 0;         // stored states (view explorer), or distinct memories between launches (graph)
  std::uint64_t finish_orders = 0;  // CTA finish orders of one launch told apart (the most over the launches)
};

struct Progress {
  std::function<void(const SearchStats&)> report;     // called about once a second; may be null
  const std::atomic<bool>* stop = nullptr;            // set by Ctrl-C
};

// --- Counterexamples ---

// Which order is missing between a write and an access of another thread that should come later.
enum class MissingOrder : std::uint8_t {
  none,
  barrier,              // of their CTA
  release_and_acquire,
  release,
  acquire,              // the writer releases
  scope,                // both are there, and one does not include the other thread
  observation,          // both are there, and the acquire does not observe the release
};

// An event of a witness. Indices are into WitnessLaunch::events.
struct WitnessEvent {
  ThreadId thread = no_thread;       // no_thread: memory as the launch found it
  std::uint32_t po = 0;              // identifies the event within its thread (replay)
  EventKind kind = EventKind::init;
  std::string text;                  // the instruction as printed: "ld.weak.u32 %r3, ws[%r2]"
  std::string file;                  // source file and line; line 0: none
  std::uint32_t line = 0;
  std::string inlined;               // "in acquire(), from k.cu:12": the user's functions that the line is in, where they were inlined
  std::string location;              // "ws[3]"
  std::string value;                 // value read or written
  std::optional<std::size_t> reads_from;
  std::optional<std::size_t> missed;  // a newer write that this stale read did not see
  MissingOrder missing = MissingOrder::none;  // which allowed that
  std::string why_missed;             // in words
  bool involved = false;              // part of the finding (racing accesses, the stale read, a step that repeats for ever)
};

// What a printf of the execution shows. It is no event.
struct WitnessPrint {
  ThreadId thread = 0;
  std::size_t before = 0;  // the event that comes next; their number: none does
  std::string text;        // 'printf "block 3 done\n"'
  std::string file;
  std::uint32_t line = 0;
};

// A launch, or several that overlap (a stage of the plan, launch_plan.h).
struct WitnessLaunch {
  std::uint32_t replay = 1;           // counts from 1
  std::uint32_t launch = 1;           // launch within the replay, from 1; of several the first
  std::string kernel;
  std::vector<std::uint32_t> launch_of;  // [thread] launch within the replay, from 1
  std::vector<std::string> threads;   // [thread] "CTA 1 thread 0", "P0"
  std::vector<std::uint32_t> cta_of;  // [thread] dense CTA number
  std::vector<WitnessEvent> events;   // in an order of execution where one exists
  std::vector<WitnessPrint> printed;  // by `before`
  bool ordered = true;                // false: no interleaving explains it (load buffering)
  std::vector<std::uint32_t> finish_order;  // CTAs in the order in which they finish
  ExecutionGraph graph;               // events in the same order
};

struct Witness {
  std::vector<WitnessLaunch> launches;  // from the first launch to the one with the finding
};

struct SourceRef {
  std::string file;
  std::uint32_t line = 0;
  friend bool operator==(const SourceRef&, const SourceRef&) = default;
};

// A read that observed what others have done, and does not acquire it: what comes behind it in its CTA may still see old values.
struct MissingAcquire {
  std::string read;  // the instruction, as printed
  SourceRef at;      // line 0: unknown
  friend bool operator==(const MissingAcquire&, const MissingAcquire&) = default;
};

// What `replay` takes again where no graph is saved.
struct WitnessMove {
  ThreadId thread = 0;
  std::uint32_t choice = 0;  // of the writes that it may read, or behind which it may write, oldest first
  friend bool operator==(const WitnessMove&, const WitnessMove&) = default;
};

// A run that never ends: the moves that lead in, and those that may repeat for ever.
struct EndlessRun {
  std::vector<WitnessMove> way_in;
  std::vector<ThreadId> cycle;         // each takes what is newest; empty: nobody can move
  std::vector<std::string> unfinished;  // a line for each thread that does not end: what it repeats, or waits for
};

struct Finding {
  FindingKind kind = FindingKind::assertion;
  bool violates = true;              // false: only reported (--races report)
  std::string message;               // one line: what is wrong, with values
  std::string location;              // "ws[1]", "out[0]"; may be empty
  std::uint32_t launch = 1;          // replay in which it happens, from 1
  std::vector<std::string> threads;  // the threads involved
  std::vector<SourceRef> lines;      // the source lines involved
  std::optional<MissingAcquire> missing_acquire;  // if that is what allows it
  std::string repair;                // a repair that was re-checked; may be empty
  Witness witness;
  Witness other;                     // order-dependent: an execution that leaves another value; else empty
  std::optional<EndlessRun> endless;  // hangs of the view explorer
  // Of a race or an unwritten read in a launch too large for its graph: the moves that lead to it.
  std::optional<std::vector<WitnessMove>> way_in;
};

struct CheckResult {
  Verdict verdict = Verdict::verified;
  std::string reason;                    // why inconclusive; else a note on the search
  std::string unexplored;                // what was left out, if anything; a violated result may have left out things too
  bool condition_met = false;            // quantifiers exists and never: some final state satisfies the condition
  std::string engine;                    // "graph" or "view"
  std::vector<std::string> assumptions;  // bounds and progress assumptions of the verdict
  std::vector<Finding> findings;         // violating ones first
  SearchStats search;
  double seconds = 0;
  // Reachable final states, sorted, where asked for: "0:r1=2; x=1;" (thread:register, then buffer elements). The view
  // explorer, which does it only where it is asked for by name, tells registers of placed threads only.
  std::vector<std::string> final_states;
};

[[nodiscard]] CheckResult check(const Problem& problem, const CheckOptions& options, const Limits& limits = {},
                                const Progress& progress = {});

// Re-executes a witness of `problem` (its reads-from, orders) and judges it again. Throws InputError where it does not
// fit the problem or the axioms refuse it; else the finding it shows.
[[nodiscard]] Finding replay(const Problem& problem, const CheckOptions& options, const Finding& saved);

}  // namespace fencewise
