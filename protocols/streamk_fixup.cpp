// Stream-K: CTAs take equal shares of the work whatever the tiles, so a tile's sum comes from several CTAs. They add
// their shares in turn: a semaphore says whose turn it is, which makes the order of additions, and so the result, the same
// in every run. The last one writes the output and makes the semaphore zero for the next launch.
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

struct Steps {
  How poll = acquire(Scope::gpu), pass = release(Scope::gpu);
  bool poll_by_cas = false;
  bool barrier_after_turn = true, barrier_before_pass = true;
  bool first_has_no_work = false, pass_without_work = true;
  bool reset = true;
  std::optional<Fence> fence_after_turn, fence_before_pass;
  How sum = weak;  // the accesses to the partial sums
};

struct Shape {
  std::int64_t ctas, threads;
};

constexpr Fence acq_rel_gpu{Order::acq_rel, Scope::gpu};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2}, two_threads{"threads", 2}, two_replays{"replays", 2};
  return {
      {"", "wait for the turn with acquire, add, pass the turn with release; the last resets", {},
       verified(), verified(), nullptr},

      {"relaxed-turn", "the turn is taken without acquire", {two_ctas},
       violated({race}, "ws"), verified(),
       [](Steps& s) { s.poll = relaxed(Scope::gpu); }},

      {"relaxed-turn-by-cas", "a compare-and-swap is no acquire either", {two_ctas},
       violated({race}, "ws"), verified(),
       [](Steps& s) { s.poll = relaxed(Scope::gpu); s.poll_by_cas = true; }},

      {"relaxed-pass", "the turn is passed without release", {two_ctas},
       violated({race}, "ws"), verified(),
       [](Steps& s) { s.pass = relaxed(Scope::gpu); }},

      {"pass-scope-cta", "the turn is passed at a scope that leaves the other CTAs out", {two_ctas},
       violated({race}), verified(),
       [](Steps& s) { s.pass = release(Scope::cta); }},

      {"absent-cta", "a CTA without work leaves without passing the turn: the next waits for ever", {two_ctas},
       violated({livelock, stuck}), violated({livelock, stuck}),
       [](Steps& s) { s.first_has_no_work = true; s.pass_without_work = false; }},

      {"absent-cta-passes", "a CTA without work takes its turn and passes it", {},
       verified(), verified(),
       [](Steps& s) { s.first_has_no_work = true; }},

      {"no-reset", "the next launch waits for turns that are over", {two_ctas, two_replays},
       violated({livelock, stuck, contract}), violated({livelock, stuck, contract}),
       [](Steps& s) { s.reset = false; }},

      {"no-barrier-after-turn", "the other threads don't wait for the turn", {two_ctas, two_threads},
       violated({race, unwritten_read}, "ws"), violated({assertion, unwritten_read}),
       [](Steps& s) { s.barrier_after_turn = false; }},

      {"no-barrier-before-pass", "thread 0 passes the turn while others still add", {two_ctas, two_threads},
       violated({race}, "ws"), violated({assertion, unwritten_read}),
       [](Steps& s) { s.barrier_before_pass = false; }},

      {"fences", "relaxed accesses, a fence after the turn came and one before it goes", {},
       verified(), verified(),
       [](Steps& s) {
         s.poll = s.pass = relaxed(Scope::gpu);
         s.fence_after_turn = s.fence_before_pass = acq_rel_gpu;
       }},
  };
}
// clang-format on

class Fixup {
 public:
  Fixup(KernelBuilder& k, const Shape& shape, const Steps& steps)
      : k_(k), shape_(shape), steps_(steps), turn_(k.global("turn", Type::u32)[0]) {}

