// Devices, occupancy, register tiles and split-K as the models have them.
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/ledger/occupancy.h"
#include "kernels/ledger/prepared.h"
#include "kernels/ledger/splitk_model.h"
#include "kernels/ledger/tile_model.h"

namespace fencewise {
namespace {

TEST(Devices, AreFoundByKeyOrNameInAnyCase) {
  EXPECT_EQ(find_device("A100").sms, 108U);
  EXPECT_EQ(find_device("rtx a6000").fma_per_clock, 128U);
  try {
    static_cast<void>(find_device("b200"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "unknown device 'b200'; known: a6000, a100, h100");
  }
}

TEST(Devices, AreListedByTheirKeys) { EXPECT_EQ(device_keys(), "a6000, a100, h100"); }

TEST(Occupancy, IsBoundByTheScarcestResource) {
  const Device& a6000 = find_device("a6000");
  const Occupancy registers = occupancy(a6000, {.threads = 256, .registers = 104, .shared_bytes = 8192});
  EXPECT_EQ(registers.blocks, 2U) << "65536 / (104·32) = 19 warps, down to 16";
  EXPECT_EQ(registers.limit, "registers");
  EXPECT_NEAR(registers.share, 1.0 / 3, 1e-9);
  EXPECT_EQ(occupancy(a6000, {.threads = 1024, .registers = 27, .shared_bytes = 0}).limit, "warps");
  EXPECT_EQ(occupancy(a6000, {.threads = 32, .registers = 16, .shared_bytes = 0}).limit, "blocks");
  const Occupancy shared = occupancy(a6000, {.threads = 64, .registers = 32, .shared_bytes = 48 * 1024});
  EXPECT_EQ(shared.blocks, 2U);
  EXPECT_EQ(shared.limit, "shared memory");
  EXPECT_EQ(occupancy(a6000, {.threads = 64, .registers = 32, .shared_bytes = 200 * 1024}).blocks, 0U);
}

TEST(RegisterTiles, AskForLessTheLargerTheyAre) {
  const std::vector<double> bytes{8, 4, 2, 1.5, 1, 0.75};
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_DOUBLE_EQ(tiles()[i].bytes_per_fma(), bytes[i]);
}

TEST(RegisterTiles, AreFedFrom8x8OnTheA6000And4x4OnTheA100) {
  const auto first_fed = [](const char* device) {
    for (const Tile& tile : tiles())
      if (is_fed(tile, find_device(device)))
        return std::to_string(tile.rows) + "x" + std::to_string(tile.columns);
    return std::string("none");
  };
  EXPECT_EQ(bytes_per_fma_fed(find_device("a6000")), 1);
  EXPECT_EQ(bytes_per_fma_fed(find_device("h100")), 1);
  EXPECT_EQ(bytes_per_fma_fed(find_device("a100")), 2);
  EXPECT_EQ(first_fed("a6000"), "8x8");
  EXPECT_EQ(first_fed("h100"), "8x8");
  EXPECT_EQ(first_fed("a100"), "4x4");
}

TEST(RegisterTiles, PayWithOccupancy) {
  const Tile square{8, 8}, tall{16, 8};
  EXPECT_EQ(square.registers(), 104U);
  EXPECT_NEAR(occupancy_of(square, find_device("a6000")).share, 0.33, 0.005);
  EXPECT_NEAR(occupancy_of(square, find_device("a100")).share, 0.25, 1e-9);
  EXPECT_NEAR(occupancy_of(tall, find_device("a6000")).share, 0.17, 0.005);
  EXPECT_NEAR(occupancy_of(tall, find_device("a100")).share, 0.125, 1e-9);
}

TEST(SplitK, StaysInOneWaveUpToEightSplits) {
  const Device& h100 = find_device("h100");
  const SplitkShape shape{.rows = 256, .columns = 65536, .rows_per_block = 16, .blocks_per_sm = 1};
  EXPECT_EQ(shape.row_blocks(), 16U);
  for (std::uint64_t s = 1; s <= 8; ++s) EXPECT_EQ(splitk_cost(shape, s, h100).waves, 1U);
  EXPECT_EQ(splitk_cost(shape, 9, h100).waves, 2U);
}

TEST(SplitK, PaysForWorkspaceOrAtomics) {
  const SplitkCost c = splitk_cost({.rows = 256, .columns = 65536, .rows_per_block = 16, .blocks_per_sm = 1},
                                   4, find_device("h100"));
  EXPECT_EQ(c.ctas, 64U);
  EXPECT_EQ(c.workspace_bytes, 2U * 64 * 64) << "each tile of 16 floats written and read once";
  EXPECT_EQ(c.serial_atomics, 64U);
  EXPECT_EQ(c.atomic_atomics, 64U * 16 + 64);
  EXPECT_EQ(c.rezero_bytes, 16U * 64);
  EXPECT_DOUBLE_EQ(c.serial(), c.work + c.workspace + c.serial_counting);
  EXPECT_DOUBLE_EQ(c.atomic(), c.work + c.atomic_adds + c.rezero);
}

TEST(SplitK, SaysWhetherMoreSplitsThanShownCouldBeBetter) {
  const auto advice = [](std::int64_t most) {
    return splitk_ledger({.max_splits = most}).tables.at(0).notes.back();
  };
  EXPECT_EQ(advice(64), "Take 8 splits for the serial form, 8 splits for the atomic one.");
  EXPECT_EQ(
      advice(4),
      "Take 4 splits (the most shown) for the serial form, 4 splits (the most shown) for the atomic one.");
  EXPECT_EQ(
      advice(1),
      "Take 1 split (the most shown) for the serial form, 1 split (the most shown) for the atomic one.");
}

TEST(SplitK, RefusesShapesThatDoNotDivide) {
  EXPECT_THROW(static_cast<void>(splitk_ledger({.rows = 100})), InputError);
  EXPECT_THROW(static_cast<void>(splitk_ledger({.rows = 0})), InputError);
  EXPECT_THROW(static_cast<void>(splitk_ledger({.columns = -32})), InputError);
  EXPECT_THROW(static_cast<void>(splitk_ledger({.columns = 33})), InputError);
  EXPECT_THROW(static_cast<void>(splitk_ledger({.max_splits = 0})), InputError);
}

// The kernel behind the model: its traffic is what the model says, and it can be launched again.
TEST(SplitkGemv, AddsExactlyAndLeavesItsCountersReady) {
  for (const bool atomic : {false, true}) {
    for (const std::uint32_t splits : {1U, 2U, 8U}) {
      SplitkGemv gemv;
      gemv.splits = splits;
      if (atomic) gemv.form = AtomicSteps{};
      PreparedRun prepared = prepare_splitk_gemv(gemv, 256, 1024);
      for (int launch = 1; launch <= 2; ++launch) {
        const RunResult result = run(prepared);
        ASSERT_FALSE(result.fault) << result.fault->message;
        EXPECT_TRUE(prepared.is_right(prepared)) << "launch " << launch;
        EXPECT_EQ(result.counters.race_count, 0U);
        // A CTA counts itself once, by one lane; every row block's last CTA resets.
        const std::uint64_t adds = atomic ? 16U * splits * 4 * 4 : 0;  // one of each row of each warp
        const std::uint64_t resets = atomic ? 16 : 0;
        EXPECT_EQ(result.counters.atom_instr, 16U * splits + adds + resets);
      }
    }
  }
}

TEST(SplitkGemv, AddsExactlyInEveryShape) {
  for (const std::uint32_t threads : {32U, 64U, 256U, 1024U})
    for (const std::uint32_t rows_per_warp : {1U, 3U, 32U})
      for (const bool atomic : {false, true}) {
        SplitkGemv gemv{.splits = 3, .threads = threads, .rows_per_warp = rows_per_warp, .form = {}};
        if (atomic) gemv.form = AtomicSteps{};
        PreparedRun prepared = prepare_splitk_gemv(gemv, 2 * gemv.rows_per_block(), 192);
        const RunResult result = run(prepared);
        ASSERT_FALSE(result.fault) << result.fault->message;
        EXPECT_TRUE(prepared.is_right(prepared))
            << threads << " threads, " << rows_per_warp << " rows a warp";
        EXPECT_EQ(result.counters.race_count, 0U);
      }
}

// With data of one sign these sums passed 2^24, and a right kernel was called wrong.
TEST(SplitkGemv, AddsExactlyHoweverManyColumnsThereAre) {
  for (const bool atomic : {false, true}) {
    SplitkGemv gemv{.splits = 2, .threads = 32, .rows_per_warp = 1, .form = {}};
    if (atomic) gemv.form = AtomicSteps{};
    PreparedRun prepared = prepare_splitk_gemv(gemv, 1, std::int64_t{1} << 22);
    static_cast<void>(run(prepared));
    EXPECT_TRUE(prepared.is_right(prepared));
  }
}

TEST(SplitkGemv, RefusesShapesThatDoNotFit) {
  const SplitkGemv gemv;
  EXPECT_THROW(static_cast<void>(splitk_gemv_grid(gemv, 250, 1024)), InputError);
  EXPECT_THROW(static_cast<void>(splitk_gemv_grid(gemv, 256, 1000)), InputError);
  EXPECT_THROW(static_cast<void>(splitk_gemv_grid(gemv, 0, 1024)), InputError);
  EXPECT_THROW(static_cast<void>(splitk_gemv_grid(gemv, 1 << 20, 1 << 20)), InputError);
  EXPECT_THROW(static_cast<void>(splitk_gemv_kernel({.threads = 100, .form = {}})), InputError);
}

}  // namespace
}  // namespace fencewise
