#include <numeric>

#include <gtest/gtest.h>

#include "kernels/core/simt/access_pattern.h"
#include "kernels/core/simt/memory_cost.h"
#include "kernels/reduction/bank_probe.h"
#include "tests/support/simt.h"

namespace fencewise {
namespace {

std::uint32_t ways(std::int64_t stride) {
  return smem_wavefronts([=](std::uint32_t lane) { return stride * lane; }, 1).taken;
}

TEST(SharedMemoryBanks, AStrideNeedsItsGreatestCommonDivisorWith32) {
  for (std::int64_t stride = 1; stride <= 200; ++stride)
    EXPECT_EQ(ways(stride), static_cast<std::uint32_t>(std::gcd(stride, std::int64_t{32})))
        << "stride " << stride;
}

TEST(SharedMemoryBanks, LanesThatReadOneWordShareIt) {
  EXPECT_EQ(ways(0), 1U);
  EXPECT_EQ(smem_wavefronts([](std::uint32_t lane) { return lane / 2; }, 1).taken, 1U);
}

TEST(SharedMemoryBanks, AFloat4TakesFourWavefrontsEvenWithoutConflicts) {
  const Wavefronts dense = smem_wavefronts([](std::uint32_t lane) { return 4 * lane; }, 4);
  EXPECT_EQ(dense, (Wavefronts{4, 4}));
  EXPECT_EQ(smem_wavefronts([](std::uint32_t lane) { return 2 * lane; }, 2), (Wavefronts{2, 2}));
}

TEST(SharedMemoryBanks, APhaseWithoutAnActiveLaneTakesNothing) {
  std::array<std::int64_t, 32> word{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) word[lane] = 4 * lane;
  EXPECT_EQ(smem_wavefronts(word, 0x0000'00ffU, 4), (Wavefronts{1, 1}));
  EXPECT_EQ(smem_wavefronts(word, 0x0100'0001U, 4), (Wavefronts{2, 2}));
  EXPECT_EQ(smem_wavefronts(word, 0, 4), (Wavefronts{0, 0}));
}

// The seven patterns of the GEMM kernels: wavefronts over phases.
TEST(SharedMemoryBanks, GemmPatternsTakeTheirWays) {
  const auto ways_of = [](auto word, std::uint32_t width) {
    const Wavefronts w = smem_wavefronts(word, width);
    return w.taken / w.ideal;
  };
  EXPECT_EQ(ways_of([](std::uint32_t l) { return std::int64_t{l / 16 * 64}; }, 1), 2U) << "k5 As";
  EXPECT_EQ(ways_of([](std::uint32_t l) { return std::int64_t{l / 16 * 72}; }, 1), 1U)
      << "k5 As, rows of 9 words";
  EXPECT_EQ(ways_of([](std::uint32_t l) { return std::int64_t{l % 16 * 8}; }, 1), 4U) << "k5 Bs";
  EXPECT_EQ(ways_of([](std::uint32_t l) { return std::int64_t{l % 16 * 8}; }, 4), 2U) << "k6 Bs";
  EXPECT_EQ(ways_of([](std::uint32_t l) { return std::int64_t{l % 16 * 4}; }, 4), 1U)
      << "two groups of four columns";
  EXPECT_EQ(ways_of([](std::uint32_t l) { return std::int64_t{l / 16 * 8}; }, 4), 1U) << "k6 As";
  EXPECT_EQ(ways_of([](std::uint32_t l) { return std::int64_t{l % 2 * 512 + l / 2}; }, 1), 2U)
      << "k6 As, stores";
}

TEST(GlobalMemory, CountsDistinctLinesAndSectors) {
  std::array<std::int64_t, 32> address{};
  const auto at = [&](std::int64_t start, std::int64_t stride) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) address[lane] = start + stride * lane;
    return gmem_transactions(address, 0xffff'ffffU, 4);
  };
  EXPECT_EQ(at(0, 4), (Transactions{1, 4}));
  EXPECT_EQ(at(64, 4), (Transactions{2, 4})) << "half of two lines";
  EXPECT_EQ(at(16, 4), (Transactions{2, 5}));
  EXPECT_EQ(at(0, 512), (Transactions{32, 32}));
  EXPECT_EQ(at(4, 0), (Transactions{1, 1}));
}

// The same on the executor: one warp, one load.
TEST(SharedMemoryBanks, TheBankProbeTakesWhatTheRuleSays) {
  const auto executed = [](const BankProbe& probe) {
    std::vector<float> out(std::size_t{32} * probe.width);
    return testing::run_simt(bank_probe(probe), 32, 1, out).counters;
  };
  for (std::uint32_t stride = 1; stride <= 64; ++stride)
    EXPECT_EQ(executed({.stride = stride}).lds_wavefronts, std::gcd(stride, 32U)) << "stride " << stride;
  EXPECT_EQ(executed({.group = 32}).lds_wavefronts, 1U) << "broadcast";
  EXPECT_EQ(executed({.group = 2}).lds_wavefronts, 1U) << "pairs";
  EXPECT_EQ(executed({.stride = 4, .width = 4}).lds_wavefronts, 4U) << "a float4 a lane";
  EXPECT_EQ(executed({.stride = 8, .width = 4}).lds_wavefronts, 8U);
  EXPECT_EQ(executed({.stride = 32}).bank_conflict_factor(), 32.0);
}

// The executor analyses a pattern once and shifts it: that must never change a count.
TEST(AccessPatterns, CostTheSameAsTheirAddressesWhereverTheyAre) {
  simt::PatternTable table;
  for (const std::int32_t stride : {1, -1, 3, 8, 33}) {
    for (const std::uint32_t mask : {0xffff'ffffU, 0x0000'fff0U, 0x8000'0001U}) {
      std::array<std::int32_t, 32> relative{};
      const int first = std::countr_zero(mask);
      for (int lane = first; lane < 32; ++lane)
        if ((mask >> lane & 1U) != 0) relative[static_cast<std::size_t>(lane)] = (lane - first) * stride;
      simt::AccessPattern& pattern = table.find(relative, mask, 4, 4);
      for (std::int64_t base = 8192; base < 8192 + 256; base += 4) {
        std::array<std::int64_t, 32> address{}, word{};
        for (std::size_t lane = 0; lane < 32; ++lane) {
          address[lane] = base + relative[lane] * 4;
          word[lane] = address[lane] / 4;
        }
        EXPECT_EQ(pattern.transactions_at(base), gmem_transactions(address, mask, 4));
        EXPECT_EQ(pattern.wavefronts, smem_wavefronts(word, mask, 1));
      }
    }
  }
}

}  // namespace
}  // namespace fencewise
