#include "kernels/frontend/litmus/specialize_thread.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/flow.h"
#include "kernels/core/printer.h"
#include "kernels/core/value.h"
#include "kernels/frontend/litmus/known_values.h"
#include "kernels/frontend/litmus/print_instruction.h"
#include "kernels/frontend/litmus/rename_registers.h"
#include "kernels/frontend/litmus/residual_blocks.h"

namespace fencewise::litmus {
namespace {

class Specializer {
 public:
  Specializer(const Problem& problem, const Launch& launch, std::uint32_t thread,
              const std::vector<RegisterId>& kept, ScalarLocations& locations, BarrierInstances& barriers)
      : launch_(launch),
        at_(threads_of(launch)[thread]),
        kernel_(problem.kernels[at_.kernel.value]),
        buffers_(bindings_of(problem, launch, at_.kernel)),
        kept_(kernel_.registers.size()),
        liveness_(kernel_, kept),
        locations_(locations),
        barriers_(barriers) {
    for (const RegisterId reg : kept) kept_[reg.value] = true;
  }

  // Register numbers are still those of the kernel.
  Kernel run() {
    blocks_.push_back({"", {{Exit{}, std::nullopt, {}}}});  // block 0 until tidy() has its entry first
    const BlockId entry = block(BlockId{0}, KnownValues(kernel_));
    std::swap(blocks_[0], blocks_[entry.value]);
    swap_targets(BlockId{0}, entry);
    residual_.blocks = tidy(std::move(blocks_), entry);
    return std::move(residual_);
  }

 private:
  // --- Program points ---

  BlockId block(BlockId id, KnownValues known) {
    const std::string key = fmt::format("{}:{}", id.value, known.key(liveness_.before({id, 0})));
    if (const auto found = points_.find(key); found != points_.end()) return found->second;
    if (blocks_.size() > most_specialized_blocks) {
      throw NotModelled(
          fmt::format("kernel '{}' is too large for a litmus test, or loops without a bound", kernel_.name));
    }
    const BlockId result{static_cast<std::uint32_t>(blocks_.size())};
    points_.emplace(key, result);
    blocks_.emplace_back();

    std::vector<Instruction> out;
    const auto& instructions = kernel_.blocks[id.value].instructions;
    for (std::uint32_t i = 0; i + 1 < instructions.size(); ++i) step({id, i}, known, out);
    end(instructions.back(), known, out);
    blocks_[result.value].instructions = std::move(out);
    return result;
  }

  void end(const Instruction& last, KnownValues& known, std::vector<Instruction>& out) {
    where_ = &last;
    if (const auto* branch = std::get_if<Branch>(&last.operation)) {
      emit(Branch{block(branch->target, known)}, out);
    } else if (const auto* conditional = std::get_if<CondBranch>(&last.operation)) {
      end_conditional(*conditional, known, out);
    } else if (std::holds_alternative<Exit>(last.operation)) {
      emit(Branch{BlockId{0}}, out);
    } else {
      unsupported();
    }
  }

  void end_conditional(const CondBranch& branch, KnownValues& known, std::vector<Instruction>& out) {
    if (const std::uint64_t* outcome = known.number(branch.predicate)) {
      const bool taken = (*outcome != 0) != branch.negated;
      emit(Branch{block(taken ? branch.taken : branch.otherwise, known)}, out);
      return;
    }
    const auto* comparison = std::get_if<PendingComparison>(&known[branch.predicate]);
    if (comparison == nullptr) unsupported();
    Arithmetic compare;
    compare.op = Arith::setp;
    compare.type = Type::s64;
    compare.compare = branch.negated ? inverse(comparison->compare) : comparison->compare;
    compare.dst = branch.predicate;
    compare.a = comparison->a;
    compare.b = comparison->b;
    CondBranch residual;
    residual.predicate = branch.predicate;
    residual.otherwise = block(branch.otherwise, known);
    residual.taken = block(branch.taken, known);
    emit(compare, out);
    emit(residual, out);
  }

