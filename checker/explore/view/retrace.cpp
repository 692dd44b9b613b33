#include "checker/explore/view/retrace.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "checker/explore/view/view_explorer.h"
#include "kernels/core/error.h"

namespace fencewise::view {
namespace {

EventId event_of(const PartialExecution& x, const Retrace& trace, Origin origin) {
  const auto& at = trace.events[static_cast<std::size_t>(origin)];
  const auto& events = x.threads[at.thread].events;
  const EventId e = at.sequence < events.size() ? events[at.sequence][at.element] : no_event;
  return e != no_event && x.graph.events[e].location.known() ? e : no_event;
}

// Gives the read its source, if both are there yet.
bool choose(PartialExecution& x, const Retrace& trace, Origin read, Origin write) {
  const EventId r = event_of(x, trace, read);
  if (r == no_event) return false;
  EventId w = no_event;
  if (write != no_origin) {
    w = event_of(x, trace, write);
  } else {
    for (EventId e = 0; e < x.graph.events.size() && w == no_event; ++e)
      if (x.graph.events[e].kind == EventKind::init && x.graph.events[e].location == x.graph.events[r].location) w = e;
  }
  if (w == no_event) return false;
  x.choose(r, w);
  return true;
}

// What is called `origin` in one trace, as another trace of the same launch calls it: events may come in another order there.
// no_origin: it is not there.
Origin renamed(const Retrace& from, Origin origin, const Retrace& to) {
  if (origin == no_origin) return no_origin;
  const auto key = [](const Retrace::PathEvent& e) { return std::tuple(e.thread, e.sequence, e.element, e.kind); };
  const auto same = std::find_if(to.events.rbegin(), to.events.rend(), [&](const auto& e) {
    return key(e) == key(from.events[static_cast<std::size_t>(origin)]);
  });
  return static_cast<Origin>(to.events.rend() - same) - 1;
}

}  // namespace

PartialExecution follow(const LaunchContext& context, const Retrace& trace) {
  PartialExecution x(context);
  x.advance();
  auto left = trace.reads_from;
  for (std::size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    std::erase_if(left, [&](const auto& rf) { return choose(x, trace, rf.first, rf.second); });
    x.advance();
  }
  return x;
}

namespace {

// Rounds of a spin loop that changed nothing are left out: the graph explorer takes a thread that repeats one for one that spins
// for ever.
class IdleRounds {
 public:
  IdleRounds(const Machine& machine, Retrace& trace) : machine_(machine), trace_(trace) {}

  // Before and after a move by `thread`, called `original` in the launch. `quiet`: it wrote nothing.
  void before(const State& s, ThreadId thread, ThreadId original) {
    points_[original].push_back({where(s, thread), s.sequence[thread]});
  }
  void after(State& s, ThreadId thread, ThreadId original, bool quiet) {
    auto& points = points_[original];
    if (!quiet) return points.clear();
    const auto same = std::find_if(points.begin(), points.end(), [here = where(s, thread)](const Point& p) { return p.state == here; });
    if (same == points.end() || s.threads[thread].status != Status::visible) return;
    const std::uint32_t from = same->sequence;
    std::erase_if(trace_.reads_from, [&](const auto& rf) {
      const auto& read = trace_.events[static_cast<std::size_t>(rf.first)];
      return read.thread == original && read.sequence >= from;
    });
    s.sequence[thread] = from;
    points.erase(same, points.end());
  }

 private:
  using Where = std::tuple<std::uint32_t, std::uint32_t, std::vector<Value>>;
  struct Point {
    Where state;
    std::uint32_t sequence;
  };
  [[nodiscard]] Where where(const State& s, ThreadId thread) const {
    Thread t = s.threads[thread];
    machine_.clear_dead_registers(t, thread);
    return {t.state.block.value, t.state.index, t.state.registers};
  }

