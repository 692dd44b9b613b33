// What the grid barriers have in common: the rounds that a barrier separates, and what must hold of them.
//
// In each round every thread writes a cell of its own, the grid meets, and every thread sums the cells of its own number
// over all CTAs. Each round has its cells, so one barrier a round is enough. Threads meet in their CTA first; thread 0
// then meets the thread 0s of the other CTAs, and the CTA meets again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocol.h"

namespace fencewise::protocols {

struct GridShape {
  std::int64_t ctas, threads, rounds;
};

struct MeetingSteps {
  bool barrier_before = true, barrier_after = true;  // of the CTA, around the meeting of the thread 0s
};

[[nodiscard]] std::vector<Parameter> grid_barrier_parameters();
[[nodiscard]] GridShape grid_shape(const Parameters& parameters);

// What only thread 0 does; `shape` says whether there are others.
void leader_only(KernelBuilder& k, const GridShape& shape, const KernelBuilder::Body& body);
// Adds the rounds to `k`; `meet` is what thread 0 does in a round.
void grid_rounds(KernelBuilder& k, const GridShape& shape, const MeetingSteps& steps,
                 const std::function<void(const Val& round)>& meet);
// One row of CTAs that run `kernel`, over the cells and one zero word for each of `words`.
[[nodiscard]] Problem grid_problem(std::string name, const GridShape& shape, Kernel kernel,
                                   const std::vector<std::string>& words);

}  // namespace fencewise::protocols
