// One CTA writes a message a round, all others read it. A flag counts the messages; two slots let the writer be one
// message ahead of the slowest reader. Before it writes into a slot again it waits until all readers are done with it.
//
// Readers poll for "at least my round": the writer may be further already. Each slot has a counter of its own for the
// readers that are done, since a fast reader may be done with the next slot before a slow one is with this.
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

struct Steps {
  std::int64_t slots = 2;
  bool one_place = false;  // all messages into slot 0, though the writer waits as if there were more
  bool poll_for_equality = false;
  bool wait_for_readers = true;
  bool count_per_slot = true;
  How poll = acquire(Scope::gpu), show = release(Scope::gpu);
  How done = release(Scope::gpu), wait = acquire(Scope::gpu);
};

struct Shape {
  std::int64_t readers, rounds;
};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_readers{"readers", 2}, a_round{"rounds", 1}, two_rounds{"rounds", 2}, three_rounds{"rounds", 3};
  return {
      {"", "two slots; readers wait for at least their round, the writer for all readers of the slot", {},
       verified(), verified(), nullptr},

      {"relaxed-flag", "the flag doesn't release the message", {a_round},
       violated({race}, "data"), verified(),
       [](Steps& s) { s.show = relaxed(Scope::gpu); }},

      {"relaxed-poll", "readers don't acquire the message", {a_round},
       violated({race}, "data"), verified(),
       [](Steps& s) { s.poll = relaxed(Scope::gpu); }},

      {"flag-scope-cta", "the flag is shown at a scope that leaves the readers out", {a_round},
       violated({race}), verified(),
       [](Steps& s) { s.show = release(Scope::cta); }},

      {"equality", "readers wait for exactly their round: a slow one misses it and waits for ever", {two_rounds},
       violated({livelock}, "flag"), violated({livelock}, "flag"),
       [](Steps& s) { s.poll_for_equality = true; }},

      {"one-place", "one slot, but the writer waits as for two: it overwrites what is being read", {two_rounds},
       violated({race}, "data"), violated({assertion}, "out"),
       [](Steps& s) { s.one_place = true; }},

      {"no-wait", "the writer doesn't wait for readers at all", {three_rounds},
       violated({race}, "data"), violated({assertion}, "out"),
       [](Steps& s) { s.wait_for_readers = false; }},

      {"relaxed-done", "reading is not ordered before saying so: the next message may overtake the read", {three_rounds},
       violated({race}, "data"), verified(),
       [](Steps& s) { s.done = relaxed(Scope::gpu); }},

      {"relaxed-wait", "the writer sees that all are done, and doesn't acquire it", {three_rounds},
       violated({race}, "data"), verified(),
       [](Steps& s) { s.wait = relaxed(Scope::gpu); }},

      {"one-counter", "one counter for all slots: a fast reader counts twice and a slow one is forgotten",
       {two_readers, three_rounds},
       violated({race}, "data"), violated({assertion}, "out"),
       [](Steps& s) { s.count_per_slot = false; }},

      {"one-slot", "one slot, and the writer waits for it: never ahead", {},
       verified(), verified(),
       [](Steps& s) { s.slots = 1; }},

      {"one-slot-equality", "then waiting for exactly the round is right too", {},
       verified(), verified(),
       [](Steps& s) { s.slots = 1; s.poll_for_equality = true; }},
  };
}
// clang-format on

Kernel kernel(const Shape& shape, const Steps& steps) {
  KernelBuilder k("message_passing");
  const Array in = k.global("in", Type::f32), data = k.global("data", Type::f32),
              out = k.global("out", Type::f32);
  const Place flag = k.global("flag", Type::u32)[0];
  const Array done = k.global("done", Type::u32);
  const Val slots = steps.slots, rounds = shape.rounds, readers = shape.readers;
  const auto place_of = [&](const Val& round) { return steps.one_place ? data[0] : data[round % slots]; };
  const auto done_of = [&](const Val& round) { return steps.count_per_slot ? done[round % slots] : done[0]; };
  // What a slot's counter shows when all messages that were in the slot before this round are read.
  const auto all_done = [&](const Val& round) {
    return steps.count_per_slot ? readers * (round / slots) : readers * (round - slots + 1);
  };

  const auto write = [&](const Val& round) {
    if (steps.wait_for_readers)
      k.if_(round >= slots, [&] {
        const Val enough = all_done(round);
        k.await([&] { return k.ld(done_of(round), "so_many", steps.wait); },
                [&](const Val& so_many) { return so_many >= enough; });
      });
    k.st(place_of(round), k.ld(in[round], "message"));
    k.st(flag, round + 1, steps.show);
  };
  const auto read = [&](const Val& round) {
    k.await([&] { return k.ld(flag, "shown", steps.poll); },
            [&](const Val& shown) { return steps.poll_for_equality ? shown == round + 1 : shown > round; });
    k.st(out[(k.ctaid() - 1) * rounds + round], k.ld(place_of(round), "message"));
    k.red(AtomicOp::add, done_of(round), 1, steps.done);
  };
  k.if_else(
      k.ctaid() == 0, [&] { k.for_(0, rounds, write); }, [&] { k.for_(0, rounds, read); });
  return k.build();
}

Problem build(const Parameters& parameters, std::string_view variant) {
  const Shape shape{parameters["readers"], parameters["rounds"]};
  const Steps steps = change(Steps{}, rows(), variant);
  using enum InitialContents::Kind;

  Problem problem;
  problem.name = "message-passing";
  problem.kernels = {kernel(shape, steps)};
  problem.buffers = {input("in", Type::f32, shape.rounds), workspace("data", Type::f32, steps.slots, any),
                     workspace("flag", Type::u32, 1, zero), workspace("done", Type::u32, steps.slots, zero),
                     output("out", Type::f32, shape.readers * shape.rounds)};
  Launch launch;
  launch.name = "message-passing";
  launch.grid = {static_cast<std::uint32_t>(shape.readers + 1), 1, 1};
  launch.block = {1, 1, 1};
  problem.launches = {launch};

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  problem.contract.assertions = {
      {.text = "out[reader][round] == in[round]",
       .formula = forall("reader", 0, shape.readers,
                         [&](const Term& reader) {
                           return forall("round", 0, shape.rounds, [&](const Term& round) {
                             return out[reader * shape.rounds + round] == in[round];
                           });
                         }),
       .when = When::each_replay}};
  return problem;
}

}  // namespace

Protocol message_passing() {
  return {.name = "message-passing",
          .summary = "one CTA writes a message a round, the others read it; a flag, two slots",
          .parameters = {{"readers", "CTAs that read", 2, 1, 131, {}}, {"rounds", "messages", 2, 0, 8, {}}},
          .variants = variants_of(rows()),
          .sweep = "readers=1..3,rounds=0..3",
          .build = build};
}

}  // namespace fencewise::protocols
