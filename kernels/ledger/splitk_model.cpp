#include "kernels/ledger/splitk_model.h"

namespace fencewise {
namespace {

constexpr std::uint64_t float_bytes = 4;

}  // namespace

SplitkCost splitk_cost(const SplitkShape& shape, std::uint64_t splits, const Device& device) {
  SplitkCost cost;
  const std::uint64_t tile_bytes = shape.rows_per_block * float_bytes;
  const std::uint64_t slots = std::uint64_t{device.sms} * shape.blocks_per_sm;
  cost.splits = splits;
  cost.ctas = shape.row_blocks() * splits;
  cost.waves = (cost.ctas + slots - 1) / slots;

  const double depth = static_cast<double>(shape.columns) / static_cast<double>(splits);
  const double slice_bytes =
      depth * static_cast<double>((shape.rows_per_block + 1) * float_bytes);  // A and x
  const double bandwidth_a_cta = device.bandwidth / static_cast<double>(slots);
  cost.work = static_cast<double>(cost.waves) * slice_bytes / bandwidth_a_cta;

  cost.workspace_bytes = 2 * cost.ctas * tile_bytes;
  cost.serial_atomics = cost.ctas;
  cost.atomic_atomics = cost.ctas * shape.rows_per_block + cost.ctas;
  cost.rezero_bytes = shape.row_blocks() * tile_bytes;
  cost.workspace = static_cast<double>(cost.workspace_bytes) / device.bandwidth;
  cost.serial_counting = static_cast<double>(cost.serial_atomics) / device.rate();
  cost.atomic_adds = static_cast<double>(cost.atomic_atomics) / device.rate();
  cost.rezero = static_cast<double>(cost.rezero_bytes) / device.bandwidth;
  return cost;
}

}  // namespace fencewise
