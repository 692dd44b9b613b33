// What a state's views know, as a table: a row for each record, a column for each view; and which messages and past accesses have
// which records. States that agree in everything else are equal if their tables are, and one allows no more than another if its
// views know at least as much.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/check.h"
#include "checker/explore/view/bit_matrix.h"
#include "checker/explore/view/state.h"

namespace fencewise::view {

// What is known in a state, its records numbered in a way that does not depend on the path. Records known to the same views are one,
// and of past accesses of a kind, those are left that nobody misses who does not miss another one (ViewReductions::merge).
struct Knowledge {
  std::vector<Record> number;  // [record of the state]; no_record: nobody needs it
  BitMatrix accesses;          // [kind of PastAccesses of the state, cell by cell][record]
  BitMatrix views;             // [record][view of the state that is not empty]
};
[[nodiscard]] Knowledge knowledge_of(const State& state, const ViewReductions& reductions);
// Gives the state's records those numbers.
void renumber(State& state, const Knowledge& knowledge);

struct KnowledgeTable {
  std::vector<std::uint64_t> columns;  // names of the views that know some record, ascending
  std::vector<std::uint64_t> records;  // how many; then, for each, the columns that know it, in whole words
  std::vector<std::uint64_t> rows;     // names of messages and kinds of past accesses, ascending
  std::vector<std::uint64_t> sets;     // [row] its records, in whole words
  friend bool operator==(const KnowledgeTable&, const KnowledgeTable&) = default;
};
// A table that lies elsewhere.
struct TableView {
  TableView(std::span<const std::uint64_t> c, std::span<const std::uint64_t> r, std::span<const std::uint64_t> w,
            std::span<const std::uint64_t> s)
      : columns(c), records(r), rows(w), sets(s) {}
  TableView(const KnowledgeTable& t) : columns(t.columns), records(t.records), rows(t.rows), sets(t.sets) {}  // NOLINT: a view of it
  std::span<const std::uint64_t> columns, records, rows, sets;
};

// Equal for equal knowledge.
[[nodiscard]] KnowledgeTable table_of(const State& state, const Knowledge& knowledge);
// Fills in the records, views and past accesses of a state that has its threads, messages and arrivals.
void read_table(const TableView& table, State& state);
// Whether the state of `more` can do nothing that the state of `less` can't. Their threads and messages are the same.
[[nodiscard]] bool knows_as_much(const TableView& more, const TableView& less);

}  // namespace fencewise::view
