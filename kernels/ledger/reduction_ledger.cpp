#include <array>
#include <bit>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/ledger/device.h"
#include "kernels/ledger/execute.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/ledger/prediction.h"

namespace fencewise {
namespace {

constexpr std::array<std::string_view, 5> titles{"interleaved, tid % 2s == 0", "interleaved, index 2·s·tid",
                                                 "sequential, tid < s", "two elements a thread",
                                                 "last 64 by warp shuffles"};

struct Version {
  ReductionShape reduction;
  Executed executed;
  std::uint64_t blocks = 0;
  [[nodiscard]] const Counters& counters() const { return executed.run.counters; }
};

Table counters_table(const std::vector<Version>& versions, std::int64_t n) {
  Table table{"counters",
              fmt::format("Sum of {} floats", n),
              {{"version", "version"},
               {"title", "title"},
               {"blocks", "blocks"},
               {"warp_instr", "warp instr"},
               {"of_version_1", "of v1"},
               {"simt_efficiency", "simt eff"},
               {"divergent", "divergent"},
               {"barriers_per_block", "bar/block"},
               {"smem_wavefronts", "wavefronts"},
               {"bank_conflict_factor", "bank factor"},
               {"exact", "exact"}},
              {},
              {"2 removes v1's divergence and pays with bank conflicts; 3 removes those; 4 halves the blocks "
               "and their",
               "barriers; 5 ends in one warp, which needs no barriers and no branches."}};
  const auto first = static_cast<double>(versions.front().counters().warp_instr);
  for (const Version& v : versions) {
    const Counters& c = v.counters();
    table.rows.push_back({fmt::format("v{}", static_cast<int>(v.reduction.version)),
                          titles[static_cast<std::size_t>(v.reduction.version) - 1], v.blocks, c.warp_instr,
                          Cell(static_cast<double>(c.warp_instr) / first), Cell(c.simt_efficiency()),
                          c.divergent, c.barriers / v.blocks, c.smem_wavefronts(),
                          Cell(c.bank_conflict_factor()), v.executed.right});
  }
  return table;
}

Table times_table(const std::vector<Version>& versions, const Device& device) {
  Table table{
      "times",
      fmt::format("Predicted on {}, microseconds", device.name),
      {{"version", "version"},
       {"issue_us", "issue"},
       {"shared_us", "shared"},
       {"memory_us", "memory"},
       {"bound", "bound"},
       {"gbytes_per_second", "GB/s"}},
      {},
      {"The longest of the three is the time: reading the data is the least that any version can take."}};
  for (const Version& v : versions) {
    const Prediction p = predict_reduction(v.counters(), device);
    const double bytes = 32.0 * static_cast<double>(v.counters().gld_sectors);
    table.rows.push_back({fmt::format("v{}", static_cast<int>(v.reduction.version)),
                          microseconds(p.seconds_of("issue")), microseconds(p.seconds_of("shared")), microseconds(p.seconds_of("memory")),
                          p.bound().resource, Cell(bytes / p.seconds() / 1e9, 0)});
  }
  return table;
}

std::vector<BarChart> charts(const std::vector<Version>& versions, const Device& device) {
  BarChart counts{"Warp instructions and shared-memory wavefronts",
                  "",
                  {},
                  {{"warp instructions", {}}, {"wavefronts", {}}}};
  BarChart times{
      fmt::format("Predicted on {}", device.name), "us", {}, {{"issue", {}}, {"shared", {}}, {"memory", {}}}};
  for (const Version& v : versions) {
    const std::string label = fmt::format("v{}", static_cast<int>(v.reduction.version));
    counts.labels.push_back(label);
    times.labels.push_back(label);
    counts.series[0].values.push_back(static_cast<double>(v.counters().warp_instr));
    counts.series[1].values.push_back(static_cast<double>(v.counters().smem_wavefronts()));
    const Prediction p = predict_reduction(v.counters(), device);
    for (Series& s : times.series) s.values.push_back(p.seconds_of(s.name) * 1e6);
  }
  return {counts, times};
}

// Once for all versions, so that the message names what all of them need.
void check(const ReductionOptions& o) {
  const bool power_of_two = o.threads > 0 && std::has_single_bit(static_cast<std::uint64_t>(o.threads));
  if (!power_of_two || o.threads < 64 || o.threads > 1024)
    throw InputError(
        fmt::format("ledger reduction needs a power of two of threads from 64 to 1024, not {}", o.threads));
  constexpr std::int64_t limit = std::int64_t{1} << 29;
  if (o.n <= 0 || o.n >= limit || o.n % (2 * o.threads) != 0)
    throw InputError(fmt::format(
        "ledger reduction with {} threads needs n to be a positive multiple of {} below 2^29, not {}",
        o.threads, 2 * o.threads, o.n));
}

}  // namespace

Ledger reduction_ledger(const ReductionOptions& options) {
  const Device& device = find_device(options.device);
  check(options);
  std::vector<Version> versions;
  for (int v = 1; v <= 5; ++v) {
    const ReductionShape reduction{static_cast<ReductionVersion>(v),
                                   static_cast<std::uint32_t>(options.threads)};
    versions.push_back({reduction, execute(prepare_reduction(reduction, options.n), options.workers),
                        static_cast<std::uint64_t>(options.n) / elements_per_block(reduction)});
  }
  return {"reduction",
          {{"n", std::to_string(options.n)},
           {"threads", std::to_string(options.threads)},
           {"device", std::string(device.key)}},
          {counters_table(versions, options.n), times_table(versions, device)},
          charts(versions, device)};
}

}  // namespace fencewise
