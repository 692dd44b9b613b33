// The locations of a litmus test: one buffer of one 64-bit element each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/problem.h"
#include "kernels/frontend/litmus/syntax.h"

namespace fencewise::litmus {

class Locations {
 public:
  explicit Locations(const Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // A location of the initial state. Throws InputError for a second declaration and for an alias or copy of a
  // location that is not declared before.
  void declare(const Initial& initial);
  // The location of that name, which starts at 0 if nothing declared it.
  [[nodiscard]] BufferId use(const std::string& name);
  [[nodiscard]] std::optional<BufferId> find(const std::string& name) const;

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

 private:
  BufferId add(Buffer buffer);
  [[nodiscard]] BufferId declared(const Token& name) const;

  const Diagnostics& diagnostics_;
  std::vector<Buffer> buffers_;
  std::map<std::string, BufferId> by_name_;
};

}  // namespace fencewise::litmus
