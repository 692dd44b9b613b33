#include "protocols/lock.h"

#include <utility>

namespace fencewise::protocols {

std::vector<Parameter> lock_parameters() {
  return {{"ctas", "CTAs that want the lock", 2, 1, 132, {}},
          {"threads", "threads of a CTA", 1, 1, 1024, {}},
          {"rounds", "how often each CTA takes the lock", 1, 0, 8, {}}};
}

LockShape lock_shape(const Parameters& parameters) {
  return {parameters["ctas"], parameters["threads"], parameters["rounds"]};
}

void locked_rounds(KernelBuilder& k, const LockShape& shape, const SectionSteps& steps,
                   const std::function<void()>& take, const std::function<void()>& give) {
  const bool several = shape.threads > 1;
  const Place count = k.global("count", Type::u32)[k.tid()];
  const auto leader = [&](const std::function<void()>& what) {
    if (several)
      k.if_(k.tid() == 0, what);
    else
      what();
  };
  k.for_(0, shape.rounds, [&](const Val&) {
    leader(take);
    if (several && steps.barrier_after_take) k.bar_sync();
    const Val before = k.ld(count, "before", steps.count);
    if (steps.give_before_write) leader(give);
    k.st(count, before + 1, steps.count);
    if (several && steps.barrier_before_give) k.bar_sync();
    if (!steps.give_before_write) leader(give);
  });
}

Problem locked_problem(std::string name, const LockShape& shape, Kernel kernel,
                       const std::vector<std::string>& words) {
  using enum InitialContents::Kind;
  Problem problem;
  problem.name = std::move(name);
  problem.kernels = {std::move(kernel)};
  problem.buffers = {workspace("count", Type::u32, shape.threads, zero)};
  for (const std::string& word : words) problem.buffers.push_back(workspace(word, Type::u32, 1, zero));

  Launch launch;
  launch.name = problem.name;
  launch.grid = {static_cast<std::uint32_t>(shape.ctas), 1, 1};
  launch.block = {static_cast<std::uint32_t>(shape.threads), 1, 1};
  problem.launches = {std::move(launch)};

  const BufferTerm count = term(problem, "count");
  problem.contract.assertions = {
      {.text = "count[t] == ctas * rounds",
       .formula = forall("t", 0, shape.threads,
                         [&](const Term& t) { return count[t] == shape.ctas * shape.rounds; }),
       .when = When::each_replay}};
  return problem;
}

}  // namespace fencewise::protocols
