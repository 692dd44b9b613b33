// What a launch costs the view explorer, and the graph explorer beside it: states, seconds, peak memory.
//
// Time of the processor on one core; beside it, how many times faster it is with two workers (of time on the wall; where it takes a
// tenth of a second or more). Peak memory is that of the whole process so far, so rows of a table only grow. The graph
// explorer is stopped after a minute, and not tried on larger shapes of the same program then: "-". After the rows of a series
// comes the law that its states follow: the polynomial of least degree through all of them, or all but the first few.
//
// Peers' figures are not measured here. They are CPU seconds of one run on a two-core machine, with programs of our own for the same
// protocols (C11 atomics, one thread a CTA; Promela) and GenMC 0.10.3 (RC11) or Spin 6.5.2 (sequential consistency only); measured
// before this explorer was written.
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "checker/check.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

bool small() {
  const char* scale = std::getenv("FENCEWISE_TEST_SCALE");
  return scale != nullptr && std::string(scale) == "small";
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Row {
  std::string protocol, variant;
  Parameters params;
  std::string shape;
};

Row row(const char* protocol, const char* variant, std::initializer_list<std::pair<const char*, std::int64_t>> params) {
  Row r{protocol, variant, {}, ""};
  for (const auto& [name, value] : params) {
    r.params.set(name, value);
    r.shape += fmt::format("{}{}={}", r.shape.empty() ? "" : " ", name, value);
  }
  return r;
}

// By protocol, then by the shape as it is printed.
const std::map<std::string, std::map<std::string, std::string>> peers = {
    {"splitk-serial",
     {{"splits=4 replays=2", "GenMC 0.24 s, 576 executions; Spin 0.17 s, 11,204 states"},
      {"splits=8", "GenMC 12.4 s, 40,320 executions"},
      {"splits=8 replays=2", "GenMC over 89 s from S=6; Spin 67.8 s, 25.5 M states at S=7"}}},
    {"splitk-atomic",
     {{"splits=4 replays=2", "GenMC 63 s, 331,776 executions"}, {"splits=8 replays=2", "GenMC, one launch: over 65 s from S=6"}}},
    {"ticket-lock", {{"ctas=8", "GenMC 13.4 s, 40,320 executions"}}},
    {"message-passing", {{"readers=8", "GenMC 0.09 s, 256 executions"}, {"readers=16", "GenMC 4.6 s, 65,536 executions"}}},
    {"grid-barrier-sense", {{"ctas=8 rounds=1", "GenMC 12.2 s, 40,320 executions"}}},
};

constexpr double most_seconds = 600;

// Returns the number of states; 0: it did not come to its end.
std::uint64_t measure(const Row& r) {
  const Problem problem = instantiate(*find_protocol(r.protocol), r.params, r.variant);
  CheckOptions options;
  Limits limits;
  const auto run = [&](Engine engine, double seconds) {
    options.engine = engine;
    limits.seconds = seconds;
    const std::clock_t start = std::clock();
    const CheckResult result = check(problem, options, limits);
    return std::pair(result, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  };
  const auto [view, view_seconds] = run(Engine::view, small() ? 2 : most_seconds);
  const double peak = peak_mebibytes();
  std::string faster;
  if (view_seconds >= 0.1) {
    options.workers = 2;
    const double two = run(Engine::view, small() ? 2 : most_seconds).first.seconds;
    faster = fmt::format("{:.2f}x", view.seconds / two);
    options.workers = 1;
  }
  std::string by_graphs = "-";
  static std::set<std::string> given_up;
  if (!small() && !given_up.contains(r.protocol + r.variant)) {
    const auto [graph, graph_seconds] = run(Engine::graph, 60);
    if (graph.verdict != Verdict::inconclusive)
      by_graphs = fmt::format("{} in {:.2f} s", graph.search.graphs, graph_seconds);
    else
      given_up.insert(r.protocol + r.variant);
  }
  std::string peer;
  if (const auto of = peers.find(r.protocol); of != peers.end())
    if (const auto at = of->second.find(r.shape); at != of->second.end()) peer = at->second;
  fmt::print("{:<20} {:<18} {:<34} {:<13} {:>8} {:>8.2f} {:>6} {:>8.0f}  {:<20} {}\n", r.protocol, r.variant.empty() ? "(base)" : r.variant,
             r.shape, name(view.verdict), view.search.states, view_seconds, faster, peak, by_graphs, peer);
  return view.verdict == Verdict::inconclusive ? 0 : view.search.states;
}

struct Point {
  double n, states;
};

// Coefficients of the polynomial through the points, lowest power first (Newton's divided differences).
std::vector<double> through(const std::vector<Point>& points) {
  std::vector<double> differences;
  for (const Point& p : points) differences.push_back(p.states);
  for (std::size_t order = 1; order < points.size(); ++order)
    for (std::size_t i = points.size() - 1; i >= order; --i)
      differences[i] = (differences[i] - differences[i - 1]) / (points[i].n - points[i - order].n);
  std::vector<double> c{differences.back()};
  for (std::size_t i = points.size() - 1; i-- > 0;) {  // c := c * (n - n_i) + difference
    c.insert(c.begin(), 0);
    for (std::size_t k = 0; k + 1 < c.size(); ++k) c[k] -= points[i].n * c[k + 1];
    c.front() += differences[i];
  }
  return c;
}

// At most cubic, and checked on two points at least that it was not made from.
std::string law(const std::vector<Point>& points) {
  for (std::size_t degree = 1; degree <= 3; ++degree)
    for (std::size_t skipped = 0; skipped + degree + 3 <= points.size(); ++skipped) {
      const std::vector<Point> of(points.begin() + static_cast<std::ptrdiff_t>(skipped), points.end());
      const std::vector<double> c = through({of.begin(), of.begin() + static_cast<std::ptrdiff_t>(degree) + 1});
      const auto at = [&](double n) {
        double value = 0;
        for (std::size_t k = c.size(); k-- > 0;) value = value * n + c[k];
        return value;
      };
      bool all = true;
      for (const Point& p : of) all &= std::abs(at(p.n) - p.states) < 0.01;
      if (!all) continue;
      std::string text = "states =";
      for (std::size_t k = c.size(); k-- > 0;) {
        if (std::abs(c[k]) < 1e-6) continue;
        text += fmt::format(" {}{:.5g}{}", c[k] < 0 ? "- " : k + 1 == c.size() ? "" : "+ ", std::abs(c[k]),
                            k == 0 ? "" : k == 1 ? " N" : fmt::format(" N^{}", k));
      }
      return text + (skipped == 0 ? "" : fmt::format(", from N = {} on", of.front().n));
    }
  return "no polynomial of degree three or less";
}

// Rows of one protocol that differ in one parameter, and the law.
void series(const char* protocol, const char* variant, const char* name, const std::vector<std::int64_t>& values,
            std::initializer_list<std::pair<const char*, std::int64_t>> others = {}) {
  std::vector<Point> points;
  for (const std::int64_t n : values) {
    Row r = row(protocol, variant, {{name, n}});
    for (const auto& [other, value] : others) {
      r.params.set(other, value);
      r.shape += fmt::format(" {}={}", other, value);
    }
    if (const std::uint64_t states = measure(r); states != 0) points.push_back({static_cast<double>(n), static_cast<double>(states)});
  }
  if (points.size() >= 4) fmt::print("{:<20} {:<18} N = {}: {}\n\n", protocol, *variant == 0 ? "(base)" : variant, name, law(points));
}

}  // namespace
}  // namespace fencewise

