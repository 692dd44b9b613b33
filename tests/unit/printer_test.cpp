#include "kernels/core/printer.h"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/kernels.h"

namespace fencewise {
namespace {

using namespace testing::sample;
using testing::arithmetic;
using testing::guarded;
using testing::load;
using testing::plain;
using testing::sample_kernel;
using testing::store;
using testing::word;

std::string shown(const Instruction& instruction) { return print(instruction, sample_kernel({})); }
std::string shown(const Operation& operation) { return shown(plain(operation)); }
std::string shown(const Address& address) { return print(address, sample_kernel({})); }

Atomic atomic(AtomicOp op, Order order, Operand a, Operand b = Operand()) {
  Atomic operation;
  operation.op = op;
  operation.dst = r0;
  operation.a = a;
  operation.b = b;
  operation.access = word(x, r1, order);
  return operation;
}

TEST(PrintMemory, NamesOrderThenTypeAndIndexesArraysByElement) {
  EXPECT_EQ(shown(load(r0, word(x, r1))), "ld.weak.u32 %r0, x[%r1]");
  EXPECT_EQ(shown(store(word(y, Operand::imm(2)), r0)), "st.weak.u32 y[2], %r0");
}

TEST(PrintMemory, NamesTheScopeOfStrongAccessesOnly) {
  EXPECT_EQ(shown(load(r0, word(x, r1, Order::acquire, Scope::cta))), "ld.acquire.cta.u32 %r0, x[%r1]");
  EXPECT_EQ(shown(store(word(x, r1, Order::release, Scope::sys), Operand::imm(1))),
            "st.release.sys.u32 x[%r1], 1");
}

TEST(PrintMemory, ShowsVolatileInsteadOfItsRelaxedSys) {
  Access access = word(x, r1, Order::relaxed, Scope::sys);
  access.is_volatile = true;
  EXPECT_EQ(shown(load(r0, access)), "ld.volatile.u32 %r0, x[%r1]");
  EXPECT_EQ(shown(store(access, r0)), "st.volatile.u32 x[%r1], %r0");
}

TEST(PrintMemory, NamesStateSpaceCacheOperatorAndProxy) {
  Access shared = word(s, r1);
  shared.space = StateSpace::shared;
  EXPECT_EQ(shown(load(r0, shared)), "ld.weak.shared.u32 %r0, s[%r1]");
  Access cached = word(x, r1);
  cached.cache = CacheOperator::cg;
  EXPECT_EQ(shown(load(r0, cached)), "ld.weak.cg.u32 %r0, x[%r1]");
  Access surface = word(x, r1);
  surface.proxy = Proxy::surface;
  EXPECT_EQ(shown(load(r0, surface)), "suld.weak.u32 %r0, x[%r1]");
  EXPECT_EQ(shown(store(surface, r0)), "sust.weak.u32 x[%r1], %r0");
}

TEST(PrintMemory, PutsVectorsInBraces) {
  Load operation;
  operation.dst = {r0, r1, {}, {}};
  operation.count = 2;
  operation.access = word(x, Operand::imm(2));
  EXPECT_EQ(shown(operation), "ld.weak.v2.u32 {%r0, %r1}, x[2]");
  Store stored;
  stored.value = {r0, r1, Operand::imm(0), Operand::imm(7)};
  stored.count = 4;
  stored.access = word(x, Operand::imm(0));
  EXPECT_EQ(shown(stored), "st.weak.v4.u32 x[0], {%r0, %r1, 0, 7}");
}

TEST(PrintAddress, FoldsOffsetsThatAreWholeElements) {
  EXPECT_EQ(shown(Address{x, r0, 4, 8}), "x[%r0+2]");
  EXPECT_EQ(shown(Address{x, r0, 4, -4}), "x[%r0-1]");
  EXPECT_EQ(shown(Address{x, Operand::imm(1), 4, 8}), "x[3]");
  EXPECT_EQ(shown(Address{x, SpecialRegister::ctaid_x, 4, 0}), "x[%ctaid.x]");
  EXPECT_EQ(shown(Address{x, n, 4, 0}), "x[n]");
}

TEST(PrintAddress, CountsBytesWhereTheIndexIsNoElement) {
  EXPECT_EQ(shown(Address{x, r0, 8, 4}), "[x + %r0*8 + 4]");
  EXPECT_EQ(shown(Address{x, r0, 4, 2}), "[x + %r0*4 + 2]");
  EXPECT_EQ(shown(Address{x, {}, 1, 6}), "[x + 6]");
  EXPECT_EQ(shown(Address{x, {}, 1, -4}), "[x - 4]");
  EXPECT_EQ(shown(Address{{}, d, 1, 8}), "[%d + 8]");
}

TEST(PrintAtomic, PutsOrderAndScopeBeforeTheOperation) {
  EXPECT_EQ(shown(atomic(AtomicOp::add, Order::relaxed, Operand::imm(1))),
            "atom.relaxed.gpu.add.u32 %r0, x[%r1], 1");
  EXPECT_EQ(shown(atomic(AtomicOp::cas, Order::acq_rel, Operand::imm(0), r1)),
            "atom.acq_rel.gpu.cas.b32 %r0, x[%r1], 0, %r1");
}

TEST(PrintAtomic, ShowsAMissingResultAsASinkAndRedWithoutOne) {
  Atomic sink = atomic(AtomicOp::exch, Order::release, Operand::imm(0));
  sink.dst.reset();
  EXPECT_EQ(shown(sink), "atom.release.gpu.exch.b32 _, x[%r1], 0");
  Atomic red = atomic(AtomicOp::add, Order::relaxed, Operand::imm(1));
  red.dst.reset();
  red.red = true;
  EXPECT_EQ(shown(red), "red.relaxed.gpu.add.u32 x[%r1], 1");
}

TEST(PrintFence, NamesOrderAndScopeOrProxy) {
  EXPECT_EQ(shown(Fence{Order::sc, Scope::gpu}), "fence.sc.gpu");
  EXPECT_EQ(shown(Fence{Order::acq_rel, Scope::cta}), "fence.acq_rel.cta");
  EXPECT_EQ(shown(ProxyFenceOp{ProxyFence::alias}), "fence.proxy.alias");
}

TEST(PrintBarrier, ShowsNumberCountAndReduction) {
  Barrier barrier;
  EXPECT_EQ(shown(barrier), "bar.sync 0");
  barrier.kind = BarrierKind::arrive;
  barrier.id = Operand::imm(1);
  barrier.count = Operand::imm(64);
  EXPECT_EQ(shown(barrier), "bar.arrive 1, 64");
  barrier.aligned = false;
  EXPECT_EQ(shown(barrier), "barrier.arrive 1, 64");
  Barrier red;
  red.kind = BarrierKind::red;
  red.reduction = BarrierReduction::popc;
  red.predicate = p;
  red.dst = r0;
  EXPECT_EQ(shown(red), "bar.red.popc.u32 %r0, 0, %p");
}

TEST(PrintBarrier, ShowsTheLitmusDialectByItsInstance) {
  Barrier barrier;
  barrier.instance = 3;
  barrier.id = Operand::imm(1);
  barrier.count = Operand::imm(4);
  EXPECT_EQ(shown(barrier), "bar.cta.sync 3, 1, 4");
}

TEST(PrintWarpOperations, SpellThemAsPtx) {
  EXPECT_EQ(shown(WarpBarrier{}), "bar.warp.sync 0xffffffff");
  Shuffle shuffle;
  shuffle.dst = r0;
  shuffle.value = r1;
  shuffle.lane = Operand::imm(16);
  EXPECT_EQ(shown(shuffle), "shfl.sync.down.b32 %r0, %r1, 16, 31, 0xffffffff");
  shuffle.in_range = p;
  EXPECT_EQ(shown(shuffle), "shfl.sync.down.b32 %r0|%p, %r1, 16, 31, 0xffffffff");
  EXPECT_EQ(shown(Vote{VoteMode::ballot, r0, p, Operand::imm(15)}), "vote.sync.ballot.b32 %r0, %p, 15");
  EXPECT_EQ(shown(Match{MatchMode::all, Type::u32, r0, p, r1, Operand::imm(3)}),
            "match.all.sync.b32 %r0|%p, %r1, 3");
  EXPECT_EQ(shown(WarpReduce{AtomicOp::max, Type::s32, r0, r1, Operand::imm(3)}),
            "redux.sync.max.s32 %r0, %r1, 3");
  EXPECT_EQ(shown(ActiveMask{r0}), "activemask.b32 %r0");
}

TEST(PrintArithmetic, SpellsThePtxMnemonic) {
  EXPECT_EQ(shown(arithmetic(Arith::mov, Type::u32, r0, SpecialRegister::tid_x)), "mov.u32 %r0, %tid.x");
  EXPECT_EQ(shown(arithmetic(Arith::mul, Type::u32, r0, r1, n)), "mul.lo.u32 %r0, %r1, n");
  EXPECT_EQ(shown(arithmetic(Arith::mul_wide, Type::u32, d, r1, Operand::imm(4))), "mul.wide.u32 %d, %r1, 4");
  EXPECT_EQ(shown(arithmetic(Arith::bit_and, Type::u32, r0, r1, r1)), "and.b32 %r0, %r1, %r1");
  EXPECT_EQ(shown(arithmetic(Arith::bit_not, Type::pred, p, p)), "not.pred %p, %p");
  EXPECT_EQ(shown(arithmetic(Arith::fma, Type::f32, f, f, f, f)), "fma.rn.f32 %f, %f, %f, %f");
  EXPECT_EQ(shown(arithmetic(Arith::selp, Type::u32, r0, Operand::imm(1), Operand::imm(0), p)),
            "selp.u32 %r0, 1, 0, %p");
  EXPECT_EQ(shown(arithmetic(Arith::mov, Type::u64, d, Operand::address_of(x, 4))), "mov.u64 %d, &x+4");
}

TEST(PrintArithmetic, NamesComparisonAndBothTypesOfAConversion) {
  Instruction setp = arithmetic(Arith::setp, Type::s32, p, r0, Operand::imm(3));
  std::get<Arithmetic>(setp.operation).compare = Compare::lt;
  EXPECT_EQ(shown(setp), "setp.lt.s32 %p, %r0, 3");
  Instruction cvt = arithmetic(Arith::cvt, Type::u64, d, r0);
  std::get<Arithmetic>(cvt.operation).from = Type::s32;
  EXPECT_EQ(shown(cvt), "cvt.u64.s32 %d, %r0");
}

TEST(PrintImmediate, ReadsTheBitsAsTheInstructionDoes) {
  const Kernel k = sample_kernel({});
  EXPECT_EQ(print(Operand::imm(0xffff'ffff'ffff'ffffU), Type::s32, k), "-1");
  EXPECT_EQ(print(Operand::imm(0xffff'ffff'ffff'ffffU), Type::u32, k), "0xffffffff");
  EXPECT_EQ(print(Operand::imm(0x7fff'ffffU), Type::u32, k), "2147483647");
  EXPECT_EQ(print(Operand::imm(1), Type::pred, k), "1");
}

TEST(PrintImmediate, ShowsFloatsShortestAndNeverAsIntegers) {
  const Kernel k = sample_kernel({});
  const auto f32 = [&](float number) {
    return print(Operand::imm(std::bit_cast<std::uint32_t>(number)), Type::f32, k);
  };
  EXPECT_EQ(f32(1.0F), "1.0");
  EXPECT_EQ(f32(0.1F), "0.1");
  EXPECT_EQ(f32(-2.5F), "-2.5");
  EXPECT_EQ(print(Operand::imm(0x7f80'0000U), Type::f32, k), "0f7f800000");
}

TEST(PrintControlFlow, NamesBothWaysOfABranch) {
  const Kernel k = testing::shape({{1, 2}, {2}, {}});
  EXPECT_EQ(print(k.blocks[0].instructions[0], k), "@%p bra b1; bra b2");
  EXPECT_EQ(print(k.blocks[1].instructions[0], k), "bra b2");
  EXPECT_EQ(print(k.blocks[2].instructions[0], k), "exit");
  EXPECT_EQ(shown(Trap{"no"}), "trap \"no\"");
}

TEST(PrintInstruction, PutsTheGuardInFront) {
  EXPECT_EQ(shown(guarded(p, store(word(x, r0), r1))), "@%p st.weak.u32 x[%r0], %r1");
}

TEST(PrintInstruction, ShowsIdsOutOfRangeInsteadOfFailing) {
  EXPECT_EQ(shown(load(RegisterId{9}, word(ArrayId{7}, RegisterId{8}))), "ld.weak.u32 %?9, [?a7 + %?8*4]");
  EXPECT_EQ(shown(Branch{BlockId{5}}), "bra ?b5");
}

TEST(PrintKernel, DeclaresThenShowsBlocks) {
  Kernel k = sample_kernel({load(r0, word(x, r1))});
  k.register_initial = {0, 5, 0, 0, 0};
  EXPECT_EQ(print(k),
            "kernel k\n"
            "  param u32 n\n"
            "  global u32 x[]\n"
            "  global u32 y[]\n"
            "  shared u32 s[32]\n"
            "  reg u32 %r0, %r1 = 5\n"
            "  reg pred %p\n"
            "  reg f32 %f\n"
            "  reg u64 %d\n"
            "entry:\n"
            "  ld.weak.u32 %r0, x[%r1]\n"
            "  exit\n");
}

TEST(PrintKernel, AddsSourceLinesOnRequest) {
  const Kernel k = testing::split_k().kernels[0];
  const std::string text = print(k, PrintOptions{.source_lines = true});
  EXPECT_NE(text.find("  fence.acq_rel.gpu                                 // splitk.cpp:12\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(print(k).find("//"), std::string::npos);
}

TEST(Describe, BeginsWithTheSourceLineWhenKnown) {
  const Kernel k = testing::split_k().kernels[0];
  EXPECT_EQ(describe(k, {BlockId{0}, 2}), "splitk.cpp:12:5: kernel 'splitk', 'fence.acq_rel.gpu'");
  EXPECT_EQ(describe(k, {BlockId{0}, 1}), "kernel 'splitk', entry:1 'st.weak.u32 ws[%ctaid.x], %part'");
}

TEST(PrintProblem, ShowsBuffersLaunchesContractAndKernels) {
  EXPECT_EQ(print(testing::split_k()),
            "problem splitk\n"
            "replays 2\n"
            "buffer in: u32[4], input, symbols\n"
            "buffer ws: u32[4], workspace, zero\n"
            "buffer count: u32[4], workspace, zero\n"
            "buffer out: u32[4], output, unwritten\n"
            "launch main: splitk, grid 2, block 1\n"
            "  last_ticket = 1\n"
            "always each replay: out[0] == sum(s in 0..<2: in[s])\n"
            "restored count\n"
            "\n"
            "kernel splitk\n"
            "  param u32 last_ticket\n"
            "  global u32 in[]\n"
            "  global u32 ws[]\n"
            "  global u32 count[]\n"
            "  global u32 out[]\n"
            "  reg u32 %part, %ticket, %i, %sum\n"
            "  reg pred %last, %more\n"
            "entry:\n"
            "  ld.weak.u32 %part, in[%ctaid.x]\n"
            "  st.weak.u32 ws[%ctaid.x], %part\n"
            "  fence.acq_rel.gpu\n"
            "  atom.relaxed.gpu.add.u32 %ticket, count[0], 1\n"
            "  setp.eq.u32 %last, %ticket, last_ticket\n"
            "  @%last bra add; bra done\n"
            "add:\n"
            "  ld.weak.u32 %part, ws[%i]\n"
            "  add.u32 %sum, %sum, %part\n"
            "  add.u32 %i, %i, 1\n"
            "  setp.le.u32 %more, %i, last_ticket\n"
            "  @%more bra add; bra finish\n"
            "finish:\n"
            "  st.weak.u32 out[0], %sum\n"
            "  st.weak.u32 count[0], 0\n"
            "  bra done\n"
            "done:\n"
            "  exit\n");
}

TEST(PrintProblem, ShowsPlacedThreadsAliasesAndInitialValues) {
  Problem problem = testing::problem_of(sample_kernel({}));
  problem.launches[0].placed = {{KernelId{0}, {CtaId{0}, ClusterId{0}, DeviceId{0}}},
                                {KernelId{0}, {CtaId{1}, ClusterId{1}, DeviceId{0}}}};
  problem.buffers[0].initial = {InitialContents::Kind::values, {3, 1}};
  problem.buffers[1].alias_of = BufferId{0};
  problem.buffers[1].own_address = true;
  problem.contract.quantifier = Quantifier::exists;
  problem.contract.filter = BufferTerm(BufferId{0})[0] != 0;
  const std::string text = print(problem);
  EXPECT_EQ(text.substr(0, text.find("\nkernel")),
            "problem k\n"
            "buffer x: u32[4], workspace, = 3, 1\n"
            "buffer y: u32[4], workspace, alias of x\n"
            "launch main: 2 placed threads\n"
            "  P0: k at cta 0, cluster 0, device 0\n"
            "  P1: k at cta 1, cluster 1, device 0\n"
            "  n = 0\n"
            "filter x[0] != 0\n");
}

}  // namespace
}  // namespace fencewise
