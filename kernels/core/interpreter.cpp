#include "kernels/core/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/error.h"

namespace fencewise {

// --- Dependencies ---

Dependencies::Dependencies() { (void)intern({}); }

DependencySet Dependencies::intern(std::vector<std::uint32_t> set) {
  std::string key(reinterpret_cast<const char*>(set.data()), set.size() * sizeof(std::uint32_t));
  const auto [it, fresh] = index_.try_emplace(std::move(key), static_cast<DependencySet>(sets_.size()));
  if (fresh) sets_.push_back(std::move(set));
  return it->second;
}

DependencySet Dependencies::single(std::uint32_t read) { return intern({read}); }

DependencySet Dependencies::join(DependencySet a, DependencySet b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (a > b) std::swap(a, b);
  const auto [it, fresh] = joins_.try_emplace(std::uint64_t{a} << 32U | b, 0);
  if (fresh) {
    std::vector<std::uint32_t> both;
    std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(both));
    it->second = intern(std::move(both));
  }
  return it->second;
}

// --- ThreadState ---

ThreadState initial_state(const ThreadProgram& program, bool with_dependencies) {
  ThreadState state;
  state.registers.assign(program.kernel->registers.size(), Value::number(0));
  for (std::size_t n = 0; n < program.kernel->register_initial.size(); ++n)
    state.registers[n] = Value::number(program.kernel->register_initial[n]);
  if (with_dependencies) state.origins.assign(state.registers.size(), 0);
  return state;
}

// --- Interpreter ---

Value Interpreter::evaluate(const ThreadProgram& program, const ThreadState& state, const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::none: return Value::number(0);
    case Operand::Kind::reg: return state.registers[operand.index];
    case Operand::Kind::immediate: return Value::number(operand.bits);
    case Operand::Kind::special: {
      const auto special = static_cast<SpecialRegister>(operand.index);
      return special == SpecialRegister::clock ? terms_.free("a clock") : Value::number(program.special(special));
    }
    case Operand::Kind::param: return Value::number(program.params[operand.index]);
    case Operand::Kind::address_of: return Value::number(program.array_base[operand.index] + operand.bits);
  }
  return {};
}

DependencySet Interpreter::origin(const ThreadState& state, const Operand& operand) const {
  return dependencies_ != nullptr && operand.is_register() ? state.origins[operand.index] : 0;
}

DependencySet Interpreter::join(DependencySet a, DependencySet b) const {
  return dependencies_ != nullptr ? dependencies_->join(a, b) : 0;
}

void Interpreter::assign(ThreadState& state, RegisterId dst, Value value, DependencySet origin, Type type) const {
  state.registers[dst.value] = value.is_number() ? Value::number(truncate(type, value.bits())) : value;
  if (dependencies_ != nullptr) state.origins[dst.value] = origin;
}

void Interpreter::arithmetic(const ThreadProgram& program, ThreadState& state, const Arithmetic& i) const {
  const Value result = terms_.apply(i, evaluate(program, state, i.a), evaluate(program, state, i.b),
                                    evaluate(program, state, i.c));
  const DependencySet from = join(join(origin(state, i.a), origin(state, i.b)), origin(state, i.c));
  state.registers[i.dst.value] = result;
  if (dependencies_ != nullptr) state.origins[i.dst.value] = from;
}

Action::Printed Interpreter::printed(const ThreadProgram& program, const ThreadState& state, const Print& print) const {
  Action::Printed shown{{state.block, state.index}, {}};
  for (const auto& argument : print.arguments) {
    const auto* value = std::get_if<Operand>(&argument);
    shown.values.push_back(value == nullptr || !value->present() ? Terms::unknown() : evaluate(program, state, *value));
  }
  return shown;
}

