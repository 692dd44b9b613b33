// Array elements as locations of a litmus test: `ws[2]` is ws_2, and the shared s[0] of CTA 1 is s_cta1_0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/core/problem.h"

namespace fencewise::litmus {

class ScalarLocations {
 public:
  explicit ScalarLocations(const Problem& problem) : problem_(problem) {}

  // Throws NotModelled for contents that are no numbers, and InputError for an element outside its array.
  [[nodiscard]] BufferId element(BufferId buffer, std::uint64_t index);
  [[nodiscard]] BufferId shared(const ArrayDecl& array, CtaId cta, std::uint64_t index);
  // What the element holds at first.
  [[nodiscard]] std::uint64_t initial(BufferId buffer, std::uint64_t index) const;

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

 private:
  BufferId add(const std::string& wanted, std::uint64_t initial);

  const Problem& problem_;
  std::vector<Buffer> buffers_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, BufferId> elements_;
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, BufferId> shared_;
  std::set<std::string> names_;
};

}  // namespace fencewise::litmus
