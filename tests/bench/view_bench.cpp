// What a launch costs the view explorer, and the graph explorer beside it: states, seconds, peak memory.
//
// Time of the processor on one core; beside it, how many times faster it is with two workers (of time on the wall; where it takes a
// tenth of a second or more). Peak memory is that of the whole process so far, so rows of a table only grow. The graph
// explorer is stopped after a minute, and not tried on larger shapes of the same program then: "-".
//
// Peers' figures are not measured here. They are CPU seconds of one run on a two-core machine, with programs of our own for the same
// protocols (C11 atomics, one thread a CTA; Promela) and GenMC 0.10.3 (RC11) or Spin 6.5.2 (sequential consistency only); measured
// before this explorer was written.
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <string>

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

void measure(const Row& r) {
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
  const auto [view, view_seconds] = run(Engine::view, small() ? 2 : 60);
  const double peak = peak_mebibytes();
  std::string faster;
  if (view_seconds >= 0.1) {
    options.workers = 2;
    const double two = run(Engine::view, 60).first.seconds;
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
}

}  // namespace
}  // namespace fencewise

int main() {
  using namespace fencewise;
  fmt::print("{:<20} {:<18} {:<34} {:<13} {:>8} {:>8} {:>6} {:>8}  {:<20} {}\n", "protocol", "variant", "shape", "verdict", "states",
             "seconds", "two", "MiB", "graph explorer", "peers");
  for (const std::int64_t splits : {4, 8, 16, 32, 64, 132}) {
    if (small() && splits > 16) break;
    measure(row("splitk-serial", "", {{"splits", splits}, {"replays", 2}}));
    measure(row("splitk-serial", "acq-rel-increment", {{"splits", splits}, {"replays", 2}}));
    measure(row("splitk-atomic", "", {{"splits", splits}, {"replays", 2}}));
  }
  measure(row("splitk-serial", "", {{"splits", 8}, {"threads", 4}}));
  if (small()) return 0;
  measure(row("splitk-serial", "", {{"splits", 8}, {"threads", 32}}));
  measure(row("splitk-serial", "", {{"splits", 4}, {"threads", 128}}));
  for (const std::int64_t ctas : {2, 4, 8, 16}) {
    measure(row("ticket-lock", "", {{"ctas", ctas}}));
    measure(row("cas-lock", "", {{"ctas", ctas}}));
    measure(row("message-passing", "", {{"readers", ctas}}));
  }
  measure(row("grid-barrier-sense", "", {{"ctas", 8}, {"rounds", 1}}));
  for (const std::int64_t ctas : {2, 4, 8, 16, 24, 32}) measure(row("grid-barrier-sense", "", {{"ctas", ctas}, {"rounds", 2}}));
  measure(row("splitk-serial", "", {{"splits", 4}, {"threads", 64}, {"tiles", 2}, {"replays", 2}}));
  for (const char* kernel : {"reduction-1", "reduction-3", "reduction-6"}) measure(row(kernel, "", {}));
  return 0;
}
