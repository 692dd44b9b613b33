// Kernels as drawings for Graphviz.
#pragma once

#include <string>

#include "kernels/core/problem.h"

namespace fencewise {

// The control flow graph of each kernel: its blocks as boxes with their instructions. Ends with a line end.
[[nodiscard]] std::string print_dot(const Problem& problem);

// A text between quotes, as DOT wants it. Line ends become `\l`: left-justified.
[[nodiscard]] std::string dot_quoted(const std::string& text);

}  // namespace fencewise
