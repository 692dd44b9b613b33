// What stops a run, with thread and source line; and the in-order race detector.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "tests/support/simt.h"

namespace fencewise {
namespace {

using testing::run_simt;
using Words = std::vector<std::uint32_t>;

std::string where(int line) { return "unit/simt_fault_test.cpp:" + std::to_string(line); }

// The text with the column left out: compilers count columns of a call differently.
std::string text(const RunResult& result, const Kernel& kernel) {
  if (!result.fault) return "no fault";
  Fault fault = *result.fault;
  fault.where.column = 0;
  return to_string(fault, kernel);
}

TEST(SimtFault, NamesTheThreadOfAnAccessOutOfBounds) {
  KernelBuilder k("out_of_bounds");
  const Array out = k.global("out", Type::u32);
  const int line = __LINE__ + 1;
  k.st(out[k.ctaid() * 40 + k.tid()], 1);
  const Kernel kernel = k.build();
  Words result(70);
  EXPECT_EQ(text(run_simt(kernel, 40, 2, result), kernel),
            where(line) + ": thread 30 of block 1: store to out[70] is out of bounds (70 elements)");
}

TEST(SimtFault, NamesANegativeIndex) {
  KernelBuilder k("negative");
  const Array out = k.global("out", Type::u32);
  const Array s = k.shared("s", Type::u32, 32);
  const int line = __LINE__ + 1;
  k.st(out[k.tid()], k.ld(s[k.cast(k.tid(), Type::s32) - 1]));
  const Kernel kernel = k.build();
  Words result(32);
  EXPECT_EQ(text(run_simt(kernel, 32, 1, result), kernel),
            where(line) + ": thread 0 of block 0: load from s[-1] is out of bounds (32 elements)");
}

TEST(SimtFault, StopsAtTheFirstStatementEvenIfAnEarlierWarpFailsLater) {
  KernelBuilder k("first_statement");
  const Array a = k.global("a", Type::u32), b = k.global("b", Type::u32);
  const Val x = k.ld(a[k.tid()]);         // warp 1 fails here
  const Val y = k.ld(b[k.tid() + 1000]);  // warp 0 fails here, later in lockstep
  k.masked(x == y, [&] { k.st(a[0], 1); });
  const Kernel kernel = k.build();
  Words first(32), second(64);
  const RunResult result = run_simt(kernel, 64, 1, first, second);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->thread, 32U);
  EXPECT_EQ(result.fault->message, "load from a[32] is out of bounds (32 elements)");
}

// Every block fails. A worker that has taken block 0 must run it, though another one fails at block 1 meanwhile.
TEST(SimtFault, IsTheLowestBlocksForAnyNumberOfWorkers) {
  KernelBuilder k("all_fail");
  const Array out = k.global("out", Type::u32);
  k.st(out[k.ctaid() + 1], 1);
  const Kernel kernel = k.build();
  Words word(1);
  RunConfig config;
  config.grid = {64, 1, 1};
  config.block = {1, 1, 1};
  config.buffers = {std::as_writable_bytes(std::span(word))};
  config.workers = 4;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const RunResult result = run(kernel, config);
    ASSERT_TRUE(result.fault);
    ASSERT_EQ(result.fault->block, 0U) << "repeat " << repeat;
  }
}

TEST(SimtFault, NamesAMisalignedVector) {
  KernelBuilder k("misaligned");
  const Array out = k.global("out", Type::u32);
  const int line = __LINE__ + 1;
  k.st_vector(out[k.tid() * 2], {Val(1), Val(2), Val(3), Val(4)});
  const Kernel kernel = k.build();
  Words result(128);
  EXPECT_EQ(text(run_simt(kernel, 32, 1, result), kernel),
            where(line) + ": thread 1 of block 0: store to out at byte 8 is not aligned to its 16 bytes");
}

