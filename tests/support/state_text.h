// Final states as CheckResult::final_states spells them: "0:r0=2; 1:r0=0; x=1;".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/explore/memory_image.h"
#include "kernels/core/address_space.h"
#include "kernels/core/value.h"

namespace fencewise::testing {

// `registers[thread][register]`; `memory` holds what was written, `initial` the rest.
[[nodiscard]] std::string state_text(const Problem& problem, const LaunchImage& image, const Terms& terms,
                                     const std::vector<std::vector<Value>>& registers, const std::map<Location, Value>& memory,
                                     const MemoryImage& initial);

}  // namespace fencewise::testing