// Finds the place of an access, or turns `action` into a fault.
void Interpreter::resolve(const ThreadProgram& program, const ThreadState& state, const Access& access, unsigned count,
                          Action& action) const {
  const Value index = evaluate(program, state, access.address.index);
  action.address = origin(state, access.address.index);
  if (index.is_unknown()) return;
  const auto fault = [&action](Action::Fault kind, std::string text) {
    action.kind = Action::Kind::fault;
    action.fault = kind;
    action.text = std::move(text);
  };
  if (terms_.is_poison(index))
    return fault(Action::Fault::poison, fmt::format("the address depends on {}", terms_.to_string(index, Type::u32)));
  if (terms_.is_free(index)) throw NotModelled(fmt::format("an address depends on {}", terms_.to_string(index, Type::u32)));
  if (!index.is_number()) throw NotModelled("an address depends on symbolic data; give the buffer constants");
  const std::uint64_t start = access.address.array ? program.array_base[access.address.array->value] : 0;
  const std::uint64_t address = start + index.bits() * access.address.scale + static_cast<std::uint64_t>(access.address.offset);
  const std::uint32_t bytes = size_of(access.type) * count;
  const std::string where = access.address.array
                                ? fmt::format("{}[{}]", (*program.kernel)[*access.address.array].name,
                                              static_cast<std::int64_t>(address - start) / size_of(access.type))
                                : fmt::format("address {:#x}", address);
  const auto place = memory_.resolve(address, bytes);
  const bool own_array = !access.address.array || (address >= start && (address >> 32U) == (start >> 32U));
  if (!place || !own_array) return fault(Action::Fault::out_of_bounds, fmt::format("{} is out of bounds", where));
  if (place->location.offset % bytes != 0)
    return fault(Action::Fault::misaligned, fmt::format("{} is not aligned to {} bytes", where, bytes));
  action.place = *place;
  action.place.location.size = size_of(access.type);
}

// Fills in what an action needs from the registers.
void Interpreter::describe(const ThreadProgram& program, const ThreadState& state, Action& action) const {
  const auto operand = [&](std::size_t n, const Operand& o) {
    action.operands[n] = evaluate(program, state, o);
    action.data[n] = origin(state, o);
  };
  action.control = state.control;
  if (const auto* load = std::get_if<Load>(&action.instruction->operation)) {
    action.kind = Action::Kind::load;
    resolve(program, state, load->access, load->count, action);
  } else if (const auto* store = std::get_if<Store>(&action.instruction->operation)) {
    action.kind = Action::Kind::store;
    for (std::size_t n = 0; n < store->count; ++n) operand(n, store->value[n]);
    resolve(program, state, store->access, store->count, action);
  } else if (const auto* atomic = std::get_if<Atomic>(&action.instruction->operation)) {
    action.kind = Action::Kind::atomic;
    operand(0, atomic->a);
    operand(1, atomic->b);
    resolve(program, state, atomic->access, 1, action);
  } else if (const auto* barrier = std::get_if<Barrier>(&action.instruction->operation)) {
    action.kind = Action::Kind::barrier;
    operand(0, barrier->id);
    operand(1, barrier->count);
    operand(2, barrier->predicate);
  } else if (const auto warp = warp_operands(action.instruction->operation)) {
    action.kind = Action::Kind::warp;
    const Operand* const all[] = {&warp->value, &warp->lane, &warp->clamp, &warp->mask};
    for (std::size_t n = 0; n < 4; ++n) operand(n, *all[n]);
    describe_warp(program, *warp, action);
  }
}

// Which lanes meet must be known; a lane that its own mask does not name is a fault.
void Interpreter::describe_warp(const ThreadProgram& program, const WarpOperands& operands, Action& action) const {
  const Value mask = action.operands[3];
  for (std::size_t n = 1; n < 4; ++n)
    if (action.operands[n].is_unknown()) {
      action.kind = Action::Kind::blocked;
      action.blockers = join(action.blockers, action.data[n]);
    }
  if (action.kind == Action::Kind::blocked || !operands.mask.present()) return;
  const auto fault = [&action](Action::Fault kind, std::string text) {
    action.kind = Action::Kind::fault;
    action.fault = kind;
    action.text = std::move(text);
  };
  if (terms_.is_poison(mask))
    return fault(Action::Fault::poison, fmt::format("a warp's mask depends on {}", terms_.to_string(mask, Type::u32)));
  if (!mask.is_number()) throw NotModelled("a warp's mask depends on symbolic data");
  const std::uint32_t lane = program.coordinates.index_in_cta % program.warp_size;
  if ((mask.bits() >> lane & 1U) == 0)
    fault(Action::Fault::not_in_mask,
          fmt::format("its lane {} takes part in an operation of its warp whose mask {:#x} does not name it, which is undefined", lane,
                      mask.bits()));
}

// The truth of a predicate register, or `action` says why there is none.
bool Interpreter::decide(const ThreadState& state, RegisterId predicate, Action& action, bool& outcome) const {
  const Value p = state.registers[predicate.value];
  if (p.is_number()) {
    outcome = p.bits() != 0;
    return true;
  }
  if (p.is_unknown()) {
    action.kind = Action::Kind::blocked;
    action.blockers = origin(state, predicate);
  } else if (terms_.is_free(p)) {
    action.kind = Action::Kind::choice;
    action.predicate = predicate;
  } else if (terms_.is_poison(p)) {
    action.kind = Action::Kind::fault;
    action.fault = Action::Fault::poison;
    action.text = fmt::format("control depends on {}", terms_.to_string(p, Type::pred));
  } else {
    throw NotModelled("control depends on symbolic data; give the buffer constants");
  }
  action.control = join(state.control, origin(state, predicate));
  return false;
}

