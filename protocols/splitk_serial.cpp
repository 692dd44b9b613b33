// Split-K with a last block: every CTA of a tile leaves its partial sums in a workspace and counts itself in. The one
// that counts last adds all of them up, in the order of the splits, and resets the counter for the next launch.
//
// Written as CUDA compiles it: __threadfence() is fence.sc.gpu, atomicAdd is atom.relaxed.gpu, __ldcg is a weak load,
// and the reset is a plain store.
#include <optional>
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"
#include "protocols/splitk.h"

namespace fencewise::protocols {
namespace {

constexpr Fence sc_gpu{Order::sc, Scope::gpu};
constexpr Fence sc_cta{Order::sc, Scope::cta};
constexpr Fence acq_rel_gpu{Order::acq_rel, Scope::gpu};

// What the variants change.
struct Steps {
  How write_partial = weak, read_partial = cg;
  std::optional<Fence> writer_fence = sc_gpu;  // every thread, before the barrier
  bool barrier_before_count = true;
  std::optional<Fence> leader_fence;  // thread 0, after the barrier
  How increment = relaxed(Scope::gpu);
  bool counter_per_tile = true;
  std::optional<Fence> reader_fence = sc_gpu;  // thread 0 of the last CTA
  bool barrier_after_flag = true;
  bool reset = true;
};

Kernel kernel(const SplitK& shape, const Steps& steps) {
  const std::int64_t S = shape.splits, T = shape.threads;
  const bool alone = T == 1;  // one thread needs no barrier and no flag to agree with itself: fewer events

  KernelBuilder k("splitk_serial");
  const Array in = k.global("in", Type::f32);    // [tile][split][thread]
  const Array ws = k.global("ws", Type::f32);    // [tile][split][thread]
  const Array sem = k.global("sem", Type::u32);  // [tile]
  const Array out = k.global("out", Type::f32);  // [tile][thread]
  const Array is_last = k.shared("is_last", Type::u32, 1);

  const Val t = k.tid(), split = k.ctaid(), tile = k.ctaid_y();
  const auto slot = [&](const Val& s) { return (tile * S + s) * T + t; };
  const Val counter = steps.counter_per_tile ? tile : Val(0);

  const Val mine = k.var("mine", Type::u32, slot(split));
  const Val part = k.ld(in[mine], "part");
  k.st(ws[mine], part, steps.write_partial);
  fence(k, steps.writer_fence);
  if (!alone && steps.barrier_before_count) k.bar_sync();

  const Val last = k.var("last", Type::pred, false);
  k.if_(t == 0, [&] {
    fence(k, steps.leader_fence);
    const Val ticket = k.var("ticket", Type::u32, k.atom(AtomicOp::add, sem[counter], 1, steps.increment));
    k.set(last, ticket == S - 1);
    k.if_(last, [&] { fence(k, steps.reader_fence); });
    if (!alone) k.st(is_last[0], last);
  });
  if (!alone) {
    if (steps.barrier_after_flag) k.bar_sync();
    k.set(last, k.ld(is_last[0], "flag") != 0);
  }

  k.if_(last, [&] {
    const Val sum = k.var("sum", Type::f32, 0);
    k.for_(0, S, [&](const Val& s) { k.set(sum, sum + k.ld(ws[slot(s)], "partial", steps.read_partial)); });
    k.st(out[tile * T + t], sum);
    // No barrier before the reset: the others read partials, not the counter. The next launch comes after all.
    if (steps.reset) k.if_(t == 0, [&] { k.st(sem[counter], 0); });
  });
  return k.build();
}

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
  };
}
// clang-format on

Problem build(const Parameters& parameters, std::string_view variant) {
  const SplitK shape = splitk_shape(parameters);
  const std::int64_t S = shape.splits, T = shape.threads, tiles = shape.tiles;
  using enum InitialContents::Kind;

  Problem problem;
  problem.name = "splitk-serial";
  problem.kernels = {kernel(shape, change(Steps{}, rows(), variant))};
  // `ws` is fresh from cudaMalloc and holds anything, so that a stale partial shows as a wrong sum.
  problem.buffers = {input("in", Type::f32, tiles * S * T), workspace("ws", Type::f32, tiles * S * T, any),
                     workspace("sem", Type::u32, tiles, zero), output("out", Type::f32, tiles * T)};
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
      .build = build};
}

}  // namespace fencewise::protocols