  const Machine& machine_;
  Retrace& trace_;
  std::map<ThreadId, std::vector<Point>> points_;  // [thread, as the launch numbers it] since it last wrote
};

}  // namespace

std::vector<WitnessMove> moves_of(const Retrace& trace) {
  std::vector<WitnessMove> moves;
  for (const Retrace::Taken& move : trace.moves) moves.push_back({move.thread, move.option});
  return moves;
}

State ViewExplorer::first_of_retrace(Retrace& trace) {
  machine_.retrace_into(&trace);
  State state = machine_.initial();
  state.cta_names.resize(context_.image.ctas);
  std::iota(state.cta_names.begin(), state.cta_names.end(), 0);
  state.sequence.assign(state.threads.size(), 0);
  return state;
}

// What a run shows that is taken again by another reading: `run(state, trace)` begins where nothing has been done.
template <class Run> std::optional<Retrace> ViewExplorer::read_again(Approximation reading, bool only_races, Run&& run) {
  Retrace trace;
  trace.only_races = only_races;
  State state = first_of_retrace(trace);
  const Approximation approximation = machine_.approximation();
  machine_.approximate(reading);
  const bool went = run(state, trace);
  machine_.retrace_into(nullptr);
  machine_.approximate(approximation);
  if (!went || (!trace.race && !trace.unwritten)) return std::nullopt;
  return trace;
}

// The next move of a path. Returns whether it went on.
bool ViewExplorer::take_again(const Retrace& path, const Retrace::Taken& move, State& state, const Retrace& trace, Trouble& trouble) {
  if (trouble != Trouble::none || !machine_.prepare(state, move.thread, trouble) || trouble != Trouble::none) return false;
  const auto option = machine_.option_of(state, move.thread, renamed(path, move.behind, trace));
  if (option) trouble = machine_.take(state, {move.thread, *option}).trouble;
  return option.has_value();
}

// A path of an approximation with full fences, and with all that is known.
std::optional<Retrace> ViewExplorer::in_full(const Retrace& path, FenceReading fences, std::uint32_t first_cta) {
  return read_again({.fences = fences}, path.only_races, [&](State& state, const Retrace& full) {
    Trouble trouble = machine_.settle(state, first_cta);
    (void)std::ranges::all_of(path.moves, [&](const Retrace::Taken& move) { return take_again(path, move, state, full, trouble); });
    return true;
  });
}

// The same, exactly, where a fence.sc is taken only when its thread has to go on, or is of the CTA that the path ends in: those of others
// come too late to tell it anything.
std::optional<Retrace> ViewExplorer::with_late_fences(const Retrace& path, std::uint32_t last_cta) {
  return read_again(exactly, path.only_races, [&](State& state, const Retrace& late) {
    Trouble trouble = machine_.settle(state);
    const auto at_fence = [&](ThreadId t) {
      const ThreadState& at = state.threads[t].state;
      return state.threads[t].status == Status::visible &&
             std::holds_alternative<Fence>(context_.image.threads[t].kernel->at({at.block, at.index}).operation);
    };
    const auto pass_fence = [&](std::uint32_t cta) {
      const auto& threads = machine_.threads_of(cta);
      const auto next = std::ranges::find_if(threads, at_fence);
      if (trouble != Trouble::none || next == threads.end()) return false;
      trouble = machine_.take(state, {*next, 0}).trouble;
      return true;
    };
    for (const Retrace::Taken& move : path.moves) {
      const auto stopped = [&] { return state.threads[move.thread].status != Status::visible || at_fence(move.thread); };
      while (stopped() && pass_fence(context_.image.cta_of[move.thread])) {}
      if (!take_again(path, move, state, late, trouble)) break;
    }
    while (pass_fence(last_cta)) {}
    return true;
  });
}

std::optional<Retrace> ViewExplorer::exactly_by(const std::vector<WitnessMove>& moves, bool only_races) {
  return read_again(exactly, only_races, [&](State& state, const Retrace&) {
    Trouble trouble = machine_.settle(state);
    bool goes = true;
    for (const WitnessMove& move : moves) {
      if (!goes || trouble != Trouble::none) break;
      goes = move.thread < state.threads.size();
      // An approximation counts a move where a thread only ends.
      if (!goes || !machine_.prepare(state, move.thread, trouble) || trouble != Trouble::none) continue;
      goes = move.choice < machine_.options(state, move.thread);
      if (goes) trouble = machine_.take(state, {move.thread, move.choice}).trouble;
    }
    return goes;
  });
}

std::optional<Retrace> ViewExplorer::access_behind(const std::vector<WitnessMove>& moves) {
  for (const bool only_races : {true, false})
    if (auto found = exactly_by(moves, only_races)) return found;
  return std::nullopt;
}

std::optional<Retrace> ViewExplorer::access_of(const Path& path) {
  for (const bool only_races : {true, false}) {
    const Retrace trace = retrace(path, only_races);
    if (!trace.race && !trace.unwritten) continue;
    if (machine_.approximation() == exactly) return access_behind(moves_of(trace));
    // A fence takes what earlier ones left: late, it learns more; a fence of the reader that comes first learns nothing.
    const ThreadId late = trace.race ? trace.race->second.thread : trace.unwritten->read.thread;
    const std::uint32_t cta = context_.image.cta_of[late];
    for (const FenceReading fences : {FenceReading::in_place, FenceReading::at_once})
      if (const auto full = in_full(trace, fences, cta))
        if (auto found = access_behind(moves_of(*full))) return found;
    if (auto found = with_late_fences(trace, cta)) return found;
  }
  return std::nullopt;
}

Retrace ViewExplorer::retrace(const Path& path, bool only_races) {
  Retrace trace;
  trace.only_races = only_races;
  IdleRounds idle(machine_, trace);
  State state = first_of_retrace(trace);
  Trouble trouble = machine_.settle(state);
  for (const Move& move : path) {
    if (trouble != Trouble::none) break;
    normal_.apply(state);
    if (!machine_.prepare(state, move.thread, trouble) || trouble != Trouble::none) continue;
    const ThreadId original = machine_.original(state, move.thread);
    if (move.option >= machine_.options(state, move.thread))
      throw InternalError("view explorer: a path can't be retraced");
    idle.before(state, move.thread, original);
    const Machine::Taken taken = machine_.take(state, move);
    idle.after(state, move.thread, original, taken.quiet);
    trouble = taken.trouble;
  }
  machine_.retrace_into(nullptr);
  for (ThreadId t = 0; t < state.threads.size(); ++t) {
    const Thread& thread = state.threads[t];
    if (thread.status != Status::exited)
      trace.unfinished.push_back({machine_.original(state, t), thread.status, {thread.state.block, thread.state.index}});
  }
  std::sort(trace.unfinished.begin(), trace.unfinished.end(),
            [](const auto& a, const auto& b) { return a.thread < b.thread; });
  return trace;
}

}  // namespace fencewise::view
