#include "tests/support/state_text.h"

#include <fmt/format.h>

namespace fencewise::testing {

std::string state_text(const Problem& problem, const LaunchImage& image, const Terms& terms,
                       const std::vector<std::vector<Value>>& registers, const std::map<Location, Value>& memory,
                       const MemoryImage& initial) {
  std::string text;
  for (ThreadId t = 0; t < image.threads.size(); ++t)
    for (std::size_t n = 0; n < registers[t].size(); ++n) {
      const RegisterDecl& reg = image.threads[t].kernel->registers[n];
      text += fmt::format("{}:{}={}; ", t, reg.name, terms.to_string(registers[t][n], reg.type));
    }
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const std::uint32_t size = size_of(buffer.element);
    const std::uint32_t storage = image.memory[b].storage;  // an alias shows what its target holds
    for (std::uint64_t i = 0; i < buffer.length; ++i) {
      const auto written = memory.find(Location{storage, static_cast<std::uint32_t>(i * size), size});
      const Value value = written != memory.end() ? written->second : initial.at(BufferId{storage}, i);
      text += fmt::format("{}{}={}; ", buffer.name, buffer.length == 1 ? "" : fmt::format("[{}]", i), terms.to_string(value, buffer.element));
    }
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace fencewise::testing
