#include "kernels/ledger/occupancy.h"

#include <algorithm>
#include <array>

namespace fencewise {
namespace {

std::uint32_t round_up(std::uint32_t value, std::uint32_t step) { return (value + step - 1) / step * step; }

}  // namespace

Occupancy occupancy(const Device& device, const BlockNeeds& needs) {
  const std::uint32_t warps = round_up(needs.threads, 32) / 32;
  const std::uint32_t registers_a_warp = std::max(256U, round_up(needs.registers * 32, 256));
  const std::uint32_t warps_by_registers = device.registers / registers_a_warp / 4 * 4;
  struct Limit {
    std::string_view name;
    std::uint32_t blocks;
  };
  const std::array limits{
      Limit{"warps", device.max_warps / warps},
      Limit{"blocks", device.max_blocks},
      Limit{"registers", warps_by_registers / warps},
      Limit{"shared memory", device.shared_bytes / round_up(needs.shared_bytes + 1024, 128)},
  };
  const Limit& least = *std::min_element(limits.begin(), limits.end(),
                                         [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  return {least.blocks, static_cast<double>(least.blocks * warps) / device.max_warps, least.name};
}

}  // namespace fencewise
