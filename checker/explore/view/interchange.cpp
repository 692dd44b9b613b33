#include "checker/explore/view/interchange.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "checker/explore/memory_image.h"
#include "checker/explore/mix.h"
#include "checker/explore/view/table_trade.h"

namespace fencewise::view {

Interchange::Interchange(Machine& machine, const Symmetry& symmetry, std::uint32_t replays) : machine_(machine), symmetry_(symmetry) {
  const Problem& problem = machine.context().problem;
  symbols_.resize(symmetry.ctas());
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    const Slots& slots = symmetry.slots(BufferId{b});
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

// What can be seen of each CTA whatever its name; equal for CTAs that are interchangeable. First what does not depend on what is
// known, then how much is: states that differ in that alone then have their CTAs in the same order, and one may subsume the other.
std::vector<Interchange::Colour> Interchange::colours(const State& s) {
  const auto& image = machine_.context().image;
  const Terms& terms = machine_.context().terms;
  std::vector<std::uint64_t> colour(symmetry_.ctas());
  for (std::uint32_t c = 0; c < colour.size(); ++c) colour[c] = mix(symmetry_.role(c), 41);
  // A value at a place that means the same for all CTAs. Returns what can be seen of it without names.
  const auto look = [&](Value v, std::uint64_t where, std::uint32_t home) {
    if (v.is_number()) return mix(where, v.bits());
    if (is_fixed(v)) return mix(where, mix(v.term(), 3));
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
  for (ThreadId id = 0; id < s.threads.size(); ++id) {
    const Thread& t = s.threads[id];
    const std::uint32_t cta = image.cta_of[id];
    const std::uint64_t who = mix(1, image.threads[id].coordinates.index_in_cta);
    colour[cta] += mix(who, mix(static_cast<std::uint64_t>(t.status) << 1U | std::uint64_t{t.looked}, std::uint64_t{t.state.block.value} << 32U | t.state.index));
    for (std::uint32_t r = 0; r < t.state.registers.size(); ++r)
      if (t.state.registers[r] != Value()) colour[cta] += look(t.state.registers[r], mix(who, r + 7), cta);
  }
  // What records are attached to, and which views have them. `where` means the same for all CTAs.
  struct Attached {
    Record record;        // or
    const View* records;  // if not null
    std::uint64_t where;
    std::uint32_t home, place;  // CTAs, or nobody
  };
  const auto each_record = [](const Attached& a, const auto& f) {
    if (a.records != nullptr)
      a.records->each(f);
    else
      f(a.record);
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
      Holder holder{&v, 0, home, nobody};
      const auto own = h.cta_group(g);
      holder.where = mix(where, own ? own->level : g);
      if (own) holder.group = own->cta;
      holders.push_back(holder);
    }
  };
  const auto cell_at = [&](CellId number) {
    const Location& l = machine_.locations()[number];
    const auto home = this->home(number);
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
      if (m.record < s.records) attached.push_back({m.record, nullptr, mix(where, n + 200), home, place});
      if (!m.seen.empty()) holders.push_back({&m.seen, mix(where, n + 300), home, nobody});
      hold(m.released, mix(where, n + 400), home);
    }
    for (const auto& [kind, records, origins] : c.accesses) {
      const std::uint64_t what =
          mix(where, std::uint64_t{kind.level} << 2U | std::uint64_t{kind.strong} << 1U | std::uint64_t{kind.write});
      const std::uint32_t place = kind.strong && kind.place < colour.size() ? kind.place : nobody;
      attached.push_back({no_record, &records, what, home, place});
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
  for (const Attached& a : attached) each_record(a, [&](Record r) { ++weight[r]; });
  for (ThreadId id = 0; id < s.threads.size(); ++id)
    s.threads[id].known.each([&](Record r) { amount[image.cta_of[id]] += r < s.records ? weight[r] : 0; });
  const auto result = [&] {
    std::vector<Colour> all;
    for (std::size_t c = 0; c < colour.size(); ++c) all.emplace_back(without_knowledge[c], amount[c], colour[c]);
    return all;
  };
  // Tell apart what is connected in different ways, until no more can be told.
  std::vector<std::uint64_t> sorted;
  const auto count = [&] {
    sorted = colour;
    std::ranges::sort(sorted);
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  };
  const auto of = [&](std::uint32_t cta) { return cta == nobody ? 0 : mix(colour[cta], 37); };
  for (std::size_t told = count();;) {
    std::vector<std::uint64_t> record(s.records, 0);
    for (const Attached& a : attached) {
      const std::uint64_t by = mix(mix(a.where, of(a.home)), of(a.place));
      each_record(a, [&](Record r) { record[r] += by; });
    }
    std::vector<std::uint64_t> known = record;
    for (const Holder& holder : holders) {
      const std::uint64_t by = mix(mix(holder.where, of(holder.home)), of(holder.group));
      holder.view->each([&](Record r) {
        if (r < s.records) known[r] += by;
      });
    }
    for (std::uint64_t& k : known) k = mix(k, 53);
    std::vector<std::uint64_t> next = colour;
    const auto tell = [&](std::uint64_t all, std::uint64_t where, std::uint32_t one, std::uint32_t other) {
      for (const std::uint32_t cta : {one, other})
        if (cta != nobody) next[cta] += mix(where, all);
    };
    for (const Attached& a : attached) {
      std::uint64_t all = 0;
      each_record(a, [&](Record r) { all += known[r]; });
      tell(all, mix(a.where, 47), a.home, a.place);
    }
    for (const Holder& holder : holders) {
      std::uint64_t all = 0;
      holder.view->each([&](Record r) {
        if (r < s.records) all += known[r];
      });
      tell(all, holder.where, holder.home, holder.group);
    }
    colour = std::move(next);
    const std::size_t now = count();
    if (now == told || now == colour.size()) return result();
    told = now;
  }
}

namespace {

bool in_a_sweep(const State& s) {
  return std::any_of(s.threads.begin(), s.threads.end(), [](const Thread& t) { return !t.swept.empty(); });
}

}  // namespace

std::vector<std::uint32_t> Interchange::order(State& s) {
  if (in_a_sweep(s)) return {};
  const std::vector<Colour> colour = colours(s);
  std::vector<std::uint32_t> names(colour.size());
  std::iota(names.begin(), names.end(), 0);
  bool ordered = true;
  const auto comes_first = [&](std::uint32_t a, std::uint32_t b) { return colour[a] < colour[b]; };
  for (const auto& members : symmetry_.members()) {
    if (std::ranges::is_sorted(members, comes_first)) continue;
    ordered = false;
    // Who stands where one of its colour belongs stays there.
    std::vector<std::uint32_t> order = members, places, strangers;
    std::ranges::sort(order, comes_first);
    for (std::size_t n = 0; n < order.size(); ++n)
      if (colour[order[n]] != colour[members[n]]) places.push_back(members[n]), strangers.push_back(members[n]);
    std::ranges::stable_sort(strangers, comes_first);
    for (std::size_t n = 0; n < places.size(); ++n) names[strangers[n]] = places[n];
  }
  if (ordered) return {};
  rename(s, names);
  return names;
}

// Calls each CTA c names[c].
void Interchange::rename(State& s, const std::vector<std::uint32_t>& names) {
  const Hierarchy& h = machine_.hierarchy();
  auto& table = machine_.locations();
  const auto cell_name = [&](CellId c) { return home(c) ? table.number(symmetry_.renamed(table[c], names)) : c; };
  const auto regroup = [&](Structure& structure) {
    bool changed = false;
    for (auto& [g, v] : structure.views())
      changed |= std::exchange(g, h.renamed(g, names)) != g;
    if (changed)
      std::sort(structure.views().begin(), structure.views().end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
  };
  const auto revalue = [&](Value& v) { v = renamed_value(v, names); };
  const auto by_cell = [&](std::map<CellId, Structure>& structures) {
    std::map<CellId, Structure> renamed;
    for (auto& [c, structure] : structures) {
      regroup(structure);
      renamed.emplace(cell_name(c), std::move(structure));
    }
    structures = std::move(renamed);
  };

  SharedVector<Thread> threads(s.threads.size());
  std::vector<std::uint32_t> sequence(s.sequence.size()), cta_names(s.cta_names.size());
  const auto& cta_of = machine_.context().image.cta_of;
  const auto thread_name = [&](ThreadId t) { return machine_.counterpart(t, names[cta_of[t]]); };
  const auto stays = [&](Value v) { return v.is_number() || is_fixed(v); };
  const auto names_nobody = [&](const Thread& t) {
    return t.fences.empty() && t.own.empty() && t.taken.empty() &&
           std::all_of(t.state.registers.begin(), t.state.registers.end(), stays);
  };
  for (ThreadId t = 0; t < s.threads.size(); ++t) {
    if (!names_nobody(s.threads.read(t))) {
      Thread& thread = s.threads[t];
      for (Value& v : thread.state.registers) revalue(v);
      regroup(thread.fences);
      by_cell(thread.own);
      by_cell(thread.taken);
    }
    if (!sequence.empty()) sequence[thread_name(t)] = s.sequence[t];
    threads.take(thread_name(t), s.threads, t);
  }
  s.threads = std::move(threads);
  s.sequence = std::move(sequence);
  for (std::uint32_t c = 0; c < cta_names.size(); ++c) cta_names[names[c]] = s.cta_names[c];
  s.cta_names = std::move(cta_names);

  SharedVector<Cell> cells(s.cells.size());
  for (CellId number = 0; number < s.cells.size(); ++number) {
    if (s.cells.read(number).messages.empty()) continue;
    const auto named_place = [&](const auto& strong) { return strong.strong && strong.place < names.size(); };
    const Cell& old = s.cells.read(number);
    const bool plain =
        std::ranges::all_of(old.messages, [&](const Message& m) { return stays(m.value) && !named_place(m) && m.released.empty(); }) &&
        std::ranges::none_of(old.accesses, [&](const PastAccesses& a) { return named_place(a.kind); });
    if (!plain) {
      Cell& c = s.cells[number];
      for (Message& m : c.messages) {
        revalue(m.value);
        if (named_place(m)) m.place = names[m.place];
        regroup(m.released);
      }
      c.rename_accesses([&](AccessKind& k) {
        if (named_place(k)) k.place = names[k.place];
      });
    }
    const CellId to = cell_name(number);
    if (cells.size() <= to) cells.resize(to + 1);
    cells.take(to, s.cells, number);
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

// --- One of each class ---

// The value when each CTA c is called names[c].
Value Interchange::renamed_value(Value v, const std::vector<std::uint32_t>& names) {
  if (v.is_number() || is_fixed(v)) return v;
  if (const auto own = symbol_.find(v.term()); own != symbol_.end()) return symbols_[names[own->second.cta]][own->second.part];
  std::unordered_map<std::uint32_t, Value> symbols;
  machine_.context().terms.each_symbol(v, [&](std::uint32_t term, std::uint64_t) {
    if (const auto own = symbol_.find(term); own != symbol_.end())
      symbols[term] = symbols_[names[own->second.cta]][own->second.part];
  });
  return machine_.context().terms.substitute(v, symbols);
}

// Whether no renaming changes the value.
bool Interchange::is_fixed(Value v) {
  const auto [it, fresh] = fixed_.try_emplace(v.term(), true);
  if (!fresh) return it->second;
  bool named = false;
  machine_.context().terms.each_symbol(v, [&](std::uint32_t term, std::uint64_t) { named |= symbol_.contains(term); });
  bool fixed = !named;
  if (named && !symbol_.contains(v.term())) {
    fixed_[v.term()] = false;  // while it is looked at
    std::vector<std::uint32_t> names(symmetry_.ctas());
    std::iota(names.begin(), names.end(), 0);
    fixed = true;
    for (const auto& members : symmetry_.members())
      for (std::size_t n = 0; fixed && n + 1 < members.size(); ++n) {
        std::swap(names[members[n]], names[members[n + 1]]);
        fixed = renamed_value(v, names) == v;
        std::swap(names[members[n]], names[members[n + 1]]);
      }
  }
  return fixed_[v.term()] = fixed;
}

std::optional<Symmetry::Home> Interchange::home(CellId cell) {
  while (homes_.size() <= cell) homes_.push_back(symmetry_.home(machine_.locations()[static_cast<CellId>(homes_.size())]));
  return homes_[cell];
}

// Two CTAs of one state trade places: is it the same?
class Interchange::Trades {
 public:
  Trades(Interchange& i, const State& s, const TableView& table)
      : i_(i), s_(s), image_(i.machine_.context().image), names_(i.symmetry_.ctas()), cells_of_(names_.size()),
        named_elsewhere_(names_.size(), false), table_(table, owners(), i.symmetry_.ctas()) {
    std::iota(names_.begin(), names_.end(), 0);
    new_names_ = new_names();
    for (ThreadId t = 0; t < s.threads.size(); ++t)
      for (const Value v : s.threads[t].state.registers) note(v, image_.cta_of[t]);
    for (CellId number = 0; number < s.cells.size(); ++number) {
      const Cell& c = s.cells[number];
      if (c.messages.empty()) continue;
      const auto home = i_.home(number);
      const std::uint32_t owner = home ? home->cta : nobody;
      if (home) cells_of_[owner].emplace_back(home->place, number);
      for (const Message& m : c.messages) {
        note(m.value, owner);
        if (m.strong && m.place < names_.size() && m.place != owner) named_elsewhere_[m.place] = true;
      }
    }
    for (auto& cells : cells_of_) std::sort(cells.begin(), cells.end());
  }

  [[nodiscard]] bool leave_all_as_it_is(std::uint32_t a, std::uint32_t b) {
    std::swap(names_[a], names_[b]);
    const bool same = same_threads(a) && same_cells(a, b) && same_arrivals(a, b) &&
                      (!(named_elsewhere_[a] || named_elsewhere_[b]) || same_elsewhere(a, b)) && table_.stays(a, b, new_names_);
    std::swap(names_[a], names_[b]);
    return same;
  }

 private:
  // A value in the threads or locations of `owner`.
  void note(Value v, std::uint32_t owner) {
    if (v.is_number() || i_.is_fixed(v)) return;
    i_.machine_.context().terms.each_symbol(v, [&](std::uint32_t term, std::uint64_t) {
      if (const auto own = i_.symbol_.find(term); own != i_.symbol_.end() && own->second.cta != owner)
        named_elsewhere_[own->second.cta] = true;
    });
  }

  [[nodiscard]] Value value(Value v) const { return i_.renamed_value(v, names_); }
  [[nodiscard]] ThreadId thread(ThreadId t) const { return i_.machine_.counterpart(t, names_[image_.cta_of[t]]); }
  [[nodiscard]] CellId cell(CellId number) const {
    const auto home = i_.home(number);
    if (!home || names_[home->cta] == home->cta) return number;
    auto& table = i_.machine_.locations();
    return table.number(i_.symmetry_.renamed(table[number], names_));
  }

  [[nodiscard]] bool same_threads(std::uint32_t a) const {
    return std::ranges::all_of(i_.machine_.threads_of(a), [&](ThreadId id) {
      const Thread &t = s_.threads[id], &u = s_.threads[thread(id)];
      return t.status == u.status && t.deposited == u.deposited && t.looked == u.looked && t.past_barriers == u.past_barriers && t.state.block == u.state.block &&
             t.state.index == u.state.index && std::ranges::equal(t.state.registers, u.state.registers, {}, [&](Value v) { return value(v); });
    });
  }
  [[nodiscard]] bool same_cells(std::uint32_t a, std::uint32_t b) const {
    return std::ranges::equal(cells_of_[a], cells_of_[b], [&](const auto& x, const auto& y) {
      return x.first == y.first && same(s_.cells[x.second], s_.cells[y.second]);
    });
  }
  [[nodiscard]] bool same_arrivals(std::uint32_t a, std::uint32_t b) const {
    return std::ranges::all_of(s_.arrivals, [&](const Arrival& x) {
      const std::uint32_t cta = image_.cta_of[x.thread];
      return (cta != a && cta != b && x.predicate.is_number()) || arrival(x) < s_.arrivals.size();
    });
  }
  // What other threads and locations say of the two.
  [[nodiscard]] bool same_elsewhere(std::uint32_t a, std::uint32_t b) const {
    const auto stays = [&](Value v) { return value(v) == v; };
    for (ThreadId t = 0; t < s_.threads.size(); ++t) {
      const std::uint32_t cta = image_.cta_of[t];
      if (cta != a && cta != b && !std::ranges::all_of(s_.threads[t].state.registers, stays)) return false;
    }
    for (CellId number = 0; number < s_.cells.size(); ++number) {
      const auto home = i_.home(number);
      if (!(home && (home->cta == a || home->cta == b)) && !same(s_.cells[number], s_.cells[number])) return false;
    }
    return true;
  }
  [[nodiscard]] bool same(const Cell& c, const Cell& d) const {
    return std::equal(c.messages.begin(), c.messages.end(), d.messages.begin(), d.messages.end(), [&](const Message& m, const Message& o) {
      const Place place = m.strong && m.place < names_.size() ? names_[m.place] : m.place;
      return m.strong == o.strong && m.glued == o.glued && m.initial == o.initial && m.level == o.level &&
             place == o.place && value(m.value) == o.value;
    });
  }
  // Index of the arrival that corresponds to this one; beyond the end: there is none.
  [[nodiscard]] std::uint32_t arrival(const Arrival& x) const {
    const auto at = std::find_if(s_.arrivals.begin(), s_.arrivals.end(), [&](const Arrival& y) {
      return y.thread == thread(x.thread) && y.waits == x.waits && y.id == x.id && y.count == x.count && y.instance == x.instance &&
             y.predicate == value(x.predicate) && y.where == x.where;
    });
    return static_cast<std::uint32_t>(at - s_.arrivals.begin());
  }

  [[nodiscard]] TableOwners owners() const {
    return {.thread = [this](ThreadId t) { return image_.cta_of[t]; },
            .cell = [this](CellId c) { const auto home = i_.home(c); return home ? home->cta : nobody; },
            .place = [this](Place p) { return p < i_.symmetry_.ctas() ? p : nobody; },
            .group = [this](Structure::Group g) { const auto own = i_.machine_.hierarchy().cta_group(g); return own ? own->cta : nobody; },
            .arrival = [this](std::uint32_t n) { return image_.cta_of[s_.arrivals[n].thread]; }};
  }
  [[nodiscard]] TableNames new_names() const {
    return {.thread = [this](ThreadId t) { return thread(t); },
            .cell = [this](CellId c) { return cell(c); },
            .place = [this](Place p) { return p < names_.size() ? names_[p] : p; },
            .group = [this](Structure::Group g) { return i_.machine_.hierarchy().renamed(g, names_); },
            .arrival = [this](std::uint32_t n) { return arrival(s_.arrivals[n]); }};
  }

  Interchange& i_;
  const State& s_;
  const LaunchImage& image_;
  std::vector<std::uint32_t> names_;                                      // [cta] after the trade
  std::vector<std::vector<std::pair<std::uint64_t, CellId>>> cells_of_;  // [cta] its locations, by their places
  std::vector<bool> named_elsewhere_;                                     // [cta] outside its own threads and locations
  TableTrade table_;
  TableNames new_names_;
};

std::vector<std::vector<std::uint32_t>> Interchange::classes(const State& s, const TableView& table) {
  const bool told_apart = in_a_sweep(s);
  const std::vector<Colour> colour = told_apart ? std::vector<Colour>() : colours(s);
  std::optional<Trades> trades;
  std::vector<std::vector<std::uint32_t>> classes;
  for (std::uint32_t c = 0; c < symmetry_.ctas(); ++c) {
    const auto& threads = machine_.threads_of(c);
    if (std::none_of(threads.begin(), threads.end(), [&](ThreadId t) { return machine_.may_move(s, t); })) continue;
    const auto its = told_apart ? classes.end() : std::ranges::find_if(classes, [&](const auto& some) {
      const std::uint32_t other = some.front();
      if (colour[other] != colour[c] || symmetry_.role(other) != symmetry_.role(c)) return false;
      if (!trades) trades.emplace(*this, s, table);
      return trades->leave_all_as_it_is(other, c);
    });
    if (its == classes.end())
      classes.push_back({c});
    else
      its->push_back(c);
  }
  return classes;
}

}  // namespace fencewise::view
