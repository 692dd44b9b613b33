// What symmetry asks of a program's text and of its data (symmetry.h): roles of CTAs, sums over the slots of others, memory and
// contract (symmetry_roles.cpp, symmetry_sums.cpp, symmetry_data.cpp). Each function gives an empty string, or what stands against it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/explore/partial_execution.h"
#include "kernels/core/thread_constants.h"

namespace fencewise {

// A buffer of which CTAs have slots of their own, as many bytes each.
struct Slots {
  std::uint64_t bytes = 0;                             // 0: no slots
  std::vector<std::optional<std::uint32_t>> of_cta;    // [cta] slot
  std::vector<std::optional<std::uint32_t>> owner;     // [slot] CTA

  [[nodiscard]] bool any() const { return bytes != 0; }
};

// How a program uses the ids of its CTAs.
struct CtaRoles {
  std::uint32_t ctas = 0;
  std::vector<std::uint32_t> role;         // [cta] CTAs of one role do the same, each in its own slots
  std::vector<bool> tells_apart;           // [register] a constant of the thread that differs within a role
  std::vector<std::vector<bool>> by_id;    // [block][instruction] its address differs within a role: its CTA's own slot
  std::vector<Slots> slots;                // [array]

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> members() const;  // [role]
};

// The id decides roles: by what is branched on, stored, or shared by some CTAs and not all. Within a role it only leads to own slots.
[[nodiscard]] std::string find_roles(const LaunchContext& context, const Kernel& kernel, CtaRoles& roles);

// How values swept from the slots of others are added up: [block][instruction][element of a vector], for loads that sweep.
inline constexpr std::uint32_t no_sum = ~0U;
struct SweptInto {
  std::uint32_t sum = no_sum;  // its number
  bool of_floats = false;
};
using Sums = std::vector<std::vector<std::array<SweptInto, 4>>>;
// Loads that reach slots of others are plain, and each of their values is added once to one sum, which nothing uses before the sweep
// ends. Where sums of floats are ordered, each goes round a loop.
[[nodiscard]] std::string find_sums(const Kernel& kernel, const CtaRoles& roles, ValueDomain domain, Sums& sums);

enum class Buffers : std::uint8_t { all, outputs };
// Renaming neighbours of a role, and with them the symbols of their slots, leaves memory as it is. `slots`: by buffer.
[[nodiscard]] std::string memory_is_symmetric(const LaunchContext& context, const MemoryImage& memory, Buffers which, const CtaRoles& roles,
                                              const std::vector<Slots>& slots, std::uint32_t replays_so_far);
// Renaming neighbours of a role leaves the contract as it is.
[[nodiscard]] std::string contract_is_symmetric(const Problem& problem, const CtaRoles& roles, const std::vector<Slots>& slots);

}  // namespace fencewise
