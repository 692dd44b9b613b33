#include "checker/explore/view/expand.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace fencewise::view {

Expander::Expander(const Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions)
    : machine_(machine), normal_(machine_, symmetry, replays, reductions), reductions_(reductions),
      early_(machine_.context().image.memory.size(), reductions.early) {}

Expansion Expander::begin(State stored, const TableView& table) {
  Expansion expansion;
  State& state = expansion.state = std::move(stored);
  expansion.classes = normal_.classes(state, table);
  expansion.ended = machine_.ended(state);
  if (expansion.ended) return expansion;
  expansion.threads = threads_to_move(state, expansion.classes);
  if (reductions_.alone) put_first(expansion);
  return expansion;
}

// Threads of these CTAs that may move. Only those that take a free place, where there are some.
std::vector<ThreadId> Expander::threads_to_move(const State& state, const std::vector<std::vector<std::uint32_t>>& classes) {
  std::vector<ThreadId> threads;
  for (const auto& ctas : classes)
    for (const ThreadId t : machine_.threads_of(ctas.front()))
      if (machine_.may_move(state, t)) threads.push_back(t);
  const auto takes_place = [&](ThreadId t) { return machine_.takes_place(state, t); };
  if (reductions_.alone && std::any_of(threads.begin(), threads.end(), takes_place)) std::erase_if(threads, std::not_fn(takes_place));
  return threads;
}

// A thread that goes first in front, with its moves; else one whose load may.
void Expander::put_first(Expansion& expansion) {
  std::vector<ThreadId>& threads = expansion.threads;
  State scratch = expansion.state;
  const auto first = std::find_if(threads.begin(), threads.end(), [&](ThreadId t) { return machine_.goes_first(scratch, t); });
  if (first != threads.end()) {
    std::rotate(threads.begin(), first, first + 1);
    ThreadMoves& moves = expansion.moves.emplace_back(moves_of(expansion.state, threads.front()));
    moves.goes_first = true;
    moves.at_store = machine_.at_store(scratch, threads.front());
    return;
  }
  for (auto at = threads.begin(); at != threads.end(); ++at) {
    const auto storage = machine_.loads_from(scratch, *at);
    if (!storage || !early_[*storage]) continue;
    ThreadMoves moves = moves_of(expansion.state, *at);
    // Not if what is newest is not what it waits for: then it looks again and again until somebody writes.
    if (!moves.successors.empty() && moves.successors.back().state) {
      moves.goes_first = true;
      moves.early = storage;
      std::rotate(threads.begin(), at, at + 1);
      expansion.moves.push_back(std::move(moves));
      return;
    }
    expansion.tried.push_back(std::move(moves));
  }
}

void Expander::go_on(Expansion& expansion) {
  const ThreadId t = expansion.threads[expansion.moves.size()];
  const auto tried = std::ranges::find(expansion.tried, t, &ThreadMoves::thread);
  expansion.moves.push_back(tried != expansion.tried.end() ? std::move(*tried) : moves_of(expansion.state, t));
}

ThreadMoves Expander::moves_of(const State& state, ThreadId t) {
  ThreadMoves moves;
  moves.thread = t;
  State prepared = state;
  moves.can_move = machine_.prepare(prepared, t, moves.trouble);
  if (!moves.can_move || moves.trouble != Trouble::none) return moves;
  const std::uint32_t options = machine_.options(prepared, t);
  for (std::uint32_t option = 0; option < options; ++option) {
    State next = option + 1 == options ? std::move(prepared) : prepared;
    Successor& successor = moves.successors.emplace_back();
    successor.move = {t, option};
    successor.taken = machine_.take(next, successor.move);
    if (successor.taken.trouble != Trouble::none || (successor.taken.idle && reductions_.idle)) continue;
    successor.state = normal_.stored(next, state);
  }
  return moves;
}

}  // namespace fencewise::view
