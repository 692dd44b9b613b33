#include "kernels/ledger/table.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fencewise {
namespace {

using nlohmann::ordered_json;

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

bool is_number(const Cell& cell) {
  return std::holds_alternative<std::uint64_t>(cell.value) || std::holds_alternative<double>(cell.value);
}

// Columns in a terminal: code points, as our texts have no wide characters.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return right ? space + text : text + space;
}

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

ordered_json json_of(const Cell& cell) {
  return std::visit(Overloaded{[](std::monostate) { return ordered_json(nullptr); },
                               [](const auto& value) { return ordered_json(value); }},
                    cell.value);
}

std::string csv_of(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string text_of(const Cell& cell) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string(); }, [](const std::string& text) { return text; },
                 [](std::uint64_t count) { return fmt::format("{}", count); },
                 [&](double number) { return fmt::format("{:.{}f}", number, cell.digits); },
                 [](bool yes) { return std::string(yes ? "yes" : "no"); }},
      cell.value);
}

std::string to_text(const Table& table) {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = width_of(table.columns[c].heading);
    for (const auto& row : table.rows) width = std::max(width, width_of(text_of(row[c])));
    widths.push_back(width);
    right.push_back(std::any_of(table.rows.begin(), table.rows.end(),
                                [&](const auto& row) { return is_number(row[c]); }));
  }
  const auto line_of = [&](const auto& text_at) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      line += (c == 0 ? "" : "  ") + padded(text_at(c), widths[c], right[c]);
    trim_right(line);
    return line + '\n';
  };
  std::string text = table.title + '\n';
  text += line_of([&](std::size_t c) { return table.columns[c].heading; });
  text += line_of([&](std::size_t c) { return std::string(widths[c], '-'); });
  for (const auto& row : table.rows) text += line_of([&](std::size_t c) { return text_of(row[c]); });
  for (const std::string& note : table.notes) text += note + '\n';
  return text;
}

std::string to_text(const Ledger& ledger) {
  std::string text;
  for (const Table& table : ledger.tables) text += (text.empty() ? "" : "\n") + to_text(table);
  return text;
}

std::string to_json(const Ledger& ledger) {
  ordered_json inputs = ordered_json::object(), tables = ordered_json::object();
  for (const auto& [name, value] : ledger.inputs) inputs[name] = value;
  for (const Table& table : ledger.tables) {
    ordered_json rows = ordered_json::array();
    for (const auto& row : table.rows) {
      ordered_json object = ordered_json::object();
      for (std::size_t c = 0; c < row.size(); ++c) object[table.columns[c].key] = json_of(row[c]);
      rows.push_back(std::move(object));
    }
    tables[table.key] = std::move(rows);
  }
  const ordered_json all{{"schema", 1}, {"ledger", ledger.name}, {"inputs", inputs}, {"tables", tables}};
  return all.dump(2) + '\n';
}

std::string to_csv(const Table& table) {
  std::string text;
  const auto add_line = [&](const auto& cells, const auto& text_at) {
    for (std::size_t c = 0; c < cells.size(); ++c) text += (c == 0 ? "" : ",") + csv_of(text_at(cells[c]));
    text += '\n';
  };
  add_line(table.columns, [](const Column& c) { return c.key; });
  for (const auto& row : table.rows) add_line(row, [](const Cell& cell) { return text_of(cell); });
  return text;
}

std::string to_csv(const Ledger& ledger) {
  std::string text;
  for (const Table& table : ledger.tables) text += fmt::format("{}# {}\n", text.empty() ? "" : "\n", table.title) + to_csv(table);
  return text;
}

}  // namespace fencewise
