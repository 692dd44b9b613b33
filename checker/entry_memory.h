// What a launch relies on at entry: memory that it reads before it has written it.
#pragma once

#include <vector>

#include "checker/check.h"
#include "kernels/core/problem.h"

namespace fencewise {

// The problem with workspace whose contents nobody has set: reading it is a finding that names the place.
[[nodiscard]] Problem with_unset_workspace(const Problem& problem);

struct EntryMemory {
  std::vector<BufferId> relied_on;  // workspace that some behaviour reads before writing it, ascending
  std::string unexplored;           // what was left out, if anything: the list may be incomplete
};
[[nodiscard]] EntryMemory entry_memory(const Problem& problem, const CheckOptions& options, const Limits& limits,
                                       const Progress& progress);

// "sem = 0" for each, as the problem sets it: what must hold at entry.
[[nodiscard]] std::string entry_contract(const Problem& problem, const std::vector<BufferId>& buffers);

}  // namespace fencewise
