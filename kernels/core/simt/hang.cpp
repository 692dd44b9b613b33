// Blocks that hang: the schedule and the kernel leave no choice, so a block that is in the same state twice, with the same memory,
// goes round for ever. The state is kept at 2^17 steps, 2^18 steps, ... and compared with what follows (Brent's way to find a
// cycle), which costs at most as many steps again as it took the block to get there.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/core/printer.h"
#include "kernels/core/simt/machine.h"

namespace fencewise::simt {

bool tells_hangs(const Program& program, const RunConfig& config) {
  const bool timed = std::any_of(program.block_specials.begin(), program.block_specials.end(),
                                 [](const SpecialLanes& s) { return s.special == SpecialRegister::clock; });
  return !timed && (program.blocks_in_order || config.grid.count() == 1);
}

Machine::Moment Machine::moment(std::uint32_t segment) const {
  return {.segment = segment,
          .starved = starved_,
          .changes = changes_,
          .warps = warps_,
          .registers = {register_bytes_.data(), register_bytes_.data() + register_bytes_.size()},
          .predicates = predicates_,
          .barriers = barriers_};
}

namespace {

bool same_control(const Warp& a, const Warp& b) {
  return a.segment == b.segment && a.mask == b.mask && a.live == b.live && a.state == b.state &&
         a.reconvergence == b.reconvergence && a.barrier == b.barrier && a.stack == b.stack;
}

// Whether the scheduler will do the same.
bool same_turns(std::uint32_t a, std::uint32_t b) {
  return a == b || (a >= patience && b >= patience && a % 2 == b % 2);
}

}  // namespace

bool Machine::is_now(const Moment& earlier, std::uint32_t segment) const {
  return segment == earlier.segment && changes_ == earlier.changes && same_turns(starved_, earlier.starved) &&
         std::equal(warps_.begin(), warps_.end(), earlier.warps.begin(), same_control) &&
         predicates_ == earlier.predicates &&
         std::memcmp(register_bytes_.data(), earlier.registers.data(), earlier.registers.size()) == 0 &&
         barriers_ == earlier.barriers;
}

// After a round of `segment`.
void Machine::look_for_hang(std::uint32_t segment) {
  if (moment_ && is_now(*moment_, segment)) return report_hang();
  if (steps_ < next_moment_) return;
  next_moment_ = 2 * steps_;
  for (Warp& warp : warps_) warp.last_read.reset();
  moment_ = moment(segment);
}

void Machine::report_hang() {
  const auto behind = [](const Warp& w) { return w.state == Warp::State::ready && w.mask != w.live; };
  const bool lanes_left = std::any_of(warps_.begin(), warps_.end(), behind);
  const bool blocks_left = block_ + 1 < config.grid.count();
  const Warp& spins = *std::find_if(warps_.begin(), warps_.end(),
                                    [](const Warp& w) { return w.state == Warp::State::ready; });
  std::string message = "goes round for ever without a change";
  if (blocks_left)
    message += ", and may wait for a block that comes after it: here blocks run one after the other";
  else if (lanes_left)
    message +=
        ", and may wait for lanes of its own warp, which here go on only when it has come to where they meet";
  else
    message += ": nobody is left who could change what it reads";
  set_fault(blocks_left || lanes_left ? Fault::Kind::no_progress : Fault::Kind::hang, spins.index,
            static_cast<std::uint32_t>(std::countr_zero(spins.mask)),
            spins.last_read.value_or(program.segments[spins.segment].source), message + who_waits_where());
}

// "; 1 thread is at k.cu:12, 31 threads of its warp are behind"
std::string Machine::who_waits_where() const {
  std::map<std::string, std::uint32_t> threads;  // by what they do
  const auto at = [&](InstructionRef ref) {
    SourceLine where = program.kernel->at(ref).where;
    where.column = 0;
    const std::string line = fencewise::print(where, *program.kernel);
    return line.empty() ? describe(*program.kernel, ref) : line;
  };
  for (const Warp& w : warps_) {
    const auto add = [&](const std::string& what, std::uint32_t mask) {
      if (mask != 0) threads[what] += static_cast<std::uint32_t>(std::popcount(mask));
    };
    if (w.state == Warp::State::ready) {
      add("at " + at(w.last_read.value_or(program.segments[w.segment].source)), w.mask);
      add("behind in their warp", w.live & ~w.mask);
    } else if (w.state == Warp::State::waiting) {
      add("at the barrier " + at(program.segments[w.segment - 1].source), w.live);
    }
  }
  std::vector<std::string> all;
  for (const auto& [what, count] : threads)
    all.push_back(fmt::format("{} {} {}", count, count == 1 ? "thread is" : "threads are", what));
  return fmt::format("; {}", fmt::join(all, ", "));
}

}  // namespace fencewise::simt
