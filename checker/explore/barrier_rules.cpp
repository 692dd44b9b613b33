#include "checker/explore/barrier_rules.h"

namespace fencewise {

const Barrier& barrier_of(const LaunchImage& image, const AtBarrier& at) {
  return std::get<Barrier>(image.threads[at.thread].kernel->at(at.where).operation);
}

bool mixes_reduction(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b) {
  return (barrier_of(image, a).kind == BarrierKind::red) != (barrier_of(image, b).kind == BarrierKind::red);
}

bool parts_lanes(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b) {
  const ThreadProgram& one = image.threads[a.thread];
  const ThreadProgram& other = image.threads[b.thread];
  const auto warp = [](const ThreadProgram& p) { return p.coordinates.index_in_cta / p.warp_size; };
  const bool same_warp = a.thread != b.thread && image.cta_of[a.thread] == image.cta_of[b.thread] && warp(one) == warp(other);
  return same_warp && a.where != b.where && (barrier_of(image, a).aligned || barrier_of(image, b).aligned);
}

}  // namespace fencewise
