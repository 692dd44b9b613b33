#include "checker/explore/view/interchange.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "checker/explore/memory_image.h"
#include "checker/explore/mix.h"

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
  const auto count = [&] { return std::set<std::uint64_t>(colour.begin(), colour.end()).size(); };
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

void Interchange::order(State& s) {
  if (in_a_sweep(s)) return;
  const std::vector<Colour> colour = colours(s);
  std::vector<std::uint32_t> names(colour.size());
  std::iota(names.begin(), names.end(), 0);
  bool ordered = true;
  for (const auto& members : symmetry_.members()) {
    std::vector<std::uint32_t> order = members;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return colour[a] < colour[b]; });
    for (std::size_t n = 0; n < order.size(); ++n) names[order[n]] = members[n];
    ordered &= order == members;
  }
  if (!ordered) rename(s, names);
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

// Two CTAs trade places: is the state the same?
class Interchange::Trade {
 public:
  Trade(Interchange& i, const State& s, std::uint32_t a, std::uint32_t b)
      : i_(i), s_(s), names_(i.symmetry_.ctas()) {
    std::iota(names_.begin(), names_.end(), 0);
    std::swap(names_[a], names_[b]);
  }

  [[nodiscard]] bool leaves_control() const {
    for (ThreadId id = 0; id < s_.threads.size(); ++id) {
      const Thread& t = s_.threads[id];
      const Thread& u = s_.threads[thread(id)];
      if (t.status != u.status || t.deposited != u.deposited || t.looked != u.looked || t.past_barriers != u.past_barriers || t.state.block != u.state.block || t.state.index != u.state.index ||
          t.state.registers.size() != u.state.registers.size())
        return false;
      for (std::size_t r = 0; r < t.state.registers.size(); ++r)
        if (value(t.state.registers[r]) != u.state.registers[r]) return false;
    }
    static const Cell nothing;
    for (CellId number = 0; number < s_.cells.size(); ++number) {
      const CellId to = cell(number);
      if (!same(s_.cells[number], to < s_.cells.size() ? s_.cells[to] : nothing)) return false;
    }
    return std::all_of(s_.arrivals.begin(), s_.arrivals.end(), [&](const Arrival& x) { return arrival(x) < s_.arrivals.size(); });
  }

  [[nodiscard]] KnowledgeTable of(const KnowledgeTable& table) const {
    const Hierarchy& h = i_.machine_.hierarchy();
    TableNames names;
    names.thread = [&](ThreadId t) { return thread(t); };
    names.cell = [&](CellId c) { return cell(c); };
    names.place = [&](Place p) { return p < names_.size() ? names_[p] : p; };
    names.group = [&](Structure::Group g) { return h.renamed(g, names_); };
    names.arrival = [&](std::uint32_t n) { return arrival(s_.arrivals[n]); };
    return renamed(table, names);
  }

 private:
  [[nodiscard]] Value value(Value v) const { return i_.renamed_value(v, names_); }
  [[nodiscard]] ThreadId thread(ThreadId t) const {
    return i_.machine_.counterpart(t, names_[i_.machine_.context().image.cta_of[t]]);
  }
  [[nodiscard]] CellId cell(CellId number) const {
    const auto home = i_.home(number);
    if (!home || names_[home->cta] == home->cta) return number;
    auto& table = i_.machine_.locations();
    return table.number(i_.symmetry_.renamed(table[number], names_));
  }
  [[nodiscard]] bool same(const Cell& c, const Cell& d) const {
    return std::equal(c.messages.begin(), c.messages.end(), d.messages.begin(), d.messages.end(), [&](const Message& m, const Message& o) {
      const Place place = m.strong && m.place < names_.size() ? names_[m.place] : m.place;
      return m.strong == o.strong && m.glued == o.glued && m.initial == o.initial && m.level == o.level && place == o.place &&
             value(m.value) == o.value;
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

  Interchange& i_;
  const State& s_;
  std::vector<std::uint32_t> names_;
};

std::vector<std::uint32_t> Interchange::representatives(const State& s, const KnowledgeTable& table) {
  const bool told_apart = in_a_sweep(s);
  const std::vector<Colour> colour = told_apart ? std::vector<Colour>() : colours(s);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t c = 0; c < symmetry_.ctas(); ++c) {
    const auto& threads = machine_.threads_of(c);
    if (std::none_of(threads.begin(), threads.end(), [&](ThreadId t) { return machine_.may_move(s, t); })) continue;
    const bool again = !told_apart && std::any_of(kept.begin(), kept.end(), [&](std::uint32_t other) {
      if (colour[other] != colour[c] || symmetry_.role(other) != symmetry_.role(c)) return false;
      const Trade trade(*this, s, other, c);
      return trade.leaves_control() && trade.of(table) == table;
    });
    if (!again) kept.push_back(c);
  }
  return kept;
}

}  // namespace fencewise::view
