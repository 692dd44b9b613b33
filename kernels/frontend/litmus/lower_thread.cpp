#include "kernels/frontend/litmus/lower_thread.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kernels/frontend/litmus/blocks.h"
#include "kernels/frontend/litmus/mnemonic.h"
#include "kernels/frontend/litmus/words.h"

namespace fencewise::litmus {
namespace {

class ThreadLowering {
 public:
  ThreadLowering(Registers& registers, Locations& locations, Kernel& kernel, const Diagnostics& diagnostics)
      : registers_(registers),
        locations_(locations),
        kernel_(kernel),
        diagnostics_(diagnostics),
        blocks_(kernel.name, diagnostics) {}

  void add(const Cell& cell) {
    for (const Token& label : cell.labels) blocks_.label(label);
    if (!cell.statement) return;
    statement_ = &*cell.statement;
    form_ = parse_mnemonic(statement_->mnemonic, diagnostics_);
    where_ = {0, statement_->mnemonic.at.line, statement_->mnemonic.at.column};
    std::visit([this](auto& form) { lower(form); }, form_);
  }

  void finish(Position end) { kernel_.blocks = blocks_.finish({0, end.line, end.column}); }

 private:
  void lower(MoveForm&) {
    expect_operands(2, 2);
    Arithmetic move;
    move.op = Arith::mov;
    move.type = Type::s64;
    move.dst = target(0);
    move.a = value(1);
    emit(move);
  }
  void lower(Arithmetic& op) {
    expect_operands(3, 3);
    op.dst = target(0);
    op.a = value(1);
    op.b = value(2);
    emit(op);
  }
  void lower(Load& load) {
    expect_operands(2, 2);
    load.dst[0] = target(0);
    load.access.address = location(1);
    emit(load);
  }
  void lower(Store& store) {
    expect_operands(2, 2);
    store.access.address = location(0);
    store.value[0] = value(1);
    emit(store);
  }
  void lower(Atomic& atomic) {
    const std::size_t first = atomic.red ? 0 : 1;
    const bool cas = atomic.op == AtomicOp::cas;
    expect_operands(first + (cas ? 3 : 2), first + (cas ? 3 : 2));
    if (!atomic.red) atomic.dst = target(0);
    atomic.access.address = location(first);
    atomic.a = value(first + 1);
    if (cas) atomic.b = value(first + 2);
    emit(atomic);
  }
  void lower(Fence& fence) {
    expect_operands(0, 0);
    emit(fence);
  }
  void lower(ProxyFenceOp& fence) {
    expect_operands(0, 0);
    emit(fence);
  }
  void lower(Barrier& barrier) {
    expect_operands(1, 3);
    barrier.instance = number_of(operand(0), 1'000'000'000, diagnostics_);
    if (count() > 1) barrier.id = value(1);
    if (count() > 2) barrier.count = value(2);
    if (barrier.count.kind == Operand::Kind::immediate && static_cast<std::int64_t>(barrier.count.bits) < 1) {
      diagnostics_.error(
          operand(2).at,
          fmt::format("found a barrier for {} threads; expected a positive count", operand(2).text));
    }
    emit(barrier);
  }
  void lower(GotoForm&) {
    expect_operands(1, 1);
    blocks_.jump(label(0), where_);
  }
  void lower(BranchForm& branch) {
    expect_operands(3, 3);
    Arithmetic compare;
    compare.op = Arith::setp;
    compare.type = Type::s64;
    compare.compare = branch.compare;
    compare.dst = predicate();
    compare.a = value(0);
    compare.b = value(1);
    emit(compare);
    blocks_.jump_if(compare.dst, label(2), where_);
  }

  void emit(Operation operation) { blocks_.add({std::move(operation), std::nullopt, where_}); }

  // --- Operands ---

  [[nodiscard]] std::size_t count() const { return statement_->operands.size(); }
  [[nodiscard]] const Token& operand(std::size_t i) const { return statement_->operands[i]; }

  void expect_operands(std::size_t least, std::size_t most) const {
    if (count() >= least && count() <= most) return;
    const Token& mnemonic = statement_->mnemonic;
    const Position at = count() > most ? operand(most).at : mnemonic.at;
    diagnostics_.error(at,
                       fmt::format("found {} operand{} of {}; expected {}", count(), count() == 1 ? "" : "s",
                                   quoted(mnemonic.text), usage(form_, mnemonic.text)));
  }

  RegisterId target(std::size_t i) {
    const Token& token = operand(i);
    if (!is_register(token.text)) {
      diagnostics_.error(token.at, fmt::format("found {}; expected a register (r0, r1, ...) for the result",
                                               quoted(token.text)));
    }
    registers_.written(token.text);
    return registers_[token.text];
  }

  Operand value(std::size_t i) const {
    const Token& token = operand(i);
    if (is_register(token.text)) return registers_[token.text];
    if (is_integer(token.text)) return Operand::imm(integer_of(token, diagnostics_));
    if (token.text.starts_with('&')) {
      diagnostics_.not_modelled(
          token.at, fmt::format("an address as a value ({}) is not modelled", quoted(token.text)));
    }
    const bool move = std::holds_alternative<MoveForm>(form_);
    diagnostics_.error(token.at,
                       fmt::format("found {}; expected a register or an integer{}", quoted(token.text),
                                   move ? " ('ld' alone is a move: to read memory write ld.weak)" : ""));
  }

  Address location(std::size_t i) {
    const Token& token = operand(i);
    if (!is_location(token.text)) {
      diagnostics_.error(token.at, fmt::format("found {}; expected a location", quoted(token.text)));
    }
    Address address;
    address.array = array(token.text);
    return address;
  }

  const Token& label(std::size_t i) const {
    const Token& token = operand(i);
    if (!is_label(token.text)) {
      diagnostics_.error(token.at,
                         fmt::format("found {}; expected a label, such as LC00", quoted(token.text)));
    }
    return token;
  }

  // --- The kernel's tables ---

  ArrayId array(const std::string& name) {
    const auto [entry, fresh] =
        arrays_.emplace(name, ArrayId{static_cast<std::uint32_t>(kernel_.arrays.size())});
    if (fresh) {
      (void)locations_.use(name);
      kernel_.arrays.push_back({name, Type::s64, StateSpace::global, 0});
    }
    return entry->second;
  }

  RegisterId predicate() {
    if (!predicate_) {
      predicate_ = RegisterId{static_cast<std::uint32_t>(kernel_.registers.size())};
      kernel_.registers.push_back({"p", Type::pred});
      if (!kernel_.register_initial.empty()) kernel_.register_initial.push_back(0);
    }
    return *predicate_;
  }

  Registers& registers_;
  Locations& locations_;
  Kernel& kernel_;
  const Diagnostics& diagnostics_;
  BlockBuilder blocks_;
  std::map<std::string, ArrayId> arrays_;
  std::optional<RegisterId> predicate_;
  const Statement* statement_ = nullptr;
  Form form_;
  SourceLine where_;
};

}  // namespace

void collect_registers(const Column& column, Registers& registers) {
  for (const Cell* cell : column) {
    if (!cell->statement) continue;
    for (const Token& operand : cell->statement->operands) {
      if (is_register(operand.text)) registers.mention(operand.text);
    }
  }
}

void lower_thread(const Column& column, Position end, Registers& registers, Locations& locations,
                  Kernel& kernel, const Diagnostics& diagnostics) {
  ThreadLowering lowering(registers, locations, kernel, diagnostics);
  for (const Cell* cell : column) lowering.add(*cell);
  lowering.finish(end);
}

}  // namespace fencewise::litmus
