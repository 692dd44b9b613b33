#include "kernels/core/validate.h"

#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "tests/support/kernels.h"

namespace fencewise {
namespace {

using namespace testing::sample;
using testing::arithmetic;
using testing::guarded;
using testing::load;
using testing::plain;
using testing::problem_of;
using testing::sample_kernel;
using testing::split_k;
using testing::store;
using testing::word;

// The message that refuses the problem, or "" when it passes.
std::string refusal(const Problem& problem) {
  try {
    validate(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const Kernel& kernel) { return refusal(problem_of(kernel)); }

// What is said of a kernel of just this instruction, without "kernel 'k', entry:0 '...': ".
std::string refusal(const Instruction& instruction) {
  const std::string message = refusal(sample_kernel({instruction}));
  const auto start = message.find("': ");
  return start == std::string::npos ? message : message.substr(start + 3);
}
std::string refusal(const Operation& operation) { return refusal(plain(operation)); }

Load vector_load(std::uint8_t count, Address address) {
  Load operation;
  operation.dst = {r0, r0, r0, r0};
  operation.count = count;
  operation.access = word(x, Operand());
  operation.access.address = address;
  return operation;
}

Atomic atomic(AtomicOp op, Order order = Order::relaxed) {
  Atomic operation;
  operation.op = op;
  operation.dst = r0;
  operation.a = Operand::imm(1);
  operation.access = word(x, Operand::imm(0), order);
  return operation;
}

Barrier barrier(std::uint64_t id, std::uint64_t count = 0) {
  Barrier operation;
  operation.id = Operand::imm(id);
  if (count != 0) operation.count = Operand::imm(count);
  return operation;
}

Problem with_barrier(const Barrier& operation, std::uint32_t threads, std::uint32_t warp_size) {
  Problem problem = problem_of(sample_kernel({plain(operation)}), {1, 1, 1}, {threads, 1, 1});
  problem.launches[0].warp_size = warp_size;
  return problem;
}

TEST(Validate, AcceptsASplitKProblem) { EXPECT_EQ(refusal(split_k()), ""); }

TEST(Message, BeginsWithTheSourceLineWhenItIsKnown) {
  Problem problem = split_k();
  std::get<Fence>(problem.kernels[0].blocks[0].instructions[2].operation).order = Order::relaxed;
  EXPECT_EQ(
      refusal(problem),
      "splitk.cpp:12:5: kernel 'splitk', 'fence.relaxed.gpu': a fence is acquire, release, acq_rel or sc");
}

TEST(Message, NamesBlockAndPlaceOtherwise) {
  EXPECT_EQ(refusal(sample_kernel({load(r0, word(x, r1, Order::release))})),
            "kernel 'k', entry:0 'ld.release.gpu.u32 %r0, x[%r1]': a load is weak, relaxed or acquire");
}

// --- blocks ---

TEST(ValidateBlocks, RefusesAKernelOrBlockWithoutInstructions) {
  Kernel k = sample_kernel({});
  k.blocks[0].instructions.clear();
  EXPECT_EQ(refusal(k), "kernel 'k': block 'entry' is empty");
  k.blocks.clear();
  EXPECT_EQ(refusal(k), "kernel 'k': there are no instructions");
}

TEST(ValidateBlocks, WantsOneTerminatorAndThatLast) {
  EXPECT_EQ(refusal(plain(Exit{})), "only the last instruction of a block may end it");
  Kernel k = sample_kernel({plain(Fence{})});
  k.blocks[0].instructions.pop_back();
  EXPECT_EQ(refusal(k), "kernel 'k', entry:0 'fence.acq_rel.gpu': a block ends with a branch, exit or trap");
}

TEST(ValidateBlocks, RefusesAGuardOnATerminator) {
  Kernel k = sample_kernel({});
  k.blocks[0].instructions[0].guard = Guard{p, false};
  EXPECT_EQ(refusal(k),
            "kernel 'k', entry:0 '@%p exit': the end of a block has no guard; branch to a block of its own "
            "instead");
}

TEST(ValidateBlocks, RefusesABranchToNowhere) {
  Kernel k = testing::shape({{1, 7}, {}});
  EXPECT_EQ(refusal(k),
            "kernel 'shape', b0:0 '@%p bra b1; bra ?b7': the branch goes to block 7; the kernel has 2");
}

// --- operands ---

TEST(ValidateOperands, RefusesIdsOutOfRange) {
  EXPECT_EQ(refusal(load(RegisterId{9}, word(x, r1))), "the result is register 9; the kernel has 5");
  EXPECT_EQ(refusal(load(r0, word(ArrayId{3}, r1))), "the address is array 3; there are 3");
  EXPECT_EQ(refusal(store(word(x, r0), ParamId{1})), "the value is param 1; there are 1");
  EXPECT_EQ(refusal(arithmetic(Arith::mov, Type::u64, d, Operand::address_of(ArrayId{8}))),
            "the first operand is array 8; there are 3");
}

TEST(ValidateOperands, KeepsPredicatesApart) {
  EXPECT_EQ(refusal(store(word(x, r0), p)), "the value must be no predicate; %p is pred");
  EXPECT_EQ(refusal(guarded(r0, store(word(x, r0), r1))), "the guard must be a predicate; %r0 is u32");
  EXPECT_EQ(refusal(arithmetic(Arith::setp, Type::u32, r0, r0, r1)),
            "the result must be a predicate; %r0 is u32");
  EXPECT_EQ(refusal(arithmetic(Arith::selp, Type::u32, r0, r0, r1, r1)),
            "the third operand must be a predicate; %r1 is u32");
  EXPECT_EQ(refusal(arithmetic(Arith::bit_and, Type::pred, p, p, p)), "");
  EXPECT_EQ(refusal(arithmetic(Arith::add, Type::pred, p, p, p)),
            "this operation does not work on predicates");
}

TEST(ValidateOperands, AcceptsWiderRegistersAndRefusesNarrowerOnes) {
  EXPECT_EQ(refusal(arithmetic(Arith::add, Type::u64, d, d, r0)),
            "the second operand needs 64 bits; %r0 is u32");
  EXPECT_EQ(refusal(arithmetic(Arith::mul_wide, Type::u32, r0, r0, r1)),
            "the result needs 64 bits; %r0 is u32");
  EXPECT_EQ(refusal(arithmetic(Arith::mul_wide, Type::u32, d, r0, r1)), "");
  EXPECT_EQ(refusal(arithmetic(Arith::mov, Type::f32, r0, f)), "") << "registers are bits";
  EXPECT_EQ(refusal(load(d, word(x, r1))), "");
}

TEST(ValidateOperands, WantsAsManyAsTheOperationTakes) {
  EXPECT_EQ(refusal(arithmetic(Arith::add, Type::u32, r0, r1)), "the second operand is missing");
  EXPECT_EQ(refusal(arithmetic(Arith::mad, Type::u32, r0, r1, r1)), "the third operand is missing");
  EXPECT_EQ(refusal(arithmetic(Arith::neg, Type::s32, r0, r1)), "");
}

TEST(ValidateOperands, MatchesTheKindOfNumberToTheOperation) {
  EXPECT_EQ(refusal(arithmetic(Arith::rem, Type::f32, f, f, f)), "this operation does not work on floats");
  EXPECT_EQ(refusal(arithmetic(Arith::fma, Type::u32, r0, r0, r0, r0)),
            "this operation works on floats only");
  EXPECT_EQ(refusal(arithmetic(Arith::mul_wide, Type::u64, d, d, d)),
            "a wide product is of 32-bit numbers or smaller");
}

// --- memory ---

TEST(ValidateOrders, AreLegalForTheOperation) {
  EXPECT_EQ(refusal(load(r0, word(x, r1, Order::acq_rel))), "a load is weak, relaxed or acquire");
  EXPECT_EQ(refusal(store(word(x, r1, Order::acquire), r0)), "a store is weak, relaxed or release");
  EXPECT_EQ(refusal(atomic(AtomicOp::add, Order::weak)), "an atomic is relaxed, acquire, release or acq_rel");
  EXPECT_EQ(refusal(atomic(AtomicOp::add, Order::sc)), "an atomic is relaxed, acquire, release or acq_rel");
  EXPECT_EQ(refusal(Fence{Order::weak, Scope::gpu}), "a fence is acquire, release, acq_rel or sc");
  for (const Order order : {Order::acquire, Order::release, Order::acq_rel, Order::sc})
    EXPECT_EQ(refusal(Fence{order, Scope::gpu}), "");
}

TEST(ValidateOrders, VolatileIsRelaxedAtSysScope) {
  Access access = word(x, r1, Order::relaxed, Scope::gpu);
  access.is_volatile = true;
  EXPECT_EQ(refusal(load(r0, access)), "volatile means relaxed at sys scope");
  access.scope = Scope::sys;
  EXPECT_EQ(refusal(load(r0, access)), "");
}

TEST(ValidateCache, OperatorsFitTheAccess) {
  Access access = word(x, r1);
  access.cache = CacheOperator::wb;
  EXPECT_EQ(refusal(load(r0, access)), "this cache operator is for stores");
  access.cache = CacheOperator::nc;
  EXPECT_EQ(refusal(store(access, r0)), "this cache operator is for loads");
  access.order = Order::relaxed;
  EXPECT_EQ(refusal(load(r0, access)), "a cache operator goes with weak accesses only");
}

TEST(ValidateVectors, HaveOneTwoOrFourElements) {
  EXPECT_EQ(refusal(vector_load(3, {x, {}, 1, 0})), "a vector has 1, 2 or 4 elements, not 3");
  EXPECT_EQ(refusal(vector_load(0, {x, {}, 1, 0})), "a vector has 1, 2 or 4 elements, not 0");
}

TEST(ValidateVectors, AreAlignedWhereThatIsKnown) {
  EXPECT_EQ(refusal(vector_load(4, {x, {}, 1, 16})), "");
  EXPECT_EQ(refusal(vector_load(4, {x, {}, 1, 8})), "the vector is not aligned to its 16 bytes");
  EXPECT_EQ(refusal(vector_load(2, {x, Operand::imm(3), 4, 0})), "the vector is not aligned to its 8 bytes");
  EXPECT_EQ(refusal(vector_load(2, {x, r0, 8, 4})), "the vector is not aligned to its 8 bytes");
  EXPECT_EQ(refusal(vector_load(2, {x, r0, 4, 4})), "") << "aligned for odd %r0";
  EXPECT_EQ(refusal(vector_load(2, {{}, d, 1, 4})), "") << "a pointer may point anywhere";
}

TEST(ValidateAddress, NamesAPlaceWithAnIntegerIndex) {
  EXPECT_EQ(refusal(vector_load(1, {{}, {}, 1, 4})), "the address names neither an array nor a register");
  EXPECT_EQ(refusal(vector_load(1, {x, f, 4, 0})), "the index is a float");
  EXPECT_EQ(refusal(vector_load(1, {x, r0, 0, 0})), "the index has scale 0");
  EXPECT_EQ(refusal(vector_load(1, {{}, Operand::address_of(x), 1, 0})),
            "an array's address is no index; name the array instead");
}

TEST(ValidateSpace, IsThatOfTheArray) {
  EXPECT_EQ(refusal(load(r0, word(s, r1))), "'s' is not in this state space");
  Access generic = word(s, r1);
  generic.space = StateSpace::generic;
  EXPECT_EQ(refusal(load(r0, generic)), "");
  Access constant = word(x, r1);
  constant.space = StateSpace::constant;
  EXPECT_EQ(refusal(load(r0, constant)), "");
  EXPECT_EQ(refusal(store(constant, r0)), "constant memory is read-only");
}

TEST(ValidateAtomics, FitTheirTypeAndOperands) {
  EXPECT_EQ(refusal(atomic(AtomicOp::add)), "");
  EXPECT_EQ(refusal(atomic(AtomicOp::cas)), "the new value is missing");
  Atomic extra = atomic(AtomicOp::add);
  extra.b = r1;
  EXPECT_EQ(refusal(extra), "only cas has two operands");
  Atomic real = atomic(AtomicOp::bit_xor);
  real.access.type = Type::f32;
  EXPECT_EQ(refusal(real), "this atomic does not work on floats");
  Atomic narrow = atomic(AtomicOp::add);
  narrow.access.type = Type::u16;
  EXPECT_EQ(refusal(narrow), "this atomic needs at least 32 bits");
}

TEST(ValidateAtomics, RedGivesNoResultAndDoesNotExchange) {
  Atomic red = atomic(AtomicOp::add);
  red.red = true;
  EXPECT_EQ(refusal(red), "red has no result; use atom");
  red.dst.reset();
  EXPECT_EQ(refusal(red), "");
  red.op = AtomicOp::exch;
  EXPECT_EQ(refusal(red), "red has no exch and no cas; use atom");
}

// --- barriers ---

TEST(ValidateBarriers, AreNumberedUpTo15) {
  EXPECT_EQ(refusal(barrier(15)), "");
  EXPECT_EQ(refusal(barrier(16)), "barriers are numbered 0 to 15, not 16");
}

TEST(ValidateBarriers, NumberInARegisterIsLegalPtxButNotModelled) {
  Barrier dynamic;
  dynamic.id = r0;
  EXPECT_THROW(validate(sample_kernel({plain(dynamic)})), NotModelled);
  dynamic.instance = 1;
  EXPECT_NO_THROW(validate(sample_kernel({plain(dynamic)}))) << "litmus";
}

TEST(ValidateBarriers, ArriveNeedsACountOutsideLitmusTests) {
  Barrier arrive = barrier(0);
  arrive.kind = BarrierKind::arrive;
  EXPECT_EQ(refusal(arrive), "bar.arrive needs a thread count");
  arrive.instance = 1;
  EXPECT_EQ(refusal(arrive), "");
}

TEST(ValidateBarriers, CountIsAMultipleOfTheWarpSizeAndFitsTheCta) {
  EXPECT_EQ(refusal(with_barrier(barrier(1, 64), 48, 32)), "") << "48 threads are two warps";
  EXPECT_EQ(
      refusal(with_barrier(barrier(1, 48), 48, 32)),
      "kernel 'k', entry:0 'bar.sync 1, 48': launch 'main': 48 threads are no multiple of the warp size 32");
  EXPECT_EQ(
      refusal(with_barrier(barrier(1, 96), 48, 32)),
      "kernel 'k', entry:0 'bar.sync 1, 96': launch 'main': the barrier waits for 96 threads; a cta has 64");
  EXPECT_EQ(refusal(with_barrier(barrier(1, 3), 3, 1)), "");
}

TEST(ValidateBarriers, CountMayBeAParam) {
  Barrier operation = barrier(1);
  operation.count = n;
  Problem problem = with_barrier(operation, 2, 1);
  EXPECT_EQ(refusal(problem), "kernel 'k', entry:0 'bar.sync 1, n': launch 'main': a barrier of 0 threads");
  problem.launches[0].params = {2};
  EXPECT_EQ(refusal(problem), "");
}

TEST(ValidateBarriers, ALitmusTestMayWaitForMoreThreadsThanThereAre) {
  Barrier operation = barrier(1, 4);
  operation.instance = 1;
  EXPECT_EQ(refusal(with_barrier(operation, 3, 1)), "");
}

TEST(ValidateBarriers, OnlyRedHasPredicateAndResult) {
  Barrier red = barrier(0);
  red.kind = BarrierKind::red;
  EXPECT_EQ(refusal(red), "bar.red needs one of and, or, popc");
  red.reduction = BarrierReduction::popc;
  EXPECT_EQ(refusal(red), "bar.red needs a result");
  red.dst = r0;
  EXPECT_EQ(refusal(red), "the predicate is missing");
  red.predicate = p;
  EXPECT_EQ(refusal(red), "");
  red.reduction = BarrierReduction::all;
  EXPECT_EQ(refusal(red), "the result must be a predicate; %r0 is u32");
  red.kind = BarrierKind::sync;
  EXPECT_EQ(refusal(red), "only bar.red has a predicate and a result");
}

TEST(ValidateWarpOperations, NeedWarpsAnd32Bits) {
  Shuffle shuffle;
  shuffle.dst = r0;
  shuffle.value = r1;
  shuffle.lane = Operand::imm(1);
  Problem problem = problem_of(sample_kernel({plain(shuffle)}), {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(refusal(problem),
            "kernel 'k', entry:0 'shfl.sync.down.b32 %r0, %r1, 1, 31, 0xffffffff': launch 'main': "
            "warp operations need warp size 32");
  problem.launches[0].warp_size = 32;
  EXPECT_EQ(refusal(problem), "");
  shuffle.value = d;
  EXPECT_EQ(refusal(shuffle), "a shuffle moves 32 bits; split the value");
}

// --- declarations ---

TEST(ValidateKernel, ChecksItsDeclarations) {
  Kernel k = sample_kernel({});
  k.arrays[2].length = 0;
  EXPECT_EQ(refusal(k), "kernel 'k': array 's' has no elements");
  k.arrays[2].length = std::uint64_t{1} << 62;
  EXPECT_EQ(refusal(k), "kernel 'k': array 's' is larger than 1073741824 bytes");
  k.arrays[2] = {"c", Type::u32, StateSpace::constant, 1};
  EXPECT_EQ(refusal(k), "kernel 'k': array 'c' is neither global, shared nor local");
  k = sample_kernel({});
  k.register_initial = {1};
  EXPECT_EQ(refusal(k), "kernel 'k': 1 initial values for 5 registers");
}

// --- launches ---

TEST(ValidateLaunch, CapsGridAndBlock) {
  EXPECT_EQ(refusal(problem_of(sample_kernel({}), {1, 0, 1})),
            "launch 'main': grid and block must not be empty");
  EXPECT_EQ(refusal(problem_of(sample_kernel({}), {1, 1, 1}, {32, 32, 2})),
            "launch 'main': block 32x32x2 exceeds 1024 threads");
  EXPECT_EQ(refusal(problem_of(sample_kernel({}), {1U << 11, 1, 1}, {1024, 1, 1})),
            "launch 'main': grid 2048x1x1 of 1024 threads each exceeds 1048576 threads");
  EXPECT_EQ(refusal(problem_of(sample_kernel({}), {1U << 10, 1, 1}, {1024, 1, 1})), "");
}

TEST(ValidateLaunch, IsNotFooledByExtentsWhoseProductOverflows) {
  const std::uint32_t big = 1U << 31;
  EXPECT_NE(refusal(problem_of(sample_kernel({}), {big, big, 4}, {1, 1, 1})), "");
  EXPECT_NE(refusal(problem_of(sample_kernel({}), {1, 1, 1}, {big, big, 4})), "");
}

TEST(ValidateLaunch, WarpSizeIsOneOr32) {
  Problem problem = split_k();
  problem.launches[0].warp_size = 16;
  EXPECT_EQ(refusal(problem), "launch 'main': the warp size is 1 or 32, not 16");
}

TEST(ValidateLaunch, GivesEveryParamAndBuffer) {
  Problem problem = split_k();
  problem.launches[0].params.clear();
  EXPECT_EQ(refusal(problem), "launch 'main': 0 params given, kernel 'splitk' has 1");
  problem = split_k();
  problem.buffers[1].element = Type::f32;
  EXPECT_EQ(refusal(problem), "launch 'main': array 'ws' of kernel 'splitk' holds u32, buffer 'ws' f32");
  problem = split_k();
  problem.launches[0].kernel = KernelId{4};
  EXPECT_EQ(refusal(problem), "launch 'main': kernel number 4 does not exist; there are 1");
  problem.launches.clear();
  EXPECT_EQ(refusal(problem), "there is no launch");
}

TEST(ValidateLaunch, PlacedThreadsKeepCtasAndClustersWhole) {
  Problem problem = problem_of(sample_kernel({}));
  auto& placed = problem.launches[0].placed;
  placed = {{KernelId{0}, {CtaId{0}, ClusterId{0}, DeviceId{0}}},
            {KernelId{0}, {CtaId{0}, ClusterId{1}, DeviceId{0}}}};
  EXPECT_EQ(refusal(problem), "launch 'main': cta 0 lies in two clusters or devices");
  placed[1].placement = {CtaId{1}, ClusterId{0}, DeviceId{1}};
  EXPECT_EQ(refusal(problem), "launch 'main': cluster 0 lies on two devices");
  placed[1].placement = {CtaId{1}, ClusterId{1}, DeviceId{1}};
  EXPECT_EQ(refusal(problem), "");
  placed.resize(1026, placed[0]);
  EXPECT_EQ(refusal(problem), "launch 'main': cta 0 has 1025 threads; at most 1024");
}

// --- buffers and plan ---

TEST(ValidateBuffers, HaveNamesElementsAndFit) {
  Problem problem = split_k();
  problem.buffers[1].name = "in";
  EXPECT_EQ(refusal(problem), "two buffers are named 'in'");
  problem = split_k();
  problem.buffers[1].length = 0;
  EXPECT_EQ(refusal(problem), "buffer 'ws' has no elements");
  problem.buffers[1].length = std::uint64_t{1} << 63;
  EXPECT_EQ(refusal(problem), "buffer 'ws' is larger than 1073741824 bytes");
  problem.buffers[0].length = problem.buffers[1].length = (std::uint64_t{1} << 27) + 1;
  EXPECT_EQ(refusal(problem), "the buffers are larger than 1073741824 bytes together");
}

TEST(ValidateBuffers, AliasAnEarlierBufferOfTheSameShape) {
  Problem problem = split_k();
  problem.buffers[1].alias_of = BufferId{2};
  EXPECT_EQ(refusal(problem), "buffer 'ws': its alias target must be declared earlier");
  problem.buffers[1].alias_of = BufferId{0};
  EXPECT_EQ(refusal(problem), "");
  problem.buffers[1].length = 2;
  EXPECT_EQ(refusal(problem), "buffer 'ws': an alias has the type and length of its target 'in'");
  problem = split_k();
  problem.buffers[1].own_address = true;
  EXPECT_EQ(refusal(problem), "buffer 'ws': only an alias has an address of its own");
}

TEST(ValidateBuffers, InitialValuesFit) {
  Problem problem = split_k();
  problem.buffers[1].initial = {InitialContents::Kind::values, {}};
  EXPECT_EQ(refusal(problem), "buffer 'ws': no initial values given");
  problem.buffers[1].initial.values = {1, 2, 3, 4, 5};
  EXPECT_EQ(refusal(problem), "buffer 'ws': 5 initial values for 4 elements");
}

TEST(ValidatePlan, LimitsReplays) {
  Problem problem = split_k();
  problem.replays = 0;
  EXPECT_EQ(refusal(problem), "replays must be 1 to 1000000, not 0");
  problem.replays = 1'000'001;
  EXPECT_EQ(refusal(problem), "replays must be 1 to 1000000, not 1000001");
}

// --- contract ---

Problem asserting(const FormulaPtr& formula) {
  Problem problem = split_k();
  problem.contract.assertions = {{"a", formula, When::plan_end}};
  return problem;
}

Term expr_of(Expr expr) { return Term(std::make_shared<const Expr>(std::move(expr))); }

TEST(ValidateContract, NamesWhatDoesNotExist) {
  EXPECT_EQ(refusal(asserting(BufferTerm(BufferId{7})[0] == 1)),
            "assertion 'a': buffer number 7 does not exist; there are 4");
  EXPECT_EQ(refusal(asserting(expr_of({ThreadRegister{2, RegisterId{0}}}) == 1)),
            "assertion 'a': thread 2 does not exist; the last launch has 2");
  EXPECT_EQ(refusal(asserting(expr_of({ThreadRegister{1, RegisterId{6}}}) == 1)),
            "assertion 'a': thread 1 has no register 6; there are 6");
  Problem problem = split_k();
  problem.contract.restored = {BufferId{4}};
  EXPECT_EQ(refusal(problem), "restored: buffer number 4 does not exist; there are 4");
}

TEST(ValidateContract, WantsVariablesBoundWhereTheyAreUsed) {
  EXPECT_EQ(refusal(asserting(expr_of({Variable{"t"}}) == 1)),
            "assertion 'a': variable 't' is not bound by sum or forall");
  EXPECT_EQ(refusal(asserting(forall("t", 0, 2, [](const Term& t) { return t < 2; }))), "");
  const FormulaPtr own_bound = forall("t", 0, expr_of({Variable{"t"}}), [](const Term& t) { return t < 2; });
  EXPECT_EQ(refusal(asserting(own_bound)), "assertion 'a': variable 't' is not bound by sum or forall");
}

TEST(ValidateContract, RefusesFormulasWithHoles) {
  EXPECT_EQ(refusal(asserting(nullptr)), "assertion 'a': a part of the formula is missing");
  EXPECT_EQ(refusal(asserting(!FormulaPtr())), "assertion 'a': a part of the formula is missing");
}

}  // namespace
}  // namespace fencewise
