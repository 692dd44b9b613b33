#include "kernels/core/validate.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

template <class... Args> [[noreturn]] void fail(fmt::format_string<Args...> format, const Args&... args) {
  throw InputError(fmt::vformat(format, fmt::make_format_args(args...)));
}

// --- buffers ---

void check_alias(const Problem& problem, std::uint32_t id) {
  const Buffer& buffer = problem.buffers[id];
  if (!buffer.alias_of) {
    if (buffer.own_address) fail("buffer '{}': only an alias has an address of its own", buffer.name);
    return;
  }
  if (buffer.alias_of->value >= id)
    fail("buffer '{}': its alias target must be declared earlier", buffer.name);
  const Buffer& target = problem.buffers[buffer.alias_of->value];
  if (target.element != buffer.element || target.length != buffer.length)
    fail("buffer '{}': an alias has the type and length of its target '{}'", buffer.name, target.name);
}

void check_initial(const Buffer& buffer) {
  if (buffer.initial.kind != InitialContents::Kind::values) return;
  if (buffer.initial.values.empty()) fail("buffer '{}': no initial values given", buffer.name);
  if (buffer.initial.values.size() > buffer.length)
    fail("buffer '{}': {} initial values for {} elements", buffer.name, buffer.initial.values.size(),
         buffer.length);
}

void check_buffer(const Problem& problem, std::uint32_t id) {
  const Buffer& buffer = problem.buffers[id];
  if (buffer.name.empty()) fail("buffer {} has no name", id);
  if (buffer.length == 0) fail("buffer '{}' has no elements", buffer.name);
  if (buffer.element == Type::pred) fail("buffer '{}' holds predicates; use u8 or u32", buffer.name);
  if (buffer.length > max_bytes / size_of(buffer.element))
    fail("buffer '{}' is larger than {} bytes", buffer.name, max_bytes);
  if (buffer.own_in_flight && buffer.role != Role::workspace)
    fail("buffer '{}': inputs and outputs are always each launch's own in flight", buffer.name);
  check_initial(buffer);
  check_alias(problem, id);
}

void check_buffers(const Problem& problem) {
  std::set<std::string> names;
  std::uint64_t bytes = 0;
  for (std::uint32_t id = 0; id < problem.buffers.size(); ++id) {
    check_buffer(problem, id);
    const Buffer& buffer = problem.buffers[id];
    if (!names.insert(buffer.name).second) fail("two buffers are named '{}'", buffer.name);
    if (!buffer.alias_of) bytes += buffer.length * size_of(buffer.element);
    if (bytes > max_bytes) fail("the buffers are larger than {} bytes together", max_bytes);
  }
}

// --- launches ---

void check_kernel_id(const Problem& problem, const Launch& launch, KernelId id) {
  if (id.value >= problem.kernels.size())
    fail("launch '{}': kernel number {} does not exist; there are {}", launch.name, id.value,
         problem.kernels.size());
}

// Each extent is checked before any product, so that no product overflows.
void check_grid(const Launch& launch) {
  const auto& [grid, block] = std::tie(launch.grid, launch.block);
  if (grid.count() == 0 || block.count() == 0)
    fail("launch '{}': grid and block must not be empty", launch.name);
  const bool block_fits =
      std::max({block.x, block.y, block.z}) <= max_threads_per_cta && block.count() <= max_threads_per_cta;
  if (!block_fits)
    fail("launch '{}': block {}x{}x{} exceeds {} threads", launch.name, block.x, block.y, block.z,
         max_threads_per_cta);
  const bool grid_fits = std::max({grid.x, grid.y, grid.z}) <= max_threads && grid.count() <= max_threads &&
                         grid.count() * block.count() <= max_threads;
  if (!grid_fits)
    fail("launch '{}': grid {}x{}x{} of {} threads each exceeds {} threads", launch.name, grid.x, grid.y,
         grid.z, block.count(), max_threads);
}

using CtaSizes = std::map<CtaId, std::uint64_t>;

CtaSizes cta_sizes(const Launch& launch) {
  CtaSizes sizes;
  for (const PlacedThread& thread : launch.placed) ++sizes[thread.placement.cta];
  return sizes;
}

void check_placed(const Problem& problem, const Launch& launch) {
  if (launch.placed.size() > max_threads)
    fail("launch '{}': {} threads exceed {}", launch.name, launch.placed.size(), max_threads);
  std::map<CtaId, Placement> place_of;
  std::map<ClusterId, DeviceId> device_of;
  for (const auto& [kernel, placement] : launch.placed) {
    check_kernel_id(problem, launch, kernel);
    if (place_of.emplace(placement.cta, placement).first->second != placement)
      fail("launch '{}': cta {} lies in two clusters or devices", launch.name, placement.cta.value);
    if (device_of.emplace(placement.cluster, placement.device).first->second != placement.device)
      fail("launch '{}': cluster {} lies on two devices", launch.name, placement.cluster.value);
  }
  for (const auto& [cta, threads] : cta_sizes(launch))
    if (threads > max_threads_per_cta)
      fail("launch '{}': cta {} has {} threads; at most {}", launch.name, cta.value, threads,
           max_threads_per_cta);
}

