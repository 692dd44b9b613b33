#include "checker/explore/view/normal_form.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "checker/explore/memory_image.h"

namespace fencewise::view {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9e37'79b9'7f4a'7c15U + (a << 6U) + (a >> 2U))) * 0xbf58'476d'1ce4'e5b9U;
  x ^= x >> 31U;
  return x * 0x94d0'49bb'1331'11ebU;
}

// Every view of a state, in an order that does not depend on the path.
template <class StateRef, class F> void each_view(StateRef& s, F&& f) {
  const auto structure = [&](auto& st) {
    for (auto& [g, v] : st.views()) f(v);
  };
  for (auto& t : s.threads) {
    f(t.known);
    structure(t.fences);
    for (auto& [c, st] : t.own) structure(st);
    for (auto& [c, st] : t.taken) structure(st);
  }
  for (auto& c : s.cells)
    for (auto& m : c.messages) {
      f(m.seen);
      structure(m.released);
    }
  for (auto& a : s.arrivals) f(a.known);
  structure(s.fence_sc);
}

bool live(const Thread& t) { return t.status != Status::exited && t.status != Status::faulted; }

}  // namespace

NormalForm::NormalForm(Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions)
    : machine_(machine), symmetry_(symmetry), reductions_(reductions) {
  if (symmetry == nullptr) return;
  const Problem& problem = machine.context().problem;
  symbols_.resize(symmetry->ctas());
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    const Slots& slots = symmetry->slots(BufferId{b});
    if (!slots.any()) continue;
    const Buffer& buffer = problem.buffers[b];
    const std::uint64_t elements = slots.bytes / size_of(buffer.element);
    for (std::uint64_t i = 0; i < buffer.length; ++i) {
      const auto cta = slots.owner[i / elements];
      if (!cta) continue;
      for (std::uint32_t replay = 0; replay <= replays; ++replay) {
        const Value symbol = symbol_of(buffer, i, replay, machine.context().terms);
        symbol_.emplace(symbol.term(), Symbol{*cta, static_cast<std::uint32_t>(symbols_[*cta].size())});
        symbols_[*cta].push_back(symbol);
      }
    }
  }
}

void NormalForm::apply(State& s) {
  forget(s);
  if (symmetry_ != nullptr) order_ctas(s);
  number_records(s);
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
      t.segment = no_record;
      continue;
    }
    const Future& future = machine_.future(id);
    fences_sc |= future.fence_sc(at);
    if (!future.strong_write(at)) t.fences.clear();
    std::erase_if(t.own, [&](const auto& entry) {
      return (machine_.doing(s, id, machine_.locations()[entry.first].storage) & Doing::strong_write) == 0;
    });
    if (!future.acquire_fence(at))
      std::erase_if(t.taken, [&](const auto& entry) {
        return (machine_.doing(s, id, machine_.locations()[entry.first].storage) & Doing::acquire) == 0;
      });
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
      for (Level l = 0; l <= h.top(); ++l)
        if (h.by_cta(l) && entry.first >= h.first_of(l) && entry.first < h.first_of(l) + h.ctas())
          return bool{gone[entry.first - h.first_of(l)]};
      return false;
    });
  };
  drop_gone(s.fence_sc);

  // Who may still access what, by storage.
  struct Accessors {
    std::vector<std::pair<ThreadId, std::uint8_t>> threads;  // with Doing bits
    std::uint8_t any = 0;
    bool acquires = false;  // some reads strongly, and may acquire by it
  };
  std::map<std::uint32_t, Accessors> by_storage;
  const auto accessors_of = [&](std::uint32_t storage) -> const Accessors& {
    const auto [it, fresh] = by_storage.try_emplace(storage);
    if (!fresh) return it->second;
    for (ThreadId t = 0; t < s.threads.size(); ++t) {
      const std::uint8_t bits = machine_.doing(s, t, storage);
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
    Cell& c = s.cells[number];
    if (c.messages.empty()) continue;
    const std::uint32_t storage = machine_.locations()[number].storage;
    const Accessors& who = accessors_of(storage);
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
      if (m.strong && m.place < h.ctas()) m.place = place[m.place];
      if ((who.any & Doing::strong_read) == 0) m.seen.clear();
      if (!who.acquires) m.released.clear();
      drop_gone(m.released);
    }
    // Past accesses that nothing can race with.
    if (mutation() == Mutation::strong_accesses_forgotten)
      std::erase_if(c.accesses, [](const PastAccess& a) { return a.strong; });
    std::erase_if(c.accesses, [&](PastAccess& a) {
      if (a.strong && a.place < h.ctas()) a.place = place[a.place];
      return std::none_of(who.threads.begin(), who.threads.end(), [&](const auto& accessor) {
        const auto& [t, bits] = accessor;
        const std::uint8_t conflicting = a.write ? bits : bits & ~Doing::any_read;
        if ((conflicting & (Doing::any_read | Doing::any_write)) == 0 || s.threads[t].known.knows(a.record)) return false;
        if (!a.strong || (conflicting & Doing::any_weak) != 0 || (bits & Doing::narrow) != 0) return true;
        return !h.reaches(cta_of[t], h.top(), a.place) || !h.reaches(a.place, a.level, cta_of[t]);
      });
    });
    const Message& first = c.messages.front();
    if (c.messages.size() == 1 && first.initial && c.accesses.empty()) c = Cell();
  }
}

