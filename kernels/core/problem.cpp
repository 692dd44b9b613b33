#include "kernels/core/problem.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/each_instruction.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

// The coordinates of cell number `linear` of an extent, x fastest.
std::array<std::uint32_t, 3> unflatten(std::uint32_t linear, const Dim3& extent) {
  return {linear % extent.x, linear / extent.x % extent.y, linear / extent.x / extent.y};
}

std::vector<ThreadCoordinates> grid_threads(const Launch& launch) {
  const auto ctas = static_cast<std::uint32_t>(launch.grid.count());
  const auto threads_per_cta = static_cast<std::uint32_t>(launch.block.count());
  std::vector<ThreadCoordinates> threads;
  threads.reserve(std::size_t{ctas} * threads_per_cta);
  for (std::uint32_t cta = 0; cta < ctas; ++cta)
    for (std::uint32_t thread = 0; thread < threads_per_cta; ++thread)
      threads.push_back({launch.kernel, Placement{CtaId{cta}, ClusterId{cta}, DeviceId{0}},
                         unflatten(thread, launch.block), unflatten(cta, launch.grid), thread});
  return threads;
}

std::vector<ThreadCoordinates> placed_threads(const Launch& launch) {
  std::map<CtaId, std::uint32_t> in_cta;
  std::vector<ThreadCoordinates> threads;
  threads.reserve(launch.placed.size());
  for (const auto& [kernel, placement] : launch.placed) {
    const std::uint32_t index = in_cta[placement.cta]++;
    threads.push_back({kernel, placement, {index, 0, 0}, {placement.cta.value, 0, 0}, index});
  }
  return threads;
}

BufferId buffer_named(const Problem& problem, const Launch& launch, const Kernel& kernel,
                      const std::string& array) {
  if (const auto id = problem.find_buffer(array)) return *id;
  throw InputError(fmt::format("launch '{}': no buffer named '{}' for the array of kernel '{}'", launch.name,
                               array, kernel.name));
}

BufferId buffer_listed(const Problem& problem, const Launch& launch, const Kernel& kernel,
                       std::size_t position) {
  if (position >= launch.arrays.size())
    throw InputError(fmt::format("launch '{}': kernel '{}' has more global arrays than the {} buffers given",
                                 launch.name, kernel.name, launch.arrays.size()));
  const BufferId id = launch.arrays[position];
  if (id.value >= problem.buffers.size())
    throw InputError(fmt::format("launch '{}': buffer number {} does not exist; there are {}", launch.name,
                                 id.value, problem.buffers.size()));
  return id;
}

}  // namespace

std::optional<BufferId> Problem::find_buffer(std::string_view wanted) const {
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].name == wanted) return BufferId{i};
  return std::nullopt;
}

std::vector<ThreadCoordinates> threads_of(const Launch& launch) {
  return launch.placed.empty() ? grid_threads(launch) : placed_threads(launch);
}

std::vector<std::optional<BufferId>> bindings_of(const Problem& problem, const Launch& launch,
                                                 KernelId kernel) {
  const Kernel& code = problem.kernels[kernel.value];
  std::vector<std::optional<BufferId>> bindings(code.arrays.size());
  std::size_t position = 0;
  for (std::size_t i = 0; i < code.arrays.size(); ++i) {
    const ArrayDecl& array = code.arrays[i];
    if (array.space == StateSpace::shared || array.space == StateSpace::local) continue;
    bindings[i] = launch.arrays.empty() ? buffer_named(problem, launch, code, array.name)
                                        : buffer_listed(problem, launch, code, position++);
  }
  if (position < launch.arrays.size())
    throw InputError(fmt::format("launch '{}': {} buffers given, but kernel '{}' has {} global arrays",
                                 launch.name, launch.arrays.size(), code.name, position));
  return bindings;
}

bool uses_proxies(const Problem& problem) {
  bool used = std::any_of(problem.buffers.begin(), problem.buffers.end(), [](const Buffer& b) { return b.alias_of.has_value(); });
  for (const Kernel& kernel : problem.kernels)
    each_instruction(kernel, [&](InstructionRef, const Instruction& i) {
      const Access* access = access_of(i);
      used |= access != nullptr && access->proxy != Proxy::generic;
    });
  return used;
}

}  // namespace fencewise
