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

namespace {

// Unset workspace that some behaviour reads: "sem", "ws[3]", "ws+2 bytes".
std::vector<BufferId> read_before_written(const Problem& unset, const CheckResult& result) {
  std::vector<BufferId> buffers;
  for (const Finding& f : result.findings) {
    if (f.kind != FindingKind::unwritten_read) continue;
    const auto buffer = unset.find_buffer(f.location.substr(0, f.location.find_first_of("[+")));
    if (!buffer || unset.buffers[buffer->value].role != Role::workspace) continue;
    if (unset.buffers[buffer->value].initial.kind != InitialContents::Kind::unwritten) continue;
    if (std::find(buffers.begin(), buffers.end(), *buffer) == buffers.end()) buffers.push_back(*buffer);
  }
  return buffers;
}

// What ends a behaviour before it has read all.
std::string what_cuts(const CheckResult& result) {
  if (!result.unexplored.empty()) return result.unexplored;
  const auto cut = std::find_if(result.findings.begin(), result.findings.end(), [](const Finding& f) {
    return f.violates && f.kind != FindingKind::assertion && f.kind != FindingKind::contract;
  });
  return cut == result.findings.end() ? "" : fmt::format("a behaviour ends early: {}", cut->message);
}

}  // namespace

EntryMemory entry_memory(const Problem& problem, const CheckOptions& options, const Limits& limits,
                         const Progress& progress) {
  CheckOptions all = options;
  all.stop_at_first = false;
  all.determinism = false;
  // A place that is found is set, as the problem has it, and the search goes on without it.
  Problem unset = with_unset_workspace(problem);
  unset.replays = 1;
  EntryMemory found;
  for (;;) {
    const CheckResult result = check(unset, all, limits, progress);
    const std::vector<BufferId> fresh = read_before_written(unset, result);
    if (fresh.empty()) {
      found.unexplored = what_cuts(result);
      break;
    }
    for (const BufferId b : fresh) {
      unset.buffers[b.value].initial = problem.buffers[b.value].initial;
      found.relied_on.push_back(b);
    }
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