  // The entry changes places with the end, which was made first.
  void swap_targets(BlockId a, BlockId b) {
    const auto other = [&](BlockId id) { return id.value == a.value ? b : id.value == b.value ? a : id; };
    for (Block& block : blocks_) {
      Operation& operation = block.instructions.back().operation;
      if (auto* branch = std::get_if<Branch>(&operation)) branch->target = other(branch->target);
      if (auto* branch = std::get_if<CondBranch>(&operation)) {
        branch->taken = other(branch->taken);
        branch->otherwise = other(branch->otherwise);
      }
    }
  }

  // --- Instructions ---

  void step(InstructionRef ref, KnownValues& known, std::vector<Instruction>& out) {
    const Instruction& instruction = kernel_.at(ref);
    where_ = &instruction;
    ref_ = ref;
    if (instruction.guard) {
      const std::uint64_t* guard = known.number(instruction.guard->predicate);
      if (guard == nullptr) unsupported();
      if ((*guard != 0) == instruction.guard->negated) return;
    }
    std::visit([&](const auto& operation) { run(operation, known, out); }, instruction.operation);
  }

  void run(const Arithmetic& a, KnownValues& known, std::vector<Instruction>& out) {
    std::array<Operand, 3> operands{value(a.a, known), value(a.b, known), value(a.c, known)};
    if (all_numbers(operands)) {
      const std::uint64_t result = a.op == Arith::mov
                                       ? operands[0].bits
                                       : compute(a, operands[0].bits, operands[1].bits, operands[2].bits);
      set_number(a.dst, result, known, out);
    } else if (a.op == Arith::setp) {
      if (is_float(a.type)) unsupported();
      known.set(a.dst, PendingComparison{a.compare, a.type, operands[0], operands[1]});
    } else if (kernel_[a.dst].type == Type::pred) {
      known.set(a.dst, predicate(a, known));
    } else {
      residual_arithmetic(a, operands, known, out);
    }
  }

  // A predicate computed from another.
  Known predicate(const Arithmetic& a, const KnownValues& known) const {
    if (a.op == Arith::mov) return known[a.a.reg()];
    if (a.op == Arith::bit_not) {
      const auto* comparison = std::get_if<PendingComparison>(&known[a.a.reg()]);
      if (comparison == nullptr) return Lost{};
      PendingComparison result = *comparison;
      result.compare = inverse(result.compare);
      return result;
    }
    if (a.op != Arith::bit_and && a.op != Arith::bit_or) return Lost{};
    // `true and p` is p, `false and p` false; `or` the other way round.
    const std::uint64_t neutral = a.op == Arith::bit_and ? 1 : 0;
    for (const auto& [one, other] : {std::pair{a.a, a.b}, std::pair{a.b, a.a}}) {
      const Operand side = value(one, known);
      if (side.kind != Operand::Kind::immediate) continue;
      if (side.bits != neutral) return side.bits;
      return other.is_register() ? known[other.reg()] : Known(value(other, known).bits);
    }
    return Lost{};
  }

  void residual_arithmetic(const Arithmetic& a, const std::array<Operand, 3>& operands, KnownValues& known,
                           std::vector<Instruction>& out) {
    Arithmetic result;
    result.type = Type::s64;
    result.dst = a.dst;
    result.op = a.op;
    result.a = operands[0];
    result.b = operands[1];
    switch (a.op) {
      case Arith::mov:
      case Arith::add:
      case Arith::sub:
      case Arith::mul: break;
      case Arith::div:
        if (!is_signed(a.type)) unsupported();
        break;
      case Arith::cvt:
        if (is_float(a.from)) unsupported();
        result.op = Arith::mov;
        result.b = Operand();
        break;
      case Arith::neg:
        result.op = Arith::sub;
        result.a = Operand::imm(0);
        result.b = operands[0];
        break;
      case Arith::selp:
        if (operands[2].kind != Operand::Kind::immediate) unsupported();
        result.op = Arith::mov;
        result.a = operands[2].bits != 0 ? operands[0] : operands[1];
        result.b = Operand();
        break;
      default: unsupported();
    }
    if (is_float(a.type)) unsupported();
    emit(result, out);
    known.set(a.dst, Dynamic{});
  }

