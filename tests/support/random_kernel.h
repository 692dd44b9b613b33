// Random kernels as statement trees: small structured programs with masks, branches, loops, shared and global memory.
//
// The tree is the specification. build() turns it into a kernel through the builder; lockstep.h runs the tree itself,
// thread by thread, and counts by the rules. Nothing of the executor is shared.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/core/problem.h"

namespace fencewise::testing {

// What a thread computes: (base * factor + plus) mod 2^32.
struct Linear {
  enum class Base : std::uint8_t { one, tid, ctaid, variable } base = Base::one;
  std::uint32_t variable = 0;
  std::uint32_t factor = 1, plus = 0;
};

struct Condition {  // (value & mask) op constant
  Linear value;
  std::uint32_t mask = 7;
  Compare op = Compare::lt;
  std::uint32_t constant = 1;
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,   // v[target] = value
    load,     // v[target ...] = array[index], `width` elements
    store,    // array[index ...] = v[source ...]
    atomic,   // v[target] = atomicAdd(array[index], v[source])
    fma,      // f = fma(f, g, f), on the float variables
    compute,  // `amount` units
    shuffle,  // v[target] = shfl(v[source], amount)
    ballot,   // v[target] = ballot(condition)
    barrier,  // only where all threads of a block come by
    branch,   // if (condition) body else other
    loop,     // for i in 0 .. value & 3: body
  };
  Kind kind = Kind::assign;
  bool shared = false;  // load, store, atomic: the shared array
  bool masked = false;  // load, store, atomic, fma, compute, shuffle: under `condition`, without a branch
  std::uint32_t target = 0, source = 0;
  std::uint32_t width = 1;
  std::uint32_t amount = 1;
  ShuffleMode mode = ShuffleMode::down;
  Linear value;  // assign; index of an access; bound of a loop
  Condition condition;
  std::vector<Statement> body, other;
};

inline constexpr std::uint32_t variables =
    4;  // u32, all zero at first; vector accesses take consecutive ones
inline constexpr std::uint32_t global_length = 512;  // elements of "g", u32
inline constexpr std::uint32_t shared_length = 256;  // elements of "s", u32

struct RandomKernel {
  std::uint32_t threads = 32, blocks = 1;
  std::vector<Statement> statements;
};

// Every sequence of choices gives a kernel; shorter ones give smaller kernels, so that shrinking works. In a tidy kernel
// threads write only what is theirs, so that it has no races.
enum class Tidiness : bool { any, tidy };
[[nodiscard]] RandomKernel random_kernel(const std::vector<std::uint8_t>& choices, Tidiness tidiness);

// Global arrays: g (global_length u32), out ((variables + 1) u32 a thread: the variables and the float at the end).
[[nodiscard]] Kernel build(const RandomKernel& random);

}  // namespace fencewise::testing
