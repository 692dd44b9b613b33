// What the lock protocols have in common: the section that a lock guards, and what must hold of it.
//
// Each CTA enters `rounds` times. Thread 0 takes the lock for its CTA, a barrier lets the others in, each thread adds
// one to a counter of its own number by a plain load and a plain store, and after a barrier thread 0 gives the lock
// back. Two CTAs inside at a time, or one that doesn't see what the CTA before it wrote, lose an addition.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocol.h"

namespace fencewise::protocols {

struct SectionSteps {
  How count = weak;  // the accesses to the counters
  bool barrier_after_take = true, barrier_before_give = true;
  bool give_before_write = false;
};

struct LockShape {
  std::int64_t ctas, threads, rounds;
};

[[nodiscard]] std::vector<Parameter> lock_parameters();
[[nodiscard]] LockShape lock_shape(const Parameters& parameters);

// Adds the rounds to `k`; `take` and `give` are what thread 0 does.
void locked_rounds(KernelBuilder& k, const LockShape& shape, const SectionSteps& steps,
                   const std::function<void()>& take, const std::function<void()>& give);
// One row of CTAs that run `kernel`, over the buffer `count` and one zero word for each of `words`.
[[nodiscard]] Problem locked_problem(std::string name, const LockShape& shape, Kernel kernel,
                                     const std::vector<std::string>& words);

}  // namespace fencewise::protocols
