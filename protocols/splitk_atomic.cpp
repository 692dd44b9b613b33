// Split-K by atomics: every CTA adds its partial sums to an accumulator and counts itself in. The one that counts last
// moves the sums to the output, and leaves accumulator and counter at zero for the next launch.
//
// The additions are relaxed; the count releases and acquires, so that the last CTA may read the sums weakly.
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"
#include "protocols/splitk.h"

namespace fencewise::protocols {
namespace {

// What the variants change.
struct Steps {
  How increment = acq_rel(Scope::gpu);
  bool rezero = true;
  bool reset = true;
};

Kernel kernel(const SplitK& shape, const Steps& steps) {
  const std::int64_t S = shape.splits, T = shape.threads;
  const bool alone = T == 1;  // one thread needs no barrier and no flag to agree with itself: fewer events

  KernelBuilder k("splitk_atomic");
  const Array in = k.global("in", Type::f32);    // [tile][split][thread]
  const Array acc = k.global("acc", Type::f32);  // [tile][thread]
  const Array sem = k.global("sem", Type::u32);  // [tile]
  const Array out = k.global("out", Type::f32);  // [tile][thread]
  const Array is_last = k.shared("is_last", Type::u32, 1);

  const Val t = k.tid(), split = k.ctaid(), tile = k.ctaid_y();
  const Val element = k.var("element", Type::u32, tile * T + t);

  const Val part = k.ld(in[(tile * S + split) * T + t], "part");
  k.red(AtomicOp::add, acc[element], part, relaxed(Scope::gpu));
  if (!alone) k.bar_sync();

  const Val last = k.var("last", Type::pred, false);
  k.if_(t == 0, [&] {
    const Val ticket = k.var("ticket", Type::u32, k.atom(AtomicOp::add, sem[tile], 1, steps.increment));
    k.set(last, ticket == S - 1);
    if (!alone) k.st(is_last[0], last);
  });
  if (!alone) {
    k.bar_sync();
    k.set(last, k.ld(is_last[0], "flag") != 0);
  }

  k.if_(last, [&] {
    const Val sum = k.ld(acc[element], "sum");
    k.st(out[element], sum);
    if (steps.rezero) k.st(acc[element], 0);  // each thread its own element, after its own read: no barrier
    if (steps.reset) k.if_(t == 0, [&] { (void)k.atom(AtomicOp::exch, sem[tile], 0); });
  });
  return k.build();
}

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
  };
}
// clang-format on

Problem build(const Parameters& parameters, std::string_view variant) {
  const SplitK shape = splitk_shape(parameters);
  const std::int64_t S = shape.splits, T = shape.threads, tiles = shape.tiles;
  using enum InitialContents::Kind;

  Problem problem;
  problem.name = "splitk-atomic";
  problem.kernels = {kernel(shape, change(Steps{}, rows(), variant))};
  problem.buffers = {input("in", Type::f32, tiles * S * T), workspace("acc", Type::f32, tiles * T, zero),
                     workspace("sem", Type::u32, tiles, zero), output("out", Type::f32, tiles * T)};
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
          .build = build};
}

}  // namespace fencewise::protocols