void check_bindings(const Problem& problem, const Launch& launch, KernelId id) {
  const Kernel& kernel = problem.kernels[id.value];
  const auto bindings = bindings_of(problem, launch, id);
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    if (!bindings[i]) continue;
    const Buffer& buffer = problem.buffers[bindings[i]->value];
    if (buffer.element != kernel.arrays[i].element)
      fail("launch '{}': array '{}' of kernel '{}' holds {}, buffer '{}' {}", launch.name,
           kernel.arrays[i].name, kernel.name, name(kernel.arrays[i].element), buffer.name,
           name(buffer.element));
  }
}

// What a launch says of a kernel's instructions: the largest CTA that runs it, warps, params.
struct LaunchOfKernel {
  const Launch& launch;
  const Kernel& kernel;
  std::uint64_t cta_threads;
};

template <class... Args>
[[noreturn]] void fail_at(const LaunchOfKernel& run, InstructionRef ref, fmt::format_string<Args...> format,
                          const Args&... args) {
  fail("{}: launch '{}': {}", describe(run.kernel, ref), run.launch.name,
       fmt::vformat(format, fmt::make_format_args(args...)));
}

// The count where the launch fixes it; a count in a register is known to the interpreter only.
std::optional<std::uint64_t> known_count(const LaunchOfKernel& run, const Operand& count) {
  if (count.kind == Operand::Kind::immediate) return count.bits;
  if (count.kind == Operand::Kind::param)
    return truncate(run.kernel.params[count.index].type, run.launch.params[count.index]);
  return std::nullopt;
}

void check_barrier(const LaunchOfKernel& run, InstructionRef ref, const Barrier& barrier) {
  const auto count = known_count(run, barrier.count);
  if (!count) return;
  if (*count == 0) fail_at(run, ref, "a barrier of 0 threads");
  if (barrier.instance) return;  // litmus tests count threads, and more than there are is how they hang
  const std::uint64_t warp = run.launch.warp_size;
  if (*count % warp != 0) fail_at(run, ref, "{} threads are no multiple of the warp size {}", *count, warp);
  const std::uint64_t limit = (run.cta_threads + warp - 1) / warp * warp;
  if (*count > limit) fail_at(run, ref, "the barrier waits for {} threads; a cta has {}", *count, limit);
}

bool needs_warps(const Operation& operation) {
  return std::holds_alternative<WarpBarrier>(operation) || std::holds_alternative<Shuffle>(operation) ||
         std::holds_alternative<Vote>(operation) || std::holds_alternative<Match>(operation) ||
         std::holds_alternative<WarpReduce>(operation) || std::holds_alternative<ActiveMask>(operation);
}

void check_instructions(const LaunchOfKernel& run) {
  for (std::uint32_t b = 0; b < run.kernel.blocks.size(); ++b)
    for (std::uint32_t i = 0; i < run.kernel.blocks[b].instructions.size(); ++i) {
      const InstructionRef ref{BlockId{b}, i};
      const Operation& operation = run.kernel.at(ref).operation;
      if (const auto* barrier = std::get_if<Barrier>(&operation)) check_barrier(run, ref, *barrier);
      if (run.launch.warp_size == 1 && needs_warps(operation))
        fail_at(run, ref, "warp operations need warp size 32");
    }
}

void check_run(const Problem& problem, const Launch& launch, KernelId id, std::uint64_t cta_threads) {
  const Kernel& kernel = problem.kernels[id.value];
  if (launch.params.size() != kernel.params.size())
    fail("launch '{}': {} params given, kernel '{}' has {}", launch.name, launch.params.size(), kernel.name,
         kernel.params.size());
  check_bindings(problem, launch, id);
  check_instructions({launch, kernel, cta_threads});
}

void check_placed_runs(const Problem& problem, const Launch& launch) {
  const CtaSizes sizes = cta_sizes(launch);
  std::map<std::uint32_t, std::uint64_t> smallest;  // [kernel]: of the CTAs that run it
  for (const auto& [kernel, placement] : launch.placed) {
    const std::uint64_t size = sizes.at(placement.cta);
    const auto [entry, added] = smallest.emplace(kernel.value, size);
    if (!added) entry->second = std::min(entry->second, size);
  }
  for (const auto& [kernel, size] : smallest) check_run(problem, launch, KernelId{kernel}, size);
}

void check_order(const Problem& problem, std::uint32_t id) {
  for (const LaunchId earlier : problem.launches[id].after)
    if (earlier.value >= id)
      fail("launch '{}' (number {}) waits for launch number {}, which does not come before it", problem.launches[id].name, id,
           earlier.value);
}

void check_launch(const Problem& problem, const Launch& launch) {
  if (launch.warp_size != 1 && launch.warp_size != 32)
    fail("launch '{}': the warp size is 1 or 32, not {}", launch.name, launch.warp_size);
  if (!launch.placed.empty()) {
    check_placed(problem, launch);
    return check_placed_runs(problem, launch);
  }
  check_kernel_id(problem, launch, launch.kernel);
  check_grid(launch);
  check_run(problem, launch, launch.kernel, launch.block.count());
}

}  // namespace

void validate(const Problem& problem) {
  for (const Kernel& kernel : problem.kernels) validate(kernel);
  check_buffers(problem);
  if (problem.launches.empty()) fail("there is no launch");
  for (std::uint32_t id = 0; id < problem.launches.size(); ++id) {
    check_order(problem, id);
    check_launch(problem, problem.launches[id]);
  }
  if (problem.replays == 0 || problem.replays > max_replays)
    fail("replays must be 1 to {}, not {}", max_replays, problem.replays);
  validate_contract(problem);
}

}  // namespace fencewise
