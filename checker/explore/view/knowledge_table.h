// What a state's views know, as a table: a row for each message that not everybody knows and each past access, a column for each
// view. States that agree in everything else are equal if their tables are, and one allows no more than another if its views
// know at least as much.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "checker/explore/view/state.h"

namespace fencewise::view {

using KnowledgeTable = std::vector<std::uint64_t>;

// Of a state in normal form. Equal for equal knowledge.
[[nodiscard]] KnowledgeTable table_of(const State& state);
// Fills in the records, views and past accesses of a state that has its threads, messages and arrivals.
void read_table(const KnowledgeTable& table, State& state);
// Whether the state of `more` can do nothing that the state of `less` can't. Their threads and messages are the same.
[[nodiscard]] bool knows_as_much(const KnowledgeTable& more, const KnowledgeTable& less);

// New names for what a table speaks of.
struct TableNames {
  std::function<ThreadId(ThreadId)> thread;
  std::function<CellId(CellId)> cell;
  std::function<Place(Place)> place;
  std::function<Structure::Group(Structure::Group)> group;
  std::function<std::uint32_t(std::uint32_t)> arrival;  // index into State::arrivals
};
[[nodiscard]] KnowledgeTable renamed(const KnowledgeTable& table, const TableNames& names);

}  // namespace fencewise::view
