#include "checker/explore/view/view_explorer.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>
#include <thread>

namespace fencewise::view {
namespace {

constexpr std::uint64_t moves_before_first_look = 1024;
// How many states a worker expands ahead at a time, and from how many on it is worth it.
constexpr std::size_t most_ahead = 32, least_ahead = 4;

// Why a search starts anew.
struct StoreRepeats {};
struct WrittenMeanwhile {
  std::vector<std::uint32_t> storages;
};

bool has_store_in_loop(const Kernel& kernel) {
  const auto leads_back = [&](std::uint32_t from) {
    std::vector<bool> seen(kernel.blocks.size(), false);
    std::vector<BlockId> work{BlockId{from}};
    while (!work.empty()) {
      const BlockId at = work.back();
      work.pop_back();
      for (const BlockId next : successors(kernel.blocks[at.value])) {
        if (next.value == from) return true;
        if (seen[next.value]) continue;
        seen[next.value] = true;
        work.push_back(next);
      }
    }
    return false;
  };
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    const auto is_strong_store = [](const Instruction& i) {
      const auto* store = std::get_if<Store>(&i.operation);
      return store != nullptr && is_strong(store->access.order);
    };
    const auto& instructions = kernel.blocks[b].instructions;
    if (std::any_of(instructions.begin(), instructions.end(), is_strong_store) && leads_back(b)) return true;
  }
  return false;
}

}  // namespace

ViewExplorer::ViewExplorer(const LaunchContext& context, Approximation approximation, std::optional<Symmetry> symmetry,
                           std::uint32_t replays, const Schedule& schedule, const Reductions& reductions, Budget& budget,
                           SearchStats& stats, unsigned workers)
    : context_(context),
      symmetry_(std::move(symmetry)),
      replays_(replays),
      schedule_(schedule),
      schedulers_(context.image, schedule.progress),
      machine_(context, schedulers_.all_fair() ? approximation : exactly, symmetry_ ? &*symmetry_ : nullptr, schedule.resident,
               {.arrivals_are_moves = !schedulers_.all_fair(), .notes_who_stepped = schedulers_.ask_who_has_stepped()},
               static_cast<Mutation>(reductions.mutation)),
      normal_(machine_, symmetry_ ? &*symmetry_ : nullptr, replays, reductions),
      reductions_(reductions),
      budget_(budget),
      stats_(stats),
      stored_(reductions),
      early_(machine_) {
  // An independent operation that is taken first makes no difference, unless its thread may be left standing before it.
  reductions_.alone &= schedulers_.all_fair();
  reductions_.early &= reductions_.alone;
  for (const Kernel& kernel : context.problem.kernels) stores_in_loops_ |= has_store_in_loop(kernel);
  for (unsigned n = 0; n < std::max(workers, 1U); ++n)
    expanders_.push_back(std::make_unique<Expander>(machine_, symmetry_ ? &*symmetry_ : nullptr, replays, reductions_));
}

std::pair<ViewExplorer::Id, bool> ViewExplorer::store(const Stored& state, Id parent, Move move) {
  const auto met = stored_.add(state, [&](Id known) { return !nodes_[known].expanded; });
  if (!met.fresh) return {met.id, false};
  for (const Id known : met.replaced) nodes_[known].instead = met.id;
  stats_.states += 1 - met.replaced.size();
  nodes_.push_back({.parent = parent, .move = move});
  return {met.id, true};
}

ViewExplorer::Id ViewExplorer::standing_for(Id id) const {
  while (nodes_[id].instead != no_node) id = nodes_[id].instead;
  return id;
}

Path ViewExplorer::path_to(Id id) const {
  Path path;
  for (; nodes_[id].parent != no_node; id = nodes_[id].parent) path.push_back(nodes_[id].move);
  std::reverse(path.begin(), path.end());
  return path;
}

MemoryImage ViewExplorer::memory_of(const State& s) {
  MemoryImage memory = context_.memory;
  for (CellId c = 0; c < s.cells.size(); ++c) {
    if (s.cells[c].messages.empty()) continue;
    const Location& l = machine_.locations()[c];
    const auto& allocation = context_.image.memory[l.storage];
    if (allocation.buffer) memory.set(*allocation.buffer, l.offset / l.size, s.cells[c].messages.back().value);
  }
  return memory;
}

void ViewExplorer::see_only_races() {
  machine_.see_only_races();
  for (const auto& expander : expanders_) expander->see_only_races();
}

