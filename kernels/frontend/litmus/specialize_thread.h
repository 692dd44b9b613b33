// One thread of a launch as a kernel without special registers, parameters and indices: partial evaluation.
//
// Blocks are specialized for what is known of the registers that are live in them (N. Jones et al., Partial Evaluation
// and Automatic Program Generation, 1993, chapter 4: program points). A loop over a known range comes out unrolled,
// a spin loop stays a loop.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/core/problem.h"
#include "kernels/frontend/litmus/scalar_locations.h"

namespace fencewise::litmus {

inline constexpr std::size_t most_specialized_blocks = 500;

// Numbers that stand for a static barrier and how often a thread met it before: threads that run the same kernel give
// the same occurrence the same number.
class BarrierInstances {
 public:
  [[nodiscard]] std::uint32_t operator()(KernelId kernel, InstructionRef ref, std::uint32_t occurrence) {
    const auto key = std::tuple{kernel.value, ref.block.value, ref.index, occurrence};
    return numbers_.emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
};

struct SpecializedThread {
  Kernel kernel;
  std::map<std::uint32_t, RegisterId> registers;  // new names of `kept` registers
};

// `kept`: registers that the contract reads. Throws NotModelled, naming what has no form in the dialect.
[[nodiscard]] SpecializedThread specialize_thread(const Problem& problem, const Launch& launch,
                                                  std::uint32_t thread, const std::vector<RegisterId>& kept,
                                                  ScalarLocations& locations, BarrierInstances& barriers);

}  // namespace fencewise::litmus