TEST(SimtFault, NamesTheThreadThatIsNotAtTheBarrier) {
  KernelBuilder k("divergent");
  const Array out = k.global("out", Type::u32);
  int line = 0;
  k.if_(k.tid() % 2 == 0, [&] {
    line = __LINE__ + 1;
    k.bar_sync();
  });
  k.st(out[k.tid()], 1);
  const Kernel kernel = k.build();
  Words result(32);
  const RunResult r = run_simt(kernel, 32, 1, result);
  EXPECT_EQ(
      text(r, kernel),
      where(line) + ": thread 1 of block 0: is not at the barrier that thread 0 of its warp has reached");
  EXPECT_EQ(r.fault->kind, Fault::Kind::divergent_barrier);
}

// if (t >= n) return; before the barrier: who has left is not waited for.
TEST(SimtFault, IsNoneWhereThreadsOnlyReturnBeforeABarrier) {
  for (const bool in_a_branch : {false, true}) {
    KernelBuilder k("guarded");
    const Array out = k.global("out", Type::u32);
    const Array s = k.shared("s", Type::u32, 64);
    const auto body = [&] {
      k.st(s[k.tid()], k.tid() + 1);
      k.bar_sync();
      k.st(out[k.tid()], k.ld(s[Val(36) - k.tid()]));
    };
    if (in_a_branch) {
      k.if_(k.tid() < 37, body);
    } else {
      k.if_(k.tid() >= 37, [&] { k.exit(); });
      body();
    }
    const Kernel kernel = k.build();
    Words result(64);
    EXPECT_EQ(text(run_simt(kernel, 64, 1, result), kernel), "no fault");
    EXPECT_EQ(result[0], 37U);
    EXPECT_EQ(result[36], 1U);
    EXPECT_EQ(result[37], 0U);
  }
}

TEST(SimtFault, NamesABarrierThatIsNeverMet) {
  KernelBuilder k("unmet");
  const Array out = k.global("out", Type::u32);
  const int line = __LINE__ + 1;
  k.if_(k.tid() < 32, [&] { k.bar_sync(2, 64); });
  k.bar_sync(3, 64);
  k.st(out[k.tid()], 1);
  const Kernel kernel = k.build();
  Words result(64);
  EXPECT_EQ(text(run_simt(kernel, 64, 1, result), kernel),
            where(line) + ": thread 0 of block 0: waits at barrier 2 for ever: 32 of 64 threads have come");
}

TEST(SimtFault, NamesATrapAndAThreadThatMakesNoProgress) {
  KernelBuilder k("trap");
  const Array flag = k.global("flag", Type::u32);
  k.if_(k.ld(flag[0]) == 1, [&] { k.trap("flag is up"); });
  static_cast<void>(k.await([&] { return k.ld(flag[0], volatile_); }, [](const Val& v) { return v == 2; }));
  const Kernel kernel = k.build();
  Words value{1};
  const RunResult trapped = run_simt(kernel, 32, 1, value);
  ASSERT_TRUE(trapped.fault);
  EXPECT_EQ(trapped.fault->message, "flag is up");
  value[0] = 0;
  RunConfig config;
  config.block = {32, 1, 1};
  config.buffers = {std::as_writable_bytes(std::span(value))};
  config.max_steps = 1000;
  const RunResult spun = run(kernel, config);
  ASSERT_TRUE(spun.fault);
  EXPECT_EQ(spun.fault->kind, Fault::Kind::no_progress);
}

// A block that waits for the flag, with its line.
struct Waiting {
  KernelBuilder k{"waiting"};
  Array flag = k.global("flag", Type::u32);
  int line = 0;

  void await_flag() {
    line = __LINE__ + 1;
    static_cast<void>(k.await([&] { return k.ld(flag[0], volatile_); }, [](const Val& v) { return v == 2; }));
  }
  std::string run(std::uint32_t threads, std::uint32_t blocks, Fault::Kind kind) {
    const Kernel kernel = k.build();
    Words value(1);
    const RunResult result = run_simt(kernel, threads, blocks, value);
    if (!result.fault) return "no fault";
    EXPECT_EQ(result.fault->kind, kind);
    return text(result, kernel);
  }
};