// Expands what comes next in the queue, on all workers. What is found is the same as if it were done in turn: the tables that give
// numbers to terms and locations are frozen meanwhile.
void ViewExplorer::expand_ahead(const std::deque<Id>& queue, const State& like) {
  for (const Id id : queue) {
    if (nodes_[id].instead == no_node) ahead_.push_back({id, std::nullopt});
    if (ahead_.size() == expanders_.size() * most_ahead) break;
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&](Expander& expander) {
    for (std::size_t n = next++; n < ahead_.size(); n = next++) {
      try {
        Expansion expansion = expander.begin(stored_.state(ahead_[n].id, like), stored_.table(ahead_[n].id));
        while (!expansion.whole() && (expansion.moves.empty() || !expansion.moves.back().goes_first)) expander.go_on(expansion);
        ahead_[n].expansion = std::move(expansion);
      } catch (...) {  // it is thrown again in turn
      }
    }
  };
  const auto freeze = [&](bool frozen) {
    context_.terms.freeze(frozen);
    machine_.locations().freeze(frozen);
  };
  freeze(true);
  {
    std::vector<std::jthread> others;
    for (std::size_t n = 1; n < expanders_.size(); ++n) others.emplace_back([&, n] { work(*expanders_[n]); });
    work(*expanders_.front());
  }
  freeze(false);
}

Expansion ViewExplorer::expansion_of(Id id, const State& like) {
  while (!ahead_.empty()) {
    Ahead first = std::move(ahead_.front());
    ahead_.pop_front();
    if (first.id != id) continue;  // a state that was met since stands instead of it
    if (first.expansion) return std::move(*first.expansion);
    break;
  }
  return expanders_.front()->begin(stored_.state(id, like), stored_.table(id));
}

Explored ViewExplorer::explore(const FinalCheck& good, std::size_t most_bad, FinalState told_apart_by) {
  const SearchStats before = stats_;
  while (true) {
    try {
      return search(good, most_bad, told_apart_by);
    } catch (const StoreRepeats&) {
      reductions_.alone = false;
      for (const auto& expander : expanders_) expander->let_nothing_go_first();
    } catch (const WrittenMeanwhile& written) {
      for (const auto& expander : expanders_)
        for (const std::uint32_t storage : written.storages) expander->let_no_load_go_first(storage);
    }
    stats_ = before;
    forget_all();
  }
}

void ViewExplorer::forget_all() {
  stored_.clear();
  nodes_.clear();
  graph_ = {};
  all_steps_.clear();
  store_alone_.clear();
  early_ = EarlyLoads(machine_);
  ahead_.clear();
}

void ViewExplorer::look_at_early_loads() {
  if (mutation() == Mutation::early_loads_unchecked) return;
  auto written = early_.written_meanwhile(
      nodes_.size(), [&](Id id) { return standing_for(id); }, [&](Id id) { return nodes_[id].partly; });
  if (!written.empty()) throw WrittenMeanwhile{std::move(written)};
}

