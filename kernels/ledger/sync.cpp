#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/ledger/execute.h"
#include "kernels/ledger/ledgers.h"

namespace fencewise {
namespace {

BarChart chart_of(const Table& table) {
  BarChart chart{"Barriers and races of one block", "", {}, {{"barriers", {}}, {"races", {}}}};
  for (const auto& row : table.rows) {
    chart.labels.push_back(text_of(row[0]));
    for (std::size_t s = 0; s < 2; ++s)
      chart.series[s].values.push_back(static_cast<double>(std::get<std::uint64_t>(row[s + 1].value)));
  }
  return chart;
}

}  // namespace

Ledger sync_ledger(const SyncOptions& options) {
  if (options.threads < 1 || options.threads > 1024)
    throw InputError(fmt::format("ledger sync needs 1 to 1024 threads, not {}", options.threads));
  const auto threads = static_cast<std::uint32_t>(options.threads);
  Table table{
      "sync",
      fmt::format("One lockstep run of each, and what the in-order race detector says ({} threads)", threads),
      {{"kernel", "kernel"},
       {"barriers", "barriers"},
       {"races", "races"},
       {"right", "right"},
       {"note", "note"}},
      {},
      {"Every run gives the right result: a run in lockstep proves nothing. The detector sees races between",
       "warps; lanes of one warp never race here. That reduction 6 is wrong only the checker tells."}};
  const auto add = [&](const std::string& name, const Executed& e, const std::string& note) {
    table.rows.push_back({name, e.run.counters.barriers, e.run.counters.race_count, e.right, note});
  };
  add("reverse", execute(prepare_reverse(threads, {})), "barrier between store and load");
  const ReverseSteps no_barrier{.barrier = false};
  const Executed racy = execute(prepare_reverse(threads, no_barrier));
  const bool several_warps = threads > 32;
  add("reverse, no barrier", racy,
      several_warps ? "each thread reads what another warp wrote"
                    : "one warp: this detector can't see its lanes race");
  Ledger ledger{"sync", {{"threads", std::to_string(threads)}}, {}, {}};
  add("reduction-5", execute(prepare_reduction({ReductionVersion::warp_shuffle, 256}, 512)),
      "one warp's tail by shuffles");
  add("reduction-6", execute(prepare_reduction({ReductionVersion::warp_synchronous, 256}, 512)),
      "one warp's tail through memory, no __syncwarp()");
  ledger.tables.push_back(std::move(table));
  if (!racy.run.races.empty()) {
    Table races{"races", "The first races of reverse without its barrier", {{"race", "race"}}, {}, {}};
    const Kernel kernel = reverse_kernel(threads, no_barrier);
    for (std::size_t i = 0; i < std::min<std::size_t>(4, racy.run.races.size()); ++i)
      races.rows.push_back({to_string(racy.run.races[i], kernel)});
    ledger.tables.push_back(std::move(races));
  }
  ledger.charts.push_back(chart_of(ledger.tables.front()));
  return ledger;
}

}  // namespace fencewise
