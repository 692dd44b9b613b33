// What an instruction's name says: `atom.acq_rel.gpu.add` is an Atomic, acquire-release, at gpu scope, adding.
//
// The dialect is that of docs/litmus-format.md, and beyond it what the PTX ISA has and the dialect lacks:
// the scope .cluster, fence.acquire and fence.release, ld.volatile and st.volatile, membar.
#pragma once

#include <string>
#include <variant>

#include "kernels/core/instruction.h"
#include "kernels/frontend/diagnostics.h"

namespace fencewise::litmus {

// The forms of the dialect. Those that become one instruction carry it, still without operands.
struct MoveForm {};  // `ld R, V`
struct GotoForm {};
struct BranchForm {
  Compare compare = Compare::eq;
};
using Form = std::variant<MoveForm, Arithmetic, Load, Store, Atomic, Fence, ProxyFenceOp, Barrier, GotoForm,
                          BranchForm>;

// Throws InputError at the part of the name that is wrong, NotModelled for PTX instructions that litmus tests lack.
[[nodiscard]] Form parse_mnemonic(const Token& mnemonic, const Diagnostics& diagnostics);

// How to write it, for messages: "ld.relaxed.gpu register, location".
[[nodiscard]] std::string usage(const Form& form, const std::string& mnemonic);

}  // namespace fencewise::litmus