Explored ViewExplorer::search(const FinalCheck& good, std::size_t most_bad, FinalState told_apart_by) {
  Explored result;
  std::deque<Id> queue;
  std::set<std::pair<MemoryImage, std::vector<std::vector<Value>>>> finals;
  // Returns whether to go on.
  const auto bad = [&](Explored::Bad found) {
    result.bad.push_back(std::move(found));
    result.complete = result.bad.size() >= most_bad;
    return !result.complete;
  };
  const auto with = [&](Id id, Move move) {
    Path path = path_to(id);
    path.push_back(move);
    return path;
  };

  State first = machine_.initial();
  if (machine_.settle(first) != Trouble::none) {
    (void)bad(Explored::Bad());
    result.complete = true;
    return result;
  }
  normal_.apply(first);
  queue.push_back(store(normal_.stored(first), no_node, {}).first);
  // Whether loads went first that should not have is looked at on the way, too. Without symmetry a livelock is looked for on the way too: loops that write may have states without end.
  std::uint64_t next_look = stats_.steps + moves_before_first_look;
  while (!queue.empty()) {
    if (stats_.steps >= next_look) {
      next_look *= 2;
      look_at_early_loads();
      if (auto found = symmetry_ ? std::nullopt : livelock()) {
        (void)bad(std::move(*found));
        result.complete = true;
        return result;
      }
    }
    const Id id = queue.front();
    queue.pop_front();
    if (nodes_[id].instead != no_node) continue;
    nodes_[id].expanded = true;
    if (ahead_.empty() && expanders_.size() > 1 && queue.size() >= least_ahead) {
      queue.push_front(id);
      expand_ahead(queue, first);
      queue.pop_front();
    }
    Expansion expansion = expansion_of(id, first);
    const State& state = expansion.state;
    if (expansion.ended) {
      MemoryImage memory = memory_of(state);
      if (!good(state, memory) && !bad({path_to(id), false, {}, false})) return result;
      std::vector<std::vector<Value>> registers;
      if (told_apart_by == FinalState::memory_and_registers && context_.has_placed_threads())
        for (const Thread& t : state.threads) registers.push_back(t.state.registers);
      if (finals.emplace(memory, registers).second)
        result.finals.push_back({std::move(memory), std::move(registers), path_to(id)});
      ++stats_.graphs;
      continue;
    }
    bool moved = false;
    for (std::size_t n = 0; n < expansion.threads.size(); ++n) {
      if (n == expansion.moves.size()) expanders_.front()->go_on(expansion);
      ThreadMoves& moves = expansion.moves[n];
      const ThreadId t = moves.thread;
      if (!moves.can_move) continue;
      moved = true;
      if (moves.trouble != Trouble::none) {
        if (!bad({with(id, {t, 0}), false, {}, false})) return result;
        graph_.steps.push_back({id, Step::out, t});
        continue;
      }
      // What goes first goes alone, unless it leads back: then the others must not be put off for ever.
      bool all_fresh = true;
      for (auto& [move, taken, next] : moves.successors) {
        ++stats_.steps;
        if (!budget_.spend(stats_)) return result;
        if (taken.trouble == Trouble::race_elsewhere) continue;
        if (taken.trouble != Trouble::none) {
          if (!bad({with(id, move), false, {}, false})) return result;
          graph_.steps.push_back({id, Step::out, t});
          continue;
        }
        if (!next) {
          // A poll that goes on: whatever it may do now it could do without having looked.
          all_fresh &= moves.early.has_value();
          if (taken.newest) graph_.steps.push_back({id, id, t});
          continue;
        }
        const auto [to, fresh] = store(*next, id, move);
        all_fresh &= fresh;
        if (reductions_.early) early_.note_step(id, to, t, taken.writes, next->names);
        if (taken.newest) graph_.steps.push_back({id, to, t, !taken.quiet});
        if (reductions_.alone && stores_in_loops_) {
          all_steps_.push_back({id, to, t});
          store_alone_.push_back(moves.at_store);
        }
        if (fresh) queue.push_back(to);
      }
      if (moves.goes_first && all_fresh) {
        nodes_[id].partly = true;
        if (moves.early) early_.note_load(id, t, *moves.early);
        break;
      }
    }
    if (reductions_.early && !nodes_[id].partly) early_.note_classes(id, expansion.classes);
    if (!moved) {
      if (!bad({path_to(id), true, {}, false})) return result;
      continue;
    }
    // A round of plain loads that changes nothing.
    for (ThreadId t = 0; t < state.threads.size(); ++t)
      if (state.threads[t].status == Status::spinning) graph_.steps.push_back({id, id, t});
  }
  look_at_early_loads();
  if (auto found = livelock())
    if (!bad(std::move(*found))) return result;
  result.complete = true;
  return result;
}

// A cycle that the progress model allows. Within it reads see what is newest.
std::optional<Explored::Bad> ViewExplorer::livelock() {
  if (mutation() == Mutation::livelock_never) return std::nullopt;
  for (std::vector<Step>* steps : {&graph_.steps, &all_steps_})
    for (Step& s : *steps)
      if (s.to != Step::out) s.to = standing_for(s.to);
  if (any_on_a_cycle(store_alone_, all_steps_, nodes_.size())) throw StoreRepeats();
  graph_.partly.clear();
  for (const Node& n : nodes_) graph_.partly.push_back(n.partly);
  State like;
  like.threads.resize(context_.image.threads.size());
  const auto standing_in = [&](Id id) {
    const State s = stored_.state(id, like);
    Schedulers::Standing standing;
    for (const Thread& t : s.threads) {
      standing.finished.push_back(t.status == Status::exited);
      standing.stepped.push_back(t.stepped);
    }
    return standing;
  };
  // With symmetry, names change from state to state: who could go on, and didn't, can't be told in a larger cycle that is left.
  const auto notice = [&](const Part& part) {
    if (symmetry_ && !part.closed && part.states.size() > 1)
      throw SymmetryBroken("threads may go round in a cycle of several states");
  };
  constexpr ProgressModels nothing_promised{ProgressModel::unfair, ProgressModel::unfair, ProgressModel::unfair};
  const auto cycle = mutation() == Mutation::livelock_from_any_cycle
                         ? allowed_cycle(graph_, Schedulers(context_.image, nothing_promised), standing_in)
                         : allowed_cycle(graph_, schedulers_, standing_in, notice);
  if (!cycle) return std::nullopt;
  Explored::Bad bad{path_to(cycle->start), true, {}, false};
  for (const Step& s : cycle->steps) {
    bad.cycle.push_back(s.thread);
    bad.cycle_writes |= s.writes;
  }
  return bad;
}

}  // namespace fencewise::view
