#include "kernels/core/launch_plan.h"

namespace fencewise {
namespace {

using Before = std::vector<std::vector<bool>>;  // [later][earlier]

// Transitive, since launches come behind those they wait for.
Before order_of(const std::vector<Launch>& launches) {
  Before before(launches.size(), std::vector<bool>(launches.size(), false));
  for (std::size_t later = 0; later < launches.size(); ++later) {
    const auto wait_for = [&](std::size_t earlier) {
      before[later][earlier] = true;
      for (std::size_t n = 0; n < earlier; ++n)
        if (before[earlier][n]) before[later][n] = true;
    };
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (launches[earlier].stream == launches[later].stream) wait_for(earlier);
    for (const LaunchId earlier : launches[later].after) wait_for(earlier.value);
  }
  return before;
}

// Whether all launches below `cut` come before all from there on.
bool cuts(const Before& before, std::size_t cut) {
  for (std::size_t later = cut; later < before.size(); ++later)
    for (std::size_t earlier = 0; earlier < cut; ++earlier)
      if (!before[later][earlier]) return false;
  return true;
}

}  // namespace

Stage stage_of(LaunchId alone) { return {{alone}, {{false}}}; }

std::vector<Stage> stages_of(const Problem& problem) {
  const Before before = order_of(problem.launches);
  std::vector<Stage> stages;
  for (std::size_t from = 0; from < before.size();) {
    std::size_t to = from + 1;
    while (!cuts(before, to)) ++to;
    Stage& stage = stages.emplace_back();
    for (std::size_t n = from; n < to; ++n) {
      stage.launches.push_back(LaunchId{static_cast<std::uint32_t>(n)});
      const auto row = before[n].begin();
      stage.before.emplace_back(row + static_cast<std::ptrdiff_t>(from),
                                row + static_cast<std::ptrdiff_t>(to));
    }
    from = to;
  }
  return stages;
}

}  // namespace fencewise
