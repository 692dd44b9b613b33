// The memory of one simulated machine: bytes with a mark for those that nobody wrote. Values are numbers or poison.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/address_space.h"
#include "kernels/core/value.h"

namespace fencewise {

class SimulatedMemory {
 public:
  // Every byte of `space` starts as poison that names its element.
  SimulatedMemory(const AddressSpace& space, Terms& terms);

  // Poison if any byte of it is.
  [[nodiscard]] Value read(const Location& location) const;
  // True if that changed anything.
  bool write(const Location& location, Value value);
  // Copies what both have: the first `storages` allocations, the buffers.
  void take_buffers(const SimulatedMemory& other, std::size_t storages);

 private:
  struct Storage {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> poison;  // [byte]: 0 none, else index into poisons_
  };
  [[nodiscard]] std::uint32_t poison_number(Value value);

  std::vector<Storage> storages_;  // [storage]; empty for aliases
  std::vector<Value> poisons_;     // [0] is no poison
};

// The location of element `index` of a buffer, in its storage.
[[nodiscard]] Location location_of(const AddressSpace& space, BufferId buffer, std::uint64_t index);

}  // namespace fencewise
