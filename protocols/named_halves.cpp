// One half of a CTA produces, the other consumes, over one buffer in shared memory. Two named barriers: `full` says that
// the buffer may be read, `empty` that it may be written again. Who only reports arrives; who needs it waits.
//
// Counts name the threads of both halves. (PTX wants a multiple of the warp size; here any number of threads may be tried,
// and what goes wrong does so with one thread in each half.)
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

struct Steps {
  int full = 1, empty = 2;  // numbers of the barriers
  bool consumer_waits = true, producer_waits = true;
  bool consumer_reports = true;
  bool producer_waits_at_full = false;  // bar.sync where an arrival is enough
  bool count_of_half = false;
};

struct Shape {
  std::int64_t threads, rounds;
};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need a_round{"rounds", 1}, two_rounds{"rounds", 2};
  return {
      {"", "producers wait for empty, write, arrive at full; consumers wait for full, read, arrive at empty", {},
       verified(), verified(), nullptr},

      {"consumer-only-arrives", "an arrival takes nothing: consumers read before it is written", {a_round},
       violated({race, unwritten_read}, "buf"), violated({assertion, unwritten_read}),
       [](Steps& s) { s.consumer_waits = false; }},

      {"producer-only-arrives", "producers write the next round while the last is read, or meet themselves at full",
       {two_rounds},
       violated({race, barrier_divergence}), violated({assertion, barrier_divergence}),
       [](Steps& s) { s.producer_waits = false; }},

      {"one-barrier", "full and empty on one number: a producer's arrival meets its own wait", {two_rounds},
       violated({race, barrier_divergence}), violated({assertion, barrier_divergence}),
       [](Steps& s) { s.empty = s.full; }},

      {"count-of-half", "full counts one half only: consumers meet without the producers", {a_round},
       violated({race, stuck, unwritten_read}), violated({assertion, stuck, unwritten_read}),
       [](Steps& s) { s.count_of_half = true; }},

      {"consumer-does-not-report", "nobody says that the buffer is empty: producers wait for ever", {two_rounds},
       violated({stuck}), violated({stuck}),
       [](Steps& s) { s.consumer_reports = false; }},

      {"sync-on-both-sides", "producers wait at full as well: slower, and right", {},
       verified(), verified(),
       [](Steps& s) { s.producer_waits_at_full = true; }},
  };
}
// clang-format on

Kernel kernel(const Shape& shape, const Steps& steps) {
  KernelBuilder k("named_halves");
  const Array in = k.global("in", Type::f32), out = k.global("out", Type::f32);
  const Array buf = k.shared("buf", Type::f32, static_cast<std::uint64_t>(shape.threads));
  const Val T = shape.threads, all = 2 * shape.threads;
  const Val full_count = steps.count_of_half ? T : all;
  const auto at = [&](int id, const Val& count, bool waits) {
    if (waits)
      k.bar_sync(id, count);
    else
      k.bar_arrive(id, count);
  };

  const auto produce = [&](const Val& round) {
    k.if_(round > 0, [&] { at(steps.empty, all, steps.producer_waits); });
    k.st(buf[k.tid()], k.ld(in[round * T + k.tid()], "item"));
    at(steps.full, full_count, steps.producer_waits_at_full);
  };
  // A consumer reads what another producer wrote than the one of its own number.
  const auto consume = [&](const Val& round) {
    const Val mine = k.tid() - T;
    at(steps.full, full_count, steps.consumer_waits);
    k.st(out[round * T + mine], k.ld(buf[T - 1 - mine], "item"));
    if (steps.consumer_reports) k.if_(round < shape.rounds - 1, [&] { at(steps.empty, all, false); });
  };
  k.if_else(
      k.tid() < T, [&] { k.for_(0, shape.rounds, produce); }, [&] { k.for_(0, shape.rounds, consume); });
  return k.build();
}

Problem build(const Parameters& parameters, std::string_view variant) {
  const Shape shape{parameters["threads"], parameters["rounds"]};
  const auto [T, R] = shape;
  Problem problem;
  problem.name = "named-halves";
  problem.kernels = {kernel(shape, change(Steps{}, rows(), variant))};
  problem.buffers = {input("in", Type::f32, R * T), output("out", Type::f32, R * T)};
  Launch launch;
  launch.name = "named-halves";
  launch.grid = {1, 1, 1};
  launch.block = {static_cast<std::uint32_t>(2 * T), 1, 1};
  problem.launches = {launch};

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  problem.contract.assertions = {
      {.text = "out[round][t] == in[round][threads - 1 - t]",
       .formula = forall("round", 0, R,
                         [&](const Term& round) {
                           return forall("t", 0, shape.threads, [&](const Term& t) {
                             return out[round * shape.threads + t] ==
                                    in[round * shape.threads + (shape.threads - 1 - t)];
                           });
                         }),
       .when = When::each_replay}};
  return problem;
}

}  // namespace

Protocol named_halves() {
  return {.name = "named-halves",
          .summary = "producers and consumers in one CTA, by two named barriers",
          .parameters = {{"threads", "threads of each half", 1, 1, 512, {}},
                         {"rounds", "buffers passed", 2, 0, 8, {}}},
          .variants = variants_of(rows()),
          .sweep = "threads=1..3,rounds=0..4",
          .build = build};
}

}  // namespace fencewise::protocols
