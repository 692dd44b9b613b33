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
      chart.series[s].values.push_back(static_cast<double>(std::get<std::uint64_t>(row[s + 2].value)));
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
      "One block of each in lockstep, and what the in-order race detector says",
      {{"kernel", "kernel"},
       {"threads", "threads"},
       {"barriers", "barriers"},
       {"races", "races"},
       {"right", "right"},
       {"note", "note"}},
      {},
      {"Every run gives the right result: a run in lockstep proves nothing. The detector sees races between",
       "warps; lanes of one warp never race here. That reduction 6 is wrong only the checker tells."}};
  const auto add = [&](const char* name, std::uint32_t block, const Executed& e, const char* note) {
    table.rows.push_back({name, block, e.run.counters.barriers, e.run.counters.race_count, e.right, note});
  };
  add("reverse", threads, execute(prepare_reverse(threads, {})), "barrier between store and load");
  const ReverseSteps no_barrier{.barrier = false};
  const Executed racy = execute(prepare_reverse(threads, no_barrier));
  const bool several_warps = threads > 32;
  add("reverse, no barrier", threads, racy,
      several_warps ? "threads read what another warp wrote"
                    : "one warp: this detector can't see its lanes race");
  Ledger ledger{"sync", {{"threads", std::to_string(threads)}}, {}, {}};
  constexpr std::uint32_t block = 256;
  add("reduction-5", block, execute(prepare_reduction({ReductionVersion::warp_shuffle, block}, 2 * block)),
      "one warp's tail by shuffles");
  add("reduction-6", block,
      execute(prepare_reduction({ReductionVersion::warp_synchronous, block}, 2 * block)),
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
