// check --sweep: a protocol at many shapes, smallest first.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/interrupt.h"
#include "checker/cli/output.h"
#include "checker/cli/progress_line.h"
#include "checker/cli/shrink.h"
#include "checker/cli/subject.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::size_t most_shapes = 10'000;

struct Range {
  std::string name;
  std::int64_t from = 1, to = 1;
};

std::int64_t number_in(const std::string& text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(fmt::format("--sweep {}: '{}' is no number; write it like splits=1..8,threads=1..3", whole, text));
  return value;
}

// "splits=1..8,threads=2"
std::vector<Range> ranges_of(const std::string& text, const Protocol& protocol) {
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
    const std::string values = item.substr(equals + 1);
    const std::size_t dots = values.find("..");
    r.from = number_in(values.substr(0, dots), text);
    r.to = dots == std::string::npos ? r.from : number_in(values.substr(dots + 2), text);
    const auto p = std::find_if(protocol.parameters.begin(), protocol.parameters.end(),
                                [&](const Parameter& parameter) { return parameter.name == r.name; });
    if (p == protocol.parameters.end())
      throw InputError(fmt::format("{} has no parameter '{}'; fencewise show {} lists them", protocol.name, r.name, protocol.name));
    if (!p->choices.empty()) throw InputError(fmt::format("--sweep {}: '{}' is no number", text, r.name));
    if (r.from > r.to || r.from < p->min || r.to > p->max)
      throw InputError(fmt::format("--sweep {}: {} goes from {} to {}", text, r.name, p->min, p->max));
    if (std::any_of(ranges.begin(), ranges.end(), [&](const Range& other) { return other.name == r.name; }))
      throw InputError(fmt::format("--sweep {}: '{}' is there twice", text, r.name));
    ranges.push_back(r);
  }
  return ranges;
}

std::vector<Parameters> shapes_of(const std::vector<Range>& ranges, const Parameters& given) {
  std::vector<Parameters> shapes{given};
  for (const Range& r : ranges) {
    std::vector<Parameters> next;
    for (const Parameters& shape : shapes)
      for (std::int64_t v = r.from; v <= r.to; ++v) {
        if (next.size() >= most_shapes) throw InputError(fmt::format("--sweep has more than {} shapes", most_shapes));
        next.push_back(shape);
        next.back().set(r.name, v);
      }
    shapes = std::move(next);
  }
  return shapes;
}

}  // namespace

int check_sweep(const Options& options) {
  Subject subject = find_subject(options);
  if (subject.protocol == nullptr) throw InputError("--sweep is for protocols: their parameters are swept");
  const auto ranges = ranges_of(options.sweep, *subject.protocol);
  struct Shape {
    Parameters params;
    std::optional<Problem> problem;
    std::uint64_t size = 0;
    std::string missing;  // why there is no such shape
  };
  std::vector<Shape> shapes;
  for (const Parameters& params : shapes_of(ranges, subject.given)) {
    Shape s;
    s.params = params;
    try {
      s.problem = instantiate(*subject.protocol, params, subject.variant);
      s.size = threads_of(*s.problem);
    } catch (const InputError& e) {
      s.missing = e.what();
    }
    shapes.push_back(std::move(s));
  }
  std::stable_sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) { return a.size < b.size; });

  std::vector<std::size_t> widths;
  std::string head;
  for (const Range& r : ranges) {
    widths.push_back(std::max(r.name.size(), std::to_string(r.to).size()));
    head += fmt::format("{:>{}}  ", r.name, widths.back());
  }
  print_out(fmt::format("{}{:<13}{:<7}{:>9}  {:>8}  {}\n", head, "verdict", "engine", "explored", "seconds", "finding"));
  int code = exit_verified;
  std::string smallest;
  for (const Shape& s : shapes) {
    if (stop_on_interrupt().load(std::memory_order_relaxed)) {
      code = std::max<int>(code, exit_inconclusive);
      break;
    }
    std::string line;
    for (std::size_t n = 0; n < ranges.size(); ++n) line += fmt::format("{:>{}}  ", s.params[ranges[n].name], widths[n]);
    if (!s.problem) {
      print_out(fmt::format("{}no such shape: {}\n", line, s.missing));
      continue;
    }
    const CheckOptions used = check_options(options);
    CheckResult result;
    {
      ProgressLine progress(!options.quiet);
      result = check(*s.problem, used, limits(options), progress.sink(stop_on_interrupt()));
    }
    std::string finding;
    if (!result.findings.empty())
      finding = result.findings.front().message;
    else if (result.verdict == Verdict::inconclusive)
      finding = result.reason;
    print_out(fmt::format("{}{:<13}{:<7}{:>9}  {:>8.2f}{}{}\n", line, spelling(result.verdict), result.engine,
                          result.engine == "view" ? result.search.states : result.search.graphs, result.seconds,
                          finding.empty() ? "" : "  ", finding));
    finish_output();
    if (result.verdict == Verdict::violated) {
      code = exit_violated;
      if (smallest.empty())
        for (const Range& r : ranges) smallest += fmt::format("{}{}={}", smallest.empty() ? "" : " ", r.name, s.params[r.name]);
    } else if (result.verdict == Verdict::inconclusive && code == exit_verified) {
      code = exit_inconclusive;
    }
  }
  print_out(smallest.empty() ? fmt::format("{}: no shape fails\n", subject.name)
                             : fmt::format("{}: the smallest that fails is {}\n", subject.name, smallest));
  return code;
}

}  // namespace fencewise
