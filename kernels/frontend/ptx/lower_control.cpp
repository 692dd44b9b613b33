// Branches, calls, barriers and warp operations.
#include <algorithm>

#include "kernels/core/print_format.h"
#include "kernels/frontend/ptx/lower_instruction.h"

namespace fencewise::ptx {

void InstructionLowering::bra() {
  opcode_.take("uni");
  emitter_.branch(operands_.label(0));
}

void InstructionLowering::ret() {
  opcode_.take("uni");
  emitter_.end(Exit{});
}

void InstructionLowering::trap() { emitter_.end(Trap{"a trap is reached"}); }

// Functions are not followed. printf comes as a PrintfCall, a failed assert as an AssertCall.
void InstructionLowering::call() {
  opcode_.take("uni");
  const auto& all = instruction_->operands;
  const auto target =
      std::find_if(all.begin(), all.end(), [](const Operand& o) { return o.kind == Operand::Kind::name; });
  const std::string name = target == all.end() ? "" : target->token.text;
  throw Refusal("a call of " + (name.empty() ? "an unknown function" : name) +
                " (compile with -O3, so that it is inlined)");
}

void InstructionLowering::lower(const PrintfCall& call) {
  guard_by(call.guard);
  Print print{call.format, {}};
  const std::vector<FormatArgument> taken = call.format ? arguments_of(*call.format) : std::vector<FormatArgument>();
  for (std::size_t n = 0; n < taken.size(); ++n) {
    if (const auto* text = std::get_if<std::string>(&call.arguments[n]))
      print.arguments.emplace_back(*text);
    else if (const auto* value = std::get_if<Operand>(&call.arguments[n]))
      print.arguments.emplace_back(shown(*value, taken[n].type));
    else
      print.arguments.emplace_back(fencewise::Operand());
  }
  emitter_.emit(std::move(print));
}

// It ends the kernel.
void InstructionLowering::lower(const AssertCall& call) {
  guard_by(call.guard);
  emitter_.end(Trap{call.message});
}

// None where its value is not modelled: that stops nobody.
fencewise::Operand InstructionLowering::shown(const Operand& value, Type type) {
  try {
    return operands_.value(value, type);
  } catch (const Refusal&) {
    return {};
  }
}

// --- barriers ---

// bar is barrier.aligned.
void InstructionLowering::bar() {
  const bool always_aligned = opcode_.mnemonic() == "bar";
  if (opcode_.take("warp")) return bar_warp_sync();
  if (opcode_.take("cluster")) throw Refusal();
  opcode_.take("cta");
  Barrier barrier;
  barrier.aligned = opcode_.take("aligned") || always_aligned;
  if (opcode_.take("red")) {
    barrier.kind = BarrierKind::red;
  } else if (opcode_.take("arrive")) {
    barrier.kind = BarrierKind::arrive;
  } else if (!opcode_.take("sync")) {
    throw Refusal();
  }
  const bool red = barrier.kind == BarrierKind::red;
  if (red) {
    barrier.reduction = opcode_
                            .take<BarrierReduction>({{"and", BarrierReduction::all},
                                                     {"or", BarrierReduction::any},
                                                     {"popc", BarrierReduction::popc}})
                            .value_or(BarrierReduction::none);
    barrier.dst = operands_.result(0, type());
    barrier.predicate = operands_.predicate(operands_.count() - 1);
  }
  const std::size_t id = red ? 1 : 0, end = operands_.count() - (red ? 1 : 0);
  barrier.id = operands_.value(id, Type::u32);
  if (barrier.id.kind != fencewise::Operand::Kind::immediate)
    throw Refusal("a barrier's number in a register");
  if (id + 1 < end) barrier.count = operands_.value(id + 1, Type::u32);
  emitter_.emit(barrier);
}

void InstructionLowering::bar_warp_sync() {
  opcode_.take("sync");
  emitter_.emit(WarpBarrier{mask(0)});
}

// --- warps ---

void InstructionLowering::shfl() {
  if (!opcode_.take("sync")) throw Refusal();
  const auto mode = opcode_.take<ShuffleMode>({{"up", ShuffleMode::up},
                                               {"down", ShuffleMode::down},
                                               {"bfly", ShuffleMode::bfly},
                                               {"idx", ShuffleMode::idx}});
  if (!mode) throw Refusal();
  Shuffle shuffle;
  shuffle.mode = *mode;
  const Type type = this->type();
  shuffle.value = operands_.value(1, type);
  shuffle.lane = operands_.value(2, Type::u32);
  shuffle.clamp = operands_.value(3, Type::u32);
  shuffle.mask = mask(4);
  shuffle.dst = operands_.result(0, type);
  shuffle.in_range = operands_.second_result(0);
  emitter_.emit(shuffle);
}

void InstructionLowering::vote() {
  if (!opcode_.take("sync")) throw Refusal();
  const auto mode = opcode_.take<VoteMode>(
      {{"all", VoteMode::all}, {"any", VoteMode::any}, {"uni", VoteMode::uni}, {"ballot", VoteMode::ballot}});
  if (!mode) throw Refusal();
  Vote vote;
  vote.mode = *mode;
  vote.predicate = operands_.predicate(1);
  vote.mask = mask(2);
  vote.dst = operands_.result(0, type());
  emitter_.emit(vote);
}

void InstructionLowering::match() {
  if (!opcode_.take("sync")) throw Refusal();
  Match match;
  match.mode = opcode_.take("all") ? MatchMode::all : MatchMode::any;
  opcode_.take("any");
  match.type = type();
  match.value = operands_.value(1, match.type);
  match.mask = mask(2);
  match.dst = operands_.result(0, Type::u32);
  match.all_equal = operands_.second_result(0);
  emitter_.emit(match);
}

void InstructionLowering::redux() {
  if (!opcode_.take("sync")) throw Refusal();
  const auto op = opcode_.take<AtomicOp>({{"add", AtomicOp::add},
                                          {"min", AtomicOp::min},
                                          {"max", AtomicOp::max},
                                          {"and", AtomicOp::bit_and},
                                          {"or", AtomicOp::bit_or},
                                          {"xor", AtomicOp::bit_xor}});
  if (!op) throw Refusal();
  WarpReduce reduce;
  reduce.op = *op;
  reduce.type = type();
  reduce.value = operands_.value(1, reduce.type);
  reduce.mask = mask(2);
  reduce.dst = operands_.result(0, reduce.type);
  emitter_.emit(reduce);
}

void InstructionLowering::activemask() {
  (void)type();
  emitter_.emit(ActiveMask{operands_.result(0, Type::u32)});
}

}  // namespace fencewise::ptx