int main() {
  using namespace fencewise;
  fmt::print("{:<20} {:<18} {:<34} {:<13} {:>8} {:>8} {:>6} {:>8}  {:<20} {}\n", "protocol", "variant", "shape", "verdict", "states",
             "seconds", "two", "MiB", "graph explorer", "peers");
  const std::vector<std::int64_t> splits = small() ? std::vector<std::int64_t>{4, 8, 12, 16} : std::vector<std::int64_t>{4, 8, 16, 32, 64, 132};
  series("splitk-serial", "", "splits", splits, {{"replays", 2}});
  series("splitk-serial", "acq-rel-increment", "splits", splits, {{"replays", 2}});
  series("splitk-atomic", "", "splits", splits, {{"replays", 2}});
  measure(row("splitk-serial", "", {{"splits", 8}, {"threads", 4}}));
  if (small()) return 0;
  measure(row("splitk-serial", "", {{"splits", 8}, {"threads", 32}}));
  measure(row("splitk-serial", "", {{"splits", 4}, {"threads", 128}}));
  measure(row("splitk-serial", "", {{"splits", 4}, {"threads", 64}, {"tiles", 2}, {"replays", 2}}));
  fmt::print("\n");
  series("ticket-lock", "", "ctas", {2, 4, 6, 8, 12, 16});
  series("cas-lock", "", "ctas", {2, 4, 6, 8, 12, 16});
  series("message-passing", "", "readers", {2, 4, 6, 8, 12, 16});
  series("grid-barrier-sense", "", "ctas", {2, 4, 8, 16, 24, 32, 64}, {{"rounds", 1}});
  series("grid-barrier-sense", "", "ctas", {2, 4, 8, 16, 24, 32, 64}, {{"rounds", 2}});
  for (const std::int64_t threads : {256, 1024}) measure(row("reverse", "", {{"n", threads}}));
  for (const std::int64_t threads : {256, 1024}) {
    measure(row("reverse", "no-barrier", {{"n", threads}}));
    for (const char* kernel : {"reduction-1", "reduction-2", "reduction-3"})
      measure(row(kernel, "", {{"n", threads}, {"threads", threads}}));
    measure(row("reduction-3", "drop-barrier-5", {{"n", threads}, {"threads", threads}}));
    for (const char* kernel : {"reduction-4", "reduction-5", "reduction-6"})
      measure(row(kernel, "", {{"n", 2 * threads}, {"threads", threads}}));
  }
  return 0;
}
