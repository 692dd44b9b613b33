// What buffers hold between launches, and what the host does to them.
//
// A location that racing writes left without a last one holds several values at once: any reader of the next launch may
// see any of them (coherence is partial). Nearly always it is one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/core/problem.h"
#include "kernels/core/value.h"

namespace fencewise {

// The symbol of an element in a replay (from 1); replay 0: of a buffer whose contents may be anything.
[[nodiscard]] Value symbol_of(const Buffer& buffer, std::uint64_t index, std::uint32_t replay, Terms& terms);

class MemoryImage {
 public:
  // Contents before the first launch. Replays count from 1.
  static MemoryImage initial(const Problem& problem, Terms& terms);

  // Between replays: new contents into inputs, poison into outputs.
  void renew(const Problem& problem, Terms& terms, std::uint32_t replay);

  [[nodiscard]] std::size_t buffers() const { return values_.size(); }
  [[nodiscard]] std::uint64_t length(BufferId buffer) const { return values_[buffer.value].size(); }
  // The value, or the first of several.
  [[nodiscard]] Value at(BufferId buffer, std::uint64_t index) const { return values_[buffer.value][index]; }
  [[nodiscard]] bool ambiguous(BufferId buffer, std::uint64_t index) const {
    return !others_.empty() && others_.contains({buffer.value, index});
  }
  [[nodiscard]] std::vector<Value> all(BufferId buffer, std::uint64_t index) const;
  // `values` is not empty; sorted and without repeats afterwards.
  void set(BufferId buffer, std::uint64_t index, std::vector<Value> values);
  void set(BufferId buffer, std::uint64_t index, Value value);

  friend auto operator<=>(const MemoryImage&, const MemoryImage&) = default;

 private:
  std::vector<std::vector<Value>> values_;                                        // [buffer][element]
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Value>> others_;  // all values, where several
};

}  // namespace fencewise
