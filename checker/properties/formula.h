// Whether a contract's formula holds of a final memory, and in words why not.
//
// A formula holds only if it holds for every value of the symbols: two different terms are not equal, and whether they
// differ is undecided. Negation is pushed down to the comparisons, so poison makes a comparison false under `not` too:
// nothing is true of memory that nobody wrote.
// Numbers written in a formula take the type they meet; a sum has the type of the elements it adds, in the value domain
// of `terms`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/core/contract.h"
#include "kernels/core/problem.h"
#include "kernels/core/value.h"

namespace fencewise {

// Memory as a launch (replay, plan) left it and found it. Callbacks may return unknown.
struct FinalState {
  std::function<Value(BufferId, std::uint64_t index)> now;  // index in elements, within the buffer
  std::function<Value(BufferId, std::uint64_t index)> at_entry;
  std::function<Value(std::uint32_t thread, RegisterId)>
      reg;  // threads of the last launch; null where there are none
};

// `undecided`: it depends on values that are unknown, or on how different terms compare.
enum class Truth : std::uint8_t { no, yes, undecided };

// Throws InputError where the formula itself is wrong: an index outside its buffer, a mix of floats and integers, an
// unbound variable.
[[nodiscard]] Truth holds(const Formula& formula, const FinalState& state, Terms& terms,
                          const Problem& problem);

// Why `formula` does not hold: its first comparison that fails, with values.
//   "out[0] = in[0] + in[2], expected in[0] + in[1] + in[2]"      "out[1] was never written, expected in[1]"
// Empty if it holds.
[[nodiscard]] std::string explain(const Formula& formula, const FinalState& state, Terms& terms,
                                  const Problem& problem);

}  // namespace fencewise
