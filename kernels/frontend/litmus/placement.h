// Thread headers: `P0@cta 0,gpu 0`, or with the cluster that the dialect lacks `P0@cta 0,cluster 0,gpu 0`.
#pragma once

#include <vector>

#include "kernels/frontend/litmus/syntax.h"
#include "memmodel/scope.h"

namespace fencewise::litmus {

inline constexpr std::size_t most_threads = 64;

// The number in a thread's name, `P3` or `3`.
[[nodiscard]] std::uint32_t thread_number(const Token& name, const Diagnostics& diagnostics);

// Where each thread stands. The file counts CTAs and clusters within a gpu; the result has machine-wide ids: the
// numbers as written where they are unique, else numbers in order of appearance. Without a cluster, every CTA is
// one of its own.
// Throws InputError for threads that are not P0, P1, ... in order, and for headers that contradict each other.
[[nodiscard]] std::vector<Placement> placements(const SyntaxTree& tree, const Diagnostics& diagnostics);

}  // namespace fencewise::litmus
