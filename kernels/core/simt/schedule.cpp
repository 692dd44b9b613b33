// How a block runs: which warps go next, where a warp's lanes part and meet, barriers, exits, faults.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/core/simt/machine.h"

namespace fencewise::simt {
namespace {

constexpr std::uint32_t barrier_ids = 16;

std::uint32_t lanes_below(std::uint32_t count) { return count >= 32 ? all_lanes : (1U << count) - 1; }
// Without the popcnt instruction a popcount is a call; most masks are full.
std::uint32_t count(std::uint32_t mask) {
  return mask == all_lanes ? warp_lanes : static_cast<std::uint32_t>(std::popcount(mask));
}
std::uint32_t first_lane(std::uint32_t mask) { return static_cast<std::uint32_t>(std::countr_zero(mask)); }

std::uint32_t lane_special(SpecialRegister special, const Dim3& block, std::uint32_t warp,
                           std::uint32_t lane) {
  const std::uint32_t thread = warp * warp_lanes + lane;
  switch (special) {
    case SpecialRegister::tid_x: return thread % block.x;
    case SpecialRegister::tid_y: return thread / block.x % block.y;
    case SpecialRegister::tid_z: return thread / block.x / block.y;
    case SpecialRegister::laneid: return lane;
    case SpecialRegister::warpid: return warp;
    case SpecialRegister::lanemask_eq: return 1U << lane;
    case SpecialRegister::lanemask_le: return lanes_below(lane + 1);
    case SpecialRegister::lanemask_lt: return lanes_below(lane);
    case SpecialRegister::lanemask_ge: return ~lanes_below(lane);
    case SpecialRegister::lanemask_gt: return ~lanes_below(lane + 1);
    default: return 0;
  }
}

std::uint64_t block_special(SpecialRegister special, const RunConfig& config, std::uint64_t linear,
                            std::uint64_t steps) {
  const Dim3 &grid = config.grid, &block = config.block;
  switch (special) {
    case SpecialRegister::ntid_x: return block.x;
    case SpecialRegister::ntid_y: return block.y;
    case SpecialRegister::ntid_z: return block.z;
    case SpecialRegister::ctaid_x: return linear % grid.x;
    case SpecialRegister::ctaid_y: return linear / grid.x % grid.y;
    case SpecialRegister::ctaid_z: return linear / grid.x / grid.y;
    case SpecialRegister::nctaid_x: return grid.x;
    case SpecialRegister::nctaid_y: return grid.y;
    case SpecialRegister::nctaid_z: return grid.z;
    case SpecialRegister::nwarpid: return (block.count() + 31) / 32;
    case SpecialRegister::clock: return steps;
    default: return 0;
  }
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size)
    : bytes_(new (std::align_val_t{64}) std::byte[std::max<std::size_t>(size, 64)]), size_(size) {
  std::memset(bytes_.get(), 0, std::max<std::size_t>(size, 64));
}

Machine::Machine(const Program& p, const RunConfig& c)
    : program(p),
      config(c),
      constants_(p.constant_bytes),
      register_bytes_(std::size_t{p.registers.bytes} * ((c.block.count() + 31) / 32)),
      shared_(p.shared_bytes),
      local_(p.local_bytes * ((c.block.count() + 31) / 32 * 32)),
      predicates_(std::size_t{p.predicate_words} * ((c.block.count() + 31) / 32)),
      warps_((c.block.count() + 31) / 32),
      threads_(static_cast<std::uint32_t>(c.block.count())),
      barriers_(barrier_ids),
      detector_(static_cast<std::uint32_t>(c.detect_races ? p.shared_bytes / 4 : 0), p.strong_shared),
      recent_(p.memory.size()),
      segment_runs_(p.segments.size()),
      segment_lanes_(p.segments.size()),
      op_runs_(p.ops.size()),
      op_lanes_(p.ops.size()),
      can_tell_hangs_(tells_hangs(p, c)) {
  for (const ConstantLanes& constant : program.constants)
    fill_lanes(constants_.data() + (constant.slot & ~1U), constant.value, constant.bytes);
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.index = w;
    warp.existing = lanes_below(threads_ - w * warp_lanes);
    warp.registers = {{register_bytes_.data() + std::size_t{w} * p.registers.bytes, constants_.data()}};
    warp.predicates = predicates_.data() + std::size_t{w} * p.predicate_words;
    for (const SpecialLanes& s : program.warp_specials)
      for (std::uint32_t l = 0; l < warp_lanes; ++l)
        write_lane(warp, {s.slot, 4}, l, lane_special(s.special, config.block, w, l));
  }
}

// --- a block from start to end ---

bool Machine::run_block(std::uint64_t linear) {
  start_block(linear);
  while (run_warps()) {
  }
  return !fault_.has_value();
}

void Machine::start_block(std::uint64_t linear) {
  block_ = linear;
  steps_ = 0;
  starved_ = 0;
  printed_bytes_ = 0;
  moment_.reset();
  next_moment_ = first_moment;
  std::memset(shared_.data(), 0, shared_.size());
  std::memset(local_.data(), 0, local_.size());
  detector_.barrier();
  for (BarrierState& barrier : barriers_) barrier.clear();
  fill_block_specials();
  for (Warp& warp : warps_) {
    warp.live = warp.mask = warp.existing;
    warp.segment = 0;
    warp.reconvergence = not_a_register;
    warp.state = Warp::State::ready;
    warp.stack.clear();
    warp.predicates[program.true_predicate] = all_lanes;
    warp.predicates[program.false_predicate] = 0;
    for (const ConstantLanes& initial : program.initial) {
      if (initial.bytes == 0)
        warp.predicates[initial.slot] = initial.value != 0 ? all_lanes : 0;
      else
        fill_lanes(warp.registers.at(initial.slot), initial.value, initial.bytes);
    }
  }
}

void Machine::fill_block_specials() {
  for (const SpecialLanes& s : program.block_specials)
    fill_lanes(constants_.data() + (s.slot & ~1U), block_special(s.special, config, block_, steps_), 4);
}

// One round: the warps with the lowest segment run it. False when the block is over, or stopped by a fault.
bool Machine::run_warps() {
  const std::uint32_t segment = next_segment();
  if (segment == not_a_register) {
    const bool waiting = std::any_of(warps_.begin(), warps_.end(),
                                     [](const Warp& w) { return w.state == Warp::State::waiting; });
    if (waiting) deadlock();
    return false;
  }
  run_segment(segment);
  flush_races();
  if (!fault_ && can_tell_hangs_ && (watched() || steps_ >= next_moment_)) look_for_hang(segment);
  if (!fault_ && steps_ > config.max_steps) {
    const Warp& stuck = *std::find_if(warps_.begin(), warps_.end(),
                                      [&](const Warp& w) { return w.state == Warp::State::ready; });
    set_fault(
        Fault::Kind::no_progress, stuck.index, first_lane(stuck.mask), program.segments[stuck.segment].source,
        fmt::format("no end after {} steps; does it wait for another block or for lanes of its own warp?",
                    config.max_steps));
  }
  return !fault_;
}

std::uint32_t Machine::next_segment() const {
  std::uint32_t lowest = not_a_register, next = not_a_register;
  for (const Warp& w : warps_)
    if (w.state == Warp::State::ready) lowest = std::min(lowest, w.segment);
  if (starved_ < patience || starved_ % 2 == 0) return lowest;
  for (const Warp& w : warps_)
    if (w.state == Warp::State::ready && w.segment > lowest) next = std::min(next, w.segment);
  return next == not_a_register ? lowest : next;
}

void Machine::run_segment(std::uint32_t number) {
  const Segment& segment = program.segments[number];
  std::uint32_t last = segment.last;
  bool others_ready = false;
  for (const SpecialLanes& s : program.block_specials)
    if (s.special == SpecialRegister::clock) fill_lanes(constants_.data() + (s.slot & ~1U), steps_, 4);
  for (Warp& warp : warps_) {
    if (warp.state != Warp::State::ready) continue;
    if (warp.segment != number) {
      others_ready = true;
      continue;
    }
    try {
      run_ops(warp, number, last);
    } catch (const FaultSignal& signal) {
      // In lockstep the lowest statement fails first: later warps run only up to here.
      last = fault_op_;
      set_fault(signal.kind, warp.index, signal.lane, program.ops[last].source, signal.message);
    }
    if (!fault_) end_segment(warp, number);
  }
  starved_ = others_ready ? starved_ + 1 : 0;
}

void Machine::run_ops(Warp& warp, std::uint32_t number, std::uint32_t last) {
  const Segment& segment = program.segments[number];
  const Op* ops = program.ops.data();
  ++steps_;
  ++segment_runs_[number];
  segment_lanes_[number] += count(warp.mask);
  std::uint32_t& current = fault_op_;
  std::uint32_t at = segment.first;
  const std::uint32_t mask = warp.mask;
  if (!segment.guarded) {
    for (; at < last; ++at) {
      current = at;
      ops[at].handler(*this, warp, ops[at], mask);
    }
    return;
  }
  for (; at < last; ++at) {
    const Op& op = ops[at];
    std::uint32_t active = mask;
    if (op.guard != not_a_register) {
      const std::uint32_t guard = warp.predicates[op.guard];
      active &= op.guard_negated ? ~guard : guard;
      if (active == 0) continue;
      ++op_runs_[at];
      op_lanes_[at] += count(active);
    }
    current = at;
    op.handler(*this, warp, op, active);
  }
}

// --- control flow ---

void Machine::end_segment(Warp& warp, std::uint32_t number) {
  const Segment& segment = program.segments[number];
  switch (segment.end) {
    case Segment::End::next: warp.segment = number + 1; return;
    case Segment::End::jump: return go_to(warp, segment.target);
    case Segment::End::branch: return branch(warp, segment);
    case Segment::End::barrier: return arrive(warp, segment);
    case Segment::End::exit: return leave(warp);
    case Segment::End::trap:
      return set_fault(Fault::Kind::trap, warp.index, first_lane(warp.mask), segment.source,
                       std::get<Trap>(program.kernel->at(segment.source).operation).message);
  }
}

void Machine::branch(Warp& warp, const Segment& segment) {
  const std::uint32_t predicate = warp.predicates[segment.predicate] ^ (segment.negated ? all_lanes : 0U);
  const std::uint32_t taken = warp.mask & predicate, rest = warp.mask & ~predicate;
  if (rest == 0) return go_to(warp, segment.target);
  if (taken == 0) return go_to(warp, segment.otherwise);
  traffic.divergent += segment.counted;
  Divergence first{segment.target, taken, segment.reconvergence};
  Divergence second{segment.otherwise, rest, segment.reconvergence};
  if (second.segment < first.segment) std::swap(first, second);
  if (segment.reconvergence != not_a_register)
    warp.stack.push_back({segment.reconvergence, warp.mask, warp.reconvergence});
  // A side that is already where the sides meet has nothing to run.
  if (second.segment != segment.reconvergence) warp.stack.push_back(second);
  if (first.segment == segment.reconvergence) return resume_top(warp);
  warp.mask = first.mask;
  warp.reconvergence = first.reconvergence;
  warp.segment = first.segment;
}

void Machine::go_to(Warp& warp, std::uint32_t segment) {
  warp.segment = segment;
  if (segment == warp.reconvergence) resume_top(warp);
}

// Takes up what waits on top of the stack: the other side, or what follows the branch.
void Machine::resume_top(Warp& warp) {
  while (!warp.stack.empty()) {
    const Divergence top = warp.stack.back();
    warp.stack.pop_back();
    if ((top.mask & warp.live) == 0 || top.segment == top.reconvergence) continue;
    warp.mask = top.mask & warp.live;
    warp.segment = top.segment;
    warp.reconvergence = top.reconvergence;
    return;
  }
  warp.mask = 0;
  warp.state = Warp::State::done;
}

void Machine::leave(Warp& warp) {
  warp.live &= ~warp.mask;
  resume_top(warp);
  complete_met_barriers();
}

// Lanes that wait for their turn and have nothing left to do but exit: they go now, so that a barrier does not wait for them.
void Machine::let_leave_who_only_exits(Warp& warp) {
  const auto only_exits = [&](std::uint32_t segment) {
    for (std::size_t hops = 0; hops <= program.segments.size(); ++hops) {
      const Segment& s = program.segments[segment];
      if (s.first != s.last) return false;
      if (s.end == Segment::End::exit) return true;
      if (s.end != Segment::End::next && s.end != Segment::End::jump) return false;
      segment = s.end == Segment::End::next ? segment + 1 : s.target;
    }
    return false;
  };
  std::uint32_t waiting = warp.live & ~warp.mask;
  for (auto side = warp.stack.rbegin(); side != warp.stack.rend() && waiting != 0; ++side) {
    if (only_exits(side->segment)) warp.live &= ~(side->mask & waiting);
    waiting &= ~side->mask;
  }
}

// --- barriers ---

std::uint32_t Machine::live_threads() const {
  std::uint32_t threads = 0;
  for (const Warp& warp : warps_) threads += count(warp.live);
  return threads;
}

void Machine::arrive(Warp& warp, const Segment& segment) {
  const BarrierOp& op = program.barriers[segment.barrier];
  std::uint32_t mask = warp.mask;
  if (op.guard != not_a_register)
    mask &= op.guard_negated ? ~warp.predicates[op.guard] : warp.predicates[op.guard];
  ++warp.segment;
  if (mask == 0) return;
  if (mask == warp.mask) let_leave_who_only_exits(warp);
  if (mask != warp.live)
    return set_fault(Fault::Kind::divergent_barrier, warp.index, first_lane(warp.live & ~mask),
                     segment.source,
                     fmt::format("is not at the barrier that thread {} of its warp has reached",
                                 warp.index * warp_lanes + first_lane(mask)));
  ++traffic.bar_instr;
  traffic.lane_instr += count(mask);
  BarrierState& state = barriers_[op.id];
  // A count means warps: each adds 32, whatever lanes it has.
  const auto expected =
      op.count ? static_cast<std::uint32_t>(read_lane(warp, *op.count, first_lane(mask))) : 0U;
  if (state.arrived != 0 && state.expected != expected)
    return set_fault(Fault::Kind::divergent_barrier, warp.index, first_lane(mask), segment.source,
                     fmt::format("waits for {} threads at barrier {} where others wait for {}", expected,
                                 op.id, state.expected));
  state.expected = expected;
  state.arrived += expected == 0 ? count(mask) : warp_lanes;
  const std::uint32_t votes = warp.predicates[op.predicate.slot] & mask;
  state.votes_for += count(votes);
  state.voters += count(mask);
  if (op.barrier.kind != BarrierKind::arrive) {
    warp.state = Warp::State::waiting;
    warp.barrier = segment.barrier;
    state.waiting.push_back(warp.index);
  }
  complete_if_met(op.id);
}

void Machine::complete_if_met(std::uint32_t id) {
  const BarrierState& state = barriers_[id];
  if (state.arrived == 0) return;
  if (state.arrived >= (state.expected == 0 ? live_threads() : state.expected)) complete(id);
}

void Machine::complete_met_barriers() {
  for (std::uint32_t id = 0; id < barrier_ids; ++id)
    if (barriers_[id].expected == 0) complete_if_met(id);
}

void Machine::complete(std::uint32_t id) {
  BarrierState& state = barriers_[id];
  ++traffic.barriers;
  if (state.expected == 0 || state.expected >= live_threads()) detector_.barrier();
  for (const std::uint32_t w : state.waiting) {
    Warp& warp = warps_[w];
    warp.state = Warp::State::ready;
    const BarrierOp& op = program.barriers[warp.barrier];
    if (!op.dst) continue;
    std::uint64_t result = state.votes_for;
    if (op.barrier.reduction == BarrierReduction::all) result = state.votes_for == state.voters;
    if (op.barrier.reduction == BarrierReduction::any) result = state.votes_for != 0;
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1)
      write_lane(warp, *op.dst, first_lane(rest), result);
  }
  state.clear();
}

