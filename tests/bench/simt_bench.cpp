// Speed of the SIMT executor: warp instructions a second for each class of kernel, the GEMM ladder, split-K, the
// reductions, and beside them the plain triple loop in the same instruction set.
//
// Targets (release, one core): the seven GEMM variants at 128 and 256 together under a second (SevenGemms), the five
// reductions at 2^18 under a tenth (FiveReductions), k6 within a factor of 10 of the triple loop. Where numpy is there,
// the two also run in it (ledger_in_numpy.py), and the table shows the ratio.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/core/builder.h"
#include "kernels/core/simt/multiversion.h"
#include "kernels/ledger/prepared.h"
#include "tests/support/process.h"

namespace fencewise {
namespace {

void count(benchmark::State& state, const Counters& counters) {
  const auto rate = [&](std::uint64_t events) {
    return benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsIterationInvariantRate);
  };
  if (counters.warp_instr > 0) state.counters["warp_instr/s"] = rate(counters.warp_instr);
  if (counters.fma > 0) state.counters["fma/s"] = rate(counters.fma);
}

void run_prepared(benchmark::State& state, PreparedRun prepared) {
  RunResult result;
  for (auto _ : state) result = run(prepared);
  if (result.fault) state.SkipWithError("the kernel failed");
  count(state, result.counters);
}

// --- one class of statements, over and over, in full blocks ---

using Body = std::function<void(KernelBuilder&, const Array& global, const Array& shared)>;

PreparedRun loop_of(const Body& body) {
  KernelBuilder k("class");
  const Array global = k.global("g", Type::f32);
  const Array shared = k.shared("s", Type::f32, 1024);
  k.for_(0, 1000, [&](const Val&) { body(k, global, shared); });
  PreparedRun prepared;
  prepared.kernel = k.build();
  prepared.block = {256, 1, 1};
  prepared.buffers = {{"g", std::vector<std::byte>(4 * 1024)}};
  return prepared;
}

void register_classes() {
  const auto add = [](const char* name, const Body& body) {
    benchmark::RegisterBenchmark((std::string("Class/") + name).c_str(),
                                 [body](benchmark::State& s) { run_prepared(s, loop_of(body)); });
  };
  add("ffma", [](KernelBuilder& k, const Array&, const Array&) {
    Val x = k.var("x", Type::f32, 1.0F);
    for (int i = 0; i < 16; ++i) x = k.fma(x, x, x);
  });
  add("lds", [](KernelBuilder& k, const Array&, const Array& s) {
    for (int i = 0; i < 16; ++i) static_cast<void>(k.ld(s[k.tid() + i]));
  });
  add("lds_float4_broadcast", [](KernelBuilder& k, const Array&, const Array& s) {
    for (int i = 0; i < 16; ++i) static_cast<void>(k.ld_vector(s[k.tid() / 16 * 4 + 4 * i], 4));
  });
  add("lds_conflicts", [](KernelBuilder& k, const Array&, const Array& s) {
    for (int i = 0; i < 16; ++i) static_cast<void>(k.ld(s[(k.tid() * 33 + i) % 1024]));
  });
  add("sts", [](KernelBuilder& k, const Array&, const Array& s) {
    for (int i = 0; i < 16; ++i) k.st(s[k.tid() + 256 * (i % 4)], 1.0F);
  });
  add("gld", [](KernelBuilder& k, const Array& g, const Array&) {
    for (int i = 0; i < 16; ++i) static_cast<void>(k.ld(g[k.tid() + i]));
  });
  add("shuffle", [](KernelBuilder& k, const Array&, const Array&) {
    Val x = k.var("x", Type::f32, 1.0F);
    for (int i = 0; i < 16; ++i) x = k.shfl(ShuffleMode::down, x, 1);
  });
  add("branch_divergent", [](KernelBuilder& k, const Array&, const Array&) {
    for (int i = 0; i < 8; ++i) k.if_(k.tid() % 2 == 0, [&] { k.compute(1); });
  });
  add("barrier", [](KernelBuilder& k, const Array&, const Array&) {
    for (int i = 0; i < 8; ++i) k.bar_sync();
  });
  add("atomic_shared", [](KernelBuilder& k, const Array&, const Array& s) {
    for (int i = 0; i < 4; ++i) k.red(AtomicOp::add, s[k.tid() + i], 1.0F);
  });
}

// --- the kernels ---

void register_gemms(const std::vector<std::uint32_t>& sizes) {
  for (const std::uint32_t n : sizes)
    for (const GemmVariant& v : gemm_variants())
      benchmark::RegisterBenchmark(
          fmt::format("Gemm/{}/{}", v.name, n).c_str(),
          [&v, n](benchmark::State& state) { run_prepared(state, prepare_gemm(v.version, gemm_data(n))); })
          ->Unit(benchmark::kMillisecond);
}

void register_reductions(const std::vector<int>& exponents) {
  for (const int exponent : exponents)
    for (int version = 1; version <= reduction_versions; ++version)
      benchmark::RegisterBenchmark(fmt::format("Reduction/{}/2^{}", version, exponent).c_str(),
                                   [=](benchmark::State& state) {
                                     const ReductionShape r{static_cast<ReductionVersion>(version), 256};
                                     run_prepared(state, prepare_reduction(r, std::int64_t{1} << exponent));
                                   })
          ->Unit(benchmark::kMillisecond);
}

void register_splitk(std::int64_t rows, std::int64_t columns) {
  const auto add = [=](const char* name, const SplitkGemv& gemv) {
    benchmark::RegisterBenchmark(
        fmt::format("{}/{}x{}", name, rows, columns).c_str(),
        [=](benchmark::State& state) { run_prepared(state, prepare_splitk_gemv(gemv, rows, columns)); })
        ->Unit(benchmark::kMillisecond);
  };
  add("SplitkGemv", {.form = SerialSteps{}});
  add("SplitkGemvAtomic", {.form = AtomicSteps{}});
}

// What ledger_in_numpy.py says, run once for each set of arguments; null where there is no numpy.
const nlohmann::json& in_numpy(const std::vector<std::string>& arguments) {
  static std::map<std::vector<std::string>, nlohmann::json> runs;
  const auto [run, fresh] = runs.try_emplace(arguments);
  if (!fresh) return run->second;
  std::vector<std::string> argv{"python3", FENCEWISE_SOURCE_DIR "/tests/bench/ledger_in_numpy.py"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const testing::ProcessResult result = testing::run_process(argv);
  if (result.exit_code == 0) run->second = nlohmann::json::parse(result.out);
  return run->second;
}

// How many times our CPU time the same kernels take in numpy, which must count the same.
void compare_with_numpy(benchmark::State& state, const std::vector<std::string>& arguments,
                        const Counters& counters, double cpu_seconds) {
  const nlohmann::json& numpy = in_numpy(arguments);
  if (numpy.is_null()) return;
  std::uint64_t warp_instr = 0;
  for (const std::uint64_t one : numpy["warp_instr"]) warp_instr += one;
  if (warp_instr != counters.warp_instr || !numpy["right"]) state.SkipWithError("numpy counts otherwise");
  state.counters["numpy/ours"] = numpy["cpu_seconds"].get<double>() / cpu_seconds;
}

void run_together(benchmark::State& state, std::vector<PreparedRun> all,
                  const std::vector<std::string>& numpy_arguments) {
  Counters sum;
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    sum = {};
    for (PreparedRun& prepared : all) sum += run(prepared).counters;
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  count(state, sum);
  compare_with_numpy(state, numpy_arguments, sum, seconds / static_cast<double>(state.iterations()));
}

void register_targets(bool small) {
  benchmark::RegisterBenchmark("SevenGemms", [small](benchmark::State& state) {
    std::vector<PreparedRun> all;
    std::vector<std::string> numpy_arguments{"gemms"};
    for (const std::uint32_t n : small ? std::vector{128U} : std::vector{128U, 256U}) {
      numpy_arguments.push_back(std::to_string(n));
      const GemmData data = gemm_data(n);
      for (int v = 0; v <= static_cast<int>(GemmVersion::k6); ++v)
        all.push_back(prepare_gemm(static_cast<GemmVersion>(v), data));
    }
    run_together(state, std::move(all), numpy_arguments);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("FiveReductions", [small](benchmark::State& state) {
    std::vector<PreparedRun> all;
    const std::int64_t n = std::int64_t{1} << (small ? 14 : 18);
    for (int v = 1; v <= 5; ++v) all.push_back(prepare_reduction({static_cast<ReductionVersion>(v), 256}, n));
    run_together(state, std::move(all), {"reductions", std::to_string(n)});
  })->Unit(benchmark::kMillisecond);
}

// --- the yardstick ---

// As one writes it: a dot product for each element.
FENCEWISE_CLONES void triple_loop(float* c, const float* a, const float* b, std::uint32_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
      c[i * n + j] = sum;
    }
}

// With the inner loops swapped, so that it runs along rows in vectors.
FENCEWISE_CLONES void triple_loop_by_rows(float* c, const float* a, const float* b, std::uint32_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] = std::fma(a[i * n + k], b[k * n + j], c[i * n + j]);
}

using Product = void (*)(float*, const float*, const float*, std::uint32_t);

void register_yardsticks(std::uint32_t n) {
  const auto add = [n](const char* name, Product product) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}", name, n).c_str(), [product,
                                                                         n](benchmark::State& state) {
      const GemmData data = gemm_data(n);
      std::vector<float> c(data.a.size());
      for (auto _ : state) {
        product(c.data(), data.a.data(), data.b.data(), n);
        benchmark::DoNotOptimize(c.data());
      }
      Counters counters;
      counters.fma = std::uint64_t{n} * n * n;
      count(state, counters);
    })->Unit(benchmark::kMillisecond);
  };
  add("TripleLoop", triple_loop);
  add("TripleLoopByRows", triple_loop_by_rows);
}

void warn_if_meaningless() {
#if !defined(NDEBUG) || defined(FENCEWISE_INSTRUMENTED)
  std::fputs("warning: unoptimised or instrumented; these figures mean nothing\n", stderr);
#endif
}

}  // namespace
}  // namespace fencewise

int main(int argc, char** argv) {
  using namespace fencewise;
  const char* const scale = std::getenv("FENCEWISE_TEST_SCALE");
  const bool small = scale != nullptr && std::string(scale) == "small";
  warn_if_meaningless();
  register_targets(small);
  register_classes();
  register_yardsticks(small ? 64 : 256);
  register_gemms(small ? std::vector{128U} : std::vector{256U, 512U});
  register_splitk(256, small ? 1024 : 8192);
  register_reductions(small ? std::vector{14} : std::vector{18, 24});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
