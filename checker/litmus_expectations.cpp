#include "checker/litmus_expectations.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::array needed_columns{"path", "model", "property", "expected"};

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t end = line.find(separator);
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

class Reader {
 public:
  Reader(std::string_view file, const ProgressModels& progress) : file_(file), progress_(progress) {}

  void header(std::string_view line) {
    number_ = 1;
    for (const std::string_view name : split(line, '\t')) names_.emplace_back(name);
    of_progress_ = !has_column("property") && has_column(name(ProgressModel::fair));
    if (of_progress_) {
      if (progress_.ctas != progress_.warps || progress_.warps != progress_.lanes)
        fail(fmt::format("found a table of progress; expected one progress model for each level, got {}", text_of(progress_)));
      (void)column("path");
      (void)column(name(progress_.ctas));
      return;
    }
    for (const char* needed : needed_columns) (void)column(needed);
  }

  // One line after the header.
  void row(std::string_view line, std::map<Model, std::map<std::string, LitmusExpectation>>& rows) {
    ++number_;
    if (line.empty()) return;
    cells_ = split(line, '\t');
    if (cells_.size() != names_.size())
      fail(fmt::format("found {} cells; expected {}, as many as the first line names", cells_.size(),
                       names_.size()));
    if (of_progress_) return progress_row(rows);
    const auto model = parse_model(cell("model"));
    if (cell("path").empty()) fail("found an empty path; expected a file, from the table's folder on");
    const std::optional<bool> expected = truth("expected");
    const bool liveness = is_liveness();
    if (!model) return;  // of a model that we don't know: not ours to judge
    LitmusExpectation& expectation = rows[*model][std::string(cell("path"))];
    std::optional<bool>& slot = liveness ? expectation.liveness : expectation.assertion;
    if (slot && slot != expected)
      fail(fmt::format("contradicts an earlier line on {} of {}", cell("property"), cell("path")));
    slot = expected;
    note_caution(expectation);
  }

 private:
  void progress_row(std::map<Model, std::map<std::string, LitmusExpectation>>& rows) const {
    LitmusExpectation expectation;
    expectation.liveness = truth(name(progress_.ctas));
    note_caution(expectation);
    if (expectation.caution == "mistranslated") return;
    for (const Model model : {Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5, Model::sc})
      rows[model].insert_or_assign(std::string(cell("path")), expectation);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, number_, what));
  }

  [[nodiscard]] std::size_t column(std::string_view name) const {
    const auto it = std::find(names_.begin(), names_.end(), name);
    if (it == names_.end())
      fail(fmt::format("found no column '{}'; expected a line of names with {}, separated by tabs", name,
                       fmt::join(needed_columns, ", ")));
    return static_cast<std::size_t>(it - names_.begin());
  }
  [[nodiscard]] std::string_view cell(std::string_view name) const { return cells_[column(name)]; }

  [[nodiscard]] bool has_column(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  [[nodiscard]] bool truth(std::string_view column) const {
    const std::string_view text = cell(column);
    if (text != "0" && text != "1")
      fail(fmt::format("found '{}' in column '{}'; expected 0 or 1", text, column));
    return text == "1";
  }
  [[nodiscard]] bool is_liveness() const {
    const std::string_view text = cell("property");
    if (text != "assertion" && text != "liveness")
      fail(fmt::format("found '{}' in column 'property'; expected assertion or liveness", text));
    return text == "liveness";
  }
  void note_caution(LitmusExpectation& expectation) const {
    if (!has_column("caution")) return;
    if (cell("caution") != "-") expectation.caution = cell("caution");
  }

  std::string_view file_;
  ProgressModels progress_;
  bool of_progress_ = false;  // the table
  std::size_t number_ = 0;  // of the line
  std::vector<std::string> names_;
  std::vector<std::string_view> cells_;
};

}  // namespace

LitmusExpectations LitmusExpectations::parse(std::string_view text, std::string_view file_name,
                                             const ProgressModels& progress) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  LitmusExpectations result;
  Reader reader(file_name, progress);
  bool first = true;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (first) {
      reader.header(line);
    } else {
      reader.row(line, result.rows_);
    }
    first = false;
  }
  return result;
}

const LitmusExpectation* LitmusExpectations::find(Model model, const std::string& path) const {
  const auto& rows = of(model);
  const auto it = rows.find(path);
  return it == rows.end() ? nullptr : &it->second;
}

const std::map<std::string, LitmusExpectation>& LitmusExpectations::of(Model model) const {
  static const std::map<std::string, LitmusExpectation> none;
  const auto it = rows_.find(model);
  return it == rows_.end() ? none : it->second;
}

}  // namespace fencewise
