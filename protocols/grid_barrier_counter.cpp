// A grid barrier of one counter: arrive by adding one, wait until all have arrived.
//
// Without a generation the counter must not fall while somebody still looks at it. Here it only rises, and each round
// waits for more; a second counter tells who leaves the launch last, and that CTA alone makes both zero for the next
// launch.
#include <vector>

#include "protocols/grid_barrier.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

enum class Reset : std::uint8_t {
  by_last_to_leave,   // of the launch
  by_last_to_arrive,  // in each round, before it goes on
  ends_the_wait,      // in each round, by the last to arrive: the others wait for zero
  after_the_wait,     // in each round, by everybody
  never,
};

struct Steps {
  How arrive = release(Scope::gpu), poll = acquire(Scope::gpu), leave = acq_rel(Scope::gpu);
  bool target_rises = true;
  bool poll_for_equality = false;
  Reset reset = Reset::by_last_to_leave;
  MeetingSteps meeting;
};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2}, two_threads{"threads", 2}, a_round{"rounds", 1}, two_rounds{"rounds", 2}, two_replays{"replays", 2};
  return {
      {"", "the counter rises through all rounds; the last CTA to leave makes it zero", {},
       verified(), verified(), nullptr},

      {"relaxed-arrival", "arriving doesn't release what was written", {two_ctas, a_round},
       violated({race}, "cell"), verified(),
       [](Steps& s) { s.arrive = relaxed(Scope::gpu); }},

      {"relaxed-poll", "who waits doesn't acquire", {two_ctas, a_round},
       violated({race}, "cell"), verified(),
       [](Steps& s) { s.poll = relaxed(Scope::gpu); }},

      {"arrival-scope-cta", "arriving at a scope that leaves the other CTAs out", {two_ctas, a_round},
       violated({race}), verified(),
       [](Steps& s) { s.arrive = release(Scope::cta); }},

      {"same-target", "each round waits for as many as the first: the second round doesn't wait", {two_ctas, two_rounds},
       violated({race}, "cell"), violated({assertion}, "out"),
       [](Steps& s) { s.target_rises = false; }},

      {"equality", "waits for exactly the target: a slow CTA misses it when a fast one arrives again",
       {two_ctas, two_rounds},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.poll_for_equality = true; }},

      {"no-reset", "the next launch finds the counter full and doesn't wait", {two_ctas, a_round, two_replays},
       violated({race, assertion, contract}), violated({assertion, contract}),
       [](Steps& s) { s.reset = Reset::never; }},

      {"reset-by-last-arrival", "the others may miss that it was full and wait for ever, or arrive before it is zero", {two_ctas, a_round},
       violated({livelock, stuck, race}), violated({livelock, stuck, assertion}),
       [](Steps& s) { s.target_rises = false; s.reset = Reset::by_last_to_arrive; s.arrive = acq_rel(Scope::gpu); }},

      {"reset-after-waiting", "everybody resets: under a late poller, or over the next round's arrivals", {two_ctas, a_round},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.target_rises = false; s.reset = Reset::after_the_wait; }},

      {"wait-for-zero", "the reset itself ends the wait: right for one round, hangs when the fast arrive again",
       {two_ctas, two_rounds},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.target_rises = false; s.reset = Reset::ends_the_wait; s.arrive = acq_rel(Scope::gpu); }},

      {"relaxed-leaving", "the last to leave doesn't know that the others have looked for the last time", {two_ctas, a_round},
       violated({race}), verified(),
       [](Steps& s) { s.leave = relaxed(Scope::gpu); }},

      {"no-barrier-before", "thread 0 arrives while others of its CTA still write", {two_ctas, two_threads, a_round},
       violated({race}, "cell"), violated({assertion}, "out"),
       [](Steps& s) { s.meeting.barrier_before = false; }},

      {"no-barrier-after", "the other threads don't wait until thread 0 has met the grid", {two_ctas, two_threads, a_round},
       violated({race}, "cell"), violated({assertion}, "out"),
       [](Steps& s) { s.meeting.barrier_after = false; }},
  };
}
// clang-format on

class Barrier {
 public:
  Barrier(KernelBuilder& k, const GridShape& shape, const Steps& steps)
      : k_(k), shape_(shape), steps_(steps), count_(word("count")), left_(word("left")) {}

  void meet(const Val& round) {
    const Val arrived = k_.atom(AtomicOp::add, count_, 1, steps_.arrive);
    const Val target = steps_.target_rises ? (round + 1) * Val(shape_.ctas) : Val(shape_.ctas);
    const auto is_last = [&] { return arrived == shape_.ctas - 1; };
    const auto reset = [&] { k_.st(count_, 0, release(Scope::gpu)); };
    switch (steps_.reset) {
      case Reset::never:
      case Reset::by_last_to_leave: wait_for(target); break;
      case Reset::by_last_to_arrive: k_.if_else(is_last(), reset, [&] { wait_for(target); }); break;
      case Reset::ends_the_wait: k_.if_else(is_last(), reset, [&] { wait_for_zero(); }); break;
      case Reset::after_the_wait:
        wait_for(target);
        reset();
        break;
    }
  }
  // By plain stores: leaving puts them behind all looks, and the launch's end publishes them.
  void leave() {
    if (steps_.reset != Reset::by_last_to_leave) return;
    const Val before = k_.atom(AtomicOp::add, left_, 1, steps_.leave);
    k_.if_(before == shape_.ctas - 1, [&] {
      k_.st(count_, 0);
      k_.st(left_, 0);
    });
  }

 private:
  Place word(std::string_view name) { return k_.global(name, Type::u32)[0]; }
  Val look() { return k_.ld(count_, "so_many", steps_.poll); }
  void wait_for(const Val& target) {
    k_.await(
        [&] { return look(); },
        [&](const Val& so_many) { return steps_.poll_for_equality ? so_many == target : so_many >= target; });
  }
  void wait_for_zero() {
    k_.await([&] { return look(); }, [](const Val& so_many) { return so_many == 0; });
  }

  KernelBuilder& k_;
  const GridShape& shape_;
  const Steps& steps_;
  Place count_, left_;
};

Problem build(const Parameters& parameters, std::string_view variant) {
  const GridShape shape = grid_shape(parameters);
  const Steps steps = change(Steps{}, rows(), variant);
  KernelBuilder k("grid_barrier_counter");
  Barrier barrier(k, shape, steps);
  grid_rounds(k, shape, steps.meeting, [&](const Val& round) { barrier.meet(round); });
  leader_only(k, shape, [&] { barrier.leave(); });

  Problem problem = grid_problem("grid-barrier-counter", shape, k.build(), {"count", "left"});
  problem.replays = static_cast<std::uint32_t>(parameters["replays"]);
  problem.contract.restored = {term(problem, "count").id(), term(problem, "left").id()};
  return problem;
}

}  // namespace

Protocol grid_barrier_counter() {
  return {.name = "grid-barrier-counter",
          .summary = "a barrier of all CTAs by one counter, and the ways to reset it wrongly",
          .parameters = grid_barrier_parameters(),
          .variants = variants_of(rows()),
          .sweep = "ctas=1..3,threads=1..2,rounds=0..3,replays=1..2",
          .build = build};
}

}  // namespace fencewise::protocols
