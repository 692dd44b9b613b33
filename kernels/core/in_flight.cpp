#include "kernels/core/in_flight.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

bool is_own(const Problem& problem, BufferId id) {
  const Buffer& buffer = problem.buffers[id.value];
  if (buffer.alias_of) return is_own(problem, *buffer.alias_of);
  return buffer.role != Role::workspace || buffer.own_in_flight;
}

class Instances {
 public:
  explicit Instances(const Problem& problem) : one_(problem), all_(problem) {
    for (const Launch& launch : problem.launches) {
      if (!launch.placed.empty())
        throw InputError(fmt::format(
            "launch '{}' has threads placed by hand, which are not launched several times (--in-flight)",
            launch.name));
      streams_ = std::max(streams_, launch.stream.value + 1);
    }
    if (problem.contract.quantifier != Quantifier::always || problem.contract.filter.get() != nullptr)
      throw InputError(
          fmt::format("{} has a condition that is no promise of each launch (--in-flight)", problem.name));
  }

  void add(std::uint32_t instance) {
    std::vector<BufferId> buffer_of;  // [buffer of the one]
    for (std::uint32_t b = 0; b < one_.buffers.size(); ++b) {
      buffer_of.push_back(BufferId{b});
      if (!is_own(one_, BufferId{b})) continue;
      buffer_of.back() = BufferId{static_cast<std::uint32_t>(all_.buffers.size())};
      Buffer buffer = one_.buffers[b];
      buffer.name += suffix(instance);
      if (buffer.alias_of) buffer.alias_of = buffer_of[buffer.alias_of->value];
      all_.buffers.push_back(std::move(buffer));
    }
    const auto other = [&](BufferId b) { return buffer_of[b.value]; };
    const auto launches = static_cast<std::uint32_t>(one_.launches.size());
    for (Launch launch : one_.launches) {
      launch.arrays = arrays_of(launch);
      for (BufferId& b : launch.arrays) b = other(b);
      launch.name += suffix(instance);
      launch.stream.value += (instance - 1) * streams_;
      for (LaunchId& earlier : launch.after) earlier.value += (instance - 1) * launches;
      all_.launches.push_back(std::move(launch));
    }
    for (const Assertion& assertion : one_.contract.assertions)
      all_.contract.assertions.push_back({fmt::format("launch {} in flight: {}", instance, assertion.text),
                                          with_buffers(assertion.formula, other), assertion.when});
    for (const BufferId b : one_.contract.restored)
      if (other(b) != b) all_.contract.restored.push_back(other(b));
  }

  Problem take() { return std::move(all_); }

 private:
  static std::string suffix(std::uint32_t instance) { return fmt::format("#{}", instance); }

  [[nodiscard]] std::vector<BufferId> arrays_of(const Launch& launch) const {
    std::vector<BufferId> arrays;
    for (const auto& buffer : bindings_of(one_, launch, launch.kernel))
      if (buffer) arrays.push_back(*buffer);
    return arrays;
  }

  const Problem& one_;
  Problem all_;
  std::uint32_t streams_ = 1;
};

}  // namespace

Problem in_flight(const Problem& problem, std::uint32_t instances) {
  if (instances == 1) return problem;
  Instances all(problem);
  for (std::uint32_t n = 2; n <= instances; ++n) all.add(n);
  return all.take();
}

}  // namespace fencewise
