// Spin locks: one word, 0 when free. Taken by compare-and-swap, or by an exchange.
//
// They differ in what a failing attempt does. A compare-and-swap that fails writes nothing. An exchange that fails writes
// the 1 that was there.
#include <vector>

#include "protocols/lock.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

struct Steps {
  bool atomically = true;  // false: look, then store
  bool look_first = false;
  How attempt = acquire(Scope::gpu), give = release(Scope::gpu);
  std::optional<Fence> fence_after_take, fence_before_give;
  bool give_back = true;
  SectionSteps section;
};

constexpr Fence acq_rel_gpu{Order::acq_rel, Scope::gpu};

enum class Kind : std::uint8_t { cas, exch };

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2}, two_threads{"threads", 2}, a_round{"rounds", 1};
  return {
      {"", "take with acquire, give back with release", {},
       verified(), verified(), nullptr},

      {"relaxed-take", "who takes the lock doesn't acquire what the last holder wrote", {two_ctas, a_round},
       violated({race}, "count"), verified(),
       [](Steps& s) { s.attempt = relaxed(Scope::gpu); }},

      {"relaxed-take-volatile", "the same with volatile counters: a lost addition, and no race says so", {two_ctas, a_round},
       violated_without_race({assertion}, "count"), verified(),
       [](Steps& s) { s.attempt = relaxed(Scope::gpu); s.section.count = volatile_; }},

      {"relaxed-give", "the lock is given back without releasing what was written", {two_ctas, a_round},
       violated({race}, "count"), verified(),
       [](Steps& s) { s.give = relaxed(Scope::gpu); }},

      {"scope-cta", "taken and given at a scope that leaves the other CTAs out", {two_ctas, a_round},
       violated({race}), verified(),
       [](Steps& s) { s.attempt = acquire(Scope::cta); s.give = release(Scope::cta); }},

      {"look-then-store", "two CTAs may both see the lock free before either takes it", {two_ctas, a_round},
       violated({race, assertion}), violated({assertion}, "count"),
       [](Steps& s) { s.atomically = false; }},

      {"give-before-write", "the lock is given back before the counter is written", {two_ctas, a_round},
       violated({race}, "count"), violated({assertion}, "count"),
       [](Steps& s) { s.section.give_before_write = true; }},

      {"never-given-back", "an early return keeps the lock: the others spin for ever", {two_ctas, a_round},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.give_back = false; }},

      {"no-barrier-after-take", "the other threads don't wait until thread 0 has the lock", {two_ctas, two_threads, a_round},
       violated({race}, "count"), violated({assertion}, "count"),
       [](Steps& s) { s.section.barrier_after_take = false; }},

      {"no-barrier-before-give", "thread 0 gives the lock back while others still write", {two_ctas, two_threads, a_round},
       violated({race}, "count"), violated({assertion}, "count"),
       [](Steps& s) { s.section.barrier_before_give = false; }},

      {"fences", "relaxed accesses, a fence after taking and one before giving back", {},
       verified(), verified(),
       [](Steps& s) {
         s.attempt = s.give = relaxed(Scope::gpu);
         s.fence_after_take = s.fence_before_give = acq_rel_gpu;
       }},

      {"look-first", "spin on a load and try only when the lock looks free: less traffic, and right", {},
       verified(), verified(),
       [](Steps& s) { s.look_first = true; }},
  };
}
// clang-format on

struct SpinLock {
  Kind kind;
  const Steps& steps;
  KernelBuilder& k;
  Place lock;

  Val look() const { return k.ld(lock, "seen", steps.atomically ? relaxed(Scope::gpu) : steps.attempt); }
  // 0 if the lock was free, and is ours now.
  Val attempt() const {
    if (steps.look_first) wait_until_it_looks_free();
    if (kind == Kind::cas) return k.cas(lock, 0, 1, steps.attempt);
    return k.atom(AtomicOp::exch, lock, 1, steps.attempt);
  }
  void wait_until_it_looks_free() const {
    k.await([&] { return look(); }, [](const Val& seen) { return seen == 0; });
  }
  void take() const {
    if (steps.atomically) {
      k.await([&] { return attempt(); }, [](const Val& old) { return old == 0; });
    } else {
      wait_until_it_looks_free();
      k.st(lock, 1, relaxed(Scope::gpu));
    }
    fence(k, steps.fence_after_take);
  }
  void give() const {
    fence(k, steps.fence_before_give);
    if (steps.give_back) k.st(lock, 0, steps.give);
  }
};

Problem build(Kind kind, const Parameters& parameters, std::string_view variant) {
  const LockShape shape = lock_shape(parameters);
  const Steps steps = change(Steps{}, rows(), variant);
  KernelBuilder k(kind == Kind::cas ? "cas_lock" : "exch_lock");
  const SpinLock lock{kind, steps, k, k.global("lock", Type::u32)[0]};
  locked_rounds(
      k, shape, steps.section, [&] { lock.take(); }, [&] { lock.give(); });
  return locked_problem(kind == Kind::cas ? "cas-lock" : "exch-lock", shape, k.build(), {"lock"});
}

}  // namespace

Protocol cas_lock() {
  return {
      .name = "cas-lock",
      .summary = "a spin lock, taken by compare-and-swap",
      .parameters = lock_parameters(),
      .variants = variants_of(rows()),
      .sweep = "ctas=1..3,threads=1..2,rounds=0..2",
      .build = [](const Parameters& p, std::string_view variant) { return build(Kind::cas, p, variant); }};
}

Protocol exch_lock() {
  return {
      .name = "exch-lock",
      .summary = "a spin lock, taken by exchange",
      .parameters = lock_parameters(),
      .variants = variants_of(rows()),
      .sweep = "ctas=1..2,threads=1..2,rounds=0..1",
      .build = [](const Parameters& p, std::string_view variant) { return build(Kind::exch, p, variant); }};
}

}  // namespace fencewise::protocols
