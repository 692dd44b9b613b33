#include "checker/explore/view/early_loads.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>
#include <unordered_map>

#include "checker/explore/view/bit_matrix.h"

namespace fencewise::view {

void EarlyLoads::note_step(Id from, Id to, ThreadId thread, std::uint64_t writes, std::span<const std::uint32_t> names) {
  steps_.push_back({from, to, thread, lists_.number(names), writes});
}

void EarlyLoads::note_classes(Id from, const std::vector<std::vector<std::uint32_t>>& classes) {
  if (std::ranges::all_of(classes, [](const auto& some) { return some.size() == 1; })) return;
  std::vector<std::uint32_t> stands_for(machine_->hierarchy().ctas());
  std::iota(stands_for.begin(), stands_for.end(), 0);
  for (const auto& some : classes)
    for (const std::uint32_t cta : some) stands_for[cta] = some.front();
  const std::uint32_t alone = lists_.number({});
  classes_.resize(std::max<std::size_t>(classes_.size(), from + 1), alone);
  classes_[from] = lists_.number(stands_for);
}

// For each state, the threads such that somebody may come to write the storage though that one does nothing but what goes first: where
// the step before is another's or goes first, or writes. What goes first may be taken before all that others do, so if they come to
// write at all they do so behind it too.
std::vector<std::uint32_t> EarlyLoads::written_meanwhile(std::size_t states, const std::function<Id(Id)>& standing_for,
                                                         const std::function<bool(Id)>& partly) const {
  std::set<std::uint32_t> storages, written;
  for (const Load& load : loads_) storages.insert(load.storage);
  if (storages.empty()) return {};

  const auto& image = machine_->context().image;
  const std::size_t threads = image.threads.size();
  // Of a list of names: [thread] of before, which is called so behind the step.
  std::unordered_map<std::uint32_t, std::vector<ThreadId>> before;
  const auto before_step = [&](std::uint32_t list) -> const std::vector<ThreadId>& {
    auto& known = before[list];
    if (!known.empty()) return known;
    const auto names = lists_[list];
    known.resize(threads);
    for (ThreadId t = 0; t < threads; ++t) known[names.empty() ? t : machine_->counterpart(t, names[image.cta_of[t]])] = t;
    return known;
  };
  std::vector<std::uint32_t> into(states + 1, 0), order(steps_.size());  // steps by the state they lead to
  for (const Step& s : steps_) ++into[standing_for(s.to) + 1];
  std::partial_sum(into.begin(), into.end(), into.begin());
  {
    std::vector<std::uint32_t> next(into.begin(), into.end() - 1);
    for (std::uint32_t n = 0; n < steps_.size(); ++n) order[next[standing_for(steps_[n].to)]++] = n;
  }

  for (const std::uint32_t storage : storages) {
    BitMatrix idle(states, threads);  // [state][thread]
    std::deque<Id> changed;
    std::vector<bool> waits(states, false);
    // Whoever of a class stands still, another one of it may have been moved.
    const auto spread = [&](Id state) {
      if (state >= classes_.size() || partly(state)) return;
      const auto stands_for = lists_[classes_[state]];
      if (stands_for.empty()) return;
      const auto row = idle.row(state);
      const auto standing = [&](ThreadId t) { return machine_->counterpart(t, stands_for[image.cta_of[t]]); };
      for (ThreadId t = 0; t < threads; ++t)
        if (has_bit(row, t)) set_bit(row, standing(t));
      for (ThreadId t = 0; t < threads; ++t)
        if (has_bit(row, standing(t))) set_bit(row, t);
    };
    const auto add = [&](Id state, const auto& bits) {
      const auto row = idle.row(state);
      if (within(bits, row)) return;
      for (std::size_t w = 0; w < row.size(); ++w) row[w] |= bits[w];
      spread(state);
      if (!waits[state]) changed.push_back(state);
      waits[state] = true;
    };
    std::vector<std::uint64_t> bits(idle.width());
    for (const Step& s : steps_) {
      if ((s.writes >> (storage % 64) & 1) == 0) continue;
      std::ranges::fill(bits, 0);
      for (ThreadId t = 0; t < threads; ++t) set_bit(bits, t, t != s.thread);
      add(s.from, bits);
    }
    while (!changed.empty()) {
      const Id to = changed.front();
      changed.pop_front();
      waits[to] = false;
      for (std::uint32_t n = into[to]; n < into[to + 1]; ++n) {
        const Step& s = steps_[order[n]];
        const auto row = idle.row(to);
        if (lists_[s.names].empty()) {
          std::ranges::copy(row, bits.begin());
        } else {
          const std::vector<ThreadId>& thread = before_step(s.names);
          std::ranges::fill(bits, 0);
          each_bit(row, [&](std::size_t t) { set_bit(bits, thread[t]); });
        }
        if (!partly(s.from)) set_bit(bits, s.thread, false);
        add(s.from, bits);
      }
    }
    for (const Load& load : loads_)
      if (load.storage == storage && idle.has(load.from, load.thread)) written.insert(storage);
  }
  return {written.begin(), written.end()};
}

}  // namespace fencewise::view
