#include "checker/simulated_memory.h"

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::uint64_t largest_memory = std::uint64_t{1} << 28U;  // bytes; each costs five here

}  // namespace

SimulatedMemory::SimulatedMemory(const AddressSpace& space, Terms& terms) : space_(&space), terms_(&terms) {
  std::uint64_t total = 0;
  storages_.resize(space.size());
  for (std::uint32_t n = 0; n < space.size(); ++n) {
    if (space[n].storage != n) continue;
    total += space[n].bytes;
    if (total > largest_memory)
      throw NotModelled(
          fmt::format("simulating more than {} MiB of memory is not modelled", largest_memory >> 20U));
    storages_[n].bytes.assign(space[n].bytes, 0);
    storages_[n].poison.assign(space[n].bytes, own_poison);
  }
}

Value SimulatedMemory::read(const Location& location) const {
  const Storage& storage = storages_[location.storage];
  std::uint64_t bits = 0;
  for (std::uint32_t n = 0; n < location.size; ++n) {
    const std::uint32_t poison = storage.poison[location.offset + n];
    if (poison != no_poison) return poison_at(location, poison);
    bits |= std::uint64_t{storage.bytes[location.offset + n]} << (8 * n);
  }
  return Value::number(bits);
}

Value SimulatedMemory::poison_at(const Location& location, std::uint32_t poison) const {
  return poison == own_poison ? terms_->poison(space_->name(location)) : stored_.at(poison);
}

bool SimulatedMemory::write(const Location& location, Value value) {
  if (value.is_number()) return set(location, value.bits(), no_poison);
  stored_.try_emplace(value.term(), value);
  return set(location, 0, value.term());
}

void SimulatedMemory::forget(const Location& location) { set(location, 0, own_poison); }

bool SimulatedMemory::set(const Location& location, std::uint64_t bits, std::uint32_t poison) {
  Storage& storage = storages_[location.storage];
  bool changed = false;
  for (std::uint32_t n = 0; n < location.size; ++n) {
    const auto byte = static_cast<std::uint8_t>(bits >> (8 * n));
    const std::uint32_t at = location.offset + n;
    changed |= storage.bytes[at] != byte || storage.poison[at] != poison;
    storage.bytes[at] = byte;
    storage.poison[at] = poison;
  }
  return changed;
}

void SimulatedMemory::take_buffers(const SimulatedMemory& other, std::size_t count) {
  for (std::size_t n = 0; n < count; ++n) storages_[n] = other.storages_[n];
  stored_.insert(other.stored_.begin(), other.stored_.end());
}

Location location_of(const AddressSpace& space, BufferId buffer, std::uint64_t index) {
  const Allocation& allocation = space[buffer.value];
  const std::uint32_t element = size_of(allocation.element);
  return {allocation.storage, static_cast<std::uint32_t>(index * element), element};
}

}  // namespace fencewise
