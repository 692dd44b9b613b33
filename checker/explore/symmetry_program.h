// What symmetry asks of a program's text and of its data (symmetry.h). Each function gives an empty string, or what stands
// against it.
#pragma once

#include <string>
#include <vector>

#include "checker/explore/partial_execution.h"

namespace fencewise {

// How each instruction uses the CTA id.
struct IdUse {
  std::vector<std::vector<bool>> id_address;  // [block][instruction]: its address depends on the CTA id
  std::vector<bool> slotted;                  // [array]: some access to it does
};

[[nodiscard]] std::string id_only_in_addresses(const Kernel& kernel, IdUse& use);
// Loads that reach slots of others are plain, and what they read is only added up and stored after the sweep.
[[nodiscard]] std::string sweeps_add_up(const Kernel& kernel, const IdUse& use);
// Renaming neighbouring slots, and with them their symbols, leaves memory as it is.
[[nodiscard]] std::string memory_is_symmetric(const LaunchContext& context,
                                              const std::vector<bool>& slotted_buffers, std::uint32_t ctas,
                                              std::uint32_t replays_so_far);
// The contract speaks of slots only by sums and foralls over all of them.
[[nodiscard]] std::string contract_is_symmetric(const Problem& problem,
                                                const std::vector<bool>& slotted_buffers, std::uint32_t ctas);

}  // namespace fencewise
