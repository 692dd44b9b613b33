// What a kernel computes on the executor: masks, branches, warps, barriers, memory.
#include <bit>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "tests/support/simt.h"

namespace fencewise {
namespace {

using testing::iota;
using testing::run_simt;
using Words = std::vector<std::uint32_t>;

struct Sketch {
  KernelBuilder k{"sketch"};
  Array out = k.global("out", Type::u32);

  RunResult run(Words& result, std::uint32_t threads, std::uint32_t blocks = 1) {
    return run_simt(k.build(), threads, blocks, result);
  }
};

TEST(SimtRun, GivesEveryThreadItsCoordinates) {
  Sketch s;
  s.k.st(s.out[s.k.ctaid() * s.k.ntid() + s.k.tid()],
         s.k.ctaid() * 1000 + s.k.tid() + s.k.special(SpecialRegister::laneid) * 1'000'000);
  Words out(2 * 40);
  ASSERT_FALSE(s.run(out, 40, 2).fault);
  for (std::uint32_t b = 0; b < 2; ++b)
    for (std::uint32_t t = 0; t < 40; ++t) EXPECT_EQ(out[b * 40 + t], b * 1000 + t + t % 32 * 1'000'000);
}

TEST(SimtRun, PrintsBlockByBlockForAnyNumberOfWorkers) {
  KernelBuilder k("printing");
  [[maybe_unused]] const Val twice = k.tid() * 2 + k.ctaid();
  Kernel kernel = k.build();
  auto& instructions = kernel.blocks[0].instructions;
  const RegisterId shown = std::get<Arithmetic>((instructions.end() - 2)->operation).dst;
  instructions.insert(instructions.end() - 1, {Print{"%d %s %d\n", {Operand(shown), "of", Operand()}}, std::nullopt, {}});
  RunConfig config;
  config.grid = {40, 1, 1};
  config.block = {2, 1, 1};
  std::vector<PrintedText> printed;
  for (const std::uint32_t block : iota(40))
    for (const std::uint32_t thread : iota(2)) printed.push_back({block, thread, fmt::format("{} of ?\n", 2 * thread + block)});
  for (config.workers = 1; config.workers <= 4; ++config.workers) EXPECT_EQ(run(kernel, config).printed, printed);
}

TEST(SimtRun, NumbersThreadsXFastestInTwoDimensions) {
  KernelBuilder k("two_dimensions");
  const Array out = k.global("out", Type::u32);
  k.st(out[k.tid_y() * 8 + k.tid()], k.special(SpecialRegister::laneid));
  Words result(64);
  RunConfig config;
  config.block = {8, 8, 1};
  config.buffers = {std::as_writable_bytes(std::span(result))};
  ASSERT_FALSE(run(k.build(), config).fault);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(result[t], t % 32);
}

TEST(SimtRun, LetsTheHighestThreadWinWhereSeveralStoreToOneElement) {
  Sketch s;
  s.k.st(s.out[s.k.tid() / 40], s.k.tid());
  Words out(2);
  ASSERT_FALSE(s.run(out, 70).fault);
  EXPECT_EQ(out, (Words{39, 69}));
}

TEST(SimtRun, MergesLanesThatPartedAtABranch) {
  Sketch s;
  const Val x = s.k.var("x", Type::u32, 0);
  s.k.if_else(
      s.k.tid() % 2 == 0, [&] { s.k.set(x, 10); },
      [&] { s.k.if_(s.k.tid() % 3 == 0, [&] { s.k.set(x, 20); }); });
  s.k.st(s.out[s.k.tid()], x + s.k.vote(VoteMode::ballot, s.k.tid() >= 0));
  Words out(32);
  const RunResult result = s.run(out, 32);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], (t % 2 == 0   ? 10U
                       : t % 3 == 0 ? 20U
                                    : 0U) +
                          0xffff'ffffU)
        << "all lanes vote together again";
  EXPECT_EQ(result.counters.branch_instr, 2U);
  EXPECT_EQ(result.counters.divergent, 2U);
}

TEST(SimtRun, EndsALoopForEachLaneInItsOwnTime) {
  Sketch s;
  const Val sum = s.k.var("sum", Type::u32, 0);
  s.k.for_(0, s.k.tid(), [&](const Val& i) { s.k.set(sum, sum + i); });
  s.k.st(s.out[s.k.tid()], sum);
  Words out(50);
  const RunResult result = s.run(out, 50);
  for (std::uint32_t t = 0; t < 50; ++t) EXPECT_EQ(out[t], t * (t - 1) / 2 * (t > 0));
  EXPECT_EQ(result.counters.branch_instr, 0U) << "loop branches are not counted";
}

TEST(SimtRun, LeavesLanesThatExitedAlone) {
  Sketch s;
  s.k.if_(s.k.tid() % 2 == 1, [&] { s.k.exit(); });
  s.k.bar_sync();
  s.k.st(s.out[s.k.tid()], s.k.vote(VoteMode::ballot, s.k.tid() >= 0));
  Words out(64, 7);
  const RunResult result = s.run(out, 64);
  ASSERT_FALSE(result.fault) << result.fault->message;
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 2 == 1 ? 7U : 0x5555'5555U);
}

// All lanes computed it, and it was counted for warps without an active lane.
TEST(SimtRun, MultipliesAndAddsInTheActiveLanesOnly) {
  KernelBuilder k("masked_fma");
  const Array out = k.global("out", Type::f32);
  const Val x = k.var("x", Type::f32, 1.0F);
  k.masked(k.tid() < 4, [&] { k.set(x, k.fma(x, 2.0F, x)); });
  k.st(out[k.tid()], x);
  std::vector<float> result(64);
  const RunResult r = run_simt(k.build(), 64, 1, result);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(result[t], t < 4 ? 3.0F : 1.0F);
  EXPECT_EQ(r.counters.ffma_instr, 1U) << "one of two warps";
  EXPECT_EQ(r.counters.fma, 4U);
}

TEST(SimtRun, ShufflesAsPtxSays) {
  KernelBuilder k("shuffles");
  const Array out = k.global("out", Type::u32);
  const Val lane = k.special(SpecialRegister::laneid);
  const Val down = k.shfl(ShuffleMode::down, lane, 3), up = k.shfl(ShuffleMode::up, lane, 3);
  const Val xor_ = k.shfl(ShuffleMode::bfly, lane, 5), index = k.shfl(ShuffleMode::idx, lane, lane / 8);
  k.st_vector(out[lane * 4], {down, up, xor_, index});
  Words result(128);
  EXPECT_EQ(run_simt(k.build(), 32, 1, result).counters.shfl_instr, 4U);
  for (std::uint32_t l = 0; l < 32; ++l) {
    EXPECT_EQ(result[4 * l], l + 3 < 32 ? l + 3 : l);
    EXPECT_EQ(result[4 * l + 1], l >= 3 ? l - 3 : l);
    EXPECT_EQ(result[4 * l + 2], l ^ 5U);
    EXPECT_EQ(result[4 * l + 3], l / 8);
  }
}

TEST(SimtRun, ReadsZeroFromALaneThatIsNotActive) {
  Sketch s;
  const Val x = s.k.var("x", Type::u32, 9);
  s.k.masked(s.k.tid() < 4, [&] { s.k.set(x, s.k.shfl(ShuffleMode::down, s.k.tid() + 1, 2)); });
  s.k.st(s.out[s.k.tid()], x);
  Words out(32);
  static_cast<void>(s.run(out, 32));
  EXPECT_EQ(Words(out.begin(), out.begin() + 5), (Words{3, 4, 0, 0, 9}));
}

TEST(SimtRun, VotesOverActiveLanes) {
  KernelBuilder k("votes");
  const Array out = k.global("out", Type::u32);
  const Val low = k.tid() < 8;
  k.if_(k.tid() < 16, [&] {
    const Val all = k.vote(VoteMode::all, low), any = k.vote(VoteMode::any, low);
    const Val uni = k.vote(VoteMode::uni, low), ballot = k.vote(VoteMode::ballot, low);
    k.st_vector(out[k.tid() * 4],
                {k.cast(all, Type::u32), k.cast(any, Type::u32), k.cast(uni, Type::u32), ballot});
  });
  Words result(64);
  static_cast<void>(run_simt(k.build(), 32, 1, result));
  EXPECT_EQ(Words(result.begin(), result.begin() + 4), (Words{0, 1, 0, 0xff}));
}

// match, redux and activemask have no builder call: instructions by hand.
TEST(SimtRun, MatchesReducesAndNamesTheActiveLanes) {
  KernelBuilder k("warp_operations");
  const Array out = k.global("out", Type::u32);
  const Val value = k.var("value", Type::u32, k.tid() / 3 % 2), match = k.var("match", Type::u32, 0);
  const Val sum = k.var("sum", Type::u32, 0), active = k.var("active", Type::u32, 0);
  k.st_vector(out[k.tid() * 4], {match, sum, active, value});
  Kernel kernel = k.build();
  auto& code = kernel.blocks[0].instructions;
  const auto at = std::find_if(code.begin(), code.end(), [](const Instruction& i) {
    return std::holds_alternative<Store>(i.operation);
  });
  const std::vector<Instruction> inserted{
      {Match{.dst = match.reg(), .all_equal = {}, .value = value.reg()}, {}, {}},
      {WarpReduce{.dst = sum.reg(), .value = SpecialRegister::tid_x}, {}, {}},
      {ActiveMask{active.reg()}, {}, {}}};
  code.insert(at, inserted.begin(), inserted.end());
  Words result(32 * 4);
  ASSERT_FALSE(run_simt(kernel, 30, 1, result).fault);
  std::uint32_t ones = 0;
  for (std::uint32_t t = 0; t < 30; ++t) ones |= (t / 3 % 2) << t;
  for (std::uint32_t t = 0; t < 30; ++t) {
    EXPECT_EQ(result[4 * t], t / 3 % 2 == 1 ? ones : ~ones & 0x3fff'ffffU);
    EXPECT_EQ(result[4 * t + 1], 29U * 30U / 2U);
    EXPECT_EQ(result[4 * t + 2], 0x3fff'ffffU);
  }
}

TEST(SimtRun, OrdersAtomicsByThread) {
  KernelBuilder k("tickets");
  const Array out = k.global("out", Type::u32), count = k.global("count", Type::u32);
  k.st(out[k.ctaid() * 64 + k.tid()], k.atom(AtomicOp::add, count[0], 1));
  Words tickets(256), counter(1);
  const RunResult result = run_simt(k.build(), 64, 4, tickets, counter);
  EXPECT_EQ(tickets, iota(256)) << "blocks with global atomics run in order";
  EXPECT_EQ(counter[0], 256U);
  EXPECT_EQ(result.counters.atom_instr, 8U);
}

TEST(SimtRun, ExchangesOnlyWhereCompareAndSwapFindsWhatItExpects) {
  KernelBuilder k("cas");
  const Array out = k.global("out", Type::u32), cell = k.global("cell", Type::u32);
  k.st(out[k.tid()], k.cas(cell[0], k.tid(), k.tid() + 1));
  Words old(8), value{3};
  static_cast<void>(run_simt(k.build(), 8, 1, old, value));
  EXPECT_EQ(old, (Words{3, 3, 3, 3, 4, 5, 6, 7}));
  EXPECT_EQ(value[0], 8U);
}

TEST(SimtRun, GivesBarrierReductionsToEveryThread) {
  KernelBuilder k("bar_red");
  const Array out = k.global("out", Type::u32);
  const Val count = k.bar_red(BarrierReduction::popc, k.tid() % 3 == 0);
  const Val all = k.bar_red(BarrierReduction::all, k.tid() < 64),
            any = k.bar_red(BarrierReduction::any, k.tid() == 63);
  k.st(out[k.tid()], count + k.cast(all, Type::u32) * 1000 + k.cast(any, Type::u32) * 100);
  Words result(64);
  const RunResult r = run_simt(k.build(), 64, 1, result);
  EXPECT_EQ(result, Words(64, 22 + 1100));
  EXPECT_EQ(r.counters.barriers, 3U);
}

// One warp produces, the other consumes: neither waits for the other's barriers.
TEST(SimtRun, LetsWarpsMeetAtNamedBarriers) {
  KernelBuilder k("named");
  const Array out = k.global("out", Type::u32);
  const Array s = k.shared("s", Type::u32, 32);
  const Val lane = k.special(SpecialRegister::laneid);
  k.if_else(
      k.tid() < 32,
      [&] {
        k.bar_sync(1, 64);  // filled
        k.st(out[lane], k.ld(s[lane]));
      },
      [&] {
        k.st(s[lane], lane + 5);
        k.bar_arrive(1, 64);
      });
  Words result(32);
  const RunResult r = run_simt(k.build(), 64, 1, result);
  ASSERT_FALSE(r.fault) << r.fault->message;
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(result[l], l + 5);
  EXPECT_EQ(r.counters.race_count, 0U);
}

// A warp spins on what a later warp writes: the scheduler must let that one go on.
TEST(SimtRun, LetsAWaitingWarpGoOnWhileAnotherSpins) {
  KernelBuilder k("spin");
  const Array out = k.global("out", Type::u32);
  const Array flag = k.shared("flag", Type::u32, 1);
  k.if_(k.tid() < 32, [&] {
    static_cast<void>(k.await([&] { return k.ld(flag[0], volatile_); }, [](const Val& v) { return v == 1; }));
  });
  k.masked(k.tid() == 40, [&] { k.st(flag[0], 1, volatile_); });
  k.st(out[k.tid()], 1);
  Words result(64);
  const RunResult r = run_simt(k.build(), 64, 1, result);
  ASSERT_FALSE(r.fault) << r.fault->message;
  EXPECT_EQ(result, Words(64, 1));
}

TEST(SimtRun, ReadsAndWritesNarrowAndWideElements) {
  KernelBuilder k("widths");
  const Array bytes = k.global("bytes", Type::s8), wide = k.global("wide", Type::u64),
              out = k.global("out", Type::s32);
  const Array s = k.shared("s", Type::u16, 64);
  k.st(s[k.tid()], k.cast(k.tid(), Type::u16));
  k.bar_sync();
  const Val narrow = k.cast(k.ld(bytes[k.tid()]), Type::s32);
  const Val half = k.cast(k.ld(s[Val(63) - k.tid()]), Type::s32);
  k.st(out[k.tid()], narrow + half);
  k.st(wide[k.tid()], k.ld(wide[k.tid()]) * 3);
  std::vector<std::int8_t> b(64);
  std::vector<std::uint64_t> w(64);
  std::vector<std::int32_t> result(64);
  for (std::size_t i = 0; i < 64; ++i) {
    b[i] = static_cast<std::int8_t>(i * 4);
    w[i] = i << 40U;
  }
  const RunResult r = run_simt(k.build(), 64, 1, b, w, result);
  ASSERT_FALSE(r.fault) << r.fault->message;
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(result[i], static_cast<std::int8_t>(i * 4) + 63 - static_cast<int>(i));
    EXPECT_EQ(w[i], (i << 40U) * 3);
  }
  EXPECT_EQ(r.counters.sts_wavefronts, 2U) << "two lanes share a word: 16 words, 16 banks";
}

// x is written in two blocks and live at the start of neither. When only registers that are live at a block's start had a
// place of their own, `y` took the place of x while x was still to be read.
TEST(SimtRun, KeepsARegisterThatSeveralBlocksWriteApartFromTheirTemporaries) {
  KernelBuilder k("two_writes");
  const Array in = k.global("in", Type::u32), out = k.global("out", Type::u32);
  const Val x = k.var("x", Type::u32, k.ld(in[0]));
  k.st(out[k.tid()], x);
  k.if_(k.tid() < 16, [&] {
    k.set(x, k.ld(in[k.tid()]));
    const Val y = k.tid() * 100;
    k.st(out[k.tid()], x + y);
  });
  Words data = iota(32), result(32, 7);
  ASSERT_FALSE(run_simt(k.build(), 32, 1, data, result).fault);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(result[t], t < 16 ? 101 * t : 0U);
}

TEST(SimtRun, RefusesALaunchThatDoesNotFitTheKernel) {
  KernelBuilder k("refused");
  const Array out = k.global("out", Type::u32);
  k.st(out[k.tid()], 1);
  const Kernel kernel = k.build();
  Words result(32);
  EXPECT_THROW(static_cast<void>(run_simt(kernel, 1025, 1, result)), InputError);
  EXPECT_THROW(static_cast<void>(run_simt(kernel, 0, 1, result)), InputError);
  EXPECT_THROW(static_cast<void>(run_simt(kernel, 32, 0, result)), InputError);
  EXPECT_THROW(static_cast<void>(run_simt(kernel, 32, 1)), InputError);
  EXPECT_THROW(static_cast<void>(run_simt(kernel, 32, 1, result, result)), InputError);
}

// A kernel as PTX has it: addresses in registers.
TEST(SimtRun, FollowsPlainAddressesIntoTheirArrays) {
  KernelBuilder k("addresses");
  const Array in = k.global("in", Type::u32), out = k.global("out", Type::u32);
  const Val a = k.var("a", Type::u64, 0), x = k.var("x", Type::u32, 0);
  k.st(out[k.tid()], x);
  Kernel kernel = k.build();
  auto& code = kernel.blocks[0].instructions;
  Access access;
  access.address.index = a.reg();
  access.address.offset = 4;
  access.space = StateSpace::generic;
  const std::vector<Instruction> inserted{{Arithmetic{.op = Arith::mad_wide,
                                                      .type = Type::u32,
                                                      .dst = a.reg(),
                                                      .a = SpecialRegister::tid_x,
                                                      .b = Operand::imm(8),
                                                      .c = Operand::address_of(in.id())},
                                           {},
                                           {}},
                                          {Load{.dst = {x.reg()}, .access = access}, {}, {}}};
  code.insert(code.begin() + 2, inserted.begin(), inserted.end());
  Words data = iota(65), result(32);
  const RunResult r = run_simt(kernel, 32, 1, data, result);
  ASSERT_FALSE(r.fault) << r.fault->message;
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(result[t], 2 * t + 1);
  EXPECT_EQ(r.counters.gld_sectors, 8U) << "bytes 4 to 255";
}

}  // namespace
}  // namespace fencewise
