#include "checker/simulated_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::uint64_t largest_memory = std::uint64_t{1} << 26U;  // bytes; each costs five here

}  // namespace

SimulatedMemory::SimulatedMemory(const AddressSpace& space, Terms& terms) : poisons_{Value()} {
  std::uint64_t total = 0;
  storages_.resize(space.size());
  for (std::uint32_t n = 0; n < space.size(); ++n) {
    const Allocation& allocation = space[n];
    if (allocation.storage != n) continue;
    total += allocation.bytes;
    if (total > largest_memory)
      throw NotModelled(fmt::format("simulating more than {} MiB of memory is not modelled", largest_memory >> 20U));
    Storage& storage = storages_[n];
    storage.bytes.assign(allocation.bytes, 0);
    storage.poison.resize(allocation.bytes);
    const std::uint32_t element = size_of(allocation.element);
    for (std::uint32_t at = 0; at < allocation.bytes; at += element) {
      poisons_.push_back(terms.poison(space.name({n, at, element})));
      std::fill_n(storage.poison.begin() + at, element, static_cast<std::uint32_t>(poisons_.size() - 1));
    }
  }
}

Value SimulatedMemory::read(const Location& location) const {
  const Storage& storage = storages_[location.storage];
  std::uint64_t bits = 0;
  for (std::uint32_t n = 0; n < location.size; ++n) {
    if (const std::uint32_t poison = storage.poison[location.offset + n]; poison != 0) return poisons_[poison];
    bits |= std::uint64_t{storage.bytes[location.offset + n]} << (8 * n);
  }
  return Value::number(bits);
}

bool SimulatedMemory::write(const Location& location, Value value) {
  Storage& storage = storages_[location.storage];
  const std::uint32_t poison = value.is_number() ? 0 : poison_number(value);
  bool changed = false;
  for (std::uint32_t n = 0; n < location.size; ++n) {
    const auto byte = static_cast<std::uint8_t>(poison != 0 ? 0 : value.bits() >> (8 * n));
    const std::uint32_t at = location.offset + n;
    changed |= storage.bytes[at] != byte || storage.poison[at] != poison;
    storage.bytes[at] = byte;
    storage.poison[at] = poison;
  }
  return changed;
}

void SimulatedMemory::take_buffers(const SimulatedMemory& other, std::size_t storages) {
  for (std::size_t n = 0; n < storages; ++n) storages_[n] = other.storages_[n];
  // Poison numbers of buffers mean the same in both: buffers come first, in the same order.
  for (std::size_t n = poisons_.size(); n < other.poisons_.size(); ++n) poisons_.push_back(other.poisons_[n]);
}

std::uint32_t SimulatedMemory::poison_number(Value value) {
  const auto it = std::find(poisons_.begin(), poisons_.end(), value);
  if (it != poisons_.end()) return static_cast<std::uint32_t>(it - poisons_.begin());
  poisons_.push_back(value);
  return static_cast<std::uint32_t>(poisons_.size() - 1);
}

Location location_of(const AddressSpace& space, BufferId buffer, std::uint64_t index) {
  const Allocation& allocation = space[buffer.value];
  const std::uint32_t element = size_of(allocation.element);
  return {allocation.storage, static_cast<std::uint32_t>(index * element), element};
}

}  // namespace fencewise
