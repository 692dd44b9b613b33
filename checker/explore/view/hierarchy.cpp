#include "checker/explore/view/hierarchy.h"

#include <algorithm>
#include <map>

namespace fencewise::view {
namespace {

std::array<bool, 4> scopes_used(const LaunchContext& c) {
  std::array<bool, 4> used{};
  const auto use = [&](Scope s) { used[static_cast<std::size_t>(s)] = true; };
  const auto access = [&](const Access& a) {
    if (is_strong(a.order)) use(a.scope);
  };
  for (const Kernel& kernel : c.problem.kernels)
    for (const Block& block : kernel.blocks)
      for (const Instruction& i : block.instructions) {
        if (const auto* load = std::get_if<Load>(&i.operation)) access(load->access);
        if (const auto* store = std::get_if<Store>(&i.operation)) access(store->access);
        if (const auto* atomic = std::get_if<Atomic>(&i.operation)) access(atomic->access);
        if (const auto* fence = std::get_if<Fence>(&i.operation)) use(fence->scope);
      }
  return used;
}

}  // namespace

Hierarchy::Hierarchy(const LaunchContext& c) {
  const auto& image = c.image;
  std::vector<Placement> placement(image.ctas);  // [cta]
  for (std::size_t t = 0; t < image.threads.size(); ++t)
    placement[image.cta_of[t]] = image.threads[t].coordinates.placement;
  const std::array<bool, 4> used = scopes_used(c);
  std::vector<std::vector<std::uint32_t>> partitions;  // [level][cta]
  for (std::size_t s = 0; s < 4; ++s) {
    if (!used[s] && !(s == 3 && partitions.empty())) continue;
    const auto scope = static_cast<Scope>(s);
    std::vector<std::uint32_t> group(image.ctas);
    std::vector<std::uint32_t> first;
    for (std::uint32_t cta = 0; cta < image.ctas; ++cta) {
      std::uint32_t g = 0;
      while (g < first.size() && !includes(scope, placement[first[g]], placement[cta])) ++g;
      if (g == first.size()) first.push_back(cta);
      group[cta] = g;
    }
    if (partitions.empty() || partitions.back() != group) partitions.push_back(std::move(group));
    level_of_[s] = static_cast<Level>(partitions.size() - 1);
  }
  one_top_ = std::all_of(partitions.back().begin(), partitions.back().end(), [](std::uint32_t g) { return g == 0; });
  // What is left of a CTA: its groups on the levels that have more in a group than one CTA.
  std::map<std::vector<std::uint32_t>, Place> places;
  std::vector<std::vector<std::uint32_t>> rests;
  for (const auto& partition : partitions) {
    const auto most = image.ctas == 0 ? 0U : *std::max_element(partition.begin(), partition.end());
    by_cta_.push_back(image.ctas > 1 && most + 1 == image.ctas);
  }
  for (std::uint32_t cta = 0; cta < image.ctas; ++cta) {
    std::vector<std::uint32_t> rest;
    for (std::size_t l = 0; l < partitions.size(); ++l) rest.push_back(by_cta_[l] ? 0 : partitions[l][cta]);
    const auto [it, fresh] = places.try_emplace(rest, image.ctas + static_cast<Place>(rests.size()));
    if (fresh) rests.push_back(rest);
    gone_.push_back(it->second);
  }
  Structure::Group next = 0;
  for (std::size_t l = 0; l < partitions.size(); ++l) {
    first_.push_back(next);
    std::uint32_t most = 0;
    auto& row = groups_.emplace_back();
    for (const std::uint32_t g : partitions[l]) {
      row.push_back(next + g);
      most = std::max(most, g);
    }
    next += most + 1;
    for (const auto& rest : rests) row.push_back(by_cta_[l] ? next++ : first_[l] + rest[l]);
  }
}

}  // namespace fencewise::view
