// The execution graph of a counterexample for Graphviz: `fencewise check ... --dot cex.dot && dot -Tsvg cex.dot`.
//
// A cluster a thread, with program order down the page; reads-from green, coherence blue, fence.sc order purple,
// barriers orange. What a finding is about has a red border.
#pragma once

#include <string>

#include "checker/report/report.h"

namespace fencewise {

[[nodiscard]] std::string to_dot(const WitnessLaunch& launch, const std::string& title);
// The launch in which the first finding shows; without one a graph that says so.
[[nodiscard]] std::string to_dot(const Report& report);

}  // namespace fencewise
