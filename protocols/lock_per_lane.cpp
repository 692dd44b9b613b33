// A lock that every thread takes for itself, lanes of one warp among them.
//
// Whether that ends depends on how lanes of a warp go on: each on its own, as since Volta, or in lock step. In lock step
// the lane that has the lock waits for its neighbours to leave their loop, and they wait for the lock. Two cures: give the
// lock back inside the loop, so that a lane never waits for the others between taking and giving; or let the lanes of a
// CTA have their turns one after another.
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

enum class Form : std::uint8_t { spin, give_inside, turns };

struct Steps {
  Form form = Form::spin;
  How take = acquire(Scope::gpu), give = release(Scope::gpu);
};

struct Shape {
  std::int64_t ctas, lanes;
};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2}, two_lanes{"lanes", 2};
  return {
      {"", "spin until taken, add, give back: right where lanes go on by themselves", {},
       verified(), verified(), nullptr},

      {"relaxed-take", "lanes of one warp need the acquire like any other threads", {two_lanes},
       violated({race}, "count"), verified(),
       [](Steps& s) { s.take = relaxed(Scope::gpu); }},

      {"relaxed-give", "and the release", {two_lanes},
       violated({race}, "count"), verified(),
       [](Steps& s) { s.give = relaxed(Scope::gpu); }},

      {"scope-cta", "right within a CTA, wrong across CTAs", {two_ctas},
       violated({race}), verified(),
       [](Steps& s) { s.take = acquire(Scope::cta); s.give = release(Scope::cta); }},

      {"give-inside", "add and give back inside the loop: no lane keeps the lock while it waits", {},
       verified(), verified(),
       [](Steps& s) { s.form = Form::give_inside; }},

      {"turns", "the lanes of a CTA try one after another", {},
       verified(), verified(),
       [](Steps& s) { s.form = Form::turns; }},
  };
}
// clang-format on

Kernel kernel(const Shape& shape, const Steps& steps) {
  KernelBuilder k("lock_per_lane");
  const Place lock = k.global("lock", Type::u32)[0], count = k.global("count", Type::u32)[0];
  const auto attempt = [&] { return k.cas(lock, 0, 1, steps.take); };
  const auto spin = [&] { k.await(attempt, [](const Val& old) { return old == 0; }); };
  const auto add_and_give = [&] {
    k.st(count, k.ld(count, "before") + 1);
    k.st(lock, 0, steps.give);
  };
  switch (steps.form) {
    case Form::spin:
      spin();
      add_and_give();
      break;
    case Form::give_inside: {
      const Val done = k.var("done", Type::pred, false);
      k.while_([&] { return !done; },
               [&] {
                 k.if_(attempt() == 0, [&] {
                   add_and_give();
                   k.set(done, true);
                 });
               });
      break;
    }
    case Form::turns:
      k.for_(0, shape.lanes, [&](const Val& lane) {
        k.if_(k.tid() == lane, [&] {
          spin();
          add_and_give();
        });
        k.bar_sync();
      });
      break;
  }
  return k.build();
}

Problem build(const Parameters& parameters, std::string_view variant) {
  const Shape shape{parameters["ctas"], parameters["lanes"]};
  using enum InitialContents::Kind;
  Problem problem;
  problem.name = "lock-per-lane";
  problem.kernels = {kernel(shape, change(Steps{}, rows(), variant))};
  problem.buffers = {workspace("lock", Type::u32, 1, zero), workspace("count", Type::u32, 1, zero)};
  Launch launch;
  launch.name = "lock-per-lane";
  launch.grid = {static_cast<std::uint32_t>(shape.ctas), 1, 1};
  launch.block = {static_cast<std::uint32_t>(shape.lanes), 1, 1};
  launch.warp_size = 32;
  problem.launches = {launch};

  const BufferTerm count = term(problem, "count");
  problem.contract.assertions = {{.text = "count == ctas * lanes",
                                  .formula = count[0] == shape.ctas * shape.lanes,
                                  .when = When::each_replay}};
  return problem;
}

}  // namespace

Protocol lock_per_lane() {
  return {.name = "lock-per-lane",
          .summary = "a spin lock that every lane of a warp takes for itself",
          .parameters = {{"ctas", "CTAs", 1, 1, 132, {}}, {"lanes", "threads of a CTA", 2, 1, 32, {}}},
          .variants = variants_of(rows()),
          .sweep = "ctas=1..2,lanes=1..3",
          .build = build};
}

}  // namespace fencewise::protocols
