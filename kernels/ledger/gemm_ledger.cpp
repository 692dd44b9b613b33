#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/ledger/device.h"
#include "kernels/ledger/execute.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/ledger/measured.h"
#include "kernels/ledger/occupancy.h"
#include "kernels/ledger/prediction.h"
#include "kernels/ledger/scaling.h"

namespace fencewise {
namespace {

struct Run {
  const GemmVariant* variant;
  ExecutedGemm executed;
  [[nodiscard]] const Counters& counters() const { return executed.run.counters; }
};

std::vector<Run> run_all(std::uint32_t n, unsigned workers) {
  const GemmData data = gemm_data(n);
  std::vector<Run> runs;
  for (const GemmVariant& v : gemm_variants()) runs.push_back({&v, execute_gemm(v.version, data, workers)});
  return runs;
}

Table counters_table(const std::vector<Run>& runs, std::uint32_t n) {
  Table table{
      fmt::format("counters_{}", n),
      fmt::format("C = A·B, {0} x {0}: events per 1000 multiply-adds", n),
      {{"version", "version"},
       {"title", "title"},
       {"warp_instr", "warp instr"},
       {"ffma", "FFMA"},
       {"lds", "LDS"},
       {"lds_wavefronts", "LDS waves"},
       {"sts_wavefronts", "STS waves"},
       {"gld_lines", "GLD lines"},
       {"bank_conflict_factor", "bank factor"},
       {"barriers", "barriers"},
       {"same_bits", "same bits"},
       {"largest_error", "error"}},
      {},
      {"k2 reads whole lines; k3 shares tiles; k4 and k5 hold more results a thread, so read less for each; "
       "k5v and k6",
       "read four words at once; k7 meets in no bank; k8 holds 128 results; k9 waits once a step instead of "
       "twice.",
       "A multiply-add is 31.25 warp instructions a thousand. same bits: as the triple loop with fma; error: "
       "the largest",
       "against a product in double, times 10^6; barriers: in all."}};
  for (const Run& r : runs) {
    const Counters& c = r.counters();
    const auto per = [&](std::uint64_t count) { return Cell(per_thousand_fma(count, c)); };
    table.rows.push_back({r.variant->name, r.variant->title, per(c.warp_instr), per(c.ffma_instr),
                          per(c.lds_instr), per(c.lds_wavefronts), per(c.sts_wavefronts), per(c.gld_lines),
                          Cell(c.bank_conflict_factor()), c.barriers, r.executed.same_bits,
                          Cell(r.executed.largest_error * 1e6)});
  }
  return table;
}

Table scaling_table(const std::vector<Run>& small, std::uint32_t from, const std::vector<Run>& large,
                    std::uint32_t to) {
  Table table{"scaling",
              fmt::format("The ledger at {} scaled to {}, against the run at {}", from, to, to),
              {{"version", "version"},
               {"warp_instr_scaled", "scaled warp instr"},
               {"warp_instr_run", "run"},
               {"deviation", "deviation"}},
              {},
              {"deviation: the largest of any counter. It is 0: sizes that are multiples of the tile scale "
               "exactly."}};
  for (std::size_t i = 0; i < small.size(); ++i) {
    const Counters scaled = scale_gemm(small[i].counters(), to / from);
    table.rows.push_back({small[i].variant->name, scaled.warp_instr, large[i].counters().warp_instr,
                          Cell(deviation(scaled, large[i].counters()), 4)});
  }
  return table;
}

struct Modelled {
  const GemmVariant* variant;
  Prediction prediction;
  double gflops = 0;
  std::optional<double> measured;
};

std::vector<Modelled> model(const std::vector<Run>& runs, std::uint64_t n, std::uint64_t at,
                            const Device& device) {
  std::vector<Modelled> all;
  for (const Run& r : runs) {
    Modelled m{r.variant, predict_gemm(scale_gemm(r.counters(), at / n), device), 0, std::nullopt};
    m.gflops = gemm_gflops(at, m.prediction.seconds());
    m.measured = measured_gflops(r.variant->version, at, device);
    all.push_back(std::move(m));
  }
  return all;
}

bool any_measured(const std::vector<Modelled>& all) {
  return std::any_of(all.begin(), all.end(), [](const Modelled& m) { return m.measured.has_value(); });
}

// So that the FMA time of any size shows three digits that count.
int decimals(const std::vector<Modelled>& all) {
  int digits = 3;
  for (double ms = all.front().prediction.seconds_of("FMA") * 1e3; ms < 1 && digits < 9; ms *= 10) ++digits;
  return digits;
}

Table model_table(const std::vector<Modelled>& all, std::uint64_t at, const Device& device) {
  Table table{"model",
              fmt::format("Predicted on {} at {}, milliseconds", device.name, at),
              {{"version", "version"},
               {"issue_ms", "issue"},
               {"l1_ms", "L1"},
               {"shared_ms", "shared"},
               {"fma_ms", "FMA"},
               {"bound", "bound"},
               {"gflops", "GFLOP/s"},
               {"measured_gflops", "measured"},
               {"measured_over_model", "meas/model"},
               {"blocks_per_sm", "blocks/SM"},
               {"occupancy", "occupancy"}},
              {},
              {"The longest of the four is the time and names the bound."}};
  if (any_measured(all)) {
    table.notes.front() += " Measured: Boehm, RTX A6000, 4096.";
    table.notes.push_back(
        "k5 measures faster than its model: the compiler did not read Bs word by word, as k5v shows.");
  }
  const int digits = decimals(all);
  for (const Modelled& m : all) {
    const auto ms = [&](std::string_view resource) {
      return Cell(m.prediction.seconds_of(resource) * 1e3, digits);
    };
    const Occupancy o = occupancy(device, {static_cast<std::uint32_t>(m.variant->block.count()),
                                           m.variant->registers, m.variant->shared_bytes});
    table.rows.push_back({m.variant->name, ms("issue"), ms("L1"), ms("shared"), ms("FMA"),
                          m.prediction.bound().resource, Cell(m.gflops, 0),
                          m.measured ? Cell(*m.measured, 0) : Cell(),
                          m.measured ? Cell(*m.measured / m.gflops) : Cell(), o.blocks, Cell(o.share)});
  }
  return table;
}

std::vector<BarChart> charts(const std::vector<Run>& runs, const std::vector<Modelled>& all,
                             const Device& device) {
  BarChart counts{"Per 1000 multiply-adds", "", {}, {{"warp instructions", {}}, {"shared wavefronts", {}}}};
  BarChart speed{fmt::format("Predicted on {}", device.name), "GFLOP/s", {}, {{"model", {}}}};
  if (any_measured(all)) {
    speed.title = fmt::format("Model against measurement, {}", device.name);
    speed.series.push_back({"measured", {}});
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Counters& c = runs[i].counters();
    counts.labels.emplace_back(runs[i].variant->name);
    counts.series[0].values.push_back(per_thousand_fma(c.warp_instr, c));
    counts.series[1].values.push_back(per_thousand_fma(c.smem_wavefronts(), c));
    speed.labels.emplace_back(runs[i].variant->name);
    speed.series[0].values.push_back(all[i].gflops);
    if (speed.series.size() > 1) speed.series[1].values.push_back(all[i].measured.value_or(-1));
  }
  return {counts, speed};
}

void check_sizes(const GemmOptions& options) {
  if (options.sizes.empty()) throw InputError("ledger gemm needs at least one size");
  for (const std::int64_t n : options.sizes)
    for (std::size_t v = gemm_variants().size(); v-- > 0;)  // the largest tile first: its message serves all
      static_cast<void>(gemm_grid(gemm_variants()[v], n));
  const std::int64_t largest = *std::max_element(options.sizes.begin(), options.sizes.end());
  constexpr std::int64_t limit = 1 << 20;  // counters stay within 64 bits
  if (options.at <= 0 || options.at > limit || options.at % largest != 0)
    throw InputError(fmt::format(
        "the size of the model, --at, must be a multiple of {} up to {}, not {}; for example --at {}",
        largest, limit, options.at, largest * std::max<std::int64_t>(1, 4096 / largest)));
}

}  // namespace

Ledger gemm_ledger(const GemmOptions& options) {
  const Device& device = find_device(options.device);
  check_sizes(options);
  std::vector<std::int64_t> sizes = options.sizes;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  Ledger ledger{"gemm", {}, {}, {}};
  std::vector<std::vector<Run>> runs;
  for (const std::int64_t n : sizes) {
    runs.push_back(run_all(static_cast<std::uint32_t>(n), options.workers));
    ledger.tables.push_back(counters_table(runs.back(), static_cast<std::uint32_t>(n)));
    if (runs.size() > 1) ledger.tables.back().notes.clear();  // said once
  }
  const auto first = static_cast<std::uint32_t>(sizes.front()),
             last = static_cast<std::uint32_t>(sizes.back());
  if (sizes.size() > 1 && last % first == 0)
    ledger.tables.push_back(scaling_table(runs.front(), first, runs.back(), last));
  const std::vector<Modelled> modelled =
      model(runs.back(), last, static_cast<std::uint64_t>(options.at), device);
  ledger.tables.push_back(model_table(modelled, static_cast<std::uint64_t>(options.at), device));
  ledger.charts = charts(runs.back(), modelled, device);
  std::string list;
  for (const std::int64_t n : sizes) list += (list.empty() ? "" : ",") + std::to_string(n);
  ledger.inputs = {{"n", list}, {"at", std::to_string(options.at)}, {"device", std::string(device.key)}};
  return ledger;
}

}  // namespace fencewise
