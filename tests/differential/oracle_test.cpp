// The graph explorer against the brute-force oracle (tests/support/oracle.h): on every program of a small family, then on random
// ones. They must agree on the verdict, the existence of a race, whether a thread can hang, and the set of final states; under
// model sc plain interleaving must agree as well.
//
// A mismatch is shrunk and printed as a litmus test. FENCEWISE_TEST_SEED=n begins the random programs elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "kernels/core/builder.h"
#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/parse.h"
#include "tests/support/differential.h"

namespace fencewise::testing {
namespace {

void report(const Problem& problem, Model model, const Comparison& comparison, const OracleLimits& limits) {
  const Problem small = shrink(problem, [&](const Problem& p) { return !compare(p, model, limits).difference.empty(); });
  ADD_FAILURE() << name(model) << ": the explorer and the oracle disagree about " << problem.name << "\n"
                << show(small) << compare(small, model, limits).difference << "before it was shrunk:\n"
                << comparison.difference;
}

// --- Every program of a family ---

enum class Kind : std::uint8_t { read, write, add, cas };

// How the two operations of a thread are done.
struct Manner {
  How plain = weak;               // loads and stores
  How atomic = relaxed(Scope::gpu);
  Order fence = Order::weak;      // between the two; weak: none
  Scope fence_scope = Scope::gpu;
};

constexpr std::array manners = {
    Manner{},
    Manner{.plain = relaxed(Scope::gpu)},
    Manner{.plain = relaxed(Scope::cta), .atomic = relaxed(Scope::cta)},
    Manner{.plain = acq_rel(Scope::gpu), .atomic = acq_rel(Scope::gpu)},  // ld.acquire, st.release
    Manner{.plain = relaxed(Scope::gpu), .fence = Order::acq_rel},
    Manner{.fence = Order::sc},
    Manner{.plain = relaxed(Scope::gpu), .fence = Order::sc},
};
constexpr std::array kinds = {Kind::read, Kind::write, Kind::add, Kind::cas};

struct Step {
  Kind kind;
  bool second_location;
};

Kernel thread_of(const std::string& name, const std::array<Step, 2>& operations, const Manner& how, int first_value) {
  KernelBuilder k(name);
  const Array x = k.global("x", Type::u32), y = k.global("y", Type::u32);
  for (int n = 0; n < 2; ++n) {
    const Step& o = operations[static_cast<std::size_t>(n)];
    const Place place = (o.second_location ? y : x)[0];
    const int value = first_value + n;
    if (n == 1 && how.fence != Order::weak) k.fence(how.fence, how.fence_scope);
    How plain = how.plain;
    if (plain.order == Order::acq_rel) plain.order = o.kind == Kind::read ? Order::acquire : Order::release;
    switch (o.kind) {
      case Kind::read: (void)k.ld(place, plain); break;
      case Kind::write: k.st(place, value, plain); break;
      case Kind::add: (void)k.atom(AtomicOp::add, place, value, how.atomic); break;
      case Kind::cas: (void)k.cas(place, 0, value, how.atomic); break;
    }
  }
  return k.build();
}

// Number `n` of all two-thread programs with two operations a thread on two locations, in every manner, in one CTA or two.
constexpr std::uint64_t family = 4ULL * 4 * 4 * 4 * 8 * manners.size() * manners.size() * 2;  // the first operation is on x

Problem member(std::uint64_t n) {
  const std::uint64_t number = n;
  const auto digit = [&n](std::uint64_t base) {
    const std::uint64_t d = n % base;
    n /= base;
    return d;
  };
  std::array<Step, 4> o{};
  for (std::size_t i = 0; i < 4; ++i) o[i].kind = kinds[digit(kinds.size())];
  for (std::size_t i = 1; i < 4; ++i) o[i].second_location = digit(2) == 1;
  const Manner& first = manners[digit(manners.size())];
  const Manner& second = manners[digit(manners.size())];
  const bool same_cta = digit(2) == 1;
  Problem problem;
  problem.name = fmt::format("family-{}", number);
  problem.kernels = {thread_of("P0", {o[0], o[1]}, first, 1), thread_of("P1", {o[2], o[3]}, second, 3)};
  problem.buffers = {{"x", Type::u32, 1, Role::workspace, {}, {}, false}, {"y", Type::u32, 1, Role::workspace, {}, {}, false}};
  problem.launches.emplace_back();
  const std::uint32_t other = same_cta ? 0 : 1;
  problem.launches[0].placed = {{KernelId{0}, {CtaId{0}, ClusterId{0}, DeviceId{0}}},
                                {KernelId{1}, {CtaId{other}, ClusterId{other}, DeviceId{0}}}};
  return problem;
}

class EveryModel : public ::testing::TestWithParam<Model> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::Values(Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5, Model::sc), [](const auto& instance) {
  std::string text(name(instance.param));
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
});

// Strides are prime to every digit's base, so that a sample meets all of them.
TEST_P(EveryModel, TwoThreadsOfTwoOperationsAgreeWithTheOracle) {
  // The versioned models' failing cas writes, which gives the oracle many more coherence orders to try.
  const bool versioned = GetParam() == Model::ptx_v6_0 || GetParam() == Model::ptx_v7_5;
  const std::uint64_t stride = small_scale() ? 997 : versioned ? 101 : 11;
  const OracleLimits limits;
  Spread spread;
  for (std::uint64_t n = 0; n < family && !HasFailure(); n += stride) {
    const Problem problem = member(n);
    const Comparison comparison = compare(problem, GetParam(), limits);
    spread.count(comparison);
    if (!comparison.difference.empty()) report(problem, GetParam(), comparison, limits);
  }
  std::cout << fmt::format("family of {} programs, every {}th: {}\n", family, stride, spread.text());
}

// --- Random programs ---

// Compares as many as `wanted` programs that are small enough for the oracle.
template <class Draw>
void compare_random(Model model, std::uint64_t wanted, Draw&& draw) {
  constexpr OracleLimits limits{.candidates = 20'000, .combinations = 200'000};
  Spread spread;
  std::uint64_t seed = first_seed();
  for (; spread.compared() < wanted && !::testing::Test::HasFailure(); ++seed) {
    const Problem problem = draw(seed);
    const Comparison comparison = compare(problem, model, limits);
    spread.count(comparison);
    if (!comparison.difference.empty()) report(problem, model, comparison, limits);
  }
  std::cout << fmt::format("seeds {} to {}: {}\n", first_seed(), seed - 1, spread.text());
}

// 2 or 3 threads, 6 memory operations in all: all semantics and scopes, fences, atomics, dependencies through data and control,
// barriers, clusters, two devices.
TEST_P(EveryModel, RandomProgramsAgreeWithTheOracle) {
  GeneratorOptions options;
  options.max_operations = 6;
  options.one_sided_fences = true;
  options.volatiles = true;
  options.clusters = true;
  compare_random(GetParam(), small_scale() ? 200 : 2000, [&](std::uint64_t seed) { return generate_litmus(seed, options); });
}

// The same with what the generator leaves out: barriers that are missed, crossed or come to by more than they need, aliases, proxies.
TEST_P(EveryModel, RandomProgramsWithBarriersAndProxiesAgreeWithTheOracle) {
  GeneratorOptions options;
  options.max_operations = 6;
  options.one_sided_fences = true;
  compare_random(GetParam(), small_scale() ? 50 : 500,
                 [&](std::uint64_t seed) { return vary(generate_litmus(seed, options), seed); });
}

// --- The smallest programs on which the two once differed ---

struct Fault {
  const char* name;
  const char* believed;  // by the explorer (or the relations), wrongly
  const char* litmus;
};

constexpr Fault faults[] = {
    {"AtomicsOnARacingWrite", "two morally strong atomics never read one write, whatever the write", R"(PTX a
{ x = 0; }
 P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                ;
 st.weak x, 1                   | atom.relaxed.sys.add r0, x, 2 ;
 atom.relaxed.sys.exch r0, x, 2 |                               ;
exists (x == 0))"},
    {"OwnWritesInV60", "causality orders a thread's own writes in every model", R"(PTX b
{ x = 0; }
 P0@cta 0,gpu 0 ;
 st.weak x, 1   ;
 st.weak x, 2   ;
exists (x == 0))"},
    {"CasThatWritesSomethingUnknown", "a cas whose new value is unknown may still fail", R"(PTX c
{ x = 0; }
 P0@cta 0,gpu 0                    | P1@cta 1,gpu 0                 | P2@cta 1,gpu 0       ;
 ld.weak r0, x                     | atom.relaxed.sys.exch r0, x, 1 | bar.cta.sync 0, 0, 2 ;
 atom.relaxed.sys.cas r1, x, 1, r0 | ld.weak r1, x                  |                      ;
                                   | bar.cta.sync 0, 0, 2           |                      ;
exists (x == 0))"},
    {"EndedThreadInOneInterleaving", "an ended thread is ordered with nobody, under sc too", R"(PTX d
{ y = 0; }
 P0@cta 0,gpu 0                   | P1@cta 0,gpu 0 ;
 atom.relaxed.sys.exch r0, y, 1   | bar.cta.sync 0 ;
 atom.relaxed.sys.cas r1, y, 1, 2 | ld.weak r0, y  ;
exists (y == 0))"},
    {"EndThatDependsOnARead",
     "(the oracle) that a barrier is over depends on nothing of the thread that ended", R"(PTX e
{ y = 0; }
 P0@cta 0,gpu 0  | P1@cta 0,gpu 0 ;
 ld.weak r0, y   | bar.cta.sync 0 ;
 bge r0, 1, LC01 | st.weak y, 2   ;
 LC01:           |                ;
exists (y == 0))"},
    {"ArrivalLeftBehind", "the first arrival meets somebody", R"(PTX f
{ x = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0         ;
 bar.cta.sync 0, 1, 2 | bar.cta.arrive 0, 1, 2 ;
                      | bar.cta.arrive 0, 1, 2 ;
exists (x == 0))"},
    {"ArrivalPassedOver", "a thread's second arrival may be counted before its first", R"(PTX g
{ x = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0         ;
 bar.cta.sync 0, 0, 2 | bar.cta.arrive 0, 0, 2 ;
                      | bar.cta.sync 0, 0, 2   ;
exists (x == 0))"},
    {"PhasesInOneInterleaving", "phases of one barrier are unordered, under sc too", R"(PTX h
{ y = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0         | P2@cta 0,gpu 0       ;
 bar.cta.sync 0, 1, 2 | bar.cta.arrive 0, 1, 2 | st.weak y, 1         ;
                      | ld.weak r0, y          | bar.cta.sync 0, 1, 2 ;
exists (y == 0))"},
    {"PhasesInAnyOrder", "phases follow each other as the search completes them, under sc", R"(PTX i
{ x = 0; }
 P0@cta 0,gpu 0         | P1@cta 0,gpu 0       ;
 st.weak x, 2           | bar.cta.sync 0, 1, 1 ;
 bar.cta.arrive 0, 1, 1 | ld.weak r0, x        ;
 bar.cta.sync 0, 1, 1   |                      ;
exists (x == 0))"},
    {"LastWritesByTheOrderOfFences", "some order of fence.sc shows every last write that some order shows",
     R"(PTX j
{ x = 0; y = 0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0                ;
 st.weak x, 2   | atom.relaxed.sys.add r0, y, 2 ;
 fence.sc.sys   | fence.sc.sys                  ;
 st.weak y, 1   | ld.weak r1, x                 ;
exists (x == 0))"},
    {"SecondArrivalAmongThoseWhoMet",
     "any arrivals that are as many as the count may be those who met, as the dialect says it", R"(PTX k
{ y = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0       | P2@cta 0,gpu 0         ;
 bar.cta.sync 0, 0, 3 | bar.cta.sync 0, 0, 3 | st.weak y, 1           ;
 bar.cta.sync 0, 0, 3 | ld.weak r0, y        | bar.cta.arrive 0, 0, 3 ;
exists (y == 0))"},
};

class OnceWrong : public ::testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(Faults, OnceWrong, ::testing::ValuesIn(faults), [](const auto& instance) { return instance.param.name; });

TEST_P(OnceWrong, AgreesWithTheOracleNow) {
  const Problem problem = parse_litmus(GetParam().litmus, GetParam().name);
  for (const Model model : {Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5, Model::sc}) {
    const Comparison comparison = compare(problem, model);
    EXPECT_EQ(comparison.skipped, "") << name(model);
    EXPECT_EQ(comparison.difference, "") << name(model) << "; once believed: " << GetParam().believed;
  }
}

}  // namespace
}  // namespace fencewise::testing
