#include "kernels/core/kernel.h"

#include <algorithm>

#include "kernels/core/type.h"

namespace fencewise {

const ArrayPart* part_at(const std::vector<ArrayPart>& parts, std::uint64_t offset) {
  const auto holds = [offset](const ArrayPart& part) {
    return offset >= part.offset && offset - part.offset < part.length * size_of(part.element);
  };
  const auto it = std::find_if(parts.begin(), parts.end(), holds);
  return it == parts.end() ? nullptr : &*it;
}

}  // namespace fencewise
