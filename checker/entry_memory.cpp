#include "checker/entry_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/explore/memory_image.h"

namespace fencewise {

Problem with_unset_workspace(const Problem& problem) {
  Problem unset = problem;
  for (Buffer& buffer : unset.buffers)
    if (buffer.role == Role::workspace && !buffer.alias_of)
      buffer.initial = InitialContents::of(InitialContents::Kind::unwritten);
  return unset;
}

EntryMemory entry_memory(const Problem& problem, const CheckOptions& options, const Limits& limits,
                         const Progress& progress) {
  // A place that is found is set, as the problem has it, and the search goes on without it.
  Problem unset = with_unset_workspace(problem);
  unset.replays = 1;
  EntryMemory found;
  for (;;) {
    const CheckResult result = check(unset, options, limits, progress);
    const auto finding = std::find_if(result.findings.begin(), result.findings.end(), [](const Finding& f) {
      return f.kind == FindingKind::unwritten_read && !f.location.empty();
    });
    std::optional<BufferId> buffer;
    if (finding != result.findings.end()) buffer = unset.find_buffer(finding->location.substr(0, finding->location.find('[')));
    if (!buffer || unset.buffers[buffer->value].initial.kind != InitialContents::Kind::unwritten) {
      found.unexplored = result.unexplored;
      break;
    }
    unset.buffers[buffer->value].initial = problem.buffers[buffer->value].initial;
    found.relied_on.push_back(*buffer);
  }
  std::sort(found.relied_on.begin(), found.relied_on.end(), [](BufferId a, BufferId b) { return a.value < b.value; });
  return found;
}

std::string entry_contract(const Problem& problem, const std::vector<BufferId>& buffers) {
  Terms terms(problem.domain);
  const MemoryImage image = MemoryImage::initial(problem, terms);
  std::string text;
  for (const BufferId b : buffers) {
    const Buffer& buffer = problem.buffers[b.value];
    bool same = true;
    for (std::uint64_t i = 1; i < image.length(b); ++i) same &= image.at(b, i) == image.at(b, 0);
    text += fmt::format("{}{}{} = {}", text.empty() ? "" : ", ", buffer.name, buffer.length > 1 ? "[...]" : "",
                        same ? terms.to_string(image.at(b, 0), buffer.element) : "its initial values");
  }
  return text;
}

}  // namespace fencewise
