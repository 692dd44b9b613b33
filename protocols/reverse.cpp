// An array reversed through shared memory. The kernel: kernels/reduction/reverse.h.
#include "kernels/reduction/reverse.h"

#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

using Steps = ReverseSteps;

// clang-format off
std::vector<Row<Steps>> rows() {
  using enum FindingKind;
  const Need two_threads{"n", 2};
  return {
      {"", "write, barrier, read", {},
       verified(), verified(), nullptr},

      {"no-barrier", "elements are read before their threads have written them", {two_threads},
       violated({race}, "buf"), violated({assertion, unwritten_read}),
       [](Steps& s) { s.barrier = false; }},

      {"across-ctas", "a CTA a thread: bar.sync waits for the threads of the own CTA only", {two_threads},
       violated({race}, "buf"), violated({assertion, unwritten_read}),
       [](Steps& s) { s.across_ctas = true; }},
  };
}
// clang-format on

Problem build(const Parameters& parameters, std::string_view variant) {
  const std::int64_t n = parameters["n"];
  const Steps steps = change(Steps{}, rows(), variant);
  const Dim3 one, all{static_cast<std::uint32_t>(n), 1, 1};

  Problem problem;
  problem.name = "reverse";
  problem.kernels = {reverse_kernel(static_cast<std::uint32_t>(n), steps)};
  problem.buffers = {input("in", Type::f32, n), output("out", Type::f32, n)};
  if (steps.across_ctas)
    problem.buffers.push_back(workspace("buf", Type::f32, n, InitialContents::Kind::unwritten));

  Launch launch;
  launch.name = "reverse";
  launch.grid = steps.across_ctas ? all : one;
  launch.block = steps.across_ctas ? one : all;
  problem.launches = {launch};

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  problem.contract.assertions = {
      {.text = "out[t] == in[n - 1 - t]",
       .formula = forall("t", 0, n, [&](const Term& t) { return out[t] == in[n - 1 - t]; }),
       .when = When::each_replay}};
  return problem;
}

}  // namespace

Protocol reverse() {
  return {.name = "reverse",
          .summary = "reverse an array through shared memory and a barrier",
          .parameters = {{.name = "n",
                          .help = "elements, one a thread",
                          .standard = 4,
                          .min = 1,
                          .max = 1024,
                          .choices = {}}},
          .variants = variants_of(rows()),
          .sweep = "n=1..5",
          .build = build};
}

}  // namespace fencewise::protocols
