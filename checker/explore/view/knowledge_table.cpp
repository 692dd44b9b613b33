#include "checker/explore/view/knowledge_table.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include "kernels/core/error.h"

namespace fencewise::view {
namespace {

// Names of rows and columns: what it is, and up to three numbers.
enum class Column : std::uint8_t { known, fences, own, taken, seen, released, arrival, fence_sc };
enum class Row : std::uint8_t { message, access };

constexpr std::uint64_t most_of_each = 1U << 20U;

std::uint64_t name(std::uint64_t kind, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  if (a >= most_of_each || b >= most_of_each || c >= most_of_each)
    throw NotModelled("a launch with this many threads, locations or messages in the view explorer");
  return kind << 60U | a << 40U | b << 20U | c;
}
std::uint64_t name(Column kind, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  return name(static_cast<std::uint64_t>(kind), a, b, c);
}
std::uint64_t part(std::uint64_t name, unsigned n) { return name >> (40U - 20U * n) & (most_of_each - 1); }

std::uint64_t name_of(CellId cell, const PastAccess& a) {
  return name(static_cast<std::uint64_t>(Row::access), cell, a.place,
              std::uint64_t{a.level} << 2U | std::uint64_t{a.strong} << 1U | std::uint64_t{a.write});
}

// Calls f(name, view) for every view of a state; creates what is named but not there if `state` is not const.
template <class StateRef, class F> void each_column(StateRef& s, F&& f) {
  const auto structure = [&](Column kind, std::uint64_t a, std::uint64_t b, auto& st) {
    for (auto& [g, v] : st.views()) f(name(kind, a, b, g), v);
  };
  for (std::size_t t = 0; t < s.threads.size(); ++t) {
    auto& thread = s.threads[t];
    f(name(Column::known, t), thread.known);
    structure(Column::fences, t, 0, thread.fences);
    for (auto& [c, st] : thread.own) structure(Column::own, t, c, st);
    for (auto& [c, st] : thread.taken) structure(Column::taken, t, c, st);
  }
  for (std::size_t c = 0; c < s.cells.size(); ++c)
    for (std::size_t n = 0; n < s.cells[c].messages.size(); ++n) {
      f(name(Column::seen, c, n), s.cells[c].messages[n].seen);
      structure(Column::released, c, n, s.cells[c].messages[n].released);
    }
  for (std::size_t n = 0; n < s.arrivals.size(); ++n) f(name(Column::arrival, n), s.arrivals[n].known);
  structure(Column::fence_sc, 0, 0, s.fence_sc);
}

View& column(State& s, std::uint64_t name) {
  const auto a = part(name, 0), b = part(name, 1);
  const auto g = static_cast<Structure::Group>(part(name, 2));
  switch (static_cast<Column>(name >> 60U)) {
    case Column::known: return s.threads[a].known;
    case Column::fences: return s.threads[a].fences[g];
    case Column::own: return s.threads[a].own[static_cast<CellId>(b)][g];
    case Column::taken: return s.threads[a].taken[static_cast<CellId>(b)][g];
    case Column::seen: return s.cells[a].messages[b].seen;
    case Column::released: return s.cells[a].messages[b].released[g];
    case Column::arrival: return s.arrivals[a].known;
    case Column::fence_sc: return s.fence_sc[g];
  }
  throw InternalError("view explorer: no such view");
}

// How a table lies in its words: numbers of columns and rows, their names, and the rows' bits, `width` words each.
struct Layout {
  explicit Layout(const KnowledgeTable& table)
      : columns(table[0]), rows(table[1]), width((columns + 63) / 64), column_names(table.data() + 2), row_names(column_names + columns),
        bits(row_names + rows) {}
  [[nodiscard]] bool has(std::size_t row, std::size_t column) const {
    return (bits[row * width + column / 64] >> (column % 64) & 1U) != 0;
  }
  std::size_t columns, rows, width;
  const std::uint64_t* column_names;
  const std::uint64_t* row_names;
  const std::uint64_t* bits;
};

}  // namespace

namespace {

std::uint64_t renamed_column(std::uint64_t n, const TableNames& names) {
  const auto kind = static_cast<Column>(n >> 60U);
  const auto group = [&] { return std::uint64_t{names.group(static_cast<Structure::Group>(part(n, 2)))}; };
  const auto thread = [&] { return std::uint64_t{names.thread(static_cast<ThreadId>(part(n, 0)))}; };
  const auto cell = [&](unsigned at) { return std::uint64_t{names.cell(static_cast<CellId>(part(n, at)))}; };
  switch (kind) {
    case Column::known: return name(kind, thread());
    case Column::fences: return name(kind, thread(), 0, group());
    case Column::own:
    case Column::taken: return name(kind, thread(), cell(1), group());
    case Column::seen: return name(kind, cell(0), part(n, 1));
    case Column::released: return name(kind, cell(0), part(n, 1), group());
    case Column::arrival: return name(kind, names.arrival(static_cast<std::uint32_t>(part(n, 0))));
    case Column::fence_sc: return name(kind, 0, 0, group());
  }
  return n;
}
std::uint64_t renamed_row(std::uint64_t n, const TableNames& names) {
  const std::uint64_t cell = names.cell(static_cast<CellId>(part(n, 0)));
  const bool strong = (part(n, 2) & 2U) != 0;
  if (static_cast<Row>(n >> 60U) == Row::message || !strong) return name(n >> 60U, cell, part(n, 1), part(n, 2));
  return name(n >> 60U, cell, names.place(static_cast<Place>(part(n, 1))), part(n, 2));
}

}  // namespace

KnowledgeTable renamed(const KnowledgeTable& table, const TableNames& names) {
  const Layout t(table);
  std::vector<std::pair<std::uint64_t, std::size_t>> columns, rows;
  for (std::size_t c = 0; c < t.columns; ++c) columns.emplace_back(renamed_column(t.column_names[c], names), c);
  for (std::size_t r = 0; r < t.rows; ++r) rows.emplace_back(renamed_row(t.row_names[r], names), r);
  std::sort(columns.begin(), columns.end());
  std::vector<std::size_t> place(t.columns);
  for (std::size_t c = 0; c < t.columns; ++c) place[columns[c].second] = c;
  std::vector<std::uint64_t> bits(t.rows * t.width, 0);
  for (std::size_t r = 0; r < t.rows; ++r)
    for (std::size_t w = 0; w < t.width; ++w)
      for (std::uint64_t rest = t.bits[r * t.width + w]; rest != 0; rest &= rest - 1) {
        const std::size_t c = place[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
        bits[r * t.width + c / 64] |= std::uint64_t{1} << (c % 64);
      }
  const auto row = [&](std::size_t r) { return std::span(bits).subspan(r * t.width, t.width); };
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : std::ranges::lexicographical_compare(row(a.second), row(b.second));
  });
  KnowledgeTable result{t.columns, t.rows};
  result.reserve(table.size());
  for (const auto& [n, c] : columns) result.push_back(n);
  for (const auto& [n, r] : rows) result.push_back(n);
  for (const auto& [n, r] : rows) result.insert(result.end(), row(r).begin(), row(r).end());
  return result;
}

