// Split-K by atomics, in every way that it is written or forgotten. The kernel: kernels/splitk/atomic.h.
#include <vector>

#include "kernels/splitk/atomic.h"
#include "protocols/parts.h"
#include "protocols/protocols.h"
#include "protocols/splitk.h"

namespace fencewise::protocols {
namespace {

// What each launch in flight has of its own (check --in-flight): with one launch at a time it makes no difference.
struct Own {
  bool counter = false, accumulator = false;
};

struct Steps : AtomicSteps {
  Own own;
};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"splits", 2}, two_replays{"replays", 2};
  return {
      {"", "add, count (acq_rel); the last CTA takes the sums and leaves zeros", {},
       verified(), verified(), nullptr},

      {"no-rezero", "the accumulator keeps its sums: the next launch adds to them", {two_replays},
       violated({assertion, contract}), violated({assertion, contract}),
       [](Steps& s) { s.rezero = false; }},

      {"no-reset", "the counter is left where it stands: nobody is last in the next launch", {two_replays},
       violated({assertion, unwritten_read, contract}), violated({assertion, unwritten_read, contract}),
       [](Steps& s) { s.reset = false; }},

      {"relaxed-increment", "the count neither releases nor acquires", {two_ctas},
       violated({race}, "acc"), verified(),
       [](Steps& s) { s.increment = relaxed(Scope::gpu); }},

      {"release-only-increment", "the last CTA counts without acquiring", {two_ctas},
       violated({race}, "acc"), verified(),
       [](Steps& s) { s.increment = release(Scope::gpu); }},

      {"acquire-only-increment", "the others count without releasing", {two_ctas},
       violated({race}, "acc"), verified(),
       [](Steps& s) { s.increment = acquire(Scope::gpu); }},

      // Both counter and accumulator race; which is found first is the engine's business.
      {"increment-scope-cta", "CTAs count at a scope that leaves the other CTAs out", {two_ctas},
       violated({race}), verified(),
       [](Steps& s) { s.increment = acq_rel(Scope::cta); }},

      {"accumulator-per-launch", "each launch in flight has an accumulator of its own, but all count on one counter: wrong for several", {},
       verified(), verified(),
       [](Steps& s) { s.own.accumulator = true; }},

      {"counter-per-launch", "each launch in flight has a counter of its own, but all add into one accumulator: wrong for several", {},
       verified(), verified(),
       [](Steps& s) { s.own.counter = true; }},

      {"workspace-per-launch", "each launch in flight has counter and accumulator of its own: safe for several", {},
       verified(), verified(),
       [](Steps& s) { s.own = {.counter = true, .accumulator = true}; }},
  };
}
// clang-format on

Problem build(const Parameters& parameters, std::string_view variant) {
  const SplitK shape = splitk_shape(parameters);
  const std::int64_t S = shape.splits, T = shape.threads, tiles = shape.tiles;
  using enum InitialContents::Kind;

  Problem problem;
  problem.name = "splitk-atomic";
  const Steps steps = change(Steps{}, rows(), variant);
  problem.kernels = {splitk_atomic_kernel(shape.tile(), steps)};
  problem.buffers = {input("in", Type::f32, tiles * S * T), workspace("acc", Type::f32, tiles * T, zero),
                     workspace("sem", Type::u32, tiles, zero), output("out", Type::f32, tiles * T)};
  problem.buffers[term(problem, "acc").id().value].own_in_flight = steps.own.accumulator;
  problem.buffers[term(problem, "sem").id().value].own_in_flight = steps.own.counter;
  problem.launches = {splitk_launch(shape)};
  problem.replays = static_cast<std::uint32_t>(parameters["replays"]);
  problem.contract.assertions = {splitk_sums(shape, term(problem, "in"), term(problem, "out"))};
  problem.contract.restored = {term(problem, "sem").id(), term(problem, "acc").id()};
  return problem;
}

}  // namespace

Protocol splitk_atomic() {
  return {.name = "splitk-atomic",
          .summary = "split-K GEMM epilogue: CTAs add into an accumulator, the last one takes the sums",
          .parameters = splitk_parameters(),
          .variants = variants_of(rows()),
          .sweep = "splits=1..4,threads=1..3,tiles=1..2,replays=1..3",
          .build = build};
}

}  // namespace fencewise::protocols
