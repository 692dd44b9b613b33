#include <array>

#include <fmt/format.h>

#include "kernels/ledger/device.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/ledger/occupancy.h"
#include "kernels/ledger/tile_model.h"

namespace fencewise {

double Tile::bytes_per_fma() const { return 4.0 * (rows + columns) / (rows * columns); }
std::uint32_t Tile::registers() const { return rows * columns + rows + columns + 24; }
double bytes_per_fma_fed(const Device& device) {
  return static_cast<double>(shared_bytes_per_clock) / device.fma_per_clock;
}
bool is_fed(const Tile& tile, const Device& device) {
  return tile.bytes_per_fma() <= bytes_per_fma_fed(device);
}

Occupancy occupancy_of(const Tile& tile, const Device& device) {
  return occupancy(device, {.threads = 256, .registers = tile.registers(), .shared_bytes = 8192});
}

std::span<const Tile> tiles() {
  static constexpr auto all = std::to_array<Tile>({{1, 1}, {2, 2}, {4, 4}, {8, 4}, {8, 8}, {16, 8}});
  return all;
}

Ledger tiles_ledger() {
  Table table{"tiles",
              "Results a thread holds in registers, and the shared memory they ask for",
              {{"tile", "tile"}, {"bytes_per_fma", "bytes/FMA"}, {"registers", "registers"}},
              {},
              {"bytes/FMA: 4(TM+TN)/(TM·TN); shared memory delivers 128 bytes a clock and SM. fed: that is "
               "enough for",
               "all FMA units. A larger tile asks for less, and its registers leave room for fewer warps."}};
  BarChart chart{"Shared-memory bytes a multiply-add", "bytes", {}, {{"asked for", {}}}};
  for (const Device& d : devices()) {
    table.columns.push_back({fmt::format("{}_fed", d.key), fmt::format("{} fed", d.key)});
    table.columns.push_back({fmt::format("{}_occupancy", d.key), "occupancy"});
    chart.series.push_back({fmt::format("{} delivers", d.key), {}});
  }
  for (const Tile& tile : tiles()) {
    const std::string name = fmt::format("{}x{}", tile.rows, tile.columns);
    std::vector<Cell> row{name, Cell(tile.bytes_per_fma()), tile.registers()};
    chart.labels.push_back(name);
    chart.series[0].values.push_back(tile.bytes_per_fma());
    for (std::size_t d = 0; d < devices().size(); ++d) {
      row.emplace_back(is_fed(tile, devices()[d]));
      row.emplace_back(occupancy_of(tile, devices()[d]).share, 3);
      chart.series[d + 1].values.push_back(bytes_per_fma_fed(devices()[d]));
    }
    table.rows.push_back(std::move(row));
  }
  return {"tiles", {}, {table}, {chart}};
}

}  // namespace fencewise
