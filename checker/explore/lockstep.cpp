#include "checker/explore/lockstep.h"

#include <set>

#include "kernels/core/flow.h"

namespace fencewise {
namespace {

Instruction meeting_point(SourceLine where) {
  Instruction point;
  point.operation = WarpBarrier{Operand()};  // of no lanes in particular
  point.where = where;
  return point;
}

Kernel in_lockstep(const Kernel& kernel) {
  const auto meets = immediate_post_dominators(kernel);
  Kernel result = kernel;
  std::set<std::uint32_t> where_sides_meet;
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    auto& instructions = result.blocks[b].instructions;
    if (!std::holds_alternative<CondBranch>(instructions.back().operation)) continue;
    instructions.insert(instructions.end() - 1, meeting_point(instructions.back().where));
    if (meets[b]) where_sides_meet.insert(meets[b]->value);
  }
  for (const std::uint32_t b : where_sides_meet) {
    auto& instructions = result.blocks[b].instructions;
    instructions.insert(instructions.begin(), meeting_point(instructions.front().where));
  }
  return result;
}

}  // namespace

Problem in_lockstep(const Problem& problem) {
  Problem result = problem;
  for (Kernel& kernel : result.kernels) kernel = in_lockstep(kernel);
  return result;
}

bool is_meeting_point(const Instruction& instruction) {
  const auto* barrier = std::get_if<WarpBarrier>(&instruction.operation);
  return barrier != nullptr && !barrier->mask.present();
}

MeetingPoints::MeetingPoints(const Kernel& kernel) {
  const std::size_t blocks = kernel.blocks.size();
  const auto meets = immediate_post_dominators(kernel);
  for (std::size_t point = 0; point < blocks; ++point) {
    auto& past = past_.emplace_back(blocks, false);
    for (auto b = meets[point]; b && !past[b->value]; b = meets[b->value]) past[b->value] = true;
    // From the ends of which blocks control gets to the point without passing what post-dominates it.
    auto& comes = comes_.emplace_back(blocks, false);
    for (bool again = true; again;) {
      again = false;
      for (std::size_t b = 0; b < blocks; ++b) {
        if (comes[b] || past[b]) continue;
        for (const BlockId next : successors(kernel.blocks[b]))
          if (next.value == point || comes[next.value]) comes[b] = again = true;
      }
    }
  }
}

bool MeetingPoints::is_behind(InstructionRef from, InstructionRef point) const {
  if (from.block == point.block && from.index <= point.index) return true;
  return !past_[point.block.value][from.block.value] && comes_[point.block.value][from.block.value];
}

}  // namespace fencewise
