#include "checker/explore/view/expand.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace fencewise::view {

Expander::Expander(const Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions)
    : machine_(machine), normal_(machine_, symmetry, replays, reductions), reductions_(reductions) {}

Expansion Expander::begin(State stored, const TableView& table) {
  Expansion expansion;
  State& state = expansion.state = std::move(stored);
  const std::vector<std::uint32_t> ctas = normal_.representatives(state, table);
  expansion.ended = machine_.ended(state);
  if (!expansion.ended) expansion.threads = threads_to_move(state, ctas);
  return expansion;
}

// Threads of these CTAs that may move; one that goes first in front. Only those that take a free place, where there are some.
std::vector<ThreadId> Expander::threads_to_move(const State& state, const std::vector<std::uint32_t>& ctas) {
  std::vector<ThreadId> threads;
  for (const std::uint32_t cta : ctas)
    for (const ThreadId t : machine_.threads_of(cta))
      if (machine_.may_move(state, t)) threads.push_back(t);
  if (!reductions_.alone) return threads;
  const auto takes_place = [&](ThreadId t) { return machine_.takes_place(state, t); };
  if (std::any_of(threads.begin(), threads.end(), takes_place)) {
    std::erase_if(threads, std::not_fn(takes_place));
    return threads;
  }
  State scratch = state;
  const auto first = std::find_if(threads.begin(), threads.end(), [&](ThreadId t) { return machine_.goes_first(scratch, t); });
  if (first != threads.end()) std::rotate(threads.begin(), first, first + 1);
  return threads;
}

void Expander::go_on(Expansion& expansion) {
  ThreadMoves& moves = expansion.moves.emplace_back();
  const ThreadId t = moves.thread = expansion.threads[expansion.moves.size() - 1];
  State prepared = expansion.state;
  moves.can_move = machine_.prepare(prepared, t, moves.trouble);
  if (!moves.can_move || moves.trouble != Trouble::none) return;
  moves.goes_first = reductions_.alone && expansion.moves.size() == 1 && machine_.goes_first(prepared, t);
  moves.at_store = moves.goes_first && machine_.at_store(prepared, t);
  const std::uint32_t options = machine_.options(prepared, t);
  for (std::uint32_t option = 0; option < options; ++option) {
    State next = option + 1 == options ? std::move(prepared) : prepared;
    Successor& successor = moves.successors.emplace_back();
    successor.move = {t, option};
    successor.taken = machine_.take(next, successor.move);
    if (successor.taken.trouble != Trouble::none || (successor.taken.idle && reductions_.idle)) continue;
    successor.state = normal_.stored(next, expansion.state);
  }
}

}  // namespace fencewise::view
