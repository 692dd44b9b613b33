// The SIMT executor: runs a kernel on real data, whole warps at a time, and counts events on the way.
//
// A block executes in lockstep: all its warps execute statement k before any executes k+1, in ascending order, the
// lanes of a warp at once; a warp whose lanes part at a branch runs one side after the other and meets again at the
// branch's immediate post-dominator. Blocks are independent. This is one schedule of many, chosen so that counts are
// reproducible; whether the *program* is right under every schedule is what the checker answers.
// If several lanes store to one element the highest thread wins. Shared and local memory start as zeros.
//
// Same input, same result, for any number of workers: kernels with global atomics or fences run their blocks in order on one.
// A block that goes round without change ends with the fault `hang` where nobody else could change that, and `no_progress` where
// a thread might that gets no turn here: of a block that was not run yet, or a lane of the same warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/core/problem.h"
#include "kernels/core/simt/counters.h"

namespace fencewise {

struct RunConfig {
  Dim3 grid, block;
  std::vector<std::span<std::byte>>
      buffers;                        // [array of the kernel that is global, in order]; changed in place
  std::vector<std::uint64_t> params;  // [param]
  unsigned workers = 1;
  bool detect_races = true;               // off: race_count stays 0
  std::uint64_t max_steps = 200'000'000;  // a block's warps together, in straight pieces of code
};

// A race as the classic in-order detector sees it: since the block's last barrier, another warp accessed the same
// shared word, and one of the two wrote. Lanes of one warp never race here.
struct RaceReport {
  enum class Kind : std::uint8_t { read_after_write, write_after_write, write_after_read };
  Kind kind = Kind::read_after_write;
  std::uint32_t block = 0, thread = 0, warp = 0;  // who came second
  std::uint32_t other_warp = 0;
  ArrayId array;
  std::uint64_t word = 0;  // index of the 4-byte word in its array
  SourceLine where, other;
  friend bool operator==(const RaceReport&, const RaceReport&) = default;
};

// What stopped a run. The kernel is wrong, not the caller.
struct Fault {
  enum class Kind : std::uint8_t {
    out_of_bounds,
    misaligned,
    divergent_barrier,  // reached by a part of the threads that it waits for
    trap,
    hang,         // waits for ever: the block is in a state in which it was before, and nobody is left who could change it
    no_progress,  // the same, but some threads did not get a turn; or max_steps
  };
  Kind kind = Kind::trap;
  std::uint32_t block = 0, thread = 0;  // thread within the block
  SourceLine where;
  std::string message;
};

inline constexpr std::size_t max_race_reports = 16;

// By one call of printf in one thread.
struct PrintedText {
  std::uint32_t block = 0, thread = 0;  // thread within the block
  std::string text;
  friend bool operator==(const PrintedText&, const PrintedText&) = default;
};
inline constexpr std::size_t most_printed = std::size_t{1} << 20U;  // bytes; as many as CUDA's buffer holds

struct RunResult {
  Counters counters;
  std::vector<RaceReport> races;  // the first sixteen, in order of execution
  std::vector<PrintedText> printed;  // block by block, within one as the schedule has it
  std::optional<Fault> fault;     // the lowest block's; counters and memory are then incomplete
};

// Throws InputError for a launch that doesn't fit the kernel (blocks of more than 1024 threads, a missing buffer) and
// NotModelled for instructions without an executor.
[[nodiscard]] RunResult run(const Kernel& kernel, const RunConfig& config);

// Whether it stopped where another schedule might have gone on.
[[nodiscard]] inline bool leaves_open(const RunResult& result) {
  return result.fault && result.fault->kind == Fault::Kind::no_progress;
}

// "reduction.cpp:42: thread 3 of block 0: store to sdata[300] is out of bounds (256 elements)"
[[nodiscard]] std::string to_string(const Fault& fault, const Kernel& kernel);
// "read after write: block 0, thread 31 (warp 0), s word 224: kernel.cpp:12 after kernel.cpp:10 (warp 7)"
[[nodiscard]] std::string to_string(const RaceReport& race, const Kernel& kernel);

}  // namespace fencewise
