#include <fmt/format.h>

#include "kernels/core/simt/memory_cost.h"
#include "kernels/core/simt/run.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/reduction/bank_probe.h"

namespace fencewise {
namespace {

Wavefronts executed(const BankProbe& probe) {
  const Kernel kernel = bank_probe(probe);
  std::vector<float> out(std::size_t{32} * probe.width);
  RunConfig config{
      .grid = {}, .block = {32, 1, 1}, .buffers = {std::as_writable_bytes(std::span(out))}, .params = {}};
  const Counters counters = run(kernel, config).counters;
  return {static_cast<std::uint32_t>(counters.lds_wavefronts),
          static_cast<std::uint32_t>(counters.ideal_lds_wavefronts)};
}

Table strides() {
  Table table{"strides",
              "A warp reads 32 words of shared memory",
              {{"pattern", "pattern"}, {"wavefronts", "wavefronts"}, {"why", "why"}},
              {},
              {"A stride of s words takes gcd(s, 32) wavefronts: an odd stride, such as 33 for a padded row, "
               "meets no",
               "bank twice. Lanes that read the same word share it."}};
  const auto add = [&](const std::string& pattern, const BankProbe& probe, const std::string& why) {
    table.rows.push_back({pattern, executed(probe).taken, why});
  };
  for (const std::uint32_t s : {1U, 2U, 4U, 8U, 16U, 32U})
    add(fmt::format("stride {}", s), {.stride = s},
        s == 1    ? "every lane its own bank"
        : s == 32 ? "one bank serves 32 lanes"
                  : fmt::format("{} banks serve 32 lanes", 32 / s));
  add("stride 33", {.stride = 33}, "a row of 32 padded by one word");
  add("stride 3", {.stride = 3}, "3 and 32 have no common factor");
  add("broadcast", {.stride = 1, .width = 1, .group = 32}, "one word for all lanes");
  add("pairs", {.stride = 1, .width = 1, .group = 2}, "two lanes share each word");
  return table;
}

struct GemmPattern {
  const char* name;
  std::function<std::int64_t(std::uint32_t)> word;
  std::uint32_t width;
  const char* why;
};

// With 16 threads along a row of the block's tile: trow = lane / 16, tcol = lane % 16 (first warp, first k step).
std::vector<GemmPattern> gemm_patterns() {
  const auto trow = [](std::uint32_t l) { return std::int64_t{l / 16}; };
  const auto tcol = [](std::uint32_t l) { return std::int64_t{l % 16}; };
  return {
      {"k5 As, scalar", [=](std::uint32_t l) { return trow(l) * 64; }, 1,
       "two rows of threads, 64 words apart"},
      {"k5 As, rows of 9 words", [=](std::uint32_t l) { return trow(l) * 72; }, 1,
       "72 words apart: another bank"},
      {"k5 Bs, scalar", [=](std::uint32_t l) { return tcol(l) * 8; }, 1, "16 words, 8 apart: four banks"},
      {"k6 Bs, float4", [=](std::uint32_t l) { return tcol(l) * 8; }, 4,
       "8 lanes cover 64 words: two a bank"},
      {"k7 Bs, float4 in two groups", [=](std::uint32_t l) { return tcol(l) * 4; }, 4,
       "8 lanes cover 32 words"},
      {"k6 As, float4", [=](std::uint32_t l) { return trow(l) * 8; }, 4, "a broadcast in each phase"},
      {"k6 As, transposed store", [](std::uint32_t l) { return std::int64_t{l % 2} * 512 + l / 2; }, 1,
       "two lanes store to one column, 512 words apart"},
  };
}

Table patterns() {
  Table table{"gemm_patterns",
              "Patterns of the GEMM kernels",
              {{"pattern", "pattern"},
               {"words", "words"},
               {"ways", "ways"},
               {"wavefronts", "wavefronts"},
               {"why", "why"}},
              {},
              {"ways: wavefronts a phase. A float4 goes in four phases of eight lanes, so it takes four "
               "wavefronts even",
               "without a conflict; it delivers four times as much."}};
  for (const GemmPattern& p : gemm_patterns()) {
    const Wavefronts w = smem_wavefronts(p.word, p.width);
    table.rows.push_back({p.name, p.width, w.taken / w.ideal, w.taken, p.why});
  }
  return table;
}

}  // namespace

Ledger banks_ledger() {
  Ledger ledger{"banks", {}, {strides(), patterns()}, {}};
  BarChart chart{"Wavefronts of a warp's shared-memory access", "wavefronts", {}, {{"wavefronts", {}}}};
  for (const auto& row : ledger.tables[0].rows) {
    chart.labels.push_back(text_of(row[0]));
    chart.series[0].values.push_back(static_cast<double>(std::get<std::uint64_t>(row[1].value)));
  }
  ledger.charts = {chart};
  return ledger;
}

}  // namespace fencewise
