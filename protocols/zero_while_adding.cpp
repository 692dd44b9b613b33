// An accumulator that is zeroed in the launch that adds to it. CTA 0 zeroes it, says so, and the others wait before they
// add. The last CTA to be done takes the sums.
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

struct Steps {
  bool zero_in_launch = true;  // false: the last CTA leaves zeros for the next launch
  bool wait = true;
  bool zero_by_exchange = false;
  How show = release(Scope::gpu), look = acquire(Scope::gpu);
};

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2};
  return {
      {"", "CTA 0 zeroes and shows a flag; the others wait for it", {},
       verified(), verified(), nullptr},

      {"no-wait", "CTA 0 zeroes while others add: what was added before is lost", {two_ctas},
       violated({race}, "acc"), violated({assertion}, "out"),
       [](Steps& s) { s.wait = false; }},

      {"no-wait-exchange", "the same with an atomic exchange: lost as well, and no race says so", {two_ctas},
       violated_without_race({assertion}, "out"), violated({assertion}, "out"),
       [](Steps& s) { s.wait = false; s.zero_by_exchange = true; }},

      {"relaxed-flag", "the flag doesn't release the zero", {two_ctas},
       violated({race}, "acc"), verified(),
       [](Steps& s) { s.show = relaxed(Scope::gpu); }},

      {"relaxed-look", "who sees the flag doesn't acquire the zero", {two_ctas},
       violated({race}, "acc"), verified(),
       [](Steps& s) { s.look = relaxed(Scope::gpu); }},

      {"flag-scope-cta", "the flag is shown at a scope that leaves the other CTAs out", {two_ctas},
       violated({race}), verified(),
       [](Steps& s) { s.show = release(Scope::cta); }},

      {"zero-for-the-next", "the last CTA zeroes for the next launch: nobody waits, and right", {},
       verified(), verified(),
       [](Steps& s) { s.zero_in_launch = false; }},
  };
}
// clang-format on

Kernel kernel(std::int64_t ctas, const Steps& steps) {
  KernelBuilder k("zero_while_adding");
  const Array in = k.global("in", Type::f32);
  const Place acc = k.global("acc", Type::f32)[0], out = k.global("out", Type::f32)[0];
  const Place zeroed = k.global("zeroed", Type::u32)[0], count = k.global("count", Type::u32)[0];

  const auto zero = [&] {
    if (steps.zero_by_exchange)
      static_cast<void>(k.atom(AtomicOp::exch, acc, 0.0F));
    else
      k.st(acc, 0.0F);
  };
  const auto zero_and_show = [&] {
    zero();
    if (steps.wait) k.st(zeroed, 1, steps.show);
  };
  const auto wait = [&] {
    if (steps.wait)
      k.await([&] { return k.ld(zeroed, "is_zero", steps.look); },
              [](const Val& is_zero) { return is_zero == 1; });
  };
  if (steps.zero_in_launch) k.if_else(k.ctaid() == 0, zero_and_show, wait);

  k.red(AtomicOp::add, acc, k.ld(in[k.ctaid()], "part"));
  const Val before = k.atom(AtomicOp::add, count, 1, acq_rel(Scope::gpu));
  k.if_(before == ctas - 1, [&] {
    k.st(out, k.ld(acc, "sum"));
    if (!steps.zero_in_launch) zero();
    if (steps.zero_in_launch && steps.wait) k.st(zeroed, 0);
    k.st(count, 0);
  });
  return k.build();
}

Problem build(const Parameters& parameters, std::string_view variant) {
  const std::int64_t ctas = parameters["ctas"];
  const Steps steps = change(Steps{}, rows(), variant);
  using InitialContents::Kind::any;
  using InitialContents::Kind::zero;

  Problem problem;
  problem.name = "zero-while-adding";
  problem.kernels = {kernel(ctas, steps)};
  problem.buffers = {input("in", Type::f32, ctas),
                     workspace("acc", Type::f32, 1, steps.zero_in_launch ? any : zero),
                     workspace("zeroed", Type::u32, 1, zero), workspace("count", Type::u32, 1, zero),
                     output("out", Type::f32, 1)};
  Launch launch;
  launch.name = "zero-while-adding";
  launch.grid = {static_cast<std::uint32_t>(ctas), 1, 1};
  launch.block = {1, 1, 1};
  problem.launches = {launch};
  problem.replays = static_cast<std::uint32_t>(parameters["replays"]);

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  problem.contract.assertions = {
      {.text = "out[0] == sum over cta of in[cta]",
       .formula = out[0] == sum("cta", 0, ctas, [&](const Term& cta) { return in[cta]; }),
       .when = When::each_replay}};
  problem.contract.restored = {term(problem, "zeroed").id(), term(problem, "count").id()};
  return problem;
}

}  // namespace

Protocol zero_while_adding() {
  return {.name = "zero-while-adding",
          .summary = "an accumulator zeroed by one CTA in the launch in which all add to it",
          .parameters = {{"ctas", "CTAs that add", 2, 1, 132, {}},
                         {"replays", "how often the launch is repeated", 1, 1, 8, {}}},
          .variants = variants_of(rows()),
          .sweep = "ctas=1..3,replays=1..3",
          .build = build};
}

}  // namespace fencewise::protocols