TEST(SimtHang, IsToldAtOnceWithWhoWaitsWhere) {
  Waiting w;
  w.await_flag();
  EXPECT_EQ(w.run(40, 1, Fault::Kind::hang),
            fmt::format("{0}: thread 0 of block 0: goes round for ever without a change: nobody is left who "
                        "could change what it reads; "
                        "40 threads are at {0}",
                        where(w.line)));
}

TEST(SimtHang, OfAWarpNamesTheBarrierWhereOthersWaitForIt) {
  Waiting w;
  w.k.if_(w.k.tid() < 32, [&] { w.await_flag(); });
  const int barrier = __LINE__ + 1;
  w.k.bar_sync();
  EXPECT_THAT(w.run(64, 1, Fault::Kind::hang),
              ::testing::EndsWith(fmt::format("; 32 threads are at the barrier {}, 32 threads are at {}",
                                              where(barrier), where(w.line))));
}

TEST(SimtHang, IsFoundThoughTheSameIsStoredAgainAndBarriersPass) {
  Waiting w;
  const Array s = w.k.shared("s", Type::u32, 1);
  w.k.while_([&] { return w.k.ld(s[0]) == 0; },
             [&] {
               w.k.bar_sync();
               w.k.masked(w.k.tid() == 0, [&] { w.k.st(s[0], w.k.ld(w.flag[0], volatile_)); });
               w.k.bar_sync();
             });
  EXPECT_THAT(w.run(64, 1, Fault::Kind::hang), ::testing::HasSubstr("goes round for ever"));
}

TEST(SimtHang, IsLeftOpenWhereABlockOrALaneWithoutATurnMightEndIt) {
  Waiting blocks;
  blocks.k.if_else(
      blocks.k.ctaid() == 0, [&] { blocks.await_flag(); },
      [&] { blocks.k.st(blocks.flag[0], 2, volatile_); });
  EXPECT_THAT(blocks.run(1, 2, Fault::Kind::no_progress),
              ::testing::HasSubstr("may wait for a block that comes after it"));
  Waiting lanes;
  lanes.k.if_else(
      lanes.k.tid() < 31, [&] { lanes.await_flag(); }, [&] { lanes.k.st(lanes.flag[0], 2, volatile_); });
  const std::string left = lanes.run(32, 1, Fault::Kind::no_progress);
  if (left != "no fault") {
    EXPECT_THAT(left, ::testing::HasSubstr("may wait for lanes of its own warp"));
    EXPECT_THAT(left, ::testing::HasSubstr("1 thread is behind in their warp"));
  }
}