  void run(const Load& load, KnownValues& known, std::vector<Instruction>& out) {
    if (load.count != 1) unsupported();
    Load result = load;
    result.access = access(load.access, known);
    emit(result, out);
    known.set(load.dst[0], Dynamic{});
  }
  void run(const Store& store, KnownValues& known, std::vector<Instruction>& out) {
    if (store.count != 1) unsupported();
    Store result = store;
    result.access = access(store.access, known);
    result.value[0] = data(store.value[0], store.access.type, known);
    emit(result, out);
  }
  void run(const Atomic& atomic, KnownValues& known, std::vector<Instruction>& out) {
    Atomic result = atomic;
    result.access = access(atomic.access, known);
    result.a = data(atomic.a, atomic.access.type, known);
    if (atomic.b.present()) result.b = data(atomic.b, atomic.access.type, known);
    // An atom whose result nobody wants still needs a register; a red with exch or cas has no form of its own.
    if (!result.dst && (!atomic.red || atomic.op == AtomicOp::exch || atomic.op == AtomicOp::cas))
      unsupported();
    emit(result, out);
    if (result.dst) known.set(*result.dst, Dynamic{});
  }
  void run(const Fence& fence, KnownValues&, std::vector<Instruction>& out) { emit(fence, out); }
  void run(const ProxyFenceOp& fence, KnownValues&, std::vector<Instruction>& out) { emit(fence, out); }
  void run(const Barrier& barrier, KnownValues& known, std::vector<Instruction>& out) {
    if (barrier.kind == BarrierKind::red) unsupported();
    Barrier result = barrier;
    result.id = value(barrier.id, known);
    if (barrier.count.present()) result.count = value(barrier.count, known);
    if (!result.instance)
      result.instance = barriers_(at_.kernel, ref_, occurrences_[{ref_.block.value, ref_.index}]++);
    emit(result, out);
  }
  void run(const Compute&, KnownValues&, std::vector<Instruction>&) {}
  void run(const Print&, KnownValues&, std::vector<Instruction>&) {}
  template <typename Other> void run(const Other&, KnownValues&, std::vector<Instruction>&) { unsupported(); }

  // --- Operands ---

  Operand value(const Operand& operand, const KnownValues& known) const {
    switch (operand.kind) {
      case Operand::Kind::none:
      case Operand::Kind::immediate: return operand;
      case Operand::Kind::reg: {
        const std::uint64_t* number = known.number(operand.reg());
        return number == nullptr ? operand : Operand::imm(*number);
      }
      case Operand::Kind::special: return Operand::imm(special(static_cast<SpecialRegister>(operand.index)));
      case Operand::Kind::param:
        if (operand.index >= launch_.params.size()) unsupported();
        return Operand::imm(launch_.params[operand.index]);
      case Operand::Kind::address_of: break;
    }
    unsupported();
  }

  // A value on its way to memory, as the memory's type reads it.
  Operand data(const Operand& operand, Type type, const KnownValues& known) const {
    const Operand result = value(operand, known);
    return result.kind == Operand::Kind::immediate ? Operand::imm(truncate(type, result.bits)) : result;
  }

  static bool all_numbers(const std::array<Operand, 3>& operands) {
    for (const Operand& operand : operands) {
      if (operand.kind != Operand::Kind::immediate && operand.present()) return false;
    }
    return true;
  }

