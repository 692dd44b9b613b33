// A problem: everything that can be checked, from whatever source. Kernels, buffers, the launch plan and the contract.
//
// A plan is its launches, on streams, repeated `replays` times with the same arguments. Launches of one stream follow each
// other, and a launch may wait for others (an event of another stream); what nothing orders overlaps (launch_plan.h).
// Replays follow each other: between them the host waits for all launches, writes new contents into inputs (fresh symbols
// where they are symbols) and poison into outputs; workspace stays as the last launches left it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/contract.h"
#include "kernels/core/kernel.h"
#include "memmodel/scope.h"

namespace fencewise {

enum class Role : std::uint8_t { input, output, workspace };

struct InitialContents {
  enum class Kind : std::uint8_t {
    zero,
    iota,       // 0, 1, 2, ...
    values,     // as given; the last one repeats
    symbols,    // one symbol an element, new ones in each replay: the verdict holds for all values
    unwritten,  // poison: reading it is a finding
    any,        // anything: one symbol an element, the same in each replay
  };
  Kind kind = Kind::zero;
  std::vector<std::uint64_t> values;  // bits, as the element type reads them

  static InitialContents of(Kind kind) { return {kind, {}}; }
};

struct Buffer {
  std::string name;
  Type element = Type::u32;
  std::uint64_t length = 1;  // elements
  Role role = Role::workspace;
  InitialContents initial;
  // Litmus: this name is a second virtual address of another buffer (own alias number), or a view of it through a
  // proxy (same virtual address as its target).
  std::optional<BufferId> alias_of;
  bool own_address = false;
  // Where several instances of the plan are in flight (in_flight.h): each has one of its own, as it has of inputs and outputs.
  bool own_in_flight = false;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

struct StreamId {
  std::uint32_t value = 0;
  friend auto operator<=>(const StreamId&, const StreamId&) = default;
};
struct LaunchId {  // Problem::launches
  std::uint32_t value = 0;
  friend auto operator<=>(const LaunchId&, const LaunchId&) = default;
};

struct KernelId {  // Problem::kernels
  std::uint32_t value = 0;
  friend bool operator==(KernelId, KernelId) = default;
};

// A thread that is placed by hand: litmus tests and the classics, where every thread runs a kernel of its own.
struct PlacedThread {
  KernelId kernel;
  Placement placement;
};

struct Launch {
  std::string name;
  KernelId kernel;
  Dim3 grid, block;
  std::vector<PlacedThread> placed;      // if not empty, these threads instead of grid x block
  std::vector<BufferId> arrays;          // [array of the kernel that is global, in order]; empty: bound by name
  std::vector<std::uint64_t> params;     // [param]
  std::uint32_t warp_size = 1;           // 32 for PTX; 1 unless the kernel uses warp operations
  StreamId stream;                       // begins when the launch before it on this stream has ended,
  std::vector<LaunchId> after;           // and these have, which come earlier in Problem::launches
};

// How sums of symbolic floats compare. Integer sums are multisets in both.
enum class ValueDomain : std::uint8_t { multisets, expressions };

struct Problem {
  std::string name;
  std::vector<Kernel> kernels;
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
  std::uint32_t replays = 1;
  Contract contract;
  ValueDomain domain = ValueDomain::multisets;

  [[nodiscard]] std::optional<BufferId> find_buffer(std::string_view name) const;
};

// True if a buffer has a second name, or an access goes by another proxy than the generic one. (Proxies are told by the
// instruction: a name that is declared plainly may be read by any.)
[[nodiscard]] bool uses_proxies(const Problem& problem);

// One thread of a launch, in order of its id (cta-major, then x fastest within the CTA).
struct ThreadCoordinates {
  KernelId kernel;
  Placement placement;
  std::array<std::uint32_t, 3> tid{}, ctaid{};
  std::uint32_t index_in_cta = 0;
};
[[nodiscard]] std::vector<ThreadCoordinates> threads_of(const Launch& launch);

// The buffer behind each array of the kernel (no value for shared and local ones).
// Throws InputError when a global array has no buffer.
[[nodiscard]] std::vector<std::optional<BufferId>> bindings_of(const Problem& problem, const Launch& launch,
                                                               KernelId kernel);

}  // namespace fencewise
