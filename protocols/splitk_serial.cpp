// Split-K with a last block, in every way that it is written or forgotten. The kernel: kernels/splitk/serial.h.
#include <vector>

#include "kernels/splitk/serial.h"
#include "protocols/parts.h"
#include "protocols/protocols.h"
#include "protocols/splitk.h"

namespace fencewise::protocols {
namespace {

// What each launch in flight has of its own (check --in-flight): with one launch at a time it makes no difference.
struct Own {
  bool counter = false, partials = false;
};

struct Steps : SerialSteps {
  Own own;
};

constexpr Fence sc_gpu{Order::sc, Scope::gpu}, sc_cta{Order::sc, Scope::cta};
constexpr Fence acq_rel_gpu{Order::acq_rel, Scope::gpu};

// Where splits or threads are needed: a CTA alone, or a thread alone in its CTA, has nobody to fall out with.
// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"splits", 2}, two_threads{"threads", 2}, two_tiles{"tiles", 2};
  const Need two_replays{"replays", 2};
  return {
      {"", "fence, barrier, count; the last CTA fences, sums and resets", {},
       verified(), verified(), nullptr},

      {"no-release-fence", "no fence between the partials and the count", {two_ctas},
       violated({race}, "ws["), verified(),
       [](Steps& s) { s.writer_fence = {}; }},

      {"no-acquire-fence", "no fence between the count and reading the partials", {two_ctas},
       violated({race}, "ws["), verified(),
       [](Steps& s) { s.reader_fence = {}; }},

      {"no-acquire-fence-volatile", "the same with volatile partials: stale, and no race says so", {two_ctas},
       violated_without_race({assertion}, "out"), verified(),
       [](Steps& s) { s.reader_fence = {}; s.write_partial = s.read_partial = volatile_; }},

      {"increment-scope-cta", "CTAs count at a scope that leaves the other CTAs out", {two_ctas},
       violated({race}, "sem"), verified(),
       [](Steps& s) { s.increment = relaxed(Scope::cta); }},

      {"fence-scope-cta", "fences at a scope that leaves the other CTAs out", {two_ctas},
       violated({race}, "ws["), verified(),
       [](Steps& s) { s.writer_fence = s.reader_fence = sc_cta; }},

      {"no-barrier-before-count", "thread 0 counts before the other threads have written",
       {two_ctas, two_threads},
       violated({race}, "ws["), violated({assertion}, "out"),
       [](Steps& s) { s.barrier_before_count = false; }},

      {"no-barrier-before-count-volatile", "the same with volatile partials: wrong, and no race says so",
       {two_ctas, two_threads},
       violated_without_race({assertion}, "out"), violated({assertion}, "out"),
       [](Steps& s) { s.barrier_before_count = false; s.write_partial = s.read_partial = volatile_; }},

      {"no-flag-barrier", "threads look at the flag before thread 0 has set it", {two_threads},
       violated({race, unwritten_read}, "is_last"), violated({unwritten_read}, "is_last"),
       [](Steps& s) { s.barrier_after_flag = false; }},

      {"no-reset", "the counter is left where it stands: nobody is last in the next launch",
       {two_replays, two_ctas},
       violated({assertion, unwritten_read}, "out"), violated({assertion, unwritten_read}, "out"),
       [](Steps& s) { s.reset = false; }},

      {"shared-counter", "all tiles count on the counter of tile 0", {two_tiles},
       violated({race, assertion, unwritten_read}), violated({assertion, unwritten_read}, "out"),
       [](Steps& s) { s.counter_per_tile = false; }},

      {"acq-rel-increment", "no fences; the count releases and acquires", {},
       verified(), verified(),
       [](Steps& s) { s.writer_fence = s.reader_fence = {}; s.increment = acq_rel(Scope::gpu); }},

      {"fence-acq-rel-then-barrier", "acq_rel fences before the barrier: each serves its own thread only",
       {two_ctas, two_threads},
       violated({race}, "ws["), verified(),
       [](Steps& s) { s.writer_fence = s.reader_fence = acq_rel_gpu; }},

      {"sc-writers-acq-rel-reader", "sc fences before the barrier, but the reader's fence is acq_rel",
       {two_ctas, two_threads},
       violated({race}, "ws["), verified(),
       [](Steps& s) { s.reader_fence = acq_rel_gpu; }},

      {"barrier-then-leader-fence-acq-rel", "barrier, then thread 0 fences for all: cheaper, and right", {},
       verified(), verified(),
       [](Steps& s) { s.writer_fence = {}; s.leader_fence = s.reader_fence = acq_rel_gpu; }},

      {"barrier-then-leader-fence-sc", "the same with sc fences", {},
       verified(), verified(),
       [](Steps& s) { s.writer_fence = {}; s.leader_fence = sc_gpu; }},

      {"partials-per-launch", "each launch in flight has partials of its own, but all count on one counter: wrong for several", {},
       verified(), verified(),
       [](Steps& s) { s.own.partials = true; }},

      {"counter-per-launch", "each launch in flight has a counter of its own, but all share the partials: wrong for several", {},
       verified(), verified(),
       [](Steps& s) { s.own.counter = true; }},

      {"workspace-per-launch", "each launch in flight has counter and partials of its own: safe for several", {},
       verified(), verified(),
       [](Steps& s) { s.own = {.counter = true, .partials = true}; }},
  };
}
// clang-format on

Problem build(const Parameters& parameters, std::string_view variant) {
  const SplitK shape = splitk_shape(parameters);
  const std::int64_t S = shape.splits, T = shape.threads, tiles = shape.tiles;
  using enum InitialContents::Kind;

  Problem problem;
  problem.name = "splitk-serial";
  const Steps steps = change(Steps{}, rows(), variant);
  problem.kernels = {splitk_serial_kernel(shape.tile(), steps)};
  // `ws` is fresh from cudaMalloc and holds anything, so that a stale partial shows as a wrong sum.
  problem.buffers = {input("in", Type::f32, tiles * S * T), workspace("ws", Type::f32, tiles * S * T, any),
                     workspace("sem", Type::u32, tiles, zero), output("out", Type::f32, tiles * T)};
  problem.buffers[term(problem, "ws").id().value].own_in_flight = steps.own.partials;
  problem.buffers[term(problem, "sem").id().value].own_in_flight = steps.own.counter;
  problem.launches = {splitk_launch(shape)};
  problem.replays = static_cast<std::uint32_t>(parameters["replays"]);
  problem.contract.assertions = {splitk_sums(shape, term(problem, "in"), term(problem, "out"))};
  problem.contract.restored = {term(problem, "sem").id()};
  return problem;
}

}  // namespace

Protocol splitk_serial() {
  return {
      .name = "splitk-serial",
      .summary = "split-K GEMM epilogue: the last CTA of a tile sums all partials (threadfence and counter)",
      .parameters = splitk_parameters(),
      .variants = variants_of(rows()),
      .sweep = "splits=1..4,threads=1..3,tiles=1..2,replays=1..3",
      .build = build};
}

}  // namespace fencewise::protocols
