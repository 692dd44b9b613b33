#include "checker/explore/view/knowledge_table.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "checker/explore/view/mutation.h"
#include "checker/explore/view/table_names.h"
#include "kernels/core/error.h"

namespace fencewise::view {
namespace {

using Words = std::span<const std::uint64_t>;

// Calls f(name, view) for every view of a state, by ascending names.
template <class StateRef, class F> void each_column(StateRef& s, F&& f) {
  for (std::size_t t = 0; t < s.threads.size(); ++t) {
    auto& thread = s.threads[t];
    f(name(OfThread::known, t), thread.known);
    for (auto& [g, v] : thread.fences.views()) f(name(OfThread::fences, t, 0, g), v);
    for (auto& [c, structure] : thread.own)
      for (auto& [g, v] : structure.views()) f(name(OfThread::own, t, c, g), v);
    for (auto& [c, structure] : thread.taken)
      for (auto& [g, v] : structure.views()) f(name(OfThread::taken, t, c, g), v);
  }
  for (std::size_t c = 0; c < s.cells.size(); ++c) {
    if (s.cells.read(c).messages.empty()) continue;
    auto& messages = s.cells[c].messages;
    for (std::size_t n = 0; n < messages.size(); ++n) f(name(OfMessage::seen, c, n), messages[n].seen);
    for (std::size_t n = 0; n < messages.size(); ++n)
      for (auto& [g, v] : messages[n].released.views()) f(name(OfMessage::released, c, n, g), v);
  }
  for (std::size_t n = 0; n < s.arrivals.size(); ++n) f(name(Holder::arrival, n), s.arrivals[n].known);
  for (auto& [g, v] : s.fence_sc.views()) f(name(Holder::fence_sc, 0, 0, 0, g), v);
}

// The view of that name; created where it is not there.
View& column(State& s, std::uint64_t name) {
  const Parts n(name);
  const auto cell = static_cast<CellId>(n.b);
  const auto group = static_cast<Structure::Group>(n.c);
  switch (static_cast<Holder>(n.first)) {
    case Holder::thread: {
      Thread& t = s.threads[n.a];
      switch (static_cast<OfThread>(n.which)) {
        case OfThread::known: return t.known;
        case OfThread::fences: return t.fences[group];
        case OfThread::own: return t.own[cell][group];
        case OfThread::taken: return t.taken[cell][group];
      }
      break;
    }
    case Holder::message: {
      Message& m = s.cells[n.a].messages[n.b];
      return static_cast<OfMessage>(n.which) == OfMessage::seen ? m.seen : m.released[group];
    }
    case Holder::arrival: return s.arrivals[n.a].known;
    case Holder::fence_sc: return s.fence_sc[group];
  }
  throw InternalError("view explorer: no such view");
}

template <class StateRef, class F> void each_cell(StateRef& s, F&& f) {
  for (CellId c = 0; c < s.cells.size(); ++c)
    if (!s.cells.read(c).messages.empty()) f(c, s.cells[c]);
}

struct Layout {
  explicit Layout(const TableView& table)
      : columns(table.columns.size()), records(table.records[0]), rows(table.rows.size()), width((columns + 63) / 64),
        row_width((records + 63) / 64), column_names(table.columns), row_names(table.rows), bits(table.records.subspan(1)),
        sets(table.sets) {}
  [[nodiscard]] Words record(std::size_t r) const { return bits.subspan(r * width, width); }
  [[nodiscard]] Words row(std::size_t r) const { return sets.subspan(r * row_width, row_width); }
  std::size_t columns, records, rows, width, row_width;
  Words column_names, row_names;

