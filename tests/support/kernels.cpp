#include "tests/support/kernels.h"

#include <utility>

namespace fencewise::testing {

Access word(ArrayId array, Operand index, Order order, Scope scope) {
  Access access;
  access.address.array = array;
  access.address.index = index;
  access.address.scale = 4;
  access.order = order;
  access.scope = scope;
  return access;
}

Instruction plain(Operation operation) { return {std::move(operation), std::nullopt, {}}; }

Instruction load(RegisterId dst, const Access& access) {
  Load operation;
  operation.dst[0] = dst;
  operation.access = access;
  return plain(operation);
}

Instruction store(const Access& access, Operand value) {
  Store operation;
  operation.value[0] = value;
  operation.access = access;
  return plain(operation);
}

Instruction arithmetic(Arith op, Type type, RegisterId dst, Operand a, Operand b, Operand c) {
  Arithmetic operation;
  operation.op = op;
  operation.type = type;
  operation.dst = dst;
  operation.a = a;
  operation.b = b;
  operation.c = c;
  return plain(operation);
}

Instruction guarded(RegisterId predicate, Instruction instruction) {
  instruction.guard = Guard{predicate, false};
  return instruction;
}

Kernel sample_kernel(std::vector<Instruction> instructions) {
  Kernel kernel;
  kernel.name = "k";
  kernel.params = {{"n", Type::u32}};
  kernel.arrays = {{"x", Type::u32, StateSpace::global, 0},
                   {"y", Type::u32, StateSpace::global, 0},
                   {"s", Type::u32, StateSpace::shared, 32}};
  kernel.registers = {
      {"r0", Type::u32}, {"r1", Type::u32}, {"p", Type::pred}, {"f", Type::f32}, {"d", Type::u64}};
  instructions.push_back(plain(Exit{}));
  kernel.blocks = {{"entry", std::move(instructions)}};
  return kernel;
}

Kernel shape(const std::vector<std::vector<std::uint32_t>>& successors) {
  Kernel kernel;
  kernel.name = "shape";
  kernel.registers = {{"p", Type::pred}};
  for (const auto& next : successors) {
    Operation end = Exit{};
    if (next.size() == 1) end = Branch{BlockId{next[0]}};
    if (next.size() == 2) end = CondBranch{RegisterId{0}, false, BlockId{next[0]}, BlockId{next[1]}, true};
    kernel.blocks.push_back({"", {plain(std::move(end))}});
  }
  return kernel;
}

Problem problem_of(Kernel kernel, Dim3 grid, Dim3 block) {
  Problem problem;
  problem.name = kernel.name;
  for (const ArrayDecl& array : kernel.arrays)
    if (array.space == StateSpace::global)
      problem.buffers.push_back({array.name, array.element, 4, Role::workspace, {}, {}, false});
  Launch launch;
  launch.name = "main";
  launch.grid = grid;
  launch.block = block;
  launch.params.resize(kernel.params.size());
  problem.launches = {std::move(launch)};
  problem.kernels = {std::move(kernel)};
  return problem;
}

namespace {

Instruction take_ticket(RegisterId ticket, ArrayId count) {
  Atomic atomic;
  atomic.dst = ticket;
  atomic.a = Operand::imm(1);
  atomic.access = word(count, Operand::imm(0), Order::relaxed);
  return plain(atomic);
}

Instruction is_last(RegisterId last, RegisterId ticket, ParamId splits_minus_1) {
  Instruction compare = arithmetic(Arith::setp, Type::u32, last, ticket, splits_minus_1);
  compare.where = {0, 14, 7};
  return compare;
}

Kernel split_k_kernel() {
  const RegisterId part{0}, ticket{1}, i{2}, sum{3}, last{4}, more{5};
  const ArrayId in{0}, ws{1}, count{2}, out{3};
  const Operand cta = SpecialRegister::ctaid_x;
  Kernel k;
  k.name = "splitk";
  k.files = {"splitk.cpp"};
  k.params = {{"last_ticket", Type::u32}};
  for (const char* array : {"in", "ws", "count", "out"})
    k.arrays.push_back({array, Type::u32, StateSpace::global, 0});
  for (const char* reg : {"part", "ticket", "i", "sum"}) k.registers.push_back({reg, Type::u32});
  k.registers.push_back({"last", Type::pred});
  k.registers.push_back({"more", Type::pred});

  Instruction fence = plain(Fence{Order::acq_rel, Scope::gpu});
  fence.where = {0, 12, 5};
  Instruction again = arithmetic(Arith::setp, Type::u32, more, i, ParamId{0});
  std::get<Arithmetic>(again.operation).compare = Compare::le;
  k.blocks = {
      {"entry",
       {load(part, word(in, cta)), store(word(ws, cta), part), fence, take_ticket(ticket, count),
        is_last(last, ticket, ParamId{0}), plain(CondBranch{last, false, {1}, {3}, true})}},
      {"add",
       {load(part, word(ws, i)), arithmetic(Arith::add, Type::u32, sum, sum, part),
        arithmetic(Arith::add, Type::u32, i, i, Operand::imm(1)), again,
        plain(CondBranch{more, false, {1}, {2}, false})}},
      {"finish",
       {store(word(out, Operand::imm(0)), sum), store(word(count, Operand::imm(0)), Operand::imm(0)),
        plain(Branch{{3}})}},
      {"done", {plain(Exit{})}},
  };
  return k;
}

}  // namespace

Problem split_k() {
  Problem problem = problem_of(split_k_kernel(), {2, 1, 1});
  problem.launches[0].params = {1};
  problem.replays = 2;
  problem.buffers[0].role = Role::input;
  problem.buffers[0].initial = InitialContents::of(InitialContents::Kind::symbols);
  problem.buffers[3].role = Role::output;
  problem.buffers[3].initial = InitialContents::of(InitialContents::Kind::unwritten);
  const BufferTerm in{BufferId{0}}, out{BufferId{3}};
  problem.contract.assertions.push_back({"out is the sum of in",
                                         out[0] == sum("s", 0, 2, [&](const Term& s) { return in[s]; }),
                                         When::each_replay});
  problem.contract.restored = {BufferId{2}};
  return problem;
}

}  // namespace fencewise::testing
