// The plan as a sequence of steps, each a stage (launch_plan.h) of a replay; everything of one step happens before the next.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/properties/examine.h"
#include "kernels/core/launch_plan.h"

namespace fencewise {

class PlanSteps {
 public:
  // Throws NotModelled where the contract speaks of memory after each launch, and launches overlap.
  explicit PlanSteps(const Problem& problem);

  [[nodiscard]] std::size_t size() const { return stages_.size() * replays_; }
  [[nodiscard]] const Stage& stage(std::size_t step) const { return stages_[step % stages_.size()]; }
  [[nodiscard]] std::uint32_t replay(std::size_t step) const {  // from 1
    return static_cast<std::uint32_t>(step / stages_.size()) + 1;
  }
  [[nodiscard]] bool begins_replay(std::size_t step) const { return step % stages_.size() == 0; }
  [[nodiscard]] PlanPoint point(std::size_t step, const MemoryImage& replay_entry) const;

 private:
  std::vector<Stage> stages_;
  std::uint32_t replays_;
};

}  // namespace fencewise