// --- faults ---

void Machine::set_fault(Fault::Kind kind, std::uint32_t warp, std::uint32_t lane, InstructionRef where,
                        std::string message) {
  fault_ = Fault{.kind = kind,
                 .block = static_cast<std::uint32_t>(block_),
                 .thread = warp * warp_lanes + lane,
                 .where = program.kernel->at(where).where,
                 .message = std::move(message)};
}

// Nobody can go on and somebody waits.
void Machine::deadlock() {
  const Warp& stuck = *std::find_if(warps_.begin(), warps_.end(),
                                    [](const Warp& w) { return w.state == Warp::State::waiting; });
  const BarrierOp& op = program.barriers[stuck.barrier];
  const BarrierState& state = barriers_[op.id];
  set_fault(Fault::Kind::divergent_barrier, stuck.index, first_lane(stuck.live),
            program.segments[stuck.segment - 1].source,
            fmt::format("waits at barrier {} for ever: {} of {} threads have come", op.id, state.arrived,
                        state.expected == 0 ? live_threads() : state.expected));
}

Counters Machine::counters() const {
  Counters sum = traffic;
  sum.warp_instr = sum.bar_instr;
  static constexpr std::uint64_t Counters::*classes[statement_classes] = {
      &Counters::gld_instr,  &Counters::gst_instr,    &Counters::lds_instr, &Counters::sts_instr,
      &Counters::bar_instr,  &Counters::branch_instr, &Counters::alu_instr, &Counters::ffma_instr,
      &Counters::shfl_instr, &Counters::atom_instr};
  const auto add = [&](std::size_t statement, std::uint64_t units, std::uint64_t runs, std::uint64_t lanes) {
    sum.*classes[statement] += units * runs;
    sum.warp_instr += units * runs;
    sum.lane_instr += units * lanes;
    if (statement == static_cast<std::size_t>(StatementClass::ffma)) sum.fma += units * lanes;
  };
  for (std::size_t s = 0; s < program.segments.size(); ++s)
    for (std::size_t c = 0; c < statement_classes; ++c)
      add(c, program.segments[s].statements[c], segment_runs_[s], segment_lanes_[s]);
  for (std::size_t o = 0; o < program.ops.size(); ++o) {
    const Op& op = program.ops[o];
    if (op.guard != not_a_register && op.statement != StatementClass::none)
      add(static_cast<std::size_t>(op.statement), op.units, op_runs_[o], op_lanes_[o]);
  }
  return sum;
}

}  // namespace fencewise::simt
