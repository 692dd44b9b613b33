#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/ledger/splitk_model.h"

namespace fencewise {
namespace {

void check(const SplitkOptions& o) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  const auto fail = [](const std::string& what) { throw InputError("ledger splitk: " + what); };
  const auto positive = [&](const char* name, std::int64_t value, std::int64_t most) {
    if (value < 1 || value > most) fail(fmt::format("{} is 1 to {}, not {}", name, most, value));
  };
  positive("rows", o.rows, limit);
  positive("columns", o.columns, limit);
  positive("rows-per-block", o.rows_per_block, 1024);
  positive("blocks-per-sm", o.blocks_per_sm, 32);
  positive("max-splits", o.max_splits, 65535);
  if (o.rows % o.rows_per_block != 0)
    fail(fmt::format("rows must be a multiple of the {} rows of a block, not {}", o.rows_per_block, o.rows));
  if (o.columns % 32 != 0) fail(fmt::format("columns must be a multiple of 32, not {}", o.columns));
}

// Splits that leave each CTA a whole number of warp-wide steps.
std::vector<SplitkCost> all_costs(const SplitkOptions& o, const Device& device) {
  const SplitkShape shape{static_cast<std::uint64_t>(o.rows), static_cast<std::uint64_t>(o.columns),
                          static_cast<std::uint64_t>(o.rows_per_block),
                          static_cast<std::uint64_t>(o.blocks_per_sm)};
  std::vector<SplitkCost> costs;
  for (std::int64_t s = 1; s <= o.max_splits; ++s)
    if (o.columns / 32 % s == 0) costs.push_back(splitk_cost(shape, static_cast<std::uint64_t>(s), device));
  return costs;
}

template <class Total> const SplitkCost& best(const std::vector<SplitkCost>& costs, Total total) {
  return *std::min_element(costs.begin(), costs.end(),
                           [&](const SplitkCost& a, const SplitkCost& b) { return total(a) < total(b); });
}

// Of the last one shown nobody knows whether more would be better.
std::string splits_text(const SplitkCost& best, const SplitkCost& last) {
  return fmt::format("{} split{}{}", best.splits, best.splits == 1 ? "" : "s",
                     &best == &last ? " (the most shown)" : "");
}

}  // namespace

Ledger splitk_ledger(const SplitkOptions& options) {
  check(options);
  const Device& device = find_device(options.device);
  const std::vector<SplitkCost> costs = all_costs(options, device);
  const SplitkCost& serial = best(costs, [](const SplitkCost& c) { return c.serial(); });
  const SplitkCost& atomic = best(costs, [](const SplitkCost& c) { return c.atomic(); });
  Table table{
      "splitk",
      fmt::format("Split-K GEMV, {} x {}, {} rows a block, predicted on {}, microseconds", options.rows,
                  options.columns, options.rows_per_block, device.name),
      {{"splits", "splits"},
       {"ctas", "CTAs"},
       {"waves", "waves"},
       {"work_us", "work"},
       {"workspace_bytes", "ws bytes"},
       {"workspace_us", "ws"},
       {"counting_us", "counting"},
       {"serial_us", "serial"},
       {"atomics", "atomics"},
       {"atomics_us", "adds"},
       {"rezero_us", "re-zero"},
       {"atomic_us", "atomic"},
       {"best", "best"}},
      {},
      {"serial = work + ws + counting; atomic = work + adds (and counting) + re-zero. A wave is full at "
       "SMs x blocks/SM CTAs.",
       fmt::format("Take {} for the serial form, {} for the atomic one.", splits_text(serial, costs.back()),
                   splits_text(atomic, costs.back()))}};
  BarChart chart{fmt::format("Split-K GEMV on {}", device.name), "us", {}, {{"serial", {}}, {"atomic", {}}}};
  for (const SplitkCost& c : costs) {
    const bool s = &c == &serial, a = &c == &atomic;
    table.rows.push_back({c.splits, c.ctas, c.waves, microseconds(c.work), c.workspace_bytes, microseconds(c.workspace),
                          microseconds(c.serial_counting), microseconds(c.serial()), c.atomic_atomics, microseconds(c.atomic_adds),
                          microseconds(c.rezero), microseconds(c.atomic()),
                          s && a ? "both"
                          : s    ? "serial"
                          : a    ? "atomic"
                                 : ""});
    chart.labels.push_back(std::to_string(c.splits));
    chart.series[0].values.push_back(c.serial() * 1e6);
    chart.series[1].values.push_back(c.atomic() * 1e6);
  }
  return {"splitk",
          {{"rows", std::to_string(options.rows)},
           {"columns", std::to_string(options.columns)},
           {"rows_per_block", std::to_string(options.rows_per_block)},
           {"blocks_per_sm", std::to_string(options.blocks_per_sm)},
           {"max_splits", std::to_string(options.max_splits)},
           {"device", std::string(device.key)}},
          {table},
          {chart}};
}

}  // namespace fencewise
