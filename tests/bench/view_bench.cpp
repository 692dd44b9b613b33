// What a launch costs the view explorer, and the graph explorer beside it: states, seconds, peak memory.
//
// Time of the processor on one core. Peak memory is that of the whole process so far, so rows of a table only grow. The graph
// explorer is stopped after a few seconds: "-".
#include <cstdlib>
#include <ctime>
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
  std::string by_graphs = "-";
  if (!small()) {
    const auto [graph, graph_seconds] = run(Engine::graph, 5);
    if (graph.verdict != Verdict::inconclusive) by_graphs = fmt::format("{} in {:.2f} s", graph.search.graphs, graph_seconds);
  }
  fmt::print("{:<20} {:<18} {:<34} {:<13} {:>8} {:>8.2f} {:>8.0f}  {}\n", r.protocol, r.variant.empty() ? "(base)" : r.variant,
             r.shape, name(view.verdict), view.search.states, view_seconds, peak, by_graphs);
}

}  // namespace
}  // namespace fencewise

int main() {
  using namespace fencewise;
  fmt::print("{:<20} {:<18} {:<34} {:<13} {:>8} {:>8} {:>8}  {}\n", "protocol", "variant", "shape", "verdict", "states",
             "seconds", "MiB", "graph explorer");
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
    measure(row("grid-barrier-sense", "", {{"ctas", ctas}, {"rounds", 2}}));
    measure(row("message-passing", "", {{"readers", ctas}}));
  }
  for (const char* kernel : {"reduction-1", "reduction-3", "reduction-6"}) measure(row(kernel, "", {}));
  return 0;
}
