// The parallel sums, with all threads of a block: which barriers each of them needs. The kernels:
// kernels/reduction/reduction.h.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "kernels/reduction/reduction.h"
#include "protocols/drop_barrier.h"
#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

using enum ReductionVersion;

constexpr std::int64_t standard_threads = 256, most_threads = 1024;
constexpr int most_steps = 10;  // of a block of most_threads

struct Described {
  ReductionVersion version;
  const char* summary;
};
constexpr std::array all = std::to_array<Described>({
    {interleaved_divergent, "sum of a block, partners next to each other, every other thread idle"},
    {interleaved_contiguous, "sum of a block, partners next to each other, the first threads work"},
    {sequential, "sum of a block, partners half a block apart"},
    {two_per_thread, "as reduction-3, each thread adds two elements while it loads"},
    {warp_shuffle, "as reduction-4, the last 64 sums by one warp's shuffles"},
    {warp_synchronous, "as reduction-5 through shared memory without __syncwarp(): lanes race"},
});

bool has_warp_tail(ReductionVersion version) { return version >= warp_shuffle; }

std::uint32_t elements(ReductionVersion version, std::int64_t threads) {
  return elements_per_block({version, static_cast<std::uint32_t>(threads)});
}

std::vector<Parameter> parameters(ReductionVersion version) {
  const std::int64_t least = has_warp_tail(version) ? 64 : 2;
  return {{.name = "n",
           .help = "elements",
           .standard = elements(version, standard_threads),
           .min = elements(version, least),
           .max = 8 * std::int64_t{elements(version, most_threads)},
           .choices = {}},
          {.name = "threads",
           .help = "a block, a power of two",
           .standard = standard_threads,
           .min = least,
           .max = most_threads,
           .choices = {}}};
}

// Barrier 1 follows the loads, each other one a step. The sums that a step leaves are read by other threads in the next,
// or by the warp that adds the last 64; what the last step leaves, its own thread 0 reads. How many steps there are is the block's.
std::vector<DroppedBarrier> dropped_barriers(ReductionVersion version) {
  using enum FindingKind;
  const Expectation races = violated({race}, "sdata[");
  // At least one block, of so many threads.
  const auto block_of = [&](std::int64_t threads) {
    return std::vector<Need>{{"threads", threads}, {"n", elements(version, threads)}};
  };
  std::vector<DroppedBarrier> dropped = {{"elements are added before their threads have stored them",
                                          block_of(has_warp_tail(version) ? 64 : 2), races,
                                          violated({assertion, unwritten_read})}};
  const int steps = has_warp_tail(version) ? 4 : most_steps;
  for (int step = 1; step <= steps; ++step) {
    const bool unnecessary = step == most_steps;
    // The least block in which another step, or the warp's tail, follows.
    const std::int64_t threads =
        has_warp_tail(version) ? std::int64_t{64} << step : std::min(std::int64_t{2} << step, most_threads);
    dropped.push_back({unnecessary ? "not needed: thread 0 reads what it wrote itself"
                                   : "sums are added before the step in front has left them",
                       block_of(threads), unnecessary ? verified() : races,
                       unnecessary ? verified() : violated({assertion}, "out[")});
  }
  return dropped;
}

Variant base(ReductionVersion version) {
  using enum FindingKind;
  if (version == warp_synchronous)
    return {"",
            "a barrier a step, then one warp alone, as if its lanes went in lockstep",
            {},
            violated({race}, "sdata["),
            violated({assertion}, "out[")};
  return {"", "a barrier after the loads and after each step", {}, verified(), verified()};
}

// One block and several, of one step and of more.
std::string sweep(ReductionVersion version) {
  if (has_warp_tail(version)) return "n=256|512,threads=64|128";
  const std::uint32_t block = elements(version, 16);
  return fmt::format("n={}|{},threads=2|4|8|16", block, 2 * block);
}

Problem build(ReductionVersion version, const Parameters& given, std::string_view variant) {
  const std::int64_t n = given["n"], threads = given["threads"];
  const ReductionShape shape{version, static_cast<std::uint32_t>(threads)};
  Problem problem;
  problem.name = name_of(version);
  problem.kernels = {as_variant(reduction_kernel(shape), variant)};
  const std::int64_t block = elements_per_block(shape);
  if (n % block != 0)
    throw InputError(problem.name + ": n must be a multiple of " + std::to_string(block) + " with " +
                     std::to_string(threads) + " threads, not " + std::to_string(n));
  problem.buffers = {input("in", Type::f32, n), output("out", Type::f32, n / block)};

  Launch launch;
  launch.name = problem.name;
  launch.grid = {static_cast<std::uint32_t>(n / block), 1, 1};
  launch.block = {shape.threads, 1, 1};
  if (has_warp_tail(version)) launch.warp_size = 32;
  problem.launches = {launch};

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  const auto block_is_sum = [&](const Term& b) {
    return out[b] == sum("i", 0, block, [&](const Term& i) { return in[b * block + i]; });
  };
  problem.contract.assertions = {{.text = "out[b] == sum over i of in[block b][i]",
                                  .formula = forall("b", 0, n / block, block_is_sum),
                                  .when = When::each_replay}};
  return problem;
}

}  // namespace

std::vector<Protocol> reductions() {
  std::vector<Protocol> protocols;
  for (const auto& [version, summary] : all)
    protocols.push_back({.name = name_of(version),
                         .summary = summary,
                         .parameters = parameters(version),
                         .variants = with_dropped_barriers({base(version)}, dropped_barriers(version)),
                         .sweep = sweep(version),
                         .build = [version = version](const Parameters& given, std::string_view variant) {
                           return build(version, given, variant);
                         }});
  return protocols;
}

}  // namespace fencewise::protocols