// --- Interchangeable CTAs ---

// What can be seen of each CTA whatever its name; equal for CTAs that are interchangeable.
std::vector<std::uint64_t> NormalForm::colours(const State& s) {
  const auto& image = machine_.context().image;
  const Terms& terms = machine_.context().terms;
  std::vector<std::uint64_t> colour(symmetry_->ctas());
  for (std::uint32_t c = 0; c < colour.size(); ++c) colour[c] = mix(symmetry_->role(c), 41);
  // A value at a place that means the same for all CTAs. Returns what can be seen of it without names.
  const auto look = [&](Value v, std::uint64_t where, std::uint32_t home) {
    if (v.is_number()) return mix(where, v.bits());
    std::uint64_t seen = mix(where, 0);
    std::uint64_t named = 0;
    terms.each_symbol(v, [&](std::uint32_t term, std::uint64_t context) {
      const auto it = symbol_.find(term);
      if (it == symbol_.end()) {
        seen += mix(term, context);
        return;
      }
      const auto [cta, role] = it->second;
      const std::uint64_t occurrence = mix(mix(role, context), static_cast<std::uint64_t>(cta == home));
      named += occurrence;
      colour[cta] += mix(where, occurrence);
    });
    return seen + named;
  };
  constexpr std::uint32_t nobody = ~0U;
  for (ThreadId id = 0; id < s.threads.size(); ++id) {
    const Thread& t = s.threads[id];
    const std::uint32_t cta = image.cta_of[id];
    const std::uint64_t who = mix(1, image.threads[id].coordinates.index_in_cta);
    colour[cta] += mix(who, mix(static_cast<std::uint64_t>(t.status), std::uint64_t{t.state.block.value} << 32U | t.state.index));
    for (std::uint32_t r = 0; r < t.state.registers.size(); ++r)
      if (t.state.registers[r] != Value()) colour[cta] += look(t.state.registers[r], mix(who, r + 7), cta);
  }
  std::vector<std::uint64_t> record(s.records, 0);  // what can be seen of a record
  std::vector<std::pair<std::uint32_t, Record>> owned;
  for (CellId number = 0; number < s.cells.size(); ++number) {
    const Cell& c = s.cells[number];
    if (c.messages.empty()) continue;
    const Location& l = machine_.locations()[number];
    const auto home = symmetry_->home(l);
    const std::uint64_t where = home ? mix(2, home->place) : mix(mix(3, l.storage), l.offset);
    const std::uint32_t cta = home ? home->cta : nobody;
    for (std::size_t n = 0; n < c.messages.size(); ++n) {
      const Message& m = c.messages[n];
      const std::uint64_t seen = look(m.value, mix(where, n), cta);
      if (home) colour[cta] += seen;
      if (m.strong && m.place < colour.size()) colour[m.place] += mix(where, n + 100);
      if (m.record < record.size()) {
        record[m.record] += mix(where, n + 200);
        if (home) owned.emplace_back(cta, m.record);
      }
    }
    for (const PastAccess& a : c.accesses) {
      const std::uint64_t what = mix(where, std::uint64_t{a.level} << 2U | std::uint64_t{a.strong} << 1U | std::uint64_t{a.write});
      if (a.record < record.size()) record[a.record] += what;
      if (home) owned.emplace_back(cta, a.record);
      if (a.strong && a.place < colour.size()) {
        colour[a.place] += mix(what, 5);
        owned.emplace_back(a.place, a.record);
      }
    }
  }
  // Who knows what.
  const std::vector<std::uint64_t> first = colour;
  for (const auto& [cta, r] : owned)
    if (r < record.size()) record[r] += mix(first[cta], 11);
  std::vector<std::uint64_t> known_to(s.records, 0);
  for (ThreadId id = 0; id < s.threads.size(); ++id) {
    const std::uint32_t cta = image.cta_of[id];
    s.threads[id].known.each([&](Record r) {
      if (r >= s.records) return;
      colour[cta] += mix(record[r], 13);
      known_to[r] += mix(first[cta], 17);
    });
  }
  for (CellId number = 0; number < s.cells.size(); ++number)
    for (std::size_t n = 0; n < s.cells[number].messages.size(); ++n) {
      const Message& m = s.cells[number].messages[n];
      if (symmetry_->home(machine_.locations()[number])) continue;
      const std::uint64_t where = mix(mix(19, number), n);
      m.seen.each([&](Record r) { known_to[r] += where; });
      for (const auto& [g, v] : m.released.views()) v.each([&](Record r) { known_to[r] += mix(where, 23); });
    }
  for (const auto& [g, v] : s.fence_sc.views()) v.each([&](Record r) { known_to[r] += 29; });
  for (const auto& [cta, r] : owned)
    if (r < record.size()) colour[cta] += mix(known_to[r], 31);
  return colour;
}

