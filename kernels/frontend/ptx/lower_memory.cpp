// Loads, stores, atomics and fences.
#include <span>

#include <fmt/format.h>

#include "kernels/frontend/ptx/lower_instruction.h"

namespace fencewise::ptx {
namespace {

std::optional<Order> take_order(Opcode& opcode) {
  return opcode.take<Order>({{"weak", Order::weak},
                             {"relaxed", Order::relaxed},
                             {"acquire", Order::acquire},
                             {"release", Order::release},
                             {"acq_rel", Order::acq_rel},
                             {"sc", Order::sc}});
}

std::optional<Scope> take_scope(Opcode& opcode) {
  return opcode.take<Scope>(
      {{"cta", Scope::cta}, {"cluster", Scope::cluster}, {"gpu", Scope::gpu}, {"sys", Scope::sys}});
}

StateSpace take_space(Opcode& opcode) {
  return opcode
      .take<StateSpace>({{"global", StateSpace::global},
                         {"shared", StateSpace::shared},
                         {"shared::cta", StateSpace::shared},
                         {"local", StateSpace::local},
                         {"const", StateSpace::constant}})
      .value_or(StateSpace::generic);
}

std::optional<CacheOperator> take_cache_operator(Opcode& opcode) {
  return opcode.take<CacheOperator>({{"ca", CacheOperator::ca},
                                     {"cg", CacheOperator::cg},
                                     {"cs", CacheOperator::cs},
                                     {"lu", CacheOperator::lu},
                                     {"cv", CacheOperator::cv},
                                     {"wb", CacheOperator::wb},
                                     {"wt", CacheOperator::wt},
                                     {"nc", CacheOperator::nc}});
}

// Of a vector operand, or of a plain one.
std::span<const Operand> elements_of(const Operand& operand) {
  if (operand.kind == Operand::Kind::vector) return operand.elements;
  return {&operand, 1};
}

}  // namespace

// Hints for speed: they never change what the model allows.
void InstructionLowering::take_hints() {
  opcode_.take_prefixed("L1::");
  opcode_.take_prefixed("L2::");
  opcode_.take("unified");
}

// What loads and stores have in common; the type is taken last, so that it is found wherever it stands.
Access InstructionLowering::access(std::size_t address) {
  Access access;
  access.space = take_space(opcode_);
  access.is_volatile = opcode_.take("volatile");
  const bool mmio = opcode_.take("mmio");
  access.order = take_order(opcode_).value_or(Order::weak);
  const auto scope = take_scope(opcode_);
  if (scope) access.scope = *scope;
  if (access.is_volatile || mmio) {
    access.order = Order::relaxed;
    access.scope = Scope::sys;
  } else if (access.order != Order::weak && !scope) {
    diagnostics_.error(instruction_->opcode.at,
                       fmt::format("found {}; expected a scope: .cta, .cluster, .gpu or .sys",
                                   quoted(instruction_->opcode.text)));
  }
  if (const auto cache = take_cache_operator(opcode_); cache && access.order == Order::weak)
    access.cache = *cache;
  take_hints();
  access.type = type();
  if (access.type == Type::pred) throw Refusal();
  access.address = operands_.address(address, access.space);
  return access;
}

void InstructionLowering::ld() {
  if (opcode_.take("param") || opcode_.take("param::entry") || opcode_.take("param::func")) return ld_param();
  Load load;
  const unsigned count = opcode_.take_vector();
  const std::span<const Operand> results = elements_of(operands_.at(0));
  if (results.size() != count) throw Refusal();
  load.count = static_cast<std::uint8_t>(count);
  load.access = access(1);
  for (unsigned n = 0; n < count; ++n) load.dst[n] = operands_.result(results[n], load.access.type);
  emitter_.emit(load);
}

void InstructionLowering::ld_param() {
  const unsigned count = opcode_.take_vector();
  const Type type = this->type();
  const std::span<const Operand> results = elements_of(operands_.at(0));
  if (results.size() != count || operands_.at(1).kind != Operand::Kind::address) throw Refusal();
  const Operand& from = operands_.at(1).elements.front();
  const auto pointer = operands_.param_at(from);
  for (unsigned n = 0; n < count; ++n) {
    std::optional<fencewise::Operand> value;
    if (pointer) value = memory_.read_param(pointer->param, pointer->offset + n * size_of(type), type);
    // What a call returned: only calls that are not modelled return more than zero.
    if (operands_.variable(from) != nullptr) value = fencewise::Operand::imm(0);
    if (!value) throw Refusal("a part of an address, in a parameter");
    arith_to(operands_.result(results[n], type), Arith::mov, type, *value);
  }
}

void InstructionLowering::st() {
  if (opcode_.take("param") || opcode_.take("param::func")) {  // an argument of a call; see call()
    opcode_.take_vector();
    (void)type();
    return;
  }
  Store store;
  const unsigned count = opcode_.take_vector();
  const std::span<const Operand> values = elements_of(operands_.at(1));
  if (values.size() != count) throw Refusal();
  store.count = static_cast<std::uint8_t>(count);
  store.access = access(0);
  for (unsigned n = 0; n < count; ++n) store.value[n] = operands_.value(values[n], store.access.type);
  emitter_.emit(store);
}

// Without .sem an atomic is relaxed, without a scope it is gpu.
void InstructionLowering::atomic(bool red) {
  const auto op = opcode_.take<AtomicOp>({{"add", AtomicOp::add},
                                          {"inc", AtomicOp::inc},
                                          {"dec", AtomicOp::dec},
                                          {"min", AtomicOp::min},
                                          {"max", AtomicOp::max},
                                          {"and", AtomicOp::bit_and},
                                          {"or", AtomicOp::bit_or},
                                          {"xor", AtomicOp::bit_xor},
                                          {"exch", AtomicOp::exch},
                                          {"cas", AtomicOp::cas}});
  if (!op) throw Refusal();
  Atomic atomic;
  atomic.op = *op;
  atomic.red = red;
  atomic.access.space = take_space(opcode_);
  atomic.access.order = take_order(opcode_).value_or(Order::relaxed);
  atomic.access.scope = take_scope(opcode_).value_or(Scope::gpu);
  take_hints();
  atomic.access.type = type();
  const std::size_t first = red ? 0 : 1;
  atomic.access.address = operands_.address(first, atomic.access.space);
  atomic.a = operands_.value(first + 1, atomic.access.type);
  if (*op == AtomicOp::cas) atomic.b = operands_.value(first + 2, atomic.access.type);
  if (!red) atomic.dst = operands_.result(0, atomic.access.type);
  emitter_.emit(atomic);
}

void InstructionLowering::fence() {
  if (opcode_.take("proxy")) {
    if (!opcode_.take("alias")) throw Refusal();
    return emitter_.emit(ProxyFenceOp{ProxyFence::alias});
  }
  Fence fence;
  fence.order = take_order(opcode_).value_or(Order::acq_rel);
  if (fence.order == Order::weak || fence.order == Order::relaxed) throw Refusal();
  const auto scope = take_scope(opcode_);
  if (!scope) throw Refusal();
  fence.scope = *scope;
  emitter_.emit(fence);
}

// From sm_70 on membar is fence.sc.
void InstructionLowering::membar() {
  const auto scope = opcode_.take<Scope>({{"cta", Scope::cta}, {"gl", Scope::gpu}, {"sys", Scope::sys}});
  if (!scope) throw Refusal();
  emitter_.emit(Fence{Order::sc, *scope});
}

// Waiting and prefetching: nothing that the model knows.
void InstructionLowering::ignore() {
  take_hints();
  (void)take_space(opcode_);
  (void)opcode_.take_type();
  opcode_.take("L1");
  opcode_.take("L2");
}

}  // namespace fencewise::ptx
