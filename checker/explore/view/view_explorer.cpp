#include "checker/explore/view/view_explorer.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace fencewise::view {

ViewExplorer::ViewExplorer(const LaunchContext& context, FenceReading fences, std::optional<Symmetry> symmetry,
                           std::uint32_t replays, std::uint32_t resident, const Reductions& reductions, Budget& budget, SearchStats& stats)
    : context_(context),
      symmetry_(std::move(symmetry)),
      machine_(context, fences, symmetry_ ? &*symmetry_ : nullptr, resident, static_cast<Mutation>(reductions.mutation)),
      normal_(machine_, symmetry_ ? &*symmetry_ : nullptr, replays, reductions),
      reductions_(reductions),
      budget_(budget),
      stats_(stats) {}

// The number of the state, and whether it is new. A state that knows more than another can do nothing more: it is left out if
// the other one is stored, and taken out if it is stored and not expanded yet.
std::pair<ViewExplorer::Id, bool> ViewExplorer::store(const State& s, Id parent, Move move) {
  KnowledgeTable table = table_of(s);
  auto& [control, same_control] = *stored_.try_emplace(encode_control(s)).first;
  const auto id = static_cast<Id>(nodes_.size());
  for (const Id known : same_control)
    if (nodes_[known].table == table || (reductions_.subsume && knows_as_much(table, nodes_[known].table)) ||
        (mutation() == Mutation::less_known_is_dropped && knows_as_much(nodes_[known].table, table)))
      return {known, false};
  if (reductions_.subsume)
    std::erase_if(same_control, [&](Id known) {
      if (nodes_[known].expanded || !knows_as_much(nodes_[known].table, table)) return false;
      nodes_[known].instead = id;
      --stats_.states;
      return true;
    });
  same_control.push_back(id);
  nodes_.push_back({.parent = parent, .move = move, .control = &control, .table = std::move(table)});
  ++stats_.states;
  return {id, true};
}

