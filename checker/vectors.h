// Which reading of vector accesses (check.h, Vectors) a verdict needs.
#pragma once

#include <string>

#include "checker/check.h"

namespace fencewise {

// Whether the two readings may differ: some vector access is strong. Weak ones of a race-free run read what is ordered before.
[[nodiscard]] bool has_strong_vectors(const Problem& problem);

// What the other reading would say, in words, from a check that may take `seconds` of what is left of `allowed`. Empty: the same, or not found out in time.
[[nodiscard]] std::string other_reading_of_vectors(const Problem& problem, CheckOptions options, Verdict verdict,
                                                   const Limits& allowed = {}, double seconds = 10.0);

}  // namespace fencewise
