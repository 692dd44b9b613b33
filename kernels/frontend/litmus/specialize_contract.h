// The contract of a specialized problem: sums and quantifiers written out, elements as locations, all on the left.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/core/contract.h"
#include "kernels/frontend/litmus/scalar_locations.h"

namespace fencewise::litmus {

// Registers that the contract reads, by thread.
[[nodiscard]] std::vector<ThreadRegister> registers_of(const Contract& contract);

// [thread]: what became of the registers that the contract reads.
using RegisterNames = std::vector<std::map<std::uint32_t, RegisterId>>;

// One assertion at the end of the plan. Throws NotModelled for what conditions can't say.
[[nodiscard]] Contract specialize_contract(const Problem& problem, const RegisterNames& registers,
                                           ScalarLocations& locations);

}  // namespace fencewise::litmus