 private:
  Words bits, sets;
};

}  // namespace

// --- Numbers ---

Knowledge knowledge_of(const State& s, const ViewReductions& reductions) {
  View used;
  each_cell(s, [&](CellId, const Cell& c) {
    for (const Message& m : c.messages) used.add(m.record);
    for (const PastAccesses& a : c.accesses) used.merge(a.records);
  });
  std::vector<const View*> views;
  each_column(s, [&](std::uint64_t, const View& v) {
    if (!v.empty()) views.push_back(&v);
  });
  BitMatrix by_view(views.size(), s.records);
  for (std::size_t n = 0; n < views.size(); ++n) {
    const auto row = by_view.row(n);
    const auto &words = views[n]->words(), &mask = used.words();
    for (std::size_t w = 0; w < std::min(words.size(), mask.size()); ++w) row[w] = words[w] & mask[w];
  }
  const BitMatrix known_to = by_view.transposed();

  // In an order of which views know them; who is known to the same ones has one number.
  std::vector<Record> order;
  used.each([&](Record r) { order.push_back(r); });
  std::stable_sort(order.begin(), order.end(), [&](Record a, Record b) { return comes_first(known_to.row(a), known_to.row(b)); });
  const bool all_one = static_cast<Mutation>(reductions.mutation) == Mutation::records_merged_unseen;
  Knowledge k;
  std::vector<std::uint64_t> all;  // scratch
  k.number.assign(s.records, no_record);
  std::vector<Record> first;  // [number] a record of the state
  for (const Record r : order) {
    const bool same = !first.empty() && reductions.merge && (all_one || std::ranges::equal(known_to.row(first.back()), known_to.row(r)));
    if (!same) first.push_back(r);
    k.number[r] = static_cast<Record>(first.size() - 1);
  }

  // Past accesses of a kind: one that is known wherever another one is can't be missed alone.
  const std::size_t numbers = first.size();
  BitMatrix asked(numbers, numbers), known_with(numbers, numbers);  // [a][b]: was it looked at; b is another, known wherever a is
  const auto leave_out = [&](std::span<std::uint64_t> some) {
    all.assign(some.begin(), some.end());
    each_bit(all, [&](std::size_t one) {
      const auto asked_of = asked.row(one);
      for (std::size_t w = 0; w < all.size(); ++w) {
        for (std::uint64_t rest = all[w] & ~asked_of[w]; rest != 0; rest &= rest - 1) {
          const std::size_t other = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
          if (other != one && within(known_to.row(first[one]), known_to.row(first[other]))) known_with.set(one, other);
        }
        asked_of[w] |= all[w];
        some[w] &= ~known_with.row(one)[w];
      }
    });
  };
  std::size_t kinds = 0;
  each_cell(s, [&](CellId, const Cell& c) { kinds += c.accesses.size(); });
  k.accesses = BitMatrix(kinds, numbers);
  View needed;
  std::size_t kind = 0;
  each_cell(s, [&](CellId, const Cell& c) {
    for (const Message& m : c.messages)
      if (m.record != no_record) needed.add(k.number[m.record]);
    for (const PastAccesses& a : c.accesses) {
      a.records.each([&](Record r) { k.accesses.set(kind, k.number[r]); });
      const auto some = k.accesses.row(kind++);
      if (reductions.merge) leave_out(some);
      each_bit(some, [&](std::size_t r) { needed.add(static_cast<Record>(r)); });
    }
  });

  std::vector<Record> last(numbers, no_record);  // [number] without those that nobody needs any more
  std::vector<Record> kept;
  needed.each([&](Record r) {
    last[r] = static_cast<Record>(kept.size());
    kept.push_back(first[r]);
  });
  for (Record& r : k.number)
    if (r != no_record) r = last[r];
  if (kept.size() < numbers) {
    BitMatrix renumbered(kinds, kept.size());
    for (std::size_t n = 0; n < kinds; ++n) each_bit(k.accesses.row(n), [&](std::size_t r) { renumbered.set(n, last[r]); });
    k.accesses = std::move(renumbered);
  }
  k.views = BitMatrix(kept.size(), views.size());
  for (std::size_t r = 0; r < kept.size(); ++r) std::ranges::copy(known_to.row(kept[r]), k.views.row(r).begin());
  return k;
}

void renumber(State& s, const Knowledge& k) {
  const BitMatrix by_view = k.views.transposed();
  std::size_t n = 0;
  each_column(s, [&](std::uint64_t, View& v) {
    if (!v.empty()) v.assign(by_view.row(n++));
  });
  n = 0;
  each_cell(s, [&](CellId, Cell& c) {
    for (Message& m : c.messages)
      if (m.record != no_record) m.record = k.number[m.record];
    for (PastAccesses& a : c.accesses) {
      View records;
      records.assign(k.accesses.row(n++));
      std::vector<Origin> origins(a.origins.empty() ? 0 : k.views.rows(), no_origin);
      for (Record r = 0; r < a.origins.size(); ++r) {
        const Record to = k.number[r];
        if (!a.records.knows(r) || to == no_record || !records.knows(to) || a.origins[r] == no_origin) continue;
        if (origins[to] == no_origin || a.origins[r] < origins[to]) origins[to] = a.origins[r];
      }
      a.records = std::move(records);
      a.origins = std::move(origins);
    }
  });
  const auto drop_empty = [](Structure& structure) {
    std::erase_if(structure.views(), [](const auto& entry) { return entry.second.empty(); });
  };
  for (std::size_t t = 0; t < s.threads.size(); ++t) {
    Thread& thread = s.threads[t];
    drop_empty(thread.fences);
    for (auto* structures : {&thread.own, &thread.taken}) {
      for (auto& [c, structure] : *structures) drop_empty(structure);
      std::erase_if(*structures, [](const auto& entry) { return entry.second.empty(); });
    }
  }
  each_cell(s, [&](CellId, Cell& c) {
    for (Message& m : c.messages) drop_empty(m.released);
  });
  drop_empty(s.fence_sc);
  s.records = static_cast<std::uint32_t>(k.views.rows());
}

// --- Tables ---

KnowledgeTable table_of(const State& s, const Knowledge& k) {
  const std::size_t records = k.views.rows();
  std::vector<std::uint64_t> any(k.views.width(), 0);
  for (std::size_t r = 0; r < records; ++r)
    for (std::size_t w = 0; w < any.size(); ++w) any[w] |= k.views.row(r)[w];
  KnowledgeTable table;
  std::vector<std::size_t> place(k.views.columns());  // [column of k.views] column of the table
  std::size_t view = 0;
  each_column(s, [&](std::uint64_t n, const View& v) {
    if (v.empty()) return;
    if (has_bit(any, view)) {
      place[view] = table.columns.size();
      table.columns.push_back(n);
    }
    ++view;
  });
  const std::size_t width = (table.columns.size() + 63) / 64, row_width = (records + 63) / 64;
  table.records.assign(1 + records * width, 0);
  table.records[0] = records;
  for (std::size_t r = 0; r < records; ++r) {
    const auto to = std::span(table.records).subspan(1 + r * width, width);
    if (table.columns.size() == place.size())
      std::ranges::copy(k.views.row(r), to.begin());
    else
      each_bit(k.views.row(r), [&](std::size_t c) { set_bit(to, place[c]); });
  }
  const auto next_row = [&](std::uint64_t n) {
    table.rows.push_back(n);
    table.sets.resize(table.sets.size() + row_width, 0);
    return std::span(table.sets).last(row_width);
  };
  each_cell(s, [&](CellId number, const Cell& c) {
    for (std::size_t n = 0; n < c.messages.size(); ++n)
      if (c.messages[n].record != no_record) set_bit(next_row(name(Row::message, number, n)), k.number[c.messages[n].record]);
  });
  std::size_t kind = 0;
  each_cell(s, [&](CellId number, const Cell& c) {
    for (const PastAccesses& a : c.accesses) std::ranges::copy(k.accesses.row(kind++), next_row(name_of(number, a.kind)).begin());
  });
  return table;
}

void read_table(const TableView& table, State& s) {
  const Layout t(table);
  s.records = static_cast<std::uint32_t>(t.records);
  BitMatrix by_record(t.records, t.columns);
  for (std::size_t r = 0; r < t.records; ++r) std::ranges::copy(t.record(r), by_record.row(r).begin());
  const BitMatrix by_view = by_record.transposed();
  for (std::size_t c = 0; c < t.columns; ++c) column(s, t.column_names[c]).assign(by_view.row(c));
  for (std::size_t n = 0; n < t.rows; ++n) {
    const Parts row(t.row_names[n]);
    Cell& cell = s.cells[row.a];
    if (static_cast<Row>(row.first) == Row::message) {
      each_bit(t.row(n), [&](std::size_t r) { cell.messages[row.b].record = static_cast<Record>(r); });
      continue;
    }
    PastAccesses& accesses = cell.accesses.emplace_back();
    accesses.kind = {.place = static_cast<Place>(row.b),
                     .level = static_cast<Level>(row.c >> 2U),
                     .strong = (row.c & 2U) != 0,
                     .write = (row.c & 1U) != 0};
    accesses.records.assign(t.row(n));
  }
}

bool knows_as_much(const TableView& more, const TableView& less) {
  const Layout m(more), l(less);
  // A message that everybody knows has no row: whoever does not know it here could then not be told.
  std::vector<std::size_t> row_of_less(m.rows);
  for (std::size_t row = 0, other = 0; row < m.rows; ++row) {
    while (other < l.rows && l.row_names[other] < m.row_names[row]) ++other;
    if (other == l.rows || l.row_names[other] != m.row_names[row]) return false;
    row_of_less[row] = other;
  }
  // Where each view of `less` is in `more`: whatever it knows must be known there. What was put aside for an acquire is also in place if
  // the thread knows it already.
  constexpr std::size_t nowhere = ~std::size_t{0};
  std::vector<std::pair<std::size_t, std::size_t>> place(l.columns, {nowhere, nowhere});
  bool same_columns = m.columns == l.columns;
  const auto find = [&](std::uint64_t n) {
    const auto at = std::lower_bound(m.column_names.begin(), m.column_names.end(), n);
    return at != m.column_names.end() && *at == n ? static_cast<std::size_t>(at - m.column_names.begin()) : nowhere;
  };
  for (std::size_t c = 0; c < l.columns; ++c) {
    place[c].first = same_columns && m.column_names[c] == l.column_names[c] ? c : find(l.column_names[c]);
    same_columns &= place[c].first == c;
    const Parts n(l.column_names[c]);
    if (static_cast<Holder>(n.first) == Holder::thread && static_cast<OfThread>(n.which) == OfThread::taken)
      place[c].second = find(name(OfThread::known, n.a));
  }
  const auto known = [&](std::size_t of_less, std::size_t of_more) {
    if (same_columns && within(l.record(of_less), m.record(of_more))) return true;
    const auto there = [&](std::size_t c) { return c != nowhere && has_bit(m.record(of_more), c); };
    bool all = true;
    for (std::size_t w = 0; w < l.width && all; ++w)
      for (std::uint64_t rest = l.record(of_less)[w]; rest != 0 && all; rest &= rest - 1) {
        const auto [own, other] = place[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
        all = there(own) || there(other);
      }
    return all;
  };
  // For each record of `more`: those of `less` that it could stand for.
  BitMatrix stands_for(m.records, l.records);
  std::vector<bool> looked_at(m.records, false);
  for (std::size_t row = 0; row < m.rows; ++row) {
    const Words candidates = l.row(row_of_less[row]);
    for (std::size_t w = 0; w < m.row_width; ++w)
      for (std::uint64_t rest = m.row(row)[w]; rest != 0; rest &= rest - 1) {
        const std::size_t r = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        if (!looked_at[r]) {
          looked_at[r] = true;
          for (std::size_t other = 0; other < l.records; ++other)
            if (known(other, r)) stands_for.set(r, other);
        }
        if (!meet(candidates, stands_for.row(r))) return false;
      }
  }
  return true;
}

}  // namespace fencewise::view
