// Suggests a repair for a violated problem: a change to a kernel after which the check verifies.
#pragma once

#include <optional>
#include <string>

#include "checker/check.h"

namespace fencewise {

// Tries single changes of a source line, cheapest first: a wider scope, a stronger fence or access, a fence or a barrier added; then
// a fence before a write together with one after a read. Those at lines of the finding come first among their kind. Each is checked
// with `options` before it is believed; each check may take `seconds_each`, and all of them no more than what is left of `allowed`.
// "add fence.acq_rel.gpu after splitk.cpp:57". No value: none of them repairs it (or not in time).
[[nodiscard]] std::optional<std::string> find_repair(const Problem& problem, const CheckOptions& options, const Finding& finding,
                                                     const Limits& allowed = {}, double seconds_each = 1.0, double seconds_in_all = 5.0);

}  // namespace fencewise