State ViewExplorer::state_of(Id id, const State& like) const {
  State state = decode_control(*nodes_[id].control, like);
  read_table(nodes_[id].table, state);
  return state;
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

// Threads of these CTAs that may move; one that goes first in front.
std::vector<ThreadId> ViewExplorer::threads_to_move(const State& state, const std::vector<std::uint32_t>& ctas) {
  std::vector<ThreadId> threads;
  for (const std::uint32_t cta : ctas)
    for (const ThreadId t : machine_.threads_of(cta))
      if (Machine::may_move(state, t)) threads.push_back(t);
  if (!reductions_.alone) return threads;
  State scratch = state;
  const auto first = std::find_if(threads.begin(), threads.end(), [&](ThreadId t) { return machine_.goes_first(scratch, t); });
  if (first != threads.end()) std::rotate(threads.begin(), first, first + 1);
  return threads;
}

Explored ViewExplorer::explore(const FinalCheck& good, std::size_t most_bad, FinalState told_apart_by) {
  Explored result;
  std::deque<Id> queue;
  std::set<std::pair<MemoryImage, std::vector<std::vector<Value>>>> finals;
  // Returns whether to go on.
  const auto bad = [&](Path path, bool hangs = false) {
    result.bad.push_back({std::move(path), hangs});
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
    (void)bad({});
    result.complete = true;
    return result;
  }
  normal_.apply(first);
  queue.push_back(store(first, no_node, {}).first);
  while (!queue.empty()) {
    const Id id = queue.front();
    queue.pop_front();
    if (nodes_[id].instead != no_node) continue;
    nodes_[id].expanded = true;
    State state = state_of(id, first);
    const std::vector<std::uint32_t> ctas = normal_.representatives(state);
    machine_.restore_constants(state);
    if (machine_.ended(state)) {
      MemoryImage memory = memory_of(state);
      if (!good(state, memory) && !bad(path_to(id))) return result;
      std::vector<std::vector<Value>> registers;
      if (told_apart_by == FinalState::memory_and_registers && context_.has_placed_threads())
        for (const Thread& t : state.threads) registers.push_back(t.state.registers);
      if (finals.emplace(memory, registers).second)
        result.finals.push_back({std::move(memory), std::move(registers), path_to(id)});
      ++stats_.graphs;
      continue;
    }
    bool moved = false;
    const std::vector<ThreadId> threads = threads_to_move(state, ctas);
    for (const ThreadId t : threads) {
      State prepared = state;
      Trouble trouble = Trouble::none;
      if (!machine_.prepare(prepared, t, trouble)) continue;
      moved = true;
      if (trouble != Trouble::none) {
        if (!bad(with(id, {t, 0}))) return result;
        continue;
      }
      // What goes first goes alone, unless it leads back: then the others must not be put off for ever.
      const bool first_alone = reductions_.alone && machine_.goes_first(prepared, t) && t == threads.front();
      bool all_fresh = true;
      const std::uint32_t options = machine_.options(prepared, t);
      for (std::uint32_t option = 0; option < options; ++option) {
        ++stats_.steps;
        if (!budget_.spend(stats_)) return result;
        State next = option + 1 == options ? std::move(prepared) : prepared;
        const Move move{t, option};
        const Machine::Taken taken = machine_.take(next, move);
        if (taken.trouble == Trouble::race_elsewhere) continue;
        if (taken.trouble != Trouble::none) {
          if (!bad(with(id, move))) return result;
          continue;
        }
        if (taken.idle && reductions_.idle) {
          // A poll that goes on: whatever it may do now it could do without having looked.
          all_fresh = false;
          if (taken.newest) steps_.push_back({id, id, t, true});
          continue;
        }
        normal_.apply(next);
        const auto [to, fresh] = store(next, id, move);
        all_fresh &= fresh;
        if (taken.newest) steps_.push_back({id, to, t, taken.quiet});
        if (fresh) queue.push_back(to);
      }
      if (first_alone && all_fresh) {
        nodes_[id].partly = true;
        break;
      }
    }
    if (!moved && !bad(path_to(id), true)) return result;
  }
  if (const auto id = livelock())
    if (!bad(path_to(*id), true)) return result;
  result.complete = true;
  return result;
}

// A state that may repeat for ever though every thread that can go on does. Within a cycle reads see what is newest.
std::optional<ViewExplorer::Id> ViewExplorer::livelock() {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Graph graph(nodes_.size());
  for (Step& s : steps_) {
    s.to = standing_for(s.to);
    boost::add_edge(s.from, s.to, graph);
  }
  std::vector<std::size_t> component(nodes_.size());
  if (nodes_.empty()) return std::nullopt;
  const std::size_t count = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  struct Cycle {
    std::size_t states = 0;  // all of whose moves were explored: at least one in a cycle
    bool cyclic = false, closed = true, quiet = true;
    std::set<ThreadId> inside;
    std::map<ThreadId, std::size_t> leaving;  // in how many states
    Id first = no_node;
  };
  std::vector<Cycle> cycles(count);
  for (Id id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].instead != no_node) continue;
    cycles[component[id]].states += static_cast<std::size_t>(!nodes_[id].partly);
    cycles[component[id]].first = std::min(cycles[component[id]].first, id);
  }
  std::set<std::pair<Id, ThreadId>> seen;
  for (const Step& s : steps_) {
    Cycle& c = cycles[component[s.from]];
    if (component[s.from] == component[s.to]) {
      c.cyclic = true;
      c.quiet &= s.quiet;
      c.inside.insert(s.thread);
    } else {
      c.closed = false;
      if (seen.insert({s.from, s.thread}).second) ++c.leaving[s.thread];
    }
  }
  for (const Cycle& c : cycles) {
    if (!c.cyclic) continue;
    if (mutation() == Mutation::livelock_never) continue;
    if (c.closed || mutation() == Mutation::livelock_from_any_cycle) return c.first;
    // A thread that could leave from every state of the cycle, and never moves within it, must be let go on.
    const bool released = std::any_of(c.leaving.begin(), c.leaving.end(), [&](const auto& entry) {
      return !c.inside.contains(entry.first) && entry.second == c.states;
    });
    if (released) continue;
    if (!symmetry_) return c.first;
    // Names change from state to state: only cycles of reads can be judged.
    if (!c.quiet || c.leaving.empty()) throw SymmetryBroken("threads may go round in a cycle of several states");
  }
  return std::nullopt;
}

}  // namespace fencewise::view
