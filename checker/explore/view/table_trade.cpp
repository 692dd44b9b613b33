#include "checker/explore/view/table_trade.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "checker/explore/view/table_names.h"

namespace fencewise::view {
namespace {

// CTAs that the name of a column or row speaks of.
using Owned = std::array<std::uint32_t, 3>;

Owned owners_of_column(std::uint64_t column, const TableOwners& owners) {
  const Parts n(column);
  const auto group = [&] { return owners.group(static_cast<Structure::Group>(n.c)); };
  switch (static_cast<Holder>(n.first)) {
    case Holder::thread: {
      const auto which = static_cast<OfThread>(n.which);
      const std::uint32_t thread = owners.thread(static_cast<ThreadId>(n.a));
      if (which == OfThread::known) return {thread, nobody, nobody};
      return {thread, which == OfThread::fences ? nobody : owners.cell(static_cast<CellId>(n.b)), group()};
    }
    case Holder::message:
      return {owners.cell(static_cast<CellId>(n.a)), static_cast<OfMessage>(n.which) == OfMessage::seen ? nobody : group(), nobody};
    case Holder::arrival: return {owners.arrival(static_cast<std::uint32_t>(n.a)), nobody, nobody};
    case Holder::fence_sc: return {group(), nobody, nobody};
  }
  return {nobody, nobody, nobody};
}

std::uint64_t renamed_column(std::uint64_t column, const TableNames& names) {
  const Parts n(column);
  const auto group = [&] { return std::uint64_t{names.group(static_cast<Structure::Group>(n.c))}; };
  switch (static_cast<Holder>(n.first)) {
    case Holder::thread: {
      const auto which = static_cast<OfThread>(n.which);
      const std::uint64_t thread = names.thread(static_cast<ThreadId>(n.a));
      if (which == OfThread::known) return name(which, thread);
      return name(which, thread, which == OfThread::fences ? 0 : names.cell(static_cast<CellId>(n.b)), group());
    }
    case Holder::message: {
      const auto which = static_cast<OfMessage>(n.which);
      return name(which, names.cell(static_cast<CellId>(n.a)), n.b, which == OfMessage::seen ? 0 : group());
    }
    case Holder::arrival: return name(Holder::arrival, names.arrival(static_cast<std::uint32_t>(n.a)));
    case Holder::fence_sc: return name(Holder::fence_sc, 0, 0, 0, group());
  }
  return column;
}

// Of accesses that are strong a row says where they were made.
bool names_place(const Parts& row) { return static_cast<Row>(row.first) == Row::access && (row.c & 2U) != 0; }

Owned owners_of_row(std::uint64_t row, const TableOwners& owners) {
  const Parts n(row);
  return {owners.cell(static_cast<CellId>(n.a)), names_place(n) ? owners.place(static_cast<Place>(n.b)) : nobody, nobody};
}

std::uint64_t renamed_row(std::uint64_t row, const TableNames& names) {
  const Parts n(row);
  return name(static_cast<Row>(n.first), names.cell(static_cast<CellId>(n.a)),
              names_place(n) ? names.place(static_cast<Place>(n.b)) : n.b, n.c);
}

std::optional<std::size_t> find(std::span<const std::uint64_t> names, std::uint64_t name) {
  const auto at = std::lower_bound(names.begin(), names.end(), name);
  if (at == names.end() || *at != name) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

}  // namespace

TableTrade::TableTrade(const TableView& table, const TableOwners& owners, std::uint32_t ctas)
    : table_(table), records_(table.records[0]), width_((table.columns.size() + 63) / 64), row_width_((records_ + 63) / 64),
      columns_of_(ctas), rows_of_(ctas), number_(records_) {
  const auto note = [](std::vector<std::vector<std::uint32_t>>& of, const Owned& owned, std::size_t n) {
    for (const std::uint32_t cta : owned)
      if (cta != nobody && (of[cta].empty() || of[cta].back() != n)) of[cta].push_back(static_cast<std::uint32_t>(n));
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) note(columns_of_, owners_of_column(table.columns[c], owners), c);
  for (std::size_t r = 0; r < table.rows.size(); ++r) note(rows_of_, owners_of_row(table.rows[r], owners), r);
}

bool TableTrade::stays(std::uint32_t a, std::uint32_t b, const TableNames& names) {
  moved_.clear();
  for (const std::uint32_t cta : {a, b})
    for (const std::uint32_t c : columns_of_[cta]) {
      const auto to = find(table_.columns, renamed_column(table_.columns[c], names));
      if (!to) return false;
      moved_.emplace_back(c, *to);
    }
  if (!renumber()) return false;
  for (const std::uint32_t cta : {a, b})
    for (const std::uint32_t row : rows_of_[cta]) {
      const auto to = find(table_.rows, renamed_row(table_.rows[row], names));
      if (!to || !same_set(row, *to)) return false;
    }
  if (!renumbered_) return true;
  // Others name the same, and have the same records under their new numbers.
  std::vector<bool> seen(table_.rows.size(), false);
  for (const std::uint32_t cta : {a, b})
    for (const std::uint32_t row : rows_of_[cta]) seen[row] = true;
  for (std::size_t row = 0; row < seen.size(); ++row)
    if (!seen[row] && !same_set(row, row)) return false;
  return true;
}

// Which record each one becomes, by the views that know it then. False: it would be one that is not there.
bool TableTrade::renumber() {
  std::iota(number_.begin(), number_.end(), 0);
  renumbered_ = false;
  const auto stays = [&](std::size_t r) {
    return std::ranges::all_of(moved_, [&](const auto& m) { return has_bit(record(r), m.first) == has_bit(record(r), m.second); });
  };
  std::vector<bool> taken(records_, false);
  for (std::size_t r = 0; r < records_; ++r) {
    if (stays(r)) {
      if (taken[r]) return false;
      taken[r] = true;
      continue;
    }
    const Words now = record(r);
    scratch_.assign(now.begin(), now.end());
    for (const auto& [from, to] : moved_) set_bit(scratch_, to, has_bit(now, from));
    std::size_t to = 0;
    while (to < records_ && !std::ranges::equal(record(to), scratch_)) ++to;
    if (to == records_ || taken[to]) return false;
    taken[to] = true;
    number_[r] = to;
    renumbered_ = true;
  }
  return true;
}

bool TableTrade::same_set(std::size_t from, std::size_t to) {
  if (!renumbered_) return std::ranges::equal(set(from), set(to));
  scratch_.assign(row_width_, 0);
  each_bit(set(from), [&](std::size_t r) { set_bit(scratch_, number_[r]); });
  return std::ranges::equal(scratch_, set(to));
}

}  // namespace fencewise::view
