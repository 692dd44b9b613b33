// A grid barrier with a generation: who arrives last makes the counter zero again and starts the next generation; the
// others wait until the generation is another than the one they came in.
//
// The order inside the last arrival matters: the counter is zero before the new generation lets anybody arrive again.
#include <utility>
#include <vector>

#include "protocols/grid_barrier.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

struct Steps {
  bool look_before_arriving = true;
  How look = acquire(Scope::gpu), arrive = acq_rel(Scope::gpu), start = release(Scope::gpu),
      poll = acquire(Scope::gpu);
  bool reset = true, reset_first = true;
  std::optional<Fence> fence_before_look, fence_before_arriving, fence_before_start, fence_after_waiting;
  MeetingSteps meeting;
};

constexpr Fence sc_gpu{Order::sc, Scope::gpu};

// Volatile accesses and __threadfence(), as older CUDA has it.
void use_fences(Steps& s) {
  s.arrive = relaxed(Scope::gpu);
  s.look = s.start = s.poll = volatile_;
  s.fence_before_arriving = s.fence_before_start = s.fence_after_waiting = sc_gpu;
}

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2}, two_threads{"threads", 2}, a_round{"rounds", 1}, two_rounds{"rounds", 2};
  return {
      {"", "note the generation, arrive; the last resets the counter and starts the next", {},
       verified(), verified(), nullptr},

      {"relaxed-arrival", "arriving doesn't release: the last can't pass on what the others wrote", {two_ctas, a_round},
       violated({race}, "cell"), verified(),
       [](Steps& s) { s.arrive = relaxed(Scope::gpu); }},

      {"arrival-without-acquire", "the last to arrive doesn't acquire what the others released", {two_ctas, a_round},
       violated({race}, "cell"), verified(),
       [](Steps& s) { s.arrive = release(Scope::gpu); }},

      {"relaxed-start", "the new generation doesn't release", {two_ctas, a_round},
       violated({race}, "cell"), verified(),
       [](Steps& s) { s.start = relaxed(Scope::gpu); }},

      {"relaxed-poll", "who waits doesn't acquire", {two_ctas, a_round},
       violated({race}, "cell"), verified(),
       [](Steps& s) { s.poll = relaxed(Scope::gpu); }},

      {"arrival-scope-cta", "arriving at a scope that leaves the other CTAs out", {two_ctas, a_round},
       violated({race}), verified(),
       [](Steps& s) { s.arrive = acq_rel(Scope::cta); }},

      {"look-after-arriving", "the generation may be the next one already: then nothing ends the wait", {two_ctas, a_round},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.look_before_arriving = false; }},

      {"no-reset", "the counter is left where it stands: in the second round nobody is last", {two_ctas, two_rounds},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.reset = false; }},

      {"reset-after-start", "the reset wipes out an arrival of the next round", {two_ctas, two_rounds},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.reset_first = false; }},

      {"no-barrier-before", "thread 0 arrives while others of its CTA still write", {two_ctas, two_threads, a_round},
       violated({race}, "cell"), violated({assertion}, "out"),
       [](Steps& s) { s.meeting.barrier_before = false; }},

      {"no-barrier-after", "the other threads don't wait until thread 0 has met the grid", {two_ctas, two_threads, a_round},
       violated({race}, "cell"), violated({assertion}, "out"),
       [](Steps& s) { s.meeting.barrier_after = false; }},

      {"relaxed-look", "noting the generation needs no order: right", {},
       verified(), verified(),
       [](Steps& s) { s.look = relaxed(Scope::gpu); }},

      {"fences", "volatile accesses and three __threadfence(): before arriving, before the start, after waiting", {},
       verified(), verified(),
       [](Steps& s) { use_fences(s); }},

      {"no-fence-before-start", "the new generation may be seen before the reset: an arrival is wiped out",
       {two_ctas, two_rounds},
       violated({livelock, stuck}), verified(),
       [](Steps& s) { use_fences(s); s.fence_before_start = {}; }},

      {"fence-before-look", "the look stands behind the fence: it may read what arriving brings about (load buffering)",
       {two_ctas, a_round},
       violated({livelock, stuck}), verified(),
       [](Steps& s) { use_fences(s); std::swap(s.fence_before_look, s.fence_before_arriving); }},
  };
}
// clang-format on

Kernel kernel(const GridShape& shape, const Steps& steps) {
  KernelBuilder k("grid_barrier_sense");
  const Place count = k.global("count", Type::u32)[0], generation = k.global("generation", Type::u32)[0];
  const auto look = [&] { return k.ld(generation, "current", steps.look); };
  const auto reset = [&] {
    if (steps.reset) k.st(count, 0, relaxed(Scope::gpu));
  };

  const auto meet = [&](const Val&) {
    fence(k, steps.fence_before_look);
    Val current = 0;
    if (steps.look_before_arriving) current = look();
    fence(k, steps.fence_before_arriving);
    const Val arrived = k.atom(AtomicOp::add, count, 1, steps.arrive);
    if (!steps.look_before_arriving) current = look();
    const auto start_next = [&] {
      if (steps.reset_first) reset();
      fence(k, steps.fence_before_start);
      k.st(generation, current + 1, steps.start);
      if (!steps.reset_first) reset();
    };
    const auto wait = [&] {
      k.await([&] { return k.ld(generation, "seen", steps.poll); },
              [&](const Val& seen) { return seen != current; });
    };
    k.if_else(arrived == shape.ctas - 1, start_next, wait);
    fence(k, steps.fence_after_waiting);
  };
  grid_rounds(k, shape, steps.meeting, meet);
  return k.build();
}

Problem build(const Parameters& parameters, std::string_view variant) {
  const GridShape shape = grid_shape(parameters);
  const Steps steps = change(Steps{}, rows(), variant);
  Problem problem = grid_problem("grid-barrier-sense", shape, kernel(shape, steps), {"count", "generation"});
  problem.replays = static_cast<std::uint32_t>(parameters["replays"]);
  problem.contract.restored = {term(problem, "count").id()};
  return problem;
}

}  // namespace

Protocol grid_barrier_sense() {
  return {.name = "grid-barrier-sense",
          .summary = "a barrier of all CTAs, used again and again: a counter and a generation",
          .parameters = grid_barrier_parameters(),
          .variants = variants_of(rows()),
          .sweep = "ctas=1..3,threads=1..2,rounds=0..3,replays=1..2",
          .build = build};
}

}  // namespace fencewise::protocols
