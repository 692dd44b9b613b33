// Whether a table of knowledge stays the same when two CTAs trade places.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "checker/explore/view/knowledge_table.h"

namespace fencewise::view {

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

// Which CTA a part of a name belongs to, or nobody.
struct TableOwners {
  std::function<std::uint32_t(ThreadId)> thread;
  std::function<std::uint32_t(CellId)> cell;
  std::function<std::uint32_t(Place)> place;
  std::function<std::uint32_t(Structure::Group)> group;
  std::function<std::uint32_t(std::uint32_t)> arrival;  // index into State::arrivals
};
// What those parts are called after the trade.
struct TableNames {
  std::function<ThreadId(ThreadId)> thread;
  std::function<CellId(CellId)> cell;
  std::function<Place(Place)> place;
  std::function<Structure::Group(Structure::Group)> group;
  std::function<std::uint32_t(std::uint32_t)> arrival;
};

class TableTrade {
 public:
  // The table must outlive it.
  TableTrade(const TableView& table, const TableOwners& owners, std::uint32_t ctas);

  // No, where two records are known to the same views and it can't tell which is which.
  [[nodiscard]] bool stays(std::uint32_t a, std::uint32_t b, const TableNames& names);

 private:
  using Words = std::span<const std::uint64_t>;
  [[nodiscard]] Words record(std::size_t r) const { return table_.records.subspan(1 + r * width_, width_); }
  [[nodiscard]] Words set(std::size_t row) const { return table_.sets.subspan(row * row_width_, row_width_); }
  [[nodiscard]] bool renumber();
  [[nodiscard]] bool same_set(std::size_t from, std::size_t to);

  TableView table_;
  std::size_t records_, width_, row_width_;
  std::vector<std::vector<std::uint32_t>> columns_of_, rows_of_;  // [cta] that speak of it
  // Of the trade that is looked at.
  std::vector<std::pair<std::size_t, std::size_t>> moved_;  // columns, from and to
  std::vector<std::size_t> number_;                         // [record] which one it becomes
  bool renumbered_ = false;
  std::vector<std::uint64_t> scratch_;
};

}  // namespace fencewise::view