TEST(SimtHang, IsNoneWhereAnotherWarpIsLongOnItsWay) {
  Waiting w;
  w.k.if_else(
      w.k.tid() < 32, [&] { w.await_flag(); },
      [&] {
        const Val n = w.k.var("n", Type::u32, 0);
        w.k.while_([&] { return n < 400'000; }, [&] { w.k.set(n, n + 1); });
        w.k.st(w.flag[0], 2, volatile_);
      });
  EXPECT_EQ(w.run(64, 1, Fault::Kind::hang), "no fault");
}

TEST(SimtFault, RefusesWhatHasNoExecutor) {
  KernelBuilder k("unmodelled");
  k.if_(k.tid() == 0, [] {});
  Kernel kernel = k.build();
  kernel.blocks[0].instructions.insert(kernel.blocks[0].instructions.begin(),
                                       {Unmodelled{"cp.async"}, std::nullopt, {}});
  EXPECT_THROW(static_cast<void>(run_simt(kernel, 32, 1)), NotModelled);
}

// --- races ---

struct Detected {
  Kernel kernel;
  RunResult result;
};

TEST(InOrderRaceDetector, DescribesTheFirstSixteenWithBothLines) {
  KernelBuilder k("reverse");
  const Array out = k.global("out", Type::u32);
  const Array s = k.shared("s", Type::u32, 64);
  const int store = __LINE__ + 1;
  k.st(s[k.tid()], k.tid());
  const int load = __LINE__ + 1;
  k.st(out[k.tid()], k.ld(s[Val(63) - k.tid()]));
  const Kernel kernel = k.build();
  Words result(64);
  const RunResult r = run_simt(kernel, 64, 1, result);
  EXPECT_EQ(r.counters.race_count, 64U);
  ASSERT_EQ(r.races.size(), max_race_reports);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const RaceReport& race = r.races[i];
    EXPECT_EQ(race.kind, RaceReport::Kind::read_after_write);
    EXPECT_EQ(race.thread, i);
    EXPECT_EQ(race.word, 63 - i);
    EXPECT_EQ(race.other_warp, 1U);
    EXPECT_EQ(race.where.line, static_cast<std::uint32_t>(load));
    EXPECT_EQ(race.other.line, static_cast<std::uint32_t>(store));
  }
}

RunResult race_between(const std::function<void(KernelBuilder&, const Array&)>& first,
                       const std::function<void(KernelBuilder&, const Array&)>& second) {
  KernelBuilder k("pair");
  const Array sink = k.global("sink", Type::u32);
  const Array s = k.shared("s", Type::u32, 4);
  k.masked(k.tid() == 0, [&] { first(k, s); });
  k.masked(k.tid() == 32, [&] { second(k, s); });
  k.st(sink[0], 0);
  Words out(1);
  return run_simt(k.build(), 64, 1, out);
}

void read(KernelBuilder& k, const Array& s) { static_cast<void>(k.ld(s[0])); }
void write(KernelBuilder& k, const Array& s) { k.st(s[0], 1); }
void add(KernelBuilder& k, const Array& s) { k.red(AtomicOp::add, s[0], 1); }
void strong_read(KernelBuilder& k, const Array& s) { static_cast<void>(k.ld(s[0], volatile_)); }

TEST(InOrderRaceDetector, TellsWhatConflicts) {
  using enum RaceReport::Kind;
  const auto kind = [](const RunResult& r) {
    return r.races.size() == 1 ? std::optional(r.races[0].kind) : std::nullopt;
  };
  EXPECT_EQ(kind(race_between(write, read)), read_after_write);
  EXPECT_EQ(kind(race_between(write, write)), write_after_write);
  EXPECT_EQ(kind(race_between(read, write)), write_after_read);
  EXPECT_EQ(kind(race_between(read, read)), std::nullopt);
  EXPECT_EQ(kind(race_between(add, add)), std::nullopt) << "atomics don't race with each other";
  EXPECT_EQ(kind(race_between(add, read)), read_after_write);
  EXPECT_EQ(kind(race_between(write, add)), write_after_write);
  EXPECT_EQ(kind(race_between(add, strong_read)), std::nullopt);
}

TEST(InOrderRaceDetector, ForgetsAtABarrierAndNeverSeesOneWarp) {
  const auto races = [](bool barrier, std::uint32_t second) {
    KernelBuilder k("pair");
    const Array s = k.shared("s", Type::u32, 4);
    k.masked(k.tid() == 0, [&] { write(k, s); });
    if (barrier) k.bar_sync();
    k.masked(k.tid() == Val(second), [&] { write(k, s); });
    return run_simt(k.build(), 64, 1).counters.race_count;
  };
  EXPECT_EQ(races(false, 32), 1U);
  EXPECT_EQ(races(true, 32), 0U);
  EXPECT_EQ(races(false, 1), 0U) << "lanes of one warp never race here";
}

TEST(InOrderRaceDetector, IsSilentWhenSwitchedOff) {
  KernelBuilder k("off");
  const Array s = k.shared("s", Type::u32, 4);
  k.st(s[0], k.tid());
  RunConfig config;
  config.block = {64, 1, 1};
  const Kernel kernel = k.build();
  EXPECT_EQ(run(kernel, config).counters.race_count, 32U);
  config.detect_races = false;
  EXPECT_EQ(run(kernel, config).counters.race_count, 0U);
}

}  // namespace
}  // namespace fencewise