void NormalForm::order_ctas(State& s) {
  const std::vector<std::uint64_t> colour = colours(s);
  std::vector<std::uint32_t> names(colour.size());
  std::iota(names.begin(), names.end(), 0);
  bool ordered = true;
  for (const auto& members : symmetry_->members()) {
    std::vector<std::uint32_t> order = members;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return colour[a] < colour[b]; });
    for (std::size_t n = 0; n < order.size(); ++n) names[order[n]] = members[n];
    ordered &= order == members;
  }
  if (!ordered) rename(s, names);
}

// Calls each CTA c names[c].
void NormalForm::rename(State& s, const std::vector<std::uint32_t>& names) {
  const Hierarchy& h = machine_.hierarchy();
  auto& table = machine_.locations();
  const auto cell_name = [&](CellId c) { return table.number(symmetry_->renamed(table[c], names)); };
  const auto regroup = [&](Structure& structure) {
    bool changed = false;
    for (auto& [g, v] : structure.views())
      for (Level l = 0; l <= h.top(); ++l)
        if (h.by_cta(l) && g >= h.first_of(l) && g < h.first_of(l) + h.ctas()) {
          g = h.first_of(l) + names[g - h.first_of(l)];
          changed = true;
          break;
        }
    if (changed)
      std::sort(structure.views().begin(), structure.views().end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
  };
  std::unordered_map<std::uint32_t, Value> symbols;
  for (std::uint32_t c = 0; c < names.size(); ++c)
    if (names[c] != c)
      for (std::size_t role = 0; role < symbols_[c].size(); ++role) symbols[symbols_[c][role].term()] = symbols_[names[c]][role];
  const auto revalue = [&](Value& v) {
    if (!v.is_number()) v = machine_.context().terms.substitute(v, symbols);
  };
  const auto by_cell = [&](std::map<CellId, Structure>& structures) {
    std::map<CellId, Structure> renamed;
    for (auto& [c, structure] : structures) {
      regroup(structure);
      renamed.emplace(cell_name(c), std::move(structure));
    }
    structures = std::move(renamed);
  };

  std::vector<Thread> threads(s.threads.size());
  std::vector<std::uint32_t> sequence(s.sequence.size()), cta_names(s.cta_names.size());
  const auto thread_name = [&](ThreadId t) {
    const auto& image = machine_.context().image;
    return machine_.threads_of(names[image.cta_of[t]])[image.threads[t].coordinates.index_in_cta];
  };
  for (ThreadId t = 0; t < s.threads.size(); ++t) {
    Thread& thread = s.threads[t];
    for (Value& v : thread.state.registers) revalue(v);
    regroup(thread.fences);
    by_cell(thread.own);
    by_cell(thread.taken);
    if (!sequence.empty()) sequence[thread_name(t)] = s.sequence[t];
    threads[thread_name(t)] = std::move(thread);
  }
  s.threads = std::move(threads);
  s.sequence = std::move(sequence);
  for (std::uint32_t c = 0; c < cta_names.size(); ++c) cta_names[names[c]] = s.cta_names[c];
  s.cta_names = std::move(cta_names);

  std::vector<Cell> cells(s.cells.size());
  for (CellId number = 0; number < s.cells.size(); ++number) {
    Cell& c = s.cells[number];
    if (c.messages.empty()) continue;
    for (Message& m : c.messages) {
      revalue(m.value);
      if (m.strong && m.place < names.size()) m.place = names[m.place];
      regroup(m.released);
    }
    for (PastAccess& a : c.accesses)
      if (a.strong && a.place < names.size()) a.place = names[a.place];
    const CellId to = cell_name(number);
    if (cells.size() <= to) cells.resize(to + 1);
    cells[to] = std::move(c);
  }
  s.cells = std::move(cells);
  for (Arrival& a : s.arrivals) {
    a.thread = thread_name(a.thread);
    revalue(a.predicate);
  }
  std::sort(s.arrivals.begin(), s.arrivals.end(), [](const Arrival& a, const Arrival& b) {
    return std::pair(a.thread, a.id) < std::pair(b.thread, b.id);
  });
  regroup(s.fence_sc);
}

std::vector<std::uint32_t> NormalForm::representatives(const State& s) {
  std::vector<std::uint32_t> kept;
  if (symmetry_ == nullptr) {
    for (std::uint32_t c = 0; c < machine_.hierarchy().ctas(); ++c) kept.push_back(c);
    return kept;
  }
  const std::vector<std::uint64_t> colour = colours(s);
  Encoding mine;
  for (std::uint32_t c = 0; c < symmetry_->ctas(); ++c) {
    const auto& threads = machine_.threads_of(c);
    if (std::none_of(threads.begin(), threads.end(), [&](ThreadId t) { return Machine::may_move(s, t); })) continue;
    if (mutation() == Mutation::one_cta_for_all && !kept.empty()) continue;
    const bool again = std::any_of(kept.begin(), kept.end(), [&](std::uint32_t other) {
      if (colour[other] != colour[c] || symmetry_->role(other) != symmetry_->role(c)) return false;
      std::vector<std::uint32_t> names(symmetry_->ctas());
      std::iota(names.begin(), names.end(), 0);
      std::swap(names[other], names[c]);
      State swapped = s;
      rename(swapped, names);
      number_records(swapped);
      if (mine.control.empty()) mine = encode(s);
      const Encoding theirs = encode(swapped);
      return mine.control == theirs.control && mine.known == theirs.known;
    });
    if (!again) kept.push_back(c);
  }
  return kept;
}

// --- Records ---

void NormalForm::number_records(State& s) {
  std::vector<bool> used(s.records, false);
  for (const Cell& c : s.cells) {
    for (const Message& m : c.messages)
      if (m.record != no_record) used[m.record] = true;
    for (const PastAccess& a : c.accesses) used[a.record] = true;
  }
  // A record's column: which views have it.
  std::vector<std::uint64_t> column(s.records, 0);
  std::vector<std::uint32_t> height(s.records, 0);
  std::uint64_t view = 0;
  each_view(s, [&](const View& v) {
    ++view;
    v.each([&](Record r) {
      if (!used[r]) return;
      column[r] += mix(view, 37);
      ++height[r];
    });
  });
  std::vector<Record> same_as(s.records);
  std::iota(same_as.begin(), same_as.end(), 0);
  if (reductions_.merge) {
    std::unordered_map<std::uint64_t, Record> first;
    for (Record r = 0; r < s.records; ++r)
      if (used[r]) same_as[r] = first.try_emplace(column[r], r).first->second;
    if (mutation() == Mutation::records_merged_unseen) {
      const auto some = std::find(used.begin(), used.end(), true) - used.begin();
      for (Record r = 0; r < s.records; ++r)
        if (used[r]) same_as[r] = static_cast<Record>(some);
    }
    if (mutation() != Mutation::records_merged_unseen) each_view(s, [&](const View& v) {  // columns were compared by a hash: make sure
      v.each([&](Record r) {
        if (used[r] && same_as[r] != r && (!v.knows(same_as[r]) || height[r] != height[same_as[r]])) same_as[r] = r;
      });
    });
  }
  std::vector<Record> number(s.records, no_record);
  Record next = 0;
  const auto name = [&](Record& r) {
    if (r == no_record) return;
    Record& n = number[same_as[r]];
    if (n == no_record) n = next++;
    r = n;
  };
  for (Cell& c : s.cells) {
    for (PastAccess& a : c.accesses) a.record = same_as[a.record];
    std::sort(c.accesses.begin(), c.accesses.end(), [&](const PastAccess& a, const PastAccess& b) {
      return std::tuple(a.write, a.strong, a.level, a.place, column[a.record], a.record) <
             std::tuple(b.write, b.strong, b.level, b.place, column[b.record], b.record);
    });
    c.accesses.erase(std::unique(c.accesses.begin(), c.accesses.end(),
                                 [](const PastAccess& a, const PastAccess& b) {
                                   return std::tuple(a.write, a.strong, a.level, a.place, a.record) ==
                                          std::tuple(b.write, b.strong, b.level, b.place, b.record);
                                 }),
                     c.accesses.end());
    for (Message& m : c.messages) name(m.record);
    for (PastAccess& a : c.accesses) name(a.record);
  }
  each_view(s, [&](View& v) {
    View renumbered;
    v.each([&](Record r) {
      if (used[r]) renumbered.add(number[same_as[r]]);
    });
    v = std::move(renumbered);
  });
  for (Thread& t : s.threads)
    if (t.segment != no_record) t.segment = used[t.segment] ? number[same_as[t.segment]] : no_record;
  const auto drop_empty = [](Structure& structure) {
    std::erase_if(structure.views(), [](const auto& entry) { return entry.second.empty(); });
  };
  for (Thread& t : s.threads) {
    drop_empty(t.fences);
    for (auto& [c, structure] : t.own) drop_empty(structure);
    for (auto& [c, structure] : t.taken) drop_empty(structure);
    std::erase_if(t.own, [](const auto& e) { return e.second.empty(); });
    std::erase_if(t.taken, [](const auto& e) { return e.second.empty(); });
  }
  for (Cell& c : s.cells)
    for (Message& m : c.messages) drop_empty(m.released);
  drop_empty(s.fence_sc);
  s.records = next;
}

}  // namespace fencewise::view
