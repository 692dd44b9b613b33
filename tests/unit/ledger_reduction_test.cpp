// The claims of docs/ledgers.md on reductions: exact counts against closed forms.
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/ledger/device.h"
#include "kernels/ledger/execute.h"
#include "kernels/ledger/prediction.h"

namespace fencewise {
namespace {

Executed run_version(int version, std::int64_t n = 1 << 18, std::uint32_t threads = 256) {
  return execute(prepare_reduction({static_cast<ReductionVersion>(version), threads}, n));
}
Counters counters(int version, std::int64_t n = 1 << 18) { return run_version(version, n).run.counters; }

TEST(Reduction, SumsExactlyInEveryVersionAndSize) {
  for (int version = 1; version <= reduction_versions; ++version)
    for (const std::uint32_t threads : {64U, 128U, 256U, 1024U})
      EXPECT_TRUE(run_version(version, 4096, threads).right)
          << "version " << version << ", " << threads << " threads";
}

// A block of 256 threads, 8 warps: 9 barriers and 8 branches by all, a body of 2 LDS, 1 compute, 1 STS.
TEST(Reduction, CountsAreThoseOfTheClosedForms) {
  // Warps with an active lane in steps s = 1, 2, …, 128. Version 1: all 8 while 2s <= 32, then 4, 2, 1.
  constexpr std::uint64_t bodies_1 = 5 * 8 + 4 + 2 + 1;
  // Versions 2 and 3: 128/s threads in a row.
  constexpr std::uint64_t bodies_2 = 4 + 2 + 1 + 1 + 1 + 1 + 1 + 1;
  constexpr std::uint64_t common = 8 /* GLD */ + 8 /* STS */ + 9 * 8 + 8 * 8 + 2 /* LDS, GST of thread 0 */;
  EXPECT_EQ(counters(1).warp_instr, 1024 * (common + 4 * bodies_1));
  EXPECT_EQ(counters(2).warp_instr, 1024 * (common + 4 * bodies_2));
  EXPECT_EQ(counters(3).warp_instr, 1024 * (common + 4 * bodies_2));
  EXPECT_EQ(counters(4).warp_instr, 512 * (common + 8 + 8 + 4 * bodies_2)) << "one more GLD and a compute";
  // Version 5: 2 GLD, compute, STS; 3 barriers; 2 branches; bodies of 4 and 2 warps; one warp's tail: 2 LDS, compute,
  // 5 shuffles with a compute each; GST.
  EXPECT_EQ(counters(5).warp_instr, 512U * (16 + 8 + 8 + 3 * 8 + 2 * 8 + 4 * 6 + 13 + 1));
}

TEST(Reduction, EachVersionIssuesLess) {
  const auto first = static_cast<double>(counters(1).warp_instr);
  const auto share = [&](int version) { return static_cast<double>(counters(version).warp_instr) / first; };
  EXPECT_NEAR(share(2), 0.59, 0.005);
  EXPECT_NEAR(share(4), 0.32, 0.005);
  EXPECT_NEAR(share(5), 0.16, 0.005);
}

TEST(Reduction, OnlyVersion2MeetsInTheBanks) {
  EXPECT_NEAR(counters(2).bank_conflict_factor(), 3.33, 0.005);
  EXPECT_EQ(counters(2).smem_wavefronts(), 1024U * 150);
  EXPECT_EQ(counters(2).ideal_smem_wavefronts(), 1024U * 45);
  for (const int version : {1, 3, 4, 5}) EXPECT_EQ(counters(version).bank_conflict_factor(), 1.0);
}

TEST(Reduction, Version5HasNoDivergenceAndThreeBarriersABlock) {
  EXPECT_EQ(counters(5).divergent, 0U);
  EXPECT_EQ(counters(5).barriers, 512U * 3);
  EXPECT_EQ(counters(4).barriers, 512U * 9);
  // Version 1 diverges in all warps while lanes of each are active, in fewer later: as often as its body runs.
  EXPECT_EQ(counters(1).divergent, 1024U * 47);
  EXPECT_EQ(counters(2).divergent, 1024U * 5) << "the steps with 16, 8, 4, 2 and 1 threads";
}

TEST(Reduction, ReadsEverySectorOnce) {
  for (int version = 1; version <= 5; ++version) {
    EXPECT_EQ(counters(version).gld_sectors, (1U << 18) / 8);
    EXPECT_EQ(counters(version).gld_lines, (1U << 18) / 32);
  }
}

TEST(Reduction, ASixteenthOfTheElementsIsASixteenthOfEveryCounter) {
  for (int version = 1; version <= 5; ++version) {
    const Counters small = counters(version, 1 << 14), large = counters(version);
    for (const CounterField& f : counter_fields()) EXPECT_EQ(small.*f.member * 16, large.*f.member) << f.name;
  }
}

TEST(Reduction, OnlyVersion1IssuesLongerThanItReads) {
  const Device& a100 = find_device("a100");
  for (int version = 1; version <= 5; ++version) {
    const Prediction p = predict_reduction(counters(version), a100);
    EXPECT_EQ(p.seconds_of("issue") > p.seconds_of("memory"), version == 1) << "version " << version;
  }
}

TEST(Reduction, Version6PassesTheInOrderDetector) {
  const Executed executed = run_version(6);
  EXPECT_TRUE(executed.right);
  EXPECT_EQ(executed.run.counters.race_count, 0U);
}

TEST(Reduction, RefusesSizesThatDoNotFit) {
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{-512}, std::int64_t{1000}, std::int64_t{1} << 62})
    EXPECT_THROW(static_cast<void>(run_version(1, n)), InputError);
  EXPECT_THROW(static_cast<void>(run_version(1, 1 << 14, 100)), InputError);
  EXPECT_THROW(static_cast<void>(run_version(5, 1 << 14, 32)), InputError);
}

TEST(Reverse, NeedsItsBarrierThoughBothRunsAreRight) {
  const Executed with = execute(prepare_reverse(256, {}));
  const Executed without = execute(prepare_reverse(256, {.barrier = false}));
  EXPECT_TRUE(with.right);
  EXPECT_TRUE(without.right);
  EXPECT_EQ(with.run.counters.barriers, 1U);
  EXPECT_EQ(with.run.counters.race_count, 0U);
  EXPECT_EQ(without.run.counters.barriers, 0U);
  EXPECT_EQ(without.run.counters.race_count, 256U);
}

}  // namespace
}  // namespace fencewise
