#include "checker/explore/view/normal_form.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include <fmt/format.h>

#include "checker/explore/memory_image.h"
#include "checker/explore/view/knowledge_table.h"

namespace fencewise::view {
namespace {

// Every view of a state, in an order that does not depend on the path.
template <class StateRef, class F> void each_view(StateRef& s, F&& f) {
  const auto structure = [&](auto& st) {
    for (auto& [g, v] : st.views()) f(v);
  };
  for (std::size_t n = 0; n < s.threads.size(); ++n) {
    auto& t = s.threads[n];
    f(t.known);
    structure(t.fences);
    for (auto& [c, st] : t.own) structure(st);
    for (auto& [c, st] : t.taken) structure(st);
  }
  for (std::size_t n = 0; n < s.cells.size(); ++n) {
    if (s.cells.read(n).messages.empty()) continue;
    for (auto& m : s.cells[n].messages) {
      f(m.seen);
      structure(m.released);
    }
  }
  for (auto& a : s.arrivals) f(a.known);
  structure(s.fence_sc);
}

// A message that an atomic has read and left as it was, and the atomic's own, are one: nothing is written between them, both have
// one value and pass on the same, and who reads the first may go on to the second but need not know it. A lock that is taken in
// vain, again and again, has no more messages for it. `wide`: the level at which all that may still read are included, if so.
void join_messages(Cell& c, std::optional<Level> wide) {
  const auto told = [&](const Message& m) {
    return std::any_of(c.accesses.begin(), c.accesses.end(), [&](const PastAccess& a) { return a.record == m.record; });
  };
  for (std::size_t n = 0; n + 1 < c.messages.size();) {
    Message& first = c.messages[n];
    const Message& second = c.messages[n + 1];
    const bool alike = first.glued && first.strong && second.strong && first.value == second.value && first.level == second.level &&
                       (first.place == second.place || first.level == wide) && first.released == second.released && !told(second);
    if (!alike) {
      ++n;
      continue;
    }
    first.glued = second.glued;
    first.origin = second.origin;
    c.messages.erase(c.messages.begin() + static_cast<std::ptrdiff_t>(n) + 1);
  }
}

bool live(const Thread& t) { return t.status != Status::exited && t.status != Status::faulted; }

}  // namespace

NormalForm::NormalForm(Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions)
    : machine_(machine), reductions_(reductions) {
  if (symmetry != nullptr) interchange_.emplace(machine, *symmetry, replays);
}

void NormalForm::apply(State& s) {
  forget(s);
  if (interchange_) interchange_->order(s);
  number_records(s);
}

std::vector<std::uint32_t> NormalForm::representatives(const State& s) {
  if (interchange_) {
    auto some = interchange_->representatives(s);
    if (mutation() == Mutation::one_cta_for_all && some.size() > 1) some.resize(1);
    return some;
  }
  std::vector<std::uint32_t> all(machine_.hierarchy().ctas());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// --- What nobody can use any more ---

void NormalForm::forget(State& s) {
  std::sort(s.arrivals.begin(), s.arrivals.end(), [](const Arrival& a, const Arrival& b) {
    return std::pair(a.thread, a.id) < std::pair(b.thread, b.id);
  });
  forget_in_threads(s);
  if (reductions_.forget) forget_in_cells(s);
}

void NormalForm::forget_in_threads(State& s) {
  bool fences_sc = false;
  for (ThreadId id = 0; id < s.threads.size(); ++id) {
    Thread& t = s.threads[id];
    const InstructionRef at{t.state.block, t.state.index};
    machine_.clear_dead_registers(t, id);
    machine_.clear_constants(t);
    t.segment = no_record;  // what comes next has a record of its own, until both are known to the same
    const bool told = live(t) || !t.state.registers.empty();  // else no more of it is stored than that it has ended
    if (!told) {
      t.state.block = BlockId{};
      t.state.index = 0;
    }
    if (!reductions_.forget && told) {
      fences_sc = true;
      continue;
    }
    if (!live(t)) {
      t.known.clear();
      t.fences.clear();
      t.own.clear();
      t.taken.clear();
      continue;
    }
    const Future& future = machine_.future(id);
    fences_sc |= future.fence_sc(at);
    if (!future.passes_fences(at)) t.fences.clear();
    std::erase_if(t.own, [&](const auto& entry) {
      return (machine_.doing(s, id, machine_.locations()[entry.first]) & Doing::passes_on) == 0;
    });
    if (!future.acquire_fence(at))
      std::erase_if(t.taken, [&](const auto& entry) {
        return (machine_.doing(s, id, machine_.locations()[entry.first]) & Doing::acquire) == 0;
      });
    // An acquire adds to what the thread knows.
    for (auto& [cell, structure] : t.taken)
      for (auto& [group, view] : structure.views()) view.remove(t.known);
  }
  if (!fences_sc) s.fence_sc.clear();
}

void NormalForm::forget_in_cells(State& s) {
  const Hierarchy& h = machine_.hierarchy();
  std::vector<Place> place(h.ctas());
  std::vector<bool> gone(h.ctas());
  for (std::uint32_t cta = 0; cta < h.ctas(); ++cta) {
    const auto& threads = machine_.threads_of(cta);
    gone[cta] = std::none_of(threads.begin(), threads.end(), [&](ThreadId t) { return live(s.threads[t]); });
    place[cta] = gone[cta] ? h.gone(cta) : cta;
  }
  const auto drop_gone = [&](Structure& structure) {
    std::erase_if(structure.views(), [&](const auto& entry) {
      const auto own = h.cta_group(entry.first);
      return own && gone[own->cta];
    });
  };
  drop_gone(s.fence_sc);

  // Who may still access what, by storage and the CTA whose slot it is.
  struct Accessors {
    std::vector<std::pair<ThreadId, DoingBits>> threads;  // with Doing bits
    DoingBits any = 0;
    bool acquires = false;  // some reads strongly, and may acquire by it
  };
  std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, Accessors> known;
  const auto accessors_of = [&](const Location& location) -> const Accessors& {
    const auto [it, fresh] = known.try_emplace({location.storage, machine_.owner(location)});
    if (!fresh) return it->second;
    for (ThreadId t = 0; t < s.threads.size(); ++t) {
      const DoingBits bits = machine_.doing(s, t, location);
      if ((bits & (Doing::any_read | Doing::any_write)) == 0) continue;
      it->second.threads.emplace_back(t, bits);
      it->second.any |= bits;
      const InstructionRef at{s.threads[t].state.block, s.threads[t].state.index};
      it->second.acquires |= (bits & Doing::acquire) != 0 ||
                             ((bits & Doing::strong_read) != 0 && machine_.future(t).acquire_fence(at));
    }
    return it->second;
  };

  const auto& cta_of = machine_.context().image.cta_of;
  for (CellId number = 0; number < s.cells.size(); ++number) {
    if (s.cells.read(number).messages.empty()) continue;
    Cell& c = s.cells[number];
    const std::uint32_t storage = machine_.locations()[number].storage;
    const Accessors& who = accessors_of(machine_.locations()[number]);
    // Whether all who may come are morally strong with what was done at that level, wherever it was done.
    const auto anywhere = [&](Level level) { return h.everybody(level) && (who.any & Doing::narrow) == 0; };
    if (who.threads.empty()) {
      if (!machine_.context().image.memory[storage].buffer || c.messages.back().initial) {
        c = Cell();
        continue;
      }
      Message last;
      last.value = c.messages.back().value;
      last.origin = c.messages.back().origin;
      c.messages.clear();
      c.messages.push_back(std::move(last));
      c.accesses.clear();
      continue;
    }
    // Messages below what everybody knows.
    if (c.messages.size() > 1) {
      std::size_t lowest = c.messages.size() - 1;
      for (const auto& [t, bits] : who.threads) {
        std::size_t low = c.messages.size() - 1;
        while (low > 0 && !s.threads[t].known.knows(c.messages[low].record)) --low;
        lowest = std::min(lowest, low);
      }
      if (mutation() == Mutation::message_dropped_early && lowest + 1 < c.messages.size()) ++lowest;
      // Atomics and stores go past messages that an atomic has read, and a weak load races or knows the last one.
      if ((who.any & Doing::any_message) == 0)
        while (c.messages[lowest].glued) ++lowest;
      c.messages.erase(c.messages.begin(), c.messages.begin() + static_cast<std::ptrdiff_t>(lowest));
    }
    c.messages.front().record = no_record;
    for (Message& m : c.messages) {
      if (m.strong && m.place < h.ctas()) m.place = anywhere(m.level) ? h.gone(0) : place[m.place];
      if ((who.any & Doing::strong_read) == 0) m.seen.clear();
      if (!who.acquires) m.released.clear();
      drop_gone(m.released);
    }
    // Past accesses that nothing can race with.
    if (mutation() == Mutation::strong_accesses_forgotten)
      std::erase_if(c.accesses, [](const PastAccess& a) { return a.strong; });
    std::erase_if(c.accesses, [&](PastAccess& a) {
      if (a.strong && a.place < h.ctas()) a.place = anywhere(a.level) ? h.gone(0) : place[a.place];
      return std::none_of(who.threads.begin(), who.threads.end(), [&](const auto& accessor) {
        const auto& [t, bits] = accessor;
        const DoingBits conflicting = a.write ? bits : static_cast<DoingBits>(bits & ~Doing::any_read);
        if ((conflicting & (Doing::any_read | Doing::any_write)) == 0 || s.threads[t].known.knows(a.record)) return false;
        if (!a.strong || (conflicting & Doing::any_weak) != 0 || (bits & Doing::narrow) != 0) return true;
        return !h.reaches(cta_of[t], h.top(), a.place) || !h.reaches(a.place, a.level, cta_of[t]);
      });
    });
    join_messages(c, (who.any & Doing::narrow) == 0 ? std::optional(h.top()) : std::nullopt);
    const Message& first = c.messages.front();
    if (c.messages.size() == 1 && first.initial && c.accesses.empty()) c = Cell();
  }
}

// --- Records ---

void NormalForm::number_records(State& s) {
  std::vector<bool> used(s.records, false);
  for (const Cell& c : s.cells) {
    for (const Message& m : c.messages)
      if (m.record != no_record) used[m.record] = true;
    for (const PastAccess& a : c.accesses) used[a.record] = true;
  }
  // Which views have each record.
  std::size_t views = 0;
  each_view(s, [&](const View&) { ++views; });
  const std::size_t width = (views + 63) / 64;
  std::vector<std::uint64_t> bits(s.records * width, 0);
  std::size_t view = 0;
  each_view(s, [&](const View& v) {
    v.each([&](Record r) { bits[r * width + view / 64] |= std::uint64_t{1} << (view % 64); });
    ++view;
  });
  const auto column = [&](Record r) { return std::span(bits).subspan(r * width, width); };
  const auto known_where = [&](Record a, Record b) {  // b is known wherever a is
    for (std::size_t w = 0; w < width; ++w)
      if ((bits[a * width + w] & ~bits[b * width + w]) != 0) return false;
    return true;
  };
  std::vector<Record> same_as(s.records);
  std::iota(same_as.begin(), same_as.end(), 0);
  if (reductions_.merge) {
    const auto before = [&](Record a, Record b) { return std::ranges::lexicographical_compare(column(a), column(b)); };
    std::set<Record, decltype(before)> first(before);
    for (Record r = 0; r < s.records; ++r)
      if (used[r]) same_as[r] = *first.insert(r).first;
    if (mutation() == Mutation::records_merged_unseen) {
      const auto some = std::find(used.begin(), used.end(), true) - used.begin();
      for (Record r = 0; r < s.records; ++r)
        if (used[r]) same_as[r] = static_cast<Record>(some);
    }
  }
  // Of accesses of one kind, those that nobody misses who does not miss another one.
  for (std::size_t cell = 0; cell < s.cells.size(); ++cell) {
    if (s.cells.read(cell).accesses.empty()) continue;
    Cell& c = s.cells[cell];
    const auto kind = [](const PastAccess& a) { return std::tuple(a.write, a.strong, a.level, a.place); };
    for (PastAccess& a : c.accesses) a.record = same_as[a.record];
    if (!reductions_.merge) continue;
    std::vector<PastAccess> kept;
    for (std::size_t n = 0; n < c.accesses.size(); ++n) {
      const PastAccess& a = c.accesses[n];
      bool needed = true;
      for (std::size_t m = 0; m < c.accesses.size() && needed; ++m) {
        const PastAccess& b = c.accesses[m];
        if (n != m && kind(a) == kind(b) && known_where(b.record, a.record))
          needed = !known_where(a.record, b.record) ? false : n < m;
      }
      if (needed) kept.push_back(a);
    }
    c.accesses = std::move(kept);
  }
  std::vector<Record> number(s.records, no_record);
  Record next = 0;
  const auto name = [&](Record& r) {
    if (r == no_record) return;
    Record& n = number[same_as[r]];
    if (n == no_record) n = next++;
    r = n;
  };
  for (std::size_t cell = 0; cell < s.cells.size(); ++cell) {
    if (s.cells.read(cell).messages.empty()) continue;
    Cell& c = s.cells[cell];
    for (Message& m : c.messages) name(m.record);
    for (PastAccess& a : c.accesses) name(a.record);
  }
  each_view(s, [&](View& v) {
    View renumbered;
    v.each([&](Record r) {
      if (number[same_as[r]] != no_record) renumbered.add(number[same_as[r]]);
    });
    v = std::move(renumbered);
  });
  const auto drop_empty = [](Structure& structure) {
    std::erase_if(structure.views(), [](const auto& entry) { return entry.second.empty(); });
  };
  for (std::size_t id = 0; id < s.threads.size(); ++id) {
    Thread& t = s.threads[id];
    drop_empty(t.fences);
    for (auto& [c, structure] : t.own) drop_empty(structure);
    for (auto& [c, structure] : t.taken) drop_empty(structure);
    std::erase_if(t.own, [](const auto& e) { return e.second.empty(); });
    std::erase_if(t.taken, [](const auto& e) { return e.second.empty(); });
  }
  for (std::size_t cell = 0; cell < s.cells.size(); ++cell) {
    if (s.cells.read(cell).messages.empty()) continue;
    for (Message& m : s.cells[cell].messages) drop_empty(m.released);
  }
  drop_empty(s.fence_sc);
  s.records = next;
}

}  // namespace fencewise::view
