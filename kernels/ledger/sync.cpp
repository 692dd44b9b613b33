#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/ledger/execute.h"
#include "kernels/ledger/ledgers.h"

namespace fencewise {

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
  add("reverse, no barrier", racy, "each thread reads what another warp wrote");
  Ledger ledger{"sync", {{"threads", std::to_string(threads)}}, {}, {}};
  add("reduction-5", execute(prepare_reduction({ReductionVersion::warp_shuffle, 256}, 512)),
      "one warp's tail by shuffles");
  add("reduction-6", execute(prepare_reduction({ReductionVersion::warp_synchronous, 256}, 512)),
      "one warp's tail through memory, no __syncwarp()");
  ledger.tables.push_back(std::move(table));
  if (!racy.run.races.empty()) {
    Table races{"races", "The first races of reverse without its barrier", {{"race", "race"}}, {}, {}};
    const Kernel kernel = reverse_kernel(threads, no_barrier);
    for (std::size_t i = 0; i < std::min<std::size_t>(4, racy.run.races.size()); ++i) {
      RaceReport race = racy.run.races[i];
      race.where.column = race.other.column = 0;  // compilers count the columns of calls differently
      races.rows.push_back({to_string(race, kernel)});
    }
    ledger.tables.push_back(std::move(races));
  }
  return ledger;
}

}  // namespace fencewise
