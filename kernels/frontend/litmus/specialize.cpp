#include "kernels/frontend/litmus/specialize.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/litmus/placement.h"
#include "kernels/frontend/litmus/scalar_locations.h"
#include "kernels/frontend/litmus/specialize_contract.h"
#include "kernels/frontend/litmus/specialize_thread.h"

namespace fencewise::litmus {
namespace {

// At most most_threads: counts before it makes a list of them.
std::uint32_t threads_in(const Launch& launch) {
  const std::uint64_t count =
      launch.placed.empty() ? launch.grid.count() * launch.block.count() : launch.placed.size();
  if (count > most_threads)
    throw NotModelled(fmt::format("a litmus test has at most {} threads, not {}", most_threads, count));
  return static_cast<std::uint32_t>(count);
}

}  // namespace

Problem specialize(const Problem& problem) {
  validate(problem);
  if (problem.launches.size() != 1)
    throw NotModelled(fmt::format("a litmus test has one launch, not {}", problem.launches.size()));
  if (problem.replays != 1)
    throw NotModelled(fmt::format("a litmus test has one replay, not {}", problem.replays));
  const Launch& launch = problem.launches.front();
  const std::uint32_t count = threads_in(launch);
  std::vector<std::vector<RegisterId>> kept(count);
  for (const ThreadRegister& reg : registers_of(problem.contract)) kept[reg.thread].push_back(reg.reg);

  ScalarLocations locations(problem);
  BarrierInstances barriers;
  RegisterNames registers;
  Problem result;
  result.name = problem.name;
  Launch placed;
  placed.name = problem.name;
  const std::vector<ThreadCoordinates> threads = threads_of(launch);
  for (std::uint32_t i = 0; i < count; ++i) {
    SpecializedThread thread = specialize_thread(problem, launch, i, kept[i], locations, barriers);
    result.kernels.push_back(std::move(thread.kernel));
    registers.push_back(std::move(thread.registers));
    placed.placed.push_back({KernelId{i}, threads[i].placement});
  }
  result.launches.push_back(std::move(placed));
  result.contract = specialize_contract(problem, registers, locations);
  result.buffers = locations.buffers();
  return result;
}

}  // namespace fencewise::litmus