KnowledgeTable table_of(const State& s) {
  std::vector<std::pair<std::uint64_t, const View*>> columns;
  each_column(s, [&](std::uint64_t n, const View& v) {
    if (!v.empty()) columns.emplace_back(n, &v);
  });
  std::sort(columns.begin(), columns.end());
  const std::size_t width = (columns.size() + 63) / 64;
  std::vector<std::uint64_t> of_record(s.records * width, 0);
  for (std::size_t n = 0; n < columns.size(); ++n)
    columns[n].second->each([&](Record r) { of_record[r * width + n / 64] |= std::uint64_t{1} << (n % 64); });

  std::vector<std::pair<std::uint64_t, Record>> rows;
  for (CellId c = 0; c < s.cells.size(); ++c) {
    for (std::size_t n = 0; n < s.cells[c].messages.size(); ++n)
      if (const Record r = s.cells[c].messages[n].record; r != no_record)
        rows.emplace_back(name(static_cast<std::uint64_t>(Row::message), c, n), r);
    for (const PastAccess& a : s.cells[c].accesses) rows.emplace_back(name_of(c, a), a.record);
  }
  const auto bits = [&](Record r) { return of_record.begin() + static_cast<std::ptrdiff_t>(r * width); };
  const auto compare = [&](Record a, Record b) {
    return std::lexicographical_compare_three_way(bits(a), bits(a) + static_cast<std::ptrdiff_t>(width), bits(b),
                                                  bits(b) + static_cast<std::ptrdiff_t>(width));
  };
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : compare(a.second, b.second) < 0;
  });

  KnowledgeTable table;
  table.reserve(2 + columns.size() + rows.size() * (1 + width));
  table.push_back(columns.size());
  table.push_back(rows.size());
  for (const auto& [n, v] : columns) table.push_back(n);
  for (const auto& [n, r] : rows) table.push_back(n);
  for (const auto& [n, r] : rows) table.insert(table.end(), bits(r), bits(r) + static_cast<std::ptrdiff_t>(width));
  return table;
}

