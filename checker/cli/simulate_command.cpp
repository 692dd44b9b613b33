#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/output.h"
#include "checker/cli/subject.h"
#include "checker/simulate.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::int64_t most_runs = 10'000'000;

// "in[0] = 7, in[1] = 3", cut where it gets long.
std::string listed(const std::vector<std::string>& entries) {
  constexpr std::size_t most = 8;
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(std::min(most, entries.size()));
  return fmt::format("{}{}", fmt::join(entries.begin(), end, ", "), entries.size() > most ? ", ..." : "");
}

std::string line_of(std::int64_t run, const SimulatedReplay& r) {
  std::string line = fmt::format("run {} replay {}: ", run, r.replay);
  if (!r.inputs.empty()) line += listed(r.inputs) + "; ";
  line += fmt::format("CTAs finish {}; ", fmt::join(r.finish_order, ","));
  if (!r.outputs.empty()) line += listed(r.outputs) + "; ";
  return line + (r.ok ? "OK" : fmt::format("WRONG: {}", r.problem)) + "\n";
}

std::int64_t runs_of(const Options& options) {
  const std::int64_t runs = options.runs.value_or(1);
  if (runs >= 1 && runs <= most_runs) return runs;
  throw InputError(fmt::format("--runs must be from 1 to {}; got {}", most_runs, runs));
}

struct Tally {
  std::int64_t ok = 0, wrong = 0;
};

// A run is right if each of its replays is.
bool show_run(const std::vector<SimulatedReplay>& replays, std::int64_t run, const Options& options) {
  bool ok = true;
  for (const SimulatedReplay& replay : replays) {
    ok = ok && replay.ok;
    if (!options.quiet) print_out(line_of(run, replay));
  }
  return ok;
}

}  // namespace

int simulate_command(const Options& options) {
  refuse_contradictions(options);
  Schedule schedule;
  schedule.finish_order = finish_order(options);
  const std::int64_t runs = runs_of(options);
  const Problem problem = problem_of(find_subject(options));
  const auto first_seed = static_cast<std::uint64_t>(options.seed.value_or(1));
  Tally tally;
  for (std::int64_t run = 1; run <= runs; ++run) {
    schedule.seed = first_seed + static_cast<std::uint64_t>(run) - 1;
    ++(show_run(simulate(problem, schedule), run, options) ? tally.ok : tally.wrong);
  }
  print_out(fmt::format("{} run{}: {} OK, {} WRONG\n", runs, runs == 1 ? "" : "s", tally.ok, tally.wrong));
  return tally.wrong == 0 ? exit_verified : exit_violated;
}

}  // namespace fencewise
