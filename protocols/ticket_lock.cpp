// A ticket lock: draw a number, wait until it is served, serve the next. First come, first served.
//
// Drawing needs no order, only atomicity. What is handed over is handed over by `serving`: who gives releases, who waits
// acquires.
#include <vector>

#include "protocols/lock.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

struct Steps {
  bool draw_atomically = true;
  How poll = acquire(Scope::gpu), serve = release(Scope::gpu);
  std::optional<Fence> fence_after_poll, fence_before_serve;
  bool serve_by_atomic = false;
  SectionSteps section;
};

constexpr Fence sc_gpu{Order::sc, Scope::gpu};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2}, two_threads{"threads", 2}, a_round{"rounds", 1};
  return {
      {"", "draw a ticket, poll with acquire; serve the next with release", {},
       verified(), verified(), nullptr},

      {"relaxed-poll", "who sees its number doesn't acquire what the last holder wrote", {two_ctas, a_round},
       violated({race}, "count"), verified(),
       [](Steps& s) { s.poll = relaxed(Scope::gpu); }},

      {"relaxed-poll-volatile", "the same with volatile counters: a lost addition, and no race says so", {two_ctas, a_round},
       violated_without_race({assertion}, "count"), verified(),
       [](Steps& s) { s.poll = relaxed(Scope::gpu); s.section.count = volatile_; }},

      {"relaxed-serve", "the next number is shown without releasing what was written", {two_ctas, a_round},
       violated({race}, "count"), verified(),
       [](Steps& s) { s.serve = relaxed(Scope::gpu); }},

      {"serve-scope-cta", "the number is served at a scope that leaves the other CTAs out", {two_ctas, a_round},
       violated({race}), verified(),
       [](Steps& s) { s.poll = acquire(Scope::cta); s.serve = release(Scope::cta); }},

      {"serve-before-write", "the number is served before the counter is written", {two_ctas, a_round},
       violated({race}, "count"), violated({assertion}, "count"),
       [](Steps& s) { s.section.give_before_write = true; }},

      {"draw-by-load-and-store", "two CTAs may draw the same number and enter together", {two_ctas, a_round},
       violated({race, assertion}), violated({assertion}, "count"),
       [](Steps& s) { s.draw_atomically = false; }},

      {"no-barrier-after-take", "the other threads don't wait until thread 0 has the lock", {two_ctas, two_threads, a_round},
       violated({race}, "count"), violated({assertion}, "count"),
       [](Steps& s) { s.section.barrier_after_take = false; }},

      {"no-barrier-before-serve", "thread 0 serves the next number while others still write", {two_ctas, two_threads, a_round},
       violated({race}, "count"), violated({assertion}, "count"),
       [](Steps& s) { s.section.barrier_before_give = false; }},

      {"fences", "volatile polls and __threadfence() on both sides, as older CUDA has it", {},
       verified(), verified(),
       [](Steps& s) { s.poll = s.serve = volatile_; s.fence_after_poll = s.fence_before_serve = sc_gpu; }},

      {"serve-by-atomic", "the holder alone writes `serving`, so an atomic addition serves as well", {},
       verified(), verified(),
       [](Steps& s) { s.serve_by_atomic = true; }},
  };
}
// clang-format on

Kernel kernel(const LockShape& shape, const Steps& steps) {
  KernelBuilder k("ticket_lock");
  const Place next = k.global("next", Type::u32)[0], serving = k.global("serving", Type::u32)[0];
  Val ticket = 0;

  const auto take = [&] {
    if (steps.draw_atomically) {
      ticket = k.atom(AtomicOp::add, next, 1);
    } else {
      ticket = k.ld(next, "ticket", relaxed(Scope::gpu));
      k.st(next, ticket + 1, relaxed(Scope::gpu));
    }
    k.await([&] { return k.ld(serving, "served", steps.poll); },
            [&](const Val& served) { return served == ticket; });
    fence(k, steps.fence_after_poll);
  };
  const auto serve = [&] {
    fence(k, steps.fence_before_serve);
    if (steps.serve_by_atomic)
      k.red(AtomicOp::add, serving, 1, steps.serve);
    else
      k.st(serving, ticket + 1, steps.serve);
  };
  locked_rounds(k, shape, steps.section, take, serve);
  return k.build();
}

Problem build(const Parameters& parameters, std::string_view variant) {
  const LockShape shape = lock_shape(parameters);
  return locked_problem("ticket-lock", shape, kernel(shape, change(Steps{}, rows(), variant)),
                        {"next", "serving"});
}

}  // namespace

Protocol ticket_lock() {
  return {.name = "ticket-lock",
          .summary = "a lock that serves CTAs in the order in which they drew their numbers",
          .parameters = lock_parameters(),
          .variants = variants_of(rows()),
          .sweep = "ctas=1..3,threads=1..2,rounds=0..2",
          .build = build};
}

}  // namespace fencewise::protocols
