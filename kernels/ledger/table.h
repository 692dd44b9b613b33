// Tables as data, and the ways to show them: aligned text, JSON, CSV.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/ledger/bar_chart.h"

namespace fencewise {

// An empty cell, a word, a count, or a number shown with `digits` decimals.
struct Cell {
  std::variant<std::monostate, std::string, std::uint64_t, double, bool> value;
  int digits = 2;

  Cell() = default;
  Cell(std::string text) : value(std::move(text)) {}          // NOLINT: cells are written as what they hold
  Cell(const char* text) : value(std::string(text)) {}        // NOLINT
  Cell(std::string_view text) : value(std::string(text)) {}   // NOLINT
  Cell(std::uint64_t count) : value(count) {}                 // NOLINT
  Cell(std::uint32_t count) : value(std::uint64_t{count}) {}  // NOLINT
  Cell(bool yes) : value(yes) {}                              // NOLINT
  Cell(double number, int decimals = 2) : value(number), digits(decimals) {}  // NOLINT
};

[[nodiscard]] inline Cell microseconds(double seconds) { return {seconds * 1e6, 3}; }

// What a cell shows: "", "k6", "350208", "31.25", "yes".
[[nodiscard]] std::string text_of(const Cell& cell);

struct Column {
  std::string key;      // in JSON and CSV: stable
  std::string heading;  // in text
};

struct Table {
  std::string key;  // "counters"
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  // lines under the table
};

// The keys, then the rows.
[[nodiscard]] std::string to_csv(const Table& table);

// Title, headings, rows, notes. Words to the left, numbers to the right.
[[nodiscard]] std::string to_text(const Table& table);

// A ledger: what one `fencewise ledger` command prints.
struct Ledger {
  std::string name;                                         // "reduction"
  std::vector<std::pair<std::string, std::string>> inputs;  // "n" = "262144", "device" = "a100"
  std::vector<Table> tables;
  std::vector<BarChart> charts;  // what --plot draws
};

[[nodiscard]] std::string to_text(const Ledger& ledger);
// {"ledger": name, "inputs": {...}, "tables": {key: [{column: cell}, ...]}}
[[nodiscard]] std::string to_json(const Ledger& ledger);
// Each table: a line "# title", the keys, the rows; tables are parted by an empty line.
[[nodiscard]] std::string to_csv(const Ledger& ledger);

}  // namespace fencewise
