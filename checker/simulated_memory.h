// The memory of one simulated machine: bytes with a mark for those that nobody wrote. Values are numbers or poison.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/core/address_space.h"
#include "kernels/core/value.h"

namespace fencewise {

class SimulatedMemory {
 public:
  // Every byte of `space` starts as poison that names its element. Both arguments must outlive the memory.
  SimulatedMemory(const AddressSpace& space, Terms& terms);

  // Poison if any byte of it is.
  [[nodiscard]] Value read(const Location& location) const;
  // True if that changed anything.
  bool write(const Location& location, Value value);
  // Makes it as nobody wrote it.
  void forget(const Location& location);
  // Takes over the first `count` storages, the buffers, from the memory of another launch of the same problem.
  void take_buffers(const SimulatedMemory& other, std::size_t count);

 private:
  // A byte is a number, or poison of its own place, or a poison that was stored there (its term).
  static constexpr std::uint32_t no_poison = 0, own_poison = 1;
  struct Storage {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> poison;  // [byte]
  };
  [[nodiscard]] Value poison_at(const Location& location, std::uint32_t poison) const;
  bool set(const Location& location, std::uint64_t bits, std::uint32_t poison);

  const AddressSpace* space_;
  Terms* terms_;
  std::vector<Storage> storages_;          // [storage]; empty for aliases
  std::map<std::uint32_t, Value> stored_;  // by term
};

// The location of element `index` of a buffer, in its storage.
[[nodiscard]] Location location_of(const AddressSpace& space, BufferId buffer, std::uint64_t index);

}  // namespace fencewise
