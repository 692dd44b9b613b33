// The claims of docs/ledgers.md on GEMM: exact counts against closed forms, bits, scaling, the model.
#include <map>

#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/ledger/device.h"
#include "kernels/ledger/execute.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/ledger/measured.h"
#include "kernels/ledger/prediction.h"
#include "kernels/ledger/scaling.h"

namespace fencewise {
namespace {

using enum GemmVersion;

const ExecutedGemm& executed(GemmVersion version, std::uint32_t n) {
  static std::map<std::uint32_t, GemmData> data;
  static std::map<std::pair<GemmVersion, std::uint32_t>, ExecutedGemm> runs;
  if (data.count(n) == 0) data[n] = gemm_data(n);
  const auto key = std::pair(version, n);
  if (runs.count(key) == 0) runs[key] = execute_gemm(version, data[n]);
  return runs[key];
}
const Counters& counters(GemmVersion version, std::uint32_t n = 128) {
  return executed(version, n).run.counters;
}

constexpr std::uint64_t edge = 128;
constexpr std::uint64_t fma = edge * edge * edge;

TEST(Gemm, GivesTheBitsOfTheTripleLoop) {
  for (const GemmVariant& v : gemm_variants())
    for (const std::uint32_t size : {128U, 256U}) {
      EXPECT_TRUE(executed(v.version, size).same_bits) << v.name << " at " << size;
      EXPECT_FALSE(executed(v.version, size).run.fault);
      EXPECT_LT(executed(v.version, size).largest_error, 1e-4);
    }
}

// C stays 128 x 128 or the tile's; one step, three steps, more than n.
TEST(Gemm, GivesTheBitsOfTheTripleLoopAtAnyDepth) {
  for (const GemmVariant& v : gemm_variants())
    for (const std::uint32_t depth : {v.tile_k, 3 * v.tile_k, 160U}) {
      const ExecutedGemm e = execute_gemm(v.version, gemm_data(128, depth));
      EXPECT_TRUE(e.same_bits) << v.name << " at depth " << depth;
      EXPECT_EQ(e.run.counters.fma, edge * edge * depth) << v.name;
    }
  EXPECT_THROW(static_cast<void>(prepare_gemm(k6, gemm_data(128, 12))), InputError);
}

TEST(Gemm, MultipliesOnceForEachProduct) {
  for (const GemmVariant& v : gemm_variants()) {
    EXPECT_EQ(counters(v.version).fma, fma) << v.name;
    EXPECT_EQ(counters(v.version).ffma_instr, fma / 32) << v.name << ": 31.25 per 1000";
    EXPECT_EQ(counters(v.version).simt_efficiency(), 1.0) << v.name;
    EXPECT_EQ(counters(v.version).race_count, 0U) << v.name;
    EXPECT_EQ(counters(v.version).divergent, 0U) << v.name;
  }
}

// Loads of shared memory for each warp-wide multiply-add: 2; 9 for 8; 16, 10, 4 for 64; 6 for 128.
TEST(Gemm, ReadsSharedMemoryLessAndLess) {
  const std::uint64_t ffma = fma / 32;
  EXPECT_EQ(counters(k1).lds_instr, 0U);
  EXPECT_EQ(counters(k2).lds_instr, 0U);
  EXPECT_EQ(counters(k3).lds_instr, ffma * 2) << "62.5 per 1000";
  EXPECT_EQ(counters(k4).lds_instr, ffma * 9 / 8) << "35.16 per 1000";
  EXPECT_EQ(counters(k5).lds_instr, ffma * 16 / 64) << "7.81 per 1000";
  EXPECT_EQ(counters(k5v).lds_instr, ffma * 10 / 64);
  EXPECT_EQ(counters(k6).lds_instr, ffma * 4 / 64) << "1.95 per 1000";
  EXPECT_EQ(counters(k7).lds_instr, ffma * 4 / 64);
  EXPECT_EQ(counters(k8).lds_instr, ffma * 6 / 128);
  EXPECT_EQ(counters(k9).lds_instr, ffma * 6 / 128);
}

// Wavefronts: k5 reads As in 8 x 2 ways and Bs in 8 x 4; k6 As in 2 x 4 phases and Bs in 2 x 4 phases x 2 ways.
TEST(Gemm, TakesTheWavefrontsOfItsPatterns) {
  const std::uint64_t ffma = fma / 32;
  EXPECT_EQ(counters(k3).lds_wavefronts, ffma * 2);
  EXPECT_EQ(counters(k4).lds_wavefronts, ffma * 9 / 8);
  EXPECT_EQ(counters(k5).lds_wavefronts, ffma * (8 * 2 + 8 * 4) / 64) << "23.44 per 1000";
  EXPECT_EQ(counters(k5v).lds_wavefronts, ffma * (8 * 2 + 2 * 8) / 64);
  EXPECT_EQ(counters(k6).lds_wavefronts, ffma * (2 * 4 + 2 * 8) / 64) << "11.72 per 1000";
  EXPECT_EQ(counters(k7).lds_wavefronts, ffma * 16 / 64);
  EXPECT_EQ(counters(k8).lds_wavefronts, ffma * 24 / 128);
  // Stores a warp and step: k5 8 scalar ones; k6 4 scalar ones of 2 ways and a float4; k7 the same without conflicts.
  const std::uint64_t warp_steps = edge / 8 * 8;
  EXPECT_EQ(counters(k5).sts_wavefronts, warp_steps * 8);
  EXPECT_EQ(counters(k6).sts_wavefronts, warp_steps * (4 * 2 + 4));
  EXPECT_EQ(counters(k7).sts_wavefronts, warp_steps * (4 + 4));
  EXPECT_NEAR(per_thousand_fma(counters(k7).smem_wavefronts(), counters(k7)), 8.30, 0.005)
      << "k6 without conflicts";
  EXPECT_EQ(counters(k7).bank_conflict_factor(), 1.0);
}

TEST(Gemm, ReadsGlobalMemoryByWholeLines) {
  // k1: a warp of 32 rows reads 32 lines of A and one of B a step. k2: one each.
  EXPECT_EQ(counters(k1).gld_lines, fma / 32 * 33);
  EXPECT_EQ(counters(k2).gld_lines, fma / 32 * 2);
  EXPECT_EQ(counters(k3).gld_lines, 2 * fma / 32 / 32);
  // A tile of 128 x 8 takes a line a row, of 8 x 128 four a row; every warp's share of either.
  EXPECT_EQ(counters(k6).gld_lines, edge / 8 * (128 + 8 * 4));
}

TEST(Gemm, WaitsTwiceAStepAndOnceWithTwoBuffers) {
  EXPECT_EQ(counters(k3).barriers, 16U * (edge / 32) * 2);
  EXPECT_EQ(counters(k4).barriers, 4U * (edge / 8) * 2);
  EXPECT_EQ(counters(k6).barriers, edge / 8 * 2);
  EXPECT_EQ(counters(k9).barriers, edge / 8);
}

TEST(Gemm, GuardsWithOneBranchAndWritesEachResultOnce) {
  EXPECT_EQ(counters(k1).branch_instr, edge * edge / 32);
  EXPECT_EQ(counters(k3).branch_instr, 0U);
  EXPECT_EQ(counters(k5).gst_instr, edge * edge / 32);
  EXPECT_EQ(counters(k6).gst_instr, edge * edge / 128);
}

TEST(Gemm, ScalesExactlyToOtherSizes) {
  for (const GemmVariant& v : gemm_variants())
    EXPECT_EQ(scale_gemm(counters(v.version, 128), 2), counters(v.version, 256)) << v.name;
  EXPECT_EQ(deviation(scale_gemm(counters(k6, 128), 2), counters(k6, 256)), 0.0);
  EXPECT_GT(deviation(scale_gemm(counters(k6, 128), 3), counters(k6, 256)), 1.0);
}

TEST(Gemm, RefusesToScaleWhereItWouldNotBeExact) {
  Counters partial = counters(k6);
  --partial.lane_instr;
  EXPECT_THROW(static_cast<void>(scale_gemm(partial, 2)), InputError);
  EXPECT_THROW(static_cast<void>(scale_gemm(counters(k6), std::uint64_t{1} << 20)), InputError);
}

struct Modelled {
  std::string_view bound;
  double gflops = 0;
};
Modelled model(GemmVersion version) {
  const Prediction p = predict_gemm(scale_gemm(counters(version), 4096 / 128), find_device("a6000"));
  return {p.bound().resource, gemm_gflops(4096, p.seconds())};
}
double measured_over_model(GemmVersion version) {
  return *measured_gflops(version, 4096, find_device("a6000")) / model(version).gflops;
}

// From k5 on TM·TN + TM + TN + 24.
TEST(GemmModel, TakesTheRegistersThatAreAssumed) {
  const auto registers = [](GemmVersion version) { return variant_of(version).registers; };
  for (const GemmVersion v : {k1, k2}) EXPECT_EQ(registers(v), 27U);
  EXPECT_EQ(registers(k3), 37U);
  EXPECT_EQ(registers(k4), 41U);
  for (const GemmVersion v : {k5, k5v, k6}) EXPECT_EQ(registers(v), 8U * 8 + 8 + 8 + 24);
}

TEST(GemmModel, NamesWhatBindsEachVersion) {
  for (const GemmVersion v : {k1, k2}) EXPECT_EQ(model(v).bound, "L1");
  for (const GemmVersion v : {k3, k4, k5, k5v, k6}) EXPECT_EQ(model(v).bound, "shared");
  for (const GemmVersion v : {k7, k8, k9}) EXPECT_EQ(model(v).bound, "issue");
}

TEST(GemmModel, ShowsThatK5ReadsByVectors) {
  EXPECT_NEAR(model(k5).gflops, 12600, 50);
  EXPECT_GT(measured_over_model(k5), 1.0) << "faster than its model: so the model's assumption is wrong";
  EXPECT_NEAR(model(k5v).gflops, 18800, 50);
  EXPECT_NEAR(measured_over_model(k5v), 0.85, 0.005);
}

TEST(GemmModel, IsNearTheMeasurementWhereOneResourceRules) {
  EXPECT_NEAR(measured_over_model(k1), 1, 0.06);
  EXPECT_NEAR(measured_over_model(k4), 1, 0.06);
  for (const GemmVersion v : {k2, k3, k6}) {
    EXPECT_GT(measured_over_model(v), 0.4);
    EXPECT_LE(measured_over_model(v), 0.755);
  }
}

TEST(Gemm, RefusesSizesThatDoNotFitTheTile) {
  for (const std::int64_t size : {0, -128, 64, 200, 1 << 30})
    EXPECT_THROW(static_cast<void>(gemm_grid(variant_of(k6), size)), InputError) << size;
  EXPECT_EQ(gemm_grid(variant_of(k3), 96), (Dim3{3, 3, 1}));
  EXPECT_THROW(static_cast<void>(gemm_ledger({.sizes = {128}, .at = 200})), InputError);
  EXPECT_THROW(static_cast<void>(gemm_ledger({.sizes = {128}, .at = 4096, .device = "b200"})), InputError);
  EXPECT_THROW(static_cast<void>(gemm_ledger({.sizes = {}})), InputError);
}

TEST(Gemm, AnswersToItsNames) {
  EXPECT_EQ(parse_gemm_version("gemm-k5v"), k5v);
  EXPECT_EQ(parse_gemm_version("k6"), k6);
  EXPECT_EQ(parse_gemm_version("k10"), std::nullopt);
  for (const GemmVariant& v : gemm_variants()) {
    EXPECT_EQ(variant_of(v.version).name, v.name);
    EXPECT_EQ(gemm_kernel(v.version).name, "gemm-" + std::string(v.name));
  }
}

}  // namespace
}  // namespace fencewise
