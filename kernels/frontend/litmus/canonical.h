// When two problems are the same litmus test: everything but names of blocks, source lines and the wording of texts.
#pragma once

#include <string>

#include "kernels/core/problem.h"

namespace fencewise {

// Equal for two problems exactly when same() holds.
[[nodiscard]] std::string canonical_text(const Problem& problem);
[[nodiscard]] bool same(const Problem& a, const Problem& b);

}  // namespace fencewise
