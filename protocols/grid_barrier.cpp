#include "protocols/grid_barrier.h"

#include <utility>

namespace fencewise::protocols {

std::vector<Parameter> grid_barrier_parameters() {
  return {{"ctas", "CTAs of the grid, all resident", 2, 1, 132, {}},
          {"threads", "threads of a CTA", 1, 1, 1024, {}},
          {"rounds", "how often the grid meets", 2, 0, 8, {}},
          {"replays", "how often the launch is repeated", 1, 1, 8, {}}};
}

GridShape grid_shape(const Parameters& parameters) {
  return {parameters["ctas"], parameters["threads"], parameters["rounds"]};
}

void leader_only(KernelBuilder& k, const GridShape& shape, const KernelBuilder::Body& body) {
  if (shape.threads > 1)
    k.if_(k.tid() == 0, body);
  else
    body();
}

void grid_rounds(KernelBuilder& k, const GridShape& shape, const MeetingSteps& steps,
                 const std::function<void(const Val& round)>& meet) {
  const bool several = shape.threads > 1;
  const Array in = k.global("in", Type::f32), cell = k.global("cell", Type::f32),
              out = k.global("out", Type::f32);
  k.for_(0, shape.rounds, [&](const Val& round) {
    const auto slot = [&](const Val& cta) {
      return (cta * Val(shape.rounds) + round) * Val(shape.threads) + k.tid();
    };
    // The own slot is computed where it is used: a CTA that keeps its number in a register is no longer like any other.
    k.st(cell[slot(k.ctaid())], k.ld(in[slot(k.ctaid())], "part"));
    if (several && steps.barrier_before) k.bar_sync();
    leader_only(k, shape, [&] { meet(round); });
    if (several && steps.barrier_after) k.bar_sync();
    const Val sum = k.var("sum", Type::f32, 0);
    k.for_(0, shape.ctas, [&](const Val& cta) { k.set(sum, sum + k.ld(cell[slot(cta)], "theirs")); });
    k.st(out[slot(k.ctaid())], sum);
  });
}

Problem grid_problem(std::string name, const GridShape& shape, Kernel kernel,
                     const std::vector<std::string>& words) {
  const auto [C, T, R] = shape;
  using enum InitialContents::Kind;
  Problem problem;
  problem.name = std::move(name);
  problem.kernels = {std::move(kernel)};
  problem.buffers = {input("in", Type::f32, C * R * T), workspace("cell", Type::f32, C * R * T, any),
                     output("out", Type::f32, C * R * T)};
  for (const std::string& word : words) problem.buffers.push_back(workspace(word, Type::u32, 1, zero));

  Launch launch;
  launch.name = problem.name;
  launch.grid = {static_cast<std::uint32_t>(C), 1, 1};
  launch.block = {static_cast<std::uint32_t>(T), 1, 1};
  problem.launches = {std::move(launch)};

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  const auto sums_of = [&](const Term& cta, const Term& round, const Term& t) {
    const auto slot = [&](const Term& c) { return (c * shape.rounds + round) * shape.threads + t; };
    return out[slot(cta)] == sum("c", 0, shape.ctas, [&](const Term& c) { return in[slot(c)]; });
  };
  problem.contract.assertions = {
      {.text = "out[cta][round][t] == sum over c of in[c][round][t]",
       .formula = forall("cta", 0, C,
                         [&](const Term& cta) {
                           return forall("round", 0, shape.rounds, [&](const Term& round) {
                             return forall("t", 0, shape.threads,
                                           [&](const Term& t) { return sums_of(cta, round, t); });
                           });
                         }),
       .when = When::each_replay}};
  return problem;
}

}  // namespace fencewise::protocols
