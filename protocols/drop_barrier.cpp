#include "protocols/drop_barrier.h"

#include "kernels/core/without_barrier.h"

namespace fencewise::protocols {

std::vector<Variant> with_dropped_barriers(std::vector<Variant> variants,
                                           const std::vector<DroppedBarrier>& dropped) {
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    const DroppedBarrier& d = dropped[i];
    variants.push_back({drop_barrier_name(i + 1), d.summary, d.needs, d.ptx, d.sc});
  }
  return variants;
}

Kernel as_variant(Kernel kernel, std::string_view variant) {
  const auto n = dropped_barrier(variant);
  return n ? without_barrier(kernel, *n) : std::move(kernel);
}

}  // namespace fencewise::protocols
