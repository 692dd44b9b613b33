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
      for (Level l = 0; l <= h.top(); ++l)
        if (h.by_cta(l) && entry.first >= h.first_of(l) && entry.first < h.first_of(l) + h.ctas())
          return bool{gone[entry.first - h.first_of(l)]};
      return false;
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
    Cell& c = s.cells[number];
    if (c.messages.empty()) continue;
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
    const Message& first = c.messages.front();
    if (c.messages.size() == 1 && first.initial && c.accesses.empty()) c = Cell();
  }
}

// --- Interchangeable CTAs ---

// What can be seen of each CTA whatever its name; equal for CTAs that are interchangeable. First what does not depend on what is
// known, then how much is: states that differ in that alone then have their CTAs in the same order, and one may subsume the other.
std::vector<NormalForm::Colour> NormalForm::colours(const State& s) {
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
  // What records are attached to, and which views have them. `where` means the same for all CTAs.
  struct Attached {
    Record record;
    std::uint64_t where;
    std::uint32_t home, place;  // CTAs, or nobody
  };
  struct Holder {
    const View* view;
    std::uint64_t where;
    std::uint32_t home, group;  // CTAs, or nobody
  };
  std::vector<Attached> attached;
  std::vector<Holder> holders;
  const Hierarchy& h = machine_.hierarchy();
  const auto hold = [&](const Structure& structure, std::uint64_t where, std::uint32_t home) {
    for (const auto& [g, v] : structure.views()) {
      Holder holder{&v, mix(where, 43), home, nobody};
      for (Level l = 0; l <= h.top(); ++l)
        if (h.by_cta(l) && g >= h.first_of(l) && g < h.first_of(l) + h.ctas()) {
          holder.where = mix(where, l);
          holder.group = g - h.first_of(l);
        }
      if (holder.group == nobody) holder.where = mix(where, g);
      holders.push_back(holder);
    }
  };
  const auto cell_at = [&](CellId number) {
    const Location& l = machine_.locations()[number];
    const auto home = symmetry_->home(l);
    return std::pair(home ? mix(2, home->place) : mix(mix(3, l.storage), l.offset), home ? home->cta : nobody);
  };
  for (CellId number = 0; number < s.cells.size(); ++number) {
    const Cell& c = s.cells[number];
    if (c.messages.empty()) continue;
    const auto [where, home] = cell_at(number);
    for (std::size_t n = 0; n < c.messages.size(); ++n) {
      const Message& m = c.messages[n];
      const std::uint64_t seen = look(m.value, mix(where, n), home);
      const std::uint32_t place = m.strong && m.place < colour.size() ? m.place : nobody;
      if (home != nobody) colour[home] += seen;
      if (place != nobody) colour[place] += mix(where, n + 100);
      if (m.record < s.records) attached.push_back({m.record, mix(where, n + 200), home, place});
      if (!m.seen.empty()) holders.push_back({&m.seen, mix(where, n + 300), home, nobody});
      hold(m.released, mix(where, n + 400), home);
    }
    for (const PastAccess& a : c.accesses) {
      const std::uint64_t what = mix(where, std::uint64_t{a.level} << 2U | std::uint64_t{a.strong} << 1U | std::uint64_t{a.write});
      const std::uint32_t place = a.strong && a.place < colour.size() ? a.place : nobody;
      if (a.record < s.records) attached.push_back({a.record, what, home, place});
    }
  }
  for (ThreadId id = 0; id < s.threads.size(); ++id) {
    const Thread& t = s.threads[id];
    const std::uint32_t cta = image.cta_of[id];
    const std::uint64_t who = mix(13, image.threads[id].coordinates.index_in_cta);
    if (!t.known.empty()) holders.push_back({&t.known, who, cta, nobody});
    hold(t.fences, mix(who, 17), cta);
    for (const auto* by_cell : {&t.own, &t.taken})
      for (const auto& [number, structure] : *by_cell) {
        const auto [where, home] = cell_at(number);
        hold(structure, mix(mix(who, by_cell == &t.own ? 19 : 23), mix(where, static_cast<std::uint64_t>(home == cta))), cta);
      }
  }
  for (const Arrival& a : s.arrivals)
    holders.push_back({&a.known, mix(mix(29, a.id), image.threads[a.thread].coordinates.index_in_cta), image.cta_of[a.thread], nobody});
  hold(s.fence_sc, 31, nobody);

  const std::vector<std::uint64_t> without_knowledge = colour;
  std::vector<std::uint64_t> weight(s.records, 0), amount(colour.size(), 0);
  for (const Attached& a : attached) ++weight[a.record];
  for (ThreadId id = 0; id < s.threads.size(); ++id)
    s.threads[id].known.each([&](Record r) { amount[image.cta_of[id]] += r < s.records ? weight[r] : 0; });
  const auto result = [&] {
    std::vector<Colour> all;
    for (std::size_t c = 0; c < colour.size(); ++c) all.emplace_back(without_knowledge[c], amount[c], colour[c]);
    return all;
  };
  // Tell apart what is connected in different ways, until no more can be told.
  const auto count = [&] { return std::set<std::uint64_t>(colour.begin(), colour.end()).size(); };
  const auto of = [&](std::uint32_t cta) { return cta == nobody ? 0 : mix(colour[cta], 37); };
  for (std::size_t told = count();;) {
    std::vector<std::uint64_t> record(s.records, 0);
    for (const Attached& a : attached) record[a.record] += mix(mix(a.where, of(a.home)), of(a.place));
    std::vector<std::uint64_t> known = record;
    for (const Holder& holder : holders) {
      const std::uint64_t by = mix(mix(holder.where, of(holder.home)), of(holder.group));
      holder.view->each([&](Record r) {
        if (r < s.records) known[r] += by;
      });
    }
    std::vector<std::uint64_t> next = colour;
    for (const Attached& a : attached)
      for (const std::uint32_t cta : {a.home, a.place})
        if (cta != nobody) next[cta] += mix(mix(a.where, 47), known[a.record]);
    for (const Holder& holder : holders) {
      if (holder.home == nobody && holder.group == nobody) continue;
      std::uint64_t all = 0;
      holder.view->each([&](Record r) {
        if (r < s.records) all += mix(known[r], 53);
      });
      for (const std::uint32_t cta : {holder.home, holder.group})
        if (cta != nobody) next[cta] += mix(holder.where, all);
    }
    colour = std::move(next);
    const std::size_t now = count();
    if (now == told || now == colour.size()) return result();
    told = now;
  }
}

void NormalForm::order_ctas(State& s) {
  const std::vector<Colour> colour = colours(s);
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
  const std::vector<Colour> colour = colours(s);
  std::string control;
  KnowledgeTable table;
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
      if (control.empty()) {
        control = encode_control(s);
        table = table_of(s);
      }
      return control == encode_control(swapped) && table == table_of(swapped);
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
  for (Cell& c : s.cells) {
    if (c.accesses.empty()) continue;
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
  for (Cell& c : s.cells) {
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