  std::uint64_t special(SpecialRegister reg) const {
    switch (reg) {
      case SpecialRegister::tid_x: return at_.tid[0];
      case SpecialRegister::tid_y: return at_.tid[1];
      case SpecialRegister::tid_z: return at_.tid[2];
      case SpecialRegister::ntid_x: return launch_.block.x;
      case SpecialRegister::ntid_y: return launch_.block.y;
      case SpecialRegister::ntid_z: return launch_.block.z;
      case SpecialRegister::ctaid_x: return at_.ctaid[0];
      case SpecialRegister::ctaid_y: return at_.ctaid[1];
      case SpecialRegister::ctaid_z: return at_.ctaid[2];
      case SpecialRegister::nctaid_x: return launch_.grid.x;
      case SpecialRegister::nctaid_y: return launch_.grid.y;
      case SpecialRegister::nctaid_z: return launch_.grid.z;
      default: unsupported();
    }
  }

  void set_number(RegisterId reg, std::uint64_t number, KnownValues& known, std::vector<Instruction>& out) {
    known.set(reg, number);
    if (!kept_[reg.value]) return;
    Arithmetic move;
    move.op = Arith::mov;
    move.type = Type::s64;
    move.dst = reg;
    move.a = Operand::imm(number);
    emit(move, out);
  }

  // The access at its one location.
  Access access(const Access& original, const KnownValues& known) {
    const Address& address = original.address;
    if (!address.array || original.cache == CacheOperator::nc) unsupported();
    const Operand index = value(address.index, known);
    if (index.is_register()) unsupported();
    const std::uint64_t byte =
        (index.present() ? index.bits * address.scale : 0) + static_cast<std::uint64_t>(address.offset);
    const ArrayDecl& array = kernel_[*address.array];
    const std::uint32_t size = size_of(array.element);
    if (size_of(original.type) != size || byte % size != 0) unsupported();

    Access result = original;
    result.address = {};
    result.address.array = location(*address.array, byte / size);
    result.type = Type::s64;
    result.space = StateSpace::global;
    result.cache = CacheOperator::none;
    return result;
  }

  ArrayId location(ArrayId id, std::uint64_t index) {
    const ArrayDecl& array = kernel_[id];
    if (!buffers_[id.value] && array.space != StateSpace::shared) unsupported();
    const BufferId buffer = buffers_[id.value] ? locations_.element(*buffers_[id.value], index)
                                               : locations_.shared(array, at_.placement.cta, index);
    const auto [entry, fresh] =
        arrays_.emplace(buffer.value, ArrayId{static_cast<std::uint32_t>(arrays_.size())});
    if (fresh)
      residual_.arrays.push_back({locations_.buffers()[buffer.value].name, Type::s64, StateSpace::global, 0});
    return entry->second;
  }

  static void emit(Operation operation, std::vector<Instruction>& out) {
    out.push_back({std::move(operation), std::nullopt, {}});
  }

  [[noreturn]] void unsupported() const {
    throw NotModelled(fmt::format(
        "the litmus dialect has no form for '{}' of kernel '{}' with what is known of thread {} of cta {}",
        fencewise::print(*where_, kernel_), kernel_.name, at_.index_in_cta, at_.placement.cta.value));
  }

  const Launch& launch_;
  ThreadCoordinates at_;
  const Kernel& kernel_;
  std::vector<std::optional<BufferId>> buffers_;
  std::vector<bool> kept_;
  Liveness liveness_;
  ScalarLocations& locations_;
  BarrierInstances& barriers_;

  Kernel residual_;
  std::vector<Block> blocks_;
  std::map<std::string, BlockId> points_;
  std::map<std::uint32_t, ArrayId> arrays_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> occurrences_;
  const Instruction* where_ = nullptr;
  InstructionRef ref_;
};

}  // namespace

SpecializedThread specialize_thread(const Problem& problem, const Launch& launch, std::uint32_t thread,
                                    const std::vector<RegisterId>& kept, ScalarLocations& locations,
                                    BarrierInstances& barriers) {
  SpecializedThread result;
  const KernelId original = threads_of(launch)[thread].kernel;
  result.kernel = Specializer(problem, launch, thread, kept, locations, barriers).run();
  result.kernel.name = fmt::format("P{}", thread);
  result.registers = rename_registers(result.kernel, problem.kernels[original.value], kept);
  return result;
}

}  // namespace fencewise::litmus
