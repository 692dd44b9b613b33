// Gives a specialized kernel the registers of a litmus test.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/core/kernel.h"

namespace fencewise::litmus {

// `kernel` still counts registers as `original` does, and declares none. It gets r0, r1, ... for those that it uses and
// those of `kept`, in order of their old numbers, and one predicate. Returns the new register for each old number.
[[nodiscard]] std::map<std::uint32_t, RegisterId> rename_registers(Kernel& kernel, const Kernel& original,
                                                                   const std::vector<RegisterId>& kept);

}  // namespace fencewise::litmus
