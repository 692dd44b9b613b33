#include "checker/explore/barrier_rules.h"

#include <algorithm>

#include "kernels/core/access.h"
#include "kernels/core/flow.h"

namespace fencewise {

const Barrier& barrier_of(const LaunchImage& image, const AtBarrier& at) {
  return std::get<Barrier>(image.threads[at.thread].kernel->at(at.where).operation);
}

bool mixes_reduction(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b) {
  return (barrier_of(image, a).kind == BarrierKind::red) != (barrier_of(image, b).kind == BarrierKind::red);
}

bool parts_lanes(const LaunchImage& image, const AtBarrier& a, const AtBarrier& b) {
  return of_one_warp(image, a.thread, b.thread) && a.where != b.where &&
         (barrier_of(image, a).aligned || barrier_of(image, b).aligned);
}

bool wants_whole_warps(const Barrier& barrier) { return barrier.aligned && !barrier.count.present() && !barrier.instance; }

bool of_one_warp(const LaunchImage& image, ThreadId a, ThreadId b) {
  const auto warp = [&](ThreadId t) { return image.threads[t].coordinates.index_in_cta / image.threads[t].warp_size; };
  return a != b && image.cta_of[a] == image.cta_of[b] && warp(a) == warp(b);
}

BehindBarriers::BehindBarriers(const Kernel& kernel) {
  const auto is_barrier = [](const Instruction& i) {
    const auto* barrier = std::get_if<Barrier>(&i.operation);
    return barrier != nullptr && wants_whole_warps(*barrier);
  };
  const std::size_t blocks = kernel.blocks.size();
  // [block]: a barrier leads to its begin; one can follow its end.
  std::vector<bool> led(blocks, false), followed(blocks, false), has(blocks, false);
  for (std::size_t b = 0; b < blocks; ++b)
    has[b] = std::any_of(kernel.blocks[b].instructions.begin(), kernel.blocks[b].instructions.end(), is_barrier);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < blocks; ++b)
      for (const BlockId to : successors(kernel.blocks[b])) {
        if ((led[b] || has[b]) && !led[to.value]) changed = led[to.value] = true;
        if ((followed[to.value] || has[to.value]) && !followed[b]) changed = followed[b] = true;
      }
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto& instructions = kernel.blocks[b].instructions;
    std::vector<bool>& behind = behind_.emplace_back(instructions.size(), false);
    bool follows = followed[b];
    for (std::size_t n = instructions.size(); n-- > 0;) {
      const bool counts = access_of(instructions[n]) != nullptr || std::holds_alternative<Fence>(instructions[n].operation);
      behind[n] = counts && !follows;
      follows |= is_barrier(instructions[n]);
    }
    bool leads = led[b];
    for (std::size_t n = 0; n < instructions.size(); ++n) {
      behind[n] = behind[n] && leads;
      leads |= is_barrier(instructions[n]);
    }
  }
}

}  // namespace fencewise
