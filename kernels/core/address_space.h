// Where things are: the allocations of one stage of a plan (launch_plan.h) and their virtual addresses.
//
// Allocation k starts at virtual address (k + 1) << 32, so that a stray address is caught, never silently another
// array's. A location's storage is the allocation's number; an alias has a number of its own but its target's storage.
// Shared arrays are one allocation a CTA, local arrays one a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/launch_plan.h"
#include "kernels/core/problem.h"
#include "memmodel/execution_graph.h"

namespace fencewise {

struct Allocation {
  std::string name;                  // "ws"; shared: "flag"
  Type element = Type::u32;
  std::vector<ArrayPart> parts;      // as ArrayDecl has them
  std::uint64_t bytes = 0;
  StateSpace space = StateSpace::global;
  std::optional<BufferId> buffer;    // global
  std::string owner;                 // shared: "CTA 2", as reports say it
  std::uint32_t storage = 0;         // root allocation
  std::uint32_t alias = 0;           // virtual name within the storage; 0: the root's own
};

struct Resolved {
  Location location;
  std::uint32_t alias = 0;
};

class AddressSpace {
 public:
  // Returns the allocation's number. `storage` is filled in for roots.
  std::uint32_t add(Allocation allocation);
  [[nodiscard]] static constexpr std::uint64_t base(std::uint32_t allocation) {
    return (std::uint64_t{allocation} + 1) << 32U;
  }
  [[nodiscard]] const Allocation& operator[](std::uint32_t n) const { return allocations_[n]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(allocations_.size()); }
  // No value: outside every allocation.
  [[nodiscard]] std::optional<Resolved> resolve(std::uint64_t address, std::uint32_t bytes) const;
  // "ws[3]", "flag[0] of CTA 2", "x" for a single element.
  [[nodiscard]] std::string name(const Location& location) const;

 private:
  std::vector<Allocation> allocations_;
};

// What a thread needs to know of its launch: its kernel, its ids, where its arrays are.
struct ThreadProgram {
  const Kernel* kernel = nullptr;
  ThreadCoordinates coordinates;
  Dim3 grid, block;
  std::uint32_t warp_size = 1;
  std::vector<std::uint64_t> array_base;   // [array] virtual address
  std::vector<std::uint64_t> params;       // [param]
  std::shared_ptr<const std::vector<bool>> loop_headers;  // [block] is the header of a natural loop

  [[nodiscard]] std::uint64_t special(SpecialRegister special) const;
};

// The address space and the threads of the launches of a stage, launch by launch. Buffers come first and in order, so that
// buffer b is allocation b. Of several launches each CTA and cluster has a number of its own.
struct LaunchImage {
  AddressSpace memory;
  std::vector<ThreadProgram> threads;      // [thread]
  std::vector<std::uint32_t> cta_of;       // [thread] linear CTA, dense from 0
  std::vector<std::uint32_t> launch_of;    // [thread] Stage::launches
  std::vector<std::uint32_t> first_cta;    // [launch of the stage]
  std::uint32_t ctas = 0;
};
[[nodiscard]] LaunchImage image_of(const Problem& problem, const Stage& stage);
[[nodiscard]] LaunchImage image_of(const Problem& problem, LaunchId launch);

}  // namespace fencewise
