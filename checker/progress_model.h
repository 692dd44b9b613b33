// Progress models: which of those who share a scheduler are promised to go on.
//
// A GPU schedules at three levels: the CTAs of a grid, the warps of a CTA, the lanes of a warp. At each level a *group* (grid, CTA,
// warp) has *members* (CTAs, warps, lanes) in the order of their ids, and its model says which of the members that have not
// finished are promised progress:
//
//   fair     all of them
//   hsa      the one of lowest id
//   obe      those that have made a step (occupancy-bound execution)
//   hsa_obe  those that hsa or obe promises
//   lobe     those with an id up to the highest that has made a step (linear occupancy-bound execution)
//   unfair   none
//
// A run that never ends is allowed if, for each group that makes steps for ever, each member that it promises either makes steps
// for ever too or is again and again unable to (weak fairness). Whatever is promised, some thread that can go on does.
// A model that promises more allows fewer runs: fair < lobe < hsa_obe < {hsa, obe} < unfair.
//
// Sources: T. Sorensen, H. Evrard, A. F. Donaldson, "GPU schedulers: how fair is fair enough?", CONCUR 2018, section 3;
// T. Sorensen et al., "Specifying and testing GPU workgroup progress models", OOPSLA 2021, section 4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fencewise {

enum class ProgressModel : std::uint8_t { fair, hsa, obe, hsa_obe, lobe, unfair, lockstep };
[[nodiscard]] std::string_view name(ProgressModel model);

struct ProgressModels {
  ProgressModel ctas = ProgressModel::fair;
  ProgressModel warps = ProgressModel::fair;
  ProgressModel lanes = ProgressModel::fair;  // the only level that may be `lockstep`

  [[nodiscard]] bool all_fair() const { return *this == ProgressModels{}; }
  friend bool operator==(const ProgressModels&, const ProgressModels&) = default;
};

// As --progress takes it: "hsa", or "ctas=hsa,warps=fair,lanes=fair".
[[nodiscard]] std::string text_of(const ProgressModels& models);

}  // namespace fencewise
