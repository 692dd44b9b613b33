// check --sweep: a protocol at many shapes, smallest first.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/interrupt.h"
#include "checker/cli/output.h"
#include "checker/cli/shrink.h"
#include "checker/cli/subject.h"
#include "checker/cli/table_rows.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"
#include "kernels/ledger/table.h"

namespace fencewise {
namespace {

constexpr std::size_t most_swept_shapes = 10'000;

struct Range {
  std::string name;
  std::vector<std::int64_t> values;
};

std::int64_t number_in(const std::string& text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(fmt::format("--sweep {}: '{}' is no number; write it like splits=1..8,threads=1..3", whole, text));
  return value;
}

// "1..3|8": each in turn.
std::vector<std::int64_t> values_in(const std::string& list, const std::string& whole, const Parameter& parameter) {
  std::vector<std::int64_t> values;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find('|', at), list.size());
    const std::string part = list.substr(at, end - at);
    at = end + 1;
    const std::size_t dots = part.find("..");
    const std::int64_t from = number_in(part.substr(0, dots), whole);
    const std::int64_t to = dots == std::string::npos ? from : number_in(part.substr(dots + 2), whole);
    if (from > to || from < parameter.min || to > parameter.max)
      throw InputError(fmt::format("--sweep {}: {} goes from {} to {}", whole, parameter.name, parameter.min, parameter.max));
    if (to - from >= static_cast<std::int64_t>(most_swept_shapes)) throw InputError(fmt::format("--sweep has more than {} shapes", most_swept_shapes));
    for (std::int64_t v = from; v <= to; ++v) values.push_back(v);
  }
  return values;
}

// "splits=1..8,threads=2|32"; "defaults": the protocol's own, without the parameters that are given.
std::vector<Range> ranges_of(const std::string& asked, const Subject& subject) {
  const Protocol& protocol = *subject.protocol;
  const bool own = asked == "defaults";
  if (own && protocol.sweep.empty())
    throw InputError(fmt::format("{} comes in one shape, there is nothing to sweep; --all-variants makes a table of its variants",
                                 protocol.name));
  const std::string& text = own ? protocol.sweep : asked;
  std::vector<Range> ranges;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("--sweep {}: '{}' has no '='; write it like splits=1..8,threads=1..3", text, item));
    Range r;
    r.name = item.substr(0, equals);
    const auto p = std::find_if(protocol.parameters.begin(), protocol.parameters.end(),
                                [&](const Parameter& parameter) { return parameter.name == r.name; });
    if (p == protocol.parameters.end())
      throw InputError(fmt::format("{} has no parameter '{}'; fencewise show {} lists them", protocol.name, r.name, protocol.name));
    if (!p->choices.empty())
      throw InputError(fmt::format("--sweep {}: '{}' is one of {}, no number to sweep", text, r.name, fmt::join(p->choices, ", ")));
    r.values = values_in(item.substr(equals + 1), text, *p);
    if (std::any_of(ranges.begin(), ranges.end(), [&](const Range& other) { return other.name == r.name; }))
      throw InputError(fmt::format("--sweep {}: '{}' is there twice", text, r.name));
    const bool given = subject.given.all().contains(r.name);
    if (!own && given) throw InputError(fmt::format("--sweep {} and --param {}={} contradict each other; give one of them", item, r.name, subject.given[r.name]));
    if (!given) ranges.push_back(r);
  }
  return ranges;
}

struct Shape {
  Subject subject;
  std::optional<Problem> problem;
  std::uint64_t threads = 0;
  std::string missing;  // why there is no such shape
};

Shape shape_of(const Subject& subject) {
  Shape shape;
  shape.subject = subject;
  try {
    shape.problem = problem_of(subject);
    shape.threads = threads_of(*shape.problem);
  } catch (const InputError& e) {
    shape.missing = e.what();
  }
  return shape;
}

// Smallest first.
std::vector<Shape> shapes_of(const std::vector<Range>& ranges, const Subject& subject) {
  std::vector<Subject> subjects{subject};
  for (const Range& r : ranges) {
    std::vector<Subject> next;
    for (const Subject& one : subjects)
      for (const std::int64_t v : r.values) {
        if (next.size() >= most_swept_shapes) throw InputError(fmt::format("--sweep has more than {} shapes", most_swept_shapes));
        next.push_back(one);
        next.back().params.set(r.name, v);
      }
    subjects = std::move(next);
  }
  std::vector<Shape> shapes;
  for (const Subject& one : subjects) shapes.push_back(shape_of(one));
  const auto exists = [](const Shape& s) { return s.problem.has_value(); };
  if (std::none_of(shapes.begin(), shapes.end(), exists))
    throw InputError(fmt::format("--sweep: there is no such shape: {}", shapes.front().missing));
  std::stable_sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) { return a.threads < b.threads; });
  return shapes;
}

// What was found, shape by shape: printed at once, kept for --csv.
class SweepTable {
 public:
  // `prints`: each row, or nothing.
  SweepTable(const std::vector<Range>& ranges, bool prints) : ranges_(ranges), prints_(prints) {
    table_.key = "sweep";
    for (const Range& r : ranges) {
      table_.columns.push_back({r.name, r.name});
      widths_.push_back(std::max(r.name.size(), std::to_string(*std::max_element(r.values.begin(), r.values.end())).size()));
    }
    for (const char* key : {"verdict", "engine", "graphs", "states", "seconds", "kind", "location", "message"})
      table_.columns.push_back({key, key});
    std::string head;
    for (std::size_t n = 0; n < ranges.size(); ++n) head += fmt::format("{:>{}}  ", ranges[n].name, widths_[n]);
    print(fmt::format("{}{:<13}{:<7}{:>9}  {:>8}  {}\n", head, "verdict", "engine", "explored", "seconds", "finding"));
  }