  void run() {
    const Array in = k_.global("in", Type::f32), ws = k_.global("ws", Type::f32),
                out = k_.global("out", Type::f32);
    const Val t = k_.tid(), cta = k_.ctaid();
    const Val first = cta == 0;
    const Val sum = k_.var("sum", Type::f32, 0);
    const auto add = [&] { k_.set(sum, sum + k_.ld(in[cta * Val(shape_.threads) + t], "part")); };
    if (steps_.first_has_no_work) {
      if (!steps_.pass_without_work) k_.if_(first, [&] { k_.exit(); });
      k_.if_(!first, add);
    } else {
      add();
    }
    leader([&] { wait_for(cta); });
    meet(steps_.barrier_after_turn);
    k_.if_(!first, [&] { k_.set(sum, k_.ld(ws[t], "so_far", steps_.sum) + sum); });
    const Val last = cta == shape_.ctas - 1;
    k_.if_else(
        last, [&] { k_.st(out[t], sum); }, [&] { k_.st(ws[t], sum, steps_.sum); });
    meet(steps_.barrier_before_pass);
    leader([&] { pass(last); });
  }

 private:
  void leader(const KernelBuilder::Body& body) {
    if (shape_.threads > 1)
      k_.if_(k_.tid() == 0, body);
    else
      body();
  }
  void meet(bool wanted) {
    if (wanted && shape_.threads > 1) k_.bar_sync();
  }
  void wait_for(const Val& turn) {
    k_.await(
        [&] {
          return steps_.poll_by_cas ? k_.cas(turn_, turn, turn, steps_.poll)
                                    : k_.ld(turn_, "now", steps_.poll);
        },
        [&](const Val& now) { return now == turn; });
    fence(k_, steps_.fence_after_turn);
  }
  void pass(const Val& last) {
    fence(k_, steps_.fence_before_pass);
    const Val next = steps_.reset ? k_.select(last, 0, k_.ctaid() + 1) : k_.ctaid() + 1;
    k_.st(turn_, next, steps_.pass);
  }

  KernelBuilder& k_;
  const Shape& shape_;
  const Steps& steps_;
  Place turn_;
};

Problem build(const Parameters& parameters, std::string_view variant) {
  const Shape shape{parameters["ctas"], parameters["threads"]};
  const Steps steps = change(Steps{}, rows(), variant);
  const auto [C, T] = shape;
  using enum InitialContents::Kind;

  KernelBuilder k("streamk_fixup");
  Fixup(k, shape, steps).run();
  Problem problem;
  problem.name = "streamk-fixup";
  problem.kernels = {k.build()};
  problem.buffers = {workspace("turn", Type::u32, 1, zero), input("in", Type::f32, C * T),
                     workspace("ws", Type::f32, T, any), output("out", Type::f32, T)};
  Launch launch;
  launch.name = "streamk-fixup";
  launch.grid = {static_cast<std::uint32_t>(C), 1, 1};
  launch.block = {static_cast<std::uint32_t>(T), 1, 1};
  problem.launches = {launch};
  problem.replays = static_cast<std::uint32_t>(parameters["replays"]);

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  const Term from = steps.first_has_no_work ? 1 : 0;
  problem.contract.assertions = {
      {.text = steps.first_has_no_work ? "out[t] == sum over the CTAs with work of in[cta][t]"
                                       : "out[t] == sum over cta of in[cta][t]",
       .formula = forall("t", 0, T,
                         [&](const Term& t) {
                           return out[t] == sum("cta", from, shape.ctas,
                                                [&](const Term& cta) { return in[cta * shape.threads + t]; });
                         }),
       .when = When::each_replay}};
  problem.contract.restored = {term(problem, "turn").id()};
  return problem;
}

}  // namespace

Protocol streamk_fixup() {
  return {.name = "streamk-fixup",
          .summary = "stream-K fix-up: the CTAs of a tile add their shares in turn, by a semaphore",
          .parameters = {{"ctas", "CTAs that share the tile", 2, 1, 132, {}},
                         {"threads", "threads of a CTA", 1, 1, 1024, {}},
                         {"replays", "how often the launch is repeated", 1, 1, 8, {}}},
          .variants = variants_of(rows()),
          .sweep = "ctas=1..4,threads=1..2,replays=1..2",
          .build = build};
}

}  // namespace fencewise::protocols
