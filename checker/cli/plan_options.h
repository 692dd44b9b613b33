// What is asked of a launch plan beyond the subject itself: changes of its problem, which a report keeps for `replay`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/core/problem.h"

namespace fencewise {

inline constexpr std::int64_t most_in_flight = 64;

struct PlanOptions {
  std::uint32_t in_flight = 1;        // instances (kernels/core/in_flight.h)
  bool initial_any = false;           // workspace is not set before the first launch
  std::vector<std::string> restored;  // buffers that --clean adds to what must be left as it was found
};

// Throws InputError where the problem has no buffer of a name, or can't be in flight.
[[nodiscard]] Problem asked_of(Problem problem, const PlanOptions& plan);

// What a report keeps: "--in-flight" = "2". `take_plan` removes it from a report's parameters.
[[nodiscard]] std::map<std::string, std::string> texts_of(const PlanOptions& plan);
[[nodiscard]] PlanOptions take_plan(std::map<std::string, std::string>& texts);

}  // namespace fencewise
