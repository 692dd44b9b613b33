// Operations that the threads of a warp take together: bar.warp.sync, shfl, vote, match, redux, activemask.
//
// A lane waits until every lane that its mask names, and that has not exited, has come to the same operation with the same
// mask; then all of them go on. A lane that its own mask does not name has undefined behaviour: the interpreter makes a fault
// of it. activemask has no mask: which lanes it finds together is open.
// Source: PTX ISA 9.1, "shfl.sync" (9.7.9), "Parallel Synchronization and Communication Instructions" (9.7.13).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/core/instruction.h"
#include "kernels/core/value.h"

namespace fencewise {

// What a warp operation reads: absent ones are not present().
struct WarpOperands {
  Operand value;        // what the lane contributes
  Operand lane, clamp;  // of a shuffle
  Operand mask;         // all but activemask have one
};
[[nodiscard]] std::optional<WarpOperands> warp_operands(const Operation& operation);

// Whether lanes at these two can meet: one kind of operation with the same qualifiers, wherever it stands.
[[nodiscard]] bool same_warp_operation(const Operation& a, const Operation& b);

// One of the lanes that met.
struct LaneValue {
  std::uint32_t lane = 0;
  Value value;
};

struct Exchanged {
  std::array<Value, 2> results;     // the second one of shfl and match
  std::optional<std::size_t> from;  // the only lane (index) whose value counts; none: that of each
};

// What lane `lane` gets. `distance` and `clamp`: its operands of a shuffle, numbers. Throws NotModelled where a result depends
// on symbolic data.
[[nodiscard]] Exchanged exchange(const Operation& operation, std::uint32_t lane, Value distance, Value clamp,
                                 std::span<const LaneValue> met, Terms& terms);

// The lane that `lane` of a shuffle reads from with operands b and c; no value: out of its range.
[[nodiscard]] std::optional<std::uint32_t> shuffle_source(ShuffleMode mode, std::uint32_t lane, std::uint32_t b,
                                                          std::uint32_t c);

}  // namespace fencewise