  void add_missing(const Shape& shape) {
    print(fmt::format("{}no such shape: {}\n", line_of(shape), shape.missing));
    std::vector<Cell> row = cells_of(shape);
    row.resize(table_.columns.size());
    row[ranges_.size()] = "none";
    row.back() = shape.missing;
    table_.rows.push_back(std::move(row));
  }

  void add(const Shape& shape, const CheckResult& result) {
    const Finding* finding = result.findings.empty() ? nullptr : &result.findings.front();
    const std::string why = finding != nullptr ? finding->message
                            : result.verdict == Verdict::inconclusive ? result.reason
                                                                      : "";
    print(fmt::format("{}{:<13}{:<7}{:>9}  {:>8.2f}{}{}\n", line_of(shape), spelling(result.verdict), result.engine,
                      result.engine == "view" ? result.search.states : result.search.graphs, result.seconds,
                      why.empty() ? "" : "  ", why));
    std::vector<Cell> row = cells_of(shape);
    row.insert(row.end(), {spelling(result.verdict), result.engine, result.search.graphs, result.search.states, {result.seconds, 3},
                           finding != nullptr ? spelling(finding->kind) : "", finding != nullptr ? finding->location : "", why});
    table_.rows.push_back(std::move(row));
  }

  [[nodiscard]] const Table& table() const { return table_; }

  // "splits=2 threads=1"
  [[nodiscard]] std::string name_of(const Shape& shape) const {
    std::string name;
    for (const Range& r : ranges_) name += fmt::format("{}{}={}", name.empty() ? "" : " ", r.name, shape.subject.params[r.name]);
    return name;
  }

 private:
  void print(const std::string& text) const {
    if (!prints_) return;
    print_out(text);
    finish_output();
  }
  [[nodiscard]] std::string line_of(const Shape& shape) const {
    std::string line;
    for (std::size_t n = 0; n < ranges_.size(); ++n)
      line += fmt::format("{:>{}}  ", shape.subject.params[ranges_[n].name], widths_[n]);
    return line;
  }
  [[nodiscard]] std::vector<Cell> cells_of(const Shape& shape) const {
    std::vector<Cell> cells;
    for (const Range& r : ranges_) cells.emplace_back(static_cast<std::uint64_t>(shape.subject.params[r.name]));
    return cells;
  }

  const std::vector<Range>& ranges_;
  bool prints_;
  std::vector<std::size_t> widths_;
  Table table_;
};

// A table asks for answers, not for every behaviour by name: views come first wherever they are exact.
CheckResult check_shape(const Shape& shape, const Options& options) {
  Limits allowed = limits(options);  // of all that is asked of the shape
  allowed.since = Limits::Clock::now();
  const auto answer = [&](const CheckOptions& used) {
    return check(*shape.problem, used, allowed, {nullptr, &stop_on_interrupt()});
  };
  CheckOptions used = check_options(options);
  used.workers = 1;  // of each shape; shapes are checked several at a time
  if (used.engine != Engine::automatic) return answer(used);
  used.engine = Engine::view;
  CheckResult by_views = answer(used);
  if (by_views.verdict != Verdict::inconclusive || allowed.seconds_left() <= 0) return by_views;
  used.engine = Engine::automatic;
  CheckResult result = answer(used);
  result.seconds += by_views.seconds;
  return result;
}

}  // namespace

int check_sweep(const Options& options) {
  const Subject subject = find_subject(options);
  if (subject.protocol == nullptr) throw InputError("--sweep is for protocols: their parameters are swept");
  (void)check_options(options);
  (void)limits(options);
  const std::vector<Range> ranges = ranges_of(options.sweep, subject);
  const std::vector<Shape> shapes = shapes_of(ranges, subject);
  require_writable(options.csv);
  const bool as_text = !stdout_is_taken(options);
  SweepTable table(ranges, as_text && !options.quiet);
  std::string smallest;
  std::size_t inconclusive = 0;
  each_row<CheckResult>(
      shapes.size(), "shapes", options,
      [&](std::size_t n) { return shapes[n].problem ? std::optional(check_shape(shapes[n], options)) : std::nullopt; },
      [&](std::size_t n, const std::optional<CheckResult>& result) {
        const Shape& shape = shapes[n];
        if (!shape.problem) table.add_missing(shape);
        inconclusive += static_cast<std::size_t>(shape.problem && (!result || result->verdict == Verdict::inconclusive));
        if (!result) return;
        table.add(shape, *result);
        if (result->verdict == Verdict::violated && smallest.empty()) smallest = table.name_of(shape);
      });
  const std::string open = inconclusive == 0 ? "" : fmt::format("; {} inconclusive", inconclusive);
  if (as_text)
    print_out(smallest.empty() ? fmt::format("{}: no shape fails{}\n", subject.name, open)
                               : fmt::format("{}: the smallest that fails is {}{}\n", subject.name, smallest, open));
  if (!options.csv.empty()) write_output(options.csv, to_csv(table.table()));
  if (!smallest.empty()) return exit_violated;
  return inconclusive == 0 ? exit_verified : exit_inconclusive;
}

}  // namespace fencewise