Action Interpreter::next(const ThreadProgram& program, ThreadState& state) const {
  Action action;
  for (;;) {
    action.where = {state.block, state.index};
    const Instruction& instruction = program.kernel->at(action.where);
    action.instruction = &instruction;
    if (instruction.guard) {
      bool outcome = false;
      if (!decide(state, instruction.guard->predicate, action, outcome)) return action;
      state.control = join(state.control, origin(state, instruction.guard->predicate));
      if (outcome == instruction.guard->negated) {
        ++state.index;
        continue;
      }
    }
    bool header = false;
    const auto jump = [&](BlockId target) {
      action.again = target.value <= state.block.value;
      header = action.again || (*program.loop_headers)[target.value];
      state.block = target;
      state.index = 0;
    };
    if (const auto* a = std::get_if<Arithmetic>(&instruction.operation)) {
      arithmetic(program, state, *a);
      ++state.index;
    } else if (const auto* b = std::get_if<Branch>(&instruction.operation)) {
      jump(b->target);
    } else if (const auto* c = std::get_if<CondBranch>(&instruction.operation)) {
      bool outcome = false;
      if (!decide(state, c->predicate, action, outcome)) return action;
      state.control = join(state.control, origin(state, c->predicate));
      jump(outcome != c->negated ? c->taken : c->otherwise);
    } else if (std::holds_alternative<Compute>(instruction.operation)) {
      ++state.index;
    } else if (const auto* print = std::get_if<Print>(&instruction.operation)) {
      action.printed.push_back(printed(program, state, *print));
      ++state.index;
    } else {
      break;
    }
    if (header) {
      action.kind = Action::Kind::loop_header;
      return action;
    }
  }
  action.control = state.control;
  const auto& operation = action.instruction->operation;
  if (std::holds_alternative<Exit>(operation)) {
    action.kind = Action::Kind::exit;
  } else if (const auto* trap = std::get_if<Trap>(&operation)) {
    action.kind = Action::Kind::trap;
    action.text = trap->message;
  } else if (const auto* unmodelled = std::get_if<Unmodelled>(&operation)) {
    action.kind = Action::Kind::unmodelled;
    action.text = unmodelled->what;
  } else if (std::holds_alternative<Fence>(operation)) {
    action.kind = Action::Kind::fence;
  } else if (std::holds_alternative<ProxyFenceOp>(operation)) {
    action.kind = Action::Kind::proxy_fence;
  } else {
    describe(program, state, action);
  }
  return action;
}

void Interpreter::finish(const ThreadProgram& program, ThreadState& state, std::span<const Value> results,
                         std::span<const DependencySet> origins) const {
  const auto from = [&](std::size_t n) { return n < origins.size() ? origins[n] : 0; };
  const auto& operation = program.kernel->at({state.block, state.index}).operation;
  const auto give = [&](RegisterId dst, Type type) {
    if (!results.empty()) assign(state, dst, results[0], from(0), type);
  };
  const auto give_second = [&](const std::optional<RegisterId>& dst) {
    if (dst && results.size() > 1) assign(state, *dst, results[1], from(1), Type::pred);
  };
  if (const auto* load = std::get_if<Load>(&operation)) {
    for (std::size_t n = 0; n < results.size(); ++n) assign(state, load->dst[n], results[n], from(n), load->access.type);
  } else if (const auto* atomic = std::get_if<Atomic>(&operation)) {
    if (atomic->dst) give(*atomic->dst, atomic->access.type);
  } else if (const auto* barrier = std::get_if<Barrier>(&operation)) {
    if (barrier->dst) give(*barrier->dst, (*program.kernel)[*barrier->dst].type);
  } else if (const auto* shuffle = std::get_if<Shuffle>(&operation)) {
    give(shuffle->dst, (*program.kernel)[shuffle->dst].type);
    give_second(shuffle->in_range);
  } else if (const auto* vote = std::get_if<Vote>(&operation)) {
    give(vote->dst, (*program.kernel)[vote->dst].type);
  } else if (const auto* match = std::get_if<Match>(&operation)) {
    give(match->dst, (*program.kernel)[match->dst].type);
    give_second(match->all_equal);
  } else if (const auto* reduce = std::get_if<WarpReduce>(&operation)) {
    give(reduce->dst, (*program.kernel)[reduce->dst].type);
  } else if (const auto* active = std::get_if<ActiveMask>(&operation)) {
    give(active->dst, Type::u32);
  }
  ++state.index;
}

}  // namespace fencewise
