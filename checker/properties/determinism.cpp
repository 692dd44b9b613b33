#include "checker/properties/determinism.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {

Problem with_ordered_sums(const Problem& problem) {
  const auto is_output = [](const Buffer& b) { return b.role == Role::output; };
  if (std::none_of(problem.buffers.begin(), problem.buffers.end(), is_output))
    throw InputError(fmt::format(
        "{} has no output buffer, so that there is nothing to compare (--determinism)", problem.name));
  Problem ordered = problem;
  ordered.domain = ValueDomain::expressions;
  ordered.contract = {};
  for (Buffer& buffer : ordered.buffers)
    if (buffer.role == Role::input && is_float(buffer.element))
      buffer.initial = InitialContents::of(InitialContents::Kind::symbols);
  return ordered;
}

std::optional<std::pair<BufferId, std::uint64_t>> difference_of_outputs(const Problem& problem,
                                                                        const MemoryImage& a,
                                                                        const MemoryImage& b) {
  for (std::uint32_t n = 0; n < problem.buffers.size(); ++n) {
    const BufferId id{n};
    if (problem.buffers[n].role != Role::output || problem.buffers[n].alias_of) continue;
    for (std::uint64_t i = 0; i < a.length(id); ++i)
      if (a.all(id, i) != b.all(id, i)) return std::pair(id, i);
  }
  return std::nullopt;
}

}  // namespace fencewise