void read_table(const KnowledgeTable& table, State& s) {
  const Layout t(table);
  std::map<std::vector<std::uint64_t>, Record> records;  // one for each set of views
  std::vector<View*> columns;
  // All that is created first: views move when structures grow.
  for (std::size_t n = 0; n < t.columns; ++n) (void)column(s, t.column_names[n]);
  for (std::size_t n = 0; n < t.columns; ++n) columns.push_back(&column(s, t.column_names[n]));
  for (std::size_t row = 0; row < t.rows; ++row) {
    const std::uint64_t n = t.row_names[row];
    std::vector<std::uint64_t> bits(t.bits + row * t.width, t.bits + (row + 1) * t.width);
    const auto [it, fresh] = records.try_emplace(std::move(bits), s.records);
    if (fresh) {
      for (std::size_t c = 0; c < t.columns; ++c)
        if (t.has(row, c)) columns[c]->add(s.records);
      ++s.records;
    }
    Cell& cell = s.cells[part(n, 0)];
    if (static_cast<Row>(n >> 60U) == Row::message) {
      cell.messages[part(n, 1)].record = it->second;
      continue;
    }
    const std::uint64_t what = part(n, 2);
    cell.accesses.push_back({.record = it->second,
                             .place = static_cast<Place>(part(n, 1)),
                             .level = static_cast<Level>(what >> 2U),
                             .strong = (what & 2U) != 0,
                             .write = (what & 1U) != 0});
  }
}

bool knows_as_much(const KnowledgeTable& more, const KnowledgeTable& less) {
  const Layout m(more), l(less);
  // Where each view of `less` is in `more`: whatever it knows must be known there. What was put aside for an acquire is also in place if
  // the thread knows it already.
  constexpr std::size_t nowhere = ~std::size_t{0};
  std::vector<std::pair<std::size_t, std::size_t>> place(l.columns, {nowhere, nowhere});
  bool same_columns = m.columns == l.columns;
  const auto find = [&](std::uint64_t n) {
    const auto* at = std::lower_bound(m.column_names, m.column_names + m.columns, n);
    return at != m.column_names + m.columns && *at == n ? static_cast<std::size_t>(at - m.column_names) : nowhere;
  };
  for (std::size_t c = 0; c < l.columns; ++c) {
    place[c].first = find(l.column_names[c]);
    same_columns &= place[c].first == c;
    if (static_cast<Column>(l.column_names[c] >> 60U) == Column::taken)
      place[c].second = find(name(Column::known, part(l.column_names[c], 0)));
  }
  const auto row_known = [&](std::size_t of_less, std::size_t of_more) {
    bool within = same_columns;
    for (std::size_t w = 0; w < m.width && within; ++w)
      within = (l.bits[of_less * l.width + w] & ~m.bits[of_more * m.width + w]) == 0;
    if (within) return true;
    for (std::size_t c = 0; c < l.columns; ++c) {
      if (!l.has(of_less, c)) continue;
      const auto [own, other] = place[c];
      if ((own == nowhere || !m.has(of_more, own)) && (other == nowhere || !m.has(of_more, other))) return false;
    }
    return true;
  };
  std::size_t first = 0;  // rows of `less` with the name at hand
  for (std::size_t row = 0; row < m.rows; ++row) {
    while (first < l.rows && l.row_names[first] < m.row_names[row]) ++first;
    // A message that everybody knows has no row: whoever does not know it here could then not be told.
    bool found = false;
    for (std::size_t other = first; other < l.rows && l.row_names[other] == m.row_names[row] && !found; ++other)
      found = row_known(other, row);
    if (!found) return false;
  }
  return true;
}

}  // namespace fencewise::view
