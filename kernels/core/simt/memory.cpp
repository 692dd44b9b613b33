// Handlers of loads, stores and atomics, what they cost, and their races.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "kernels/core/simt/machine.h"
#include "kernels/core/value.h"

namespace fencewise::simt {
namespace {

const char* name(MemoryOp::Kind kind) {
  switch (kind) {
    case MemoryOp::Kind::load: return "load from";
    case MemoryOp::Kind::store: return "store to";
    case MemoryOp::Kind::atomic: return "atomic on";
  }
  return "access to";
}

std::uint64_t load_bits(const std::byte* p, std::uint32_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, p, bytes);
  return bits;
}

}  // namespace

std::byte* Machine::start_of(ArrayId array) const {
  const ArrayPlace& place = program.arrays[array.value];
  if (place.space == StateSpace::shared) return shared_.data() + place.offset;
  return config.buffers[place.buffer].data();
}

std::byte* Machine::local_memory(const Warp& warp, std::uint32_t lane) {
  return local_.data() + std::size_t{warp.index * warp_lanes + lane} * program.local_bytes;
}

// --- where the lanes point ---

namespace {

// Index of one lane as the address computation sees it.
std::int64_t index_of(const Warp& warp, const MemoryOp& m, std::uint32_t lane) {
  if (m.index_kind == IndexKind::none) return 0;
  const std::byte* p = warp.registers.at(m.index);
  if (m.index_kind == IndexKind::u64)
    return static_cast<std::int64_t>(load_bits(p + std::size_t{lane} * 8, 8) + m.index_plus);
  const auto bits = static_cast<std::uint32_t>(load_bits(p + std::size_t{lane} * 4, 4)) + m.index_plus;
  return m.index_kind == IndexKind::s32 ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
}

// Distances from the first active lane's index, modulo 2^32: arrays are shorter than 2^31 bytes, so two lanes inside
// one array are never confused, and a lane outside stays outside.
std::array<std::int32_t, 32> relative_to_first(const Warp& warp, const MemoryOp& m, std::uint32_t mask) {
  std::array<std::int32_t, 32> relative{};
  const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
  const auto base = static_cast<std::uint64_t>(index_of(warp, m, first));
  each_lane(mask, [&](std::uint32_t l) {
    const std::uint64_t distance = static_cast<std::uint64_t>(index_of(warp, m, l)) - base;
    relative[l] = static_cast<std::int32_t>(static_cast<std::uint32_t>(distance));
    constexpr std::int64_t far = std::int64_t{1} << 31;
    const auto true_distance = static_cast<std::int64_t>(distance);
    if (m.index_kind == IndexKind::u64 && (true_distance >= far || true_distance < -far))
      throw FaultSignal{Fault::Kind::out_of_bounds, l, "an address far outside of every array"};
  });
  return relative;
}

}  // namespace

AccessPattern* Machine::pattern_of(const Warp& warp, const Op& op, const MemoryOp& m, std::uint32_t mask) {
  auto& recent = recent_[op.data];
  const bool words = m.index_kind == IndexKind::u32 || m.index_kind == IndexKind::s32;
  if (words) {
    const std::byte* index = warp.registers.at(m.index);
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const auto base = static_cast<std::uint32_t>(load_bits(index + std::size_t{first} * 4, 4));
    for (AccessPattern* p : recent)
      if (p != nullptr && p->mask == mask && is_shifted(index, base, p->relative.data(), mask)) return p;
  } else if (m.index_kind == IndexKind::none && recent[0] != nullptr && recent[0]->mask == mask) {
    return recent[0];
  }
  if (patterns_.full()) {
    patterns_.clear();
    for (auto& r : recent_) r.fill(nullptr);
  }
  AccessPattern* found = &patterns_.find(relative_to_first(warp, m, mask), mask, m.scale, m.width);
  std::move_backward(recent.begin(), recent.end() - 1, recent.end());
  recent[0] = found;
  return found;
}

// Checks that every lane is inside the array and aligned.
Target Machine::bounded(const Op&, const MemoryOp& m, ArrayId array, AccessPattern* pattern,
                        std::int64_t offset) {
  const ArrayPlace& place = program.arrays[array.value];
  const ArrayDecl& declaration = (*program.kernel)[array];
  const auto size = static_cast<std::int64_t>(place.bytes);
  if (offset + pattern->lowest < 0 || offset + pattern->highest + m.width > size) {
    each_lane(pattern->mask, [&](std::uint32_t l) {
      const std::int64_t at = offset + pattern->bytes[l];
      if (at >= 0 && at + m.width <= size) return;
      const auto element = static_cast<std::int64_t>(size_of(declaration.element));
      throw FaultSignal{
          Fault::Kind::out_of_bounds, l,
          fmt::format("{} {}[{}] is out of bounds ({} elements)", name(m.kind), declaration.name,
                      at >= 0 ? at / element : (at - element + 1) / element, size / element)};
    });
  }
  if (((static_cast<std::uint64_t>(offset) | pattern->misalignment) & (m.width - 1)) != 0) {
    each_lane(pattern->mask, [&](std::uint32_t l) {
      const std::int64_t at = offset + pattern->bytes[l];
      if (at % m.width == 0) return;
      throw FaultSignal{Fault::Kind::misaligned, l,
                        fmt::format("{} {} at byte {} is not aligned to its {} bytes", name(m.kind),
                                    declaration.name, at, m.width)};
    });
  }
  return {start_of(array) + offset, offset, pattern, array};
}

Target Machine::locate(const Warp& warp, const Op& op, const MemoryOp& m, std::uint32_t mask) {
  AccessPattern* pattern = pattern_of(warp, op, m, mask);
  const std::int64_t index = index_of(warp, m, static_cast<std::uint32_t>(std::countr_zero(mask)));
  // An index beyond 2^40 is outside whatever the scale; cut, so that the product cannot overflow.
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  const std::int64_t cut = index < -limit ? -limit : index > limit ? limit : index;
  return bounded(op, m, *m.array, pattern, cut * m.scale + m.offset);
}

namespace {

// The array that an address points into, and where in it.
struct Resolved {
  ArrayId array;
  std::int64_t offset = 0;
};

std::optional<Resolved> resolve(const Program& program, StateSpace space, std::uint64_t address) {
  const bool shared = space == StateSpace::shared || (space == StateSpace::generic && address >= shared_base);
  const std::uint64_t low = address & 0xffff'ffffU;
  for (std::uint32_t a = 0; a < program.arrays.size(); ++a) {
    const ArrayPlace& place = program.arrays[a];
    if (shared != (place.space == StateSpace::shared) || place.space == StateSpace::local) continue;
    const std::uint64_t base = shared ? place.offset : buffer_base(place.buffer);
    const std::uint64_t at = shared ? low : address;
    if (at >= base && at - base < place.bytes) return Resolved{{a}, static_cast<std::int64_t>(at - base)};
  }
  return std::nullopt;
}

}  // namespace

// Addresses without an array: lanes that point into the same array go together.
std::vector<std::pair<std::uint32_t, Target>> Machine::locate_addresses(const Warp& warp, const Op& op,
                                                                        const MemoryOp& m,
                                                                        std::uint32_t mask) {
  std::vector<std::pair<std::uint32_t, Target>> parts;
  for (std::uint32_t rest = mask; rest != 0;) {
    std::optional<Resolved> first;
    std::uint32_t part = 0;
    std::array<std::int32_t, 32> relative{};
    each_lane(rest, [&](std::uint32_t l) {
      const std::uint64_t address =
          static_cast<std::uint64_t>(index_of(warp, m, l)) * m.scale + static_cast<std::uint64_t>(m.offset);
      const auto here = resolve(program, m.space, address);
      if (!here)
        throw FaultSignal{Fault::Kind::out_of_bounds, l,
                          fmt::format("{} address {:#x} is outside of every array", name(m.kind), address)};
      if (!first) first = here;
      if (here->array != first->array) return;
      part |= 1U << l;
      relative[l] = static_cast<std::int32_t>(here->offset - first->offset);
    });
    if (patterns_.full()) {
      patterns_.clear();
      for (auto& r : recent_) r.fill(nullptr);
      parts.clear();
      rest = mask;
      continue;
    }
    parts.emplace_back(
        part, bounded(op, m, first->array, &patterns_.find(relative, part, 1, m.width), first->offset));
    rest &= ~part;
  }
  return parts;
}

// --- what it costs ---

void Machine::account(const Warp& warp, const Op& op, const MemoryOp& m, const Target& target) {
  const bool load = m.kind == MemoryOp::Kind::load;
  if (program.arrays[target.array.value].space != StateSpace::shared) {
    if (m.kind == MemoryOp::Kind::atomic) return;
    const Transactions& t = target.pattern->transactions_at(target.offset);
    (load ? traffic.gld_lines : traffic.gst_lines) += t.lines;
    (load ? traffic.gld_sectors : traffic.gst_sectors) += t.sectors;
    return;
  }
  if (m.kind != MemoryOp::Kind::atomic) {
    Wavefronts w = target.pattern->wavefronts;
    if (!target.pattern->words()) {  // bytes and halves: which words they touch depends on where they start
      std::array<std::int64_t, 32> word{};
      for (std::uint32_t l = 0; l < warp_lanes; ++l) word[l] = (target.offset + target.pattern->bytes[l]) / 4;
      w = smem_wavefronts(word, target.pattern->mask, 1);
    }
    (load ? traffic.lds_wavefronts : traffic.sts_wavefronts) += w.taken;
    (load ? traffic.ideal_lds_wavefronts : traffic.ideal_sts_wavefronts) += w.ideal;
  }
  if (config.detect_races) find_races(warp, op, m, target);
}

// --- races ---

namespace {

SharedAccess access_of(const MemoryOp& m) {
  if (m.kind == MemoryOp::Kind::load) return m.strong ? SharedAccess::strong_read : SharedAccess::weak_read;
  return m.strong ? SharedAccess::strong_write : SharedAccess::weak_write;
}

RaceReport::Kind kind_of(SharedAccess access, bool other_wrote) {
  if (access == SharedAccess::weak_read || access == SharedAccess::strong_read)
    return RaceReport::Kind::read_after_write;
  return other_wrote ? RaceReport::Kind::write_after_write : RaceReport::Kind::write_after_read;
}

}  // namespace

void Machine::find_races(const Warp& warp, const Op& op, const MemoryOp& m, const Target& target) {
  const SharedAccess access = access_of(m);
  const auto op_number = static_cast<std::uint32_t>(&op - program.ops.data());
  const std::int64_t start =
      static_cast<std::int64_t>(program.arrays[target.array.value].offset) + target.offset;
  const std::int64_t first_word = start / 4;
  if (target.pattern->words()) {
    if (detector_.any_conflict(access, *target.pattern, first_word, warp.index))
      report_races(warp, op, access, target, start);
    detector_.record(access, *target.pattern, first_word, {op_number, warp.index});
    return;
  }
  report_races(warp, op, access, target, start);
  each_lane(target.pattern->mask, [&](std::uint32_t l) {
    detector_.record(access, (start + target.pattern->bytes[l]) / 4, {op_number, warp.index});
  });
}

// `start`: byte of the first lane in the block's shared memory.
void Machine::report_races(const Warp& warp, const Op& op, SharedAccess access, const Target& target,
                           std::int64_t start) {
  const auto op_number = static_cast<std::uint32_t>(&op - program.ops.data());
  const auto array_word = static_cast<std::int64_t>(program.arrays[target.array.value].offset / 4);
  std::size_t room = races_.size() < max_race_reports ? max_race_reports : 0;
  each_lane(target.pattern->mask, [&](std::uint32_t l) {
    const std::int64_t first = (start + target.pattern->bytes[l]) / 4;
    const std::int64_t last = (start + target.pattern->bytes[l] + target.pattern->width - 1) / 4;
    for (std::int64_t word = first; word <= last; ++word) {
      const auto conflict = detector_.conflict(access, word, warp.index);
      if (!conflict) continue;
      ++traffic.race_count;
      if (room == 0) continue;
      --room;
      RaceReport report{.kind = kind_of(access, conflict->other_wrote),
                        .block = static_cast<std::uint32_t>(block_),
                        .thread = warp.index * warp_lanes + l,
                        .warp = warp.index,
                        .other_warp = conflict->other.warp,
                        .array = target.array,
                        .word = static_cast<std::uint64_t>(word - array_word),
                        .where = program.kernel->at(op.source).where,
                        .other = program.kernel->at(program.ops[conflict->other.op].source).where};
      pending_.push_back({op_number, report});
    }
  });
}

// The warps of a round each ran its whole segment; the reports go statement by statement, as in lockstep.
void Machine::flush_races() {
  if (pending_.empty()) return;
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const PendingRace& a, const PendingRace& b) { return a.op < b.op; });
  for (const PendingRace& p : pending_)
    if (races_.size() < max_race_reports) races_.push_back(p.report);
  pending_.clear();
}

// --- moving the data ---

namespace handlers {
namespace {

using Word = std::uint32_t __attribute__((may_alias));

Word* words_of(const Warp& warp, const Source& source) {
  return reinterpret_cast<Word*>(warp.registers.at(source.slot));
}

// Eight lanes share one address.
void load_grouped(const Warp& warp, const MemoryOp& m, const Target& t) {
  for (std::uint32_t e = 0; e < m.count; ++e) {
    Word* dst = words_of(warp, m.data[e]);
    for (std::uint32_t group = 0; group < warp_lanes; group += 8) {
      const Word value =
          *reinterpret_cast<const Word*>(t.base + t.pattern->bytes[group] + std::size_t{e} * 4);
      for (std::uint32_t l = group; l < group + 8; ++l) dst[l] = value;
    }
  }
}

template <std::uint32_t count> void load_vectors(const Warp& warp, const MemoryOp& m, const Target& t) {
  Word* dst[count];
  for (std::uint32_t e = 0; e < count; ++e) dst[e] = words_of(warp, m.data[e]);
  for (std::uint32_t l = 0; l < warp_lanes; ++l) {
    std::array<std::uint32_t, count> lane;
    std::memcpy(lane.data(), t.base + t.pattern->bytes[l], sizeof lane);
    for (std::uint32_t e = 0; e < count; ++e) dst[e][l] = lane[e];
  }
}

void load_words(const Warp& warp, const MemoryOp& m, const Target& t) {
  if (t.pattern->shape == Shape::grouped) return load_grouped(warp, m, t);
  if (m.count == 1 && t.pattern->shape == Shape::dense) {
    std::memcpy(words_of(warp, m.data[0]), t.base, 4 * warp_lanes);
    return;
  }
  if (m.count == 1) return load_vectors<1>(warp, m, t);
  if (m.count == 2) return load_vectors<2>(warp, m, t);
  load_vectors<4>(warp, m, t);
}

void load_some_words(const Warp& warp, const MemoryOp& m, const Target& t, std::uint32_t mask) {
  for (std::uint32_t e = 0; e < m.count; ++e) {
    Word* dst = words_of(warp, m.data[e]);
    each_lane(mask, [&](std::uint32_t l) {
      std::memcpy(dst + l, t.base + t.pattern->bytes[l] + std::size_t{e} * 4, 4);
    });
  }
}

void load_lanes(Machine&, Warp& warp, const MemoryOp& m, const Target& t, std::uint32_t mask) {
  if (m.word_registers && mask == all_lanes) return load_words(warp, m, t);
  if (m.word_registers) return load_some_words(warp, m, t, mask);
  const std::uint32_t size = size_of(m.type);
  each_lane(mask, [&](std::uint32_t l) {
    for (std::uint32_t e = 0; e < m.count; ++e)
      Machine::write_lane(
          warp, m.data[e], l,
          truncate(m.type, load_bits(t.base + t.pattern->bytes[l] + std::size_t{e} * size, size)));
  });
}

template <std::uint32_t count> void store_vectors(const Warp& warp, const MemoryOp& m, const Target& t) {
  const Word* src[count];
  for (std::uint32_t e = 0; e < count; ++e) src[e] = words_of(warp, m.data[e]);
  for (std::uint32_t l = 0; l < warp_lanes; ++l) {
    std::array<std::uint32_t, count> lane;
    for (std::uint32_t e = 0; e < count; ++e) lane[e] = src[e][l];
    std::memcpy(t.base + t.pattern->bytes[l], lane.data(), sizeof lane);
  }
}

void store_words(const Warp& warp, const MemoryOp& m, const Target& t) {
  if (m.count == 1 && t.pattern->shape == Shape::dense) {
    std::memcpy(t.base, words_of(warp, m.data[0]), 4 * warp_lanes);
    return;
  }
  if (m.count == 1) return store_vectors<1>(warp, m, t);
  if (m.count == 2) return store_vectors<2>(warp, m, t);
  store_vectors<4>(warp, m, t);
}

// Ascending, so that of several lanes that store to one element the highest wins.
void store_lanes(Machine& machine, Warp& warp, const MemoryOp& m, const Target& t, std::uint32_t mask) {
  if (m.word_registers && mask == all_lanes) return store_words(warp, m, t);
  if (m.word_registers && m.count == 1) {
    const Word* src = words_of(warp, m.data[0]);
    return each_lane(mask, [&](std::uint32_t l) { std::memcpy(t.base + t.pattern->bytes[l], src + l, 4); });
  }
  const std::uint32_t size = size_of(m.type);
  each_lane(mask, [&](std::uint32_t l) {
    for (std::uint32_t e = 0; e < m.count; ++e) {
      const std::uint64_t bits = machine.read_lane(warp, m.data[e], l);
      std::memcpy(t.base + t.pattern->bytes[l] + std::size_t{e} * size, &bits, size);
    }
  });
}

template <class T> void add_lanes(const Warp& warp, const MemoryOp& m, const Target& t, std::uint32_t mask) {
  const std::byte* values = warp.registers.at(m.data[0].slot);
  each_lane(mask, [&](std::uint32_t l) {
    T sum, value;
    std::memcpy(&sum, t.base + t.pattern->bytes[l], 4);
    std::memcpy(&value, values + std::size_t{l} * 4, 4);
    if (m.old) std::memcpy(warp.registers.at(m.old->slot) + std::size_t{l} * 4, &sum, 4);
    sum += value;
    std::memcpy(t.base + t.pattern->bytes[l], &sum, 4);
  });
}

// The atomics that kernels use most.
bool add_words(const Warp& warp, const MemoryOp& m, const Target& t, std::uint32_t mask) {
  if (m.op != AtomicOp::add || m.data[0].bytes != 4 || (m.old && m.old->bytes != 4)) return false;
  if (m.type == Type::f32) {
    add_lanes<float>(warp, m, t, mask);
    return true;
  }
  if (m.type == Type::u32 || m.type == Type::s32) {
    add_lanes<std::uint32_t>(warp, m, t, mask);
    return true;
  }
  return false;
}

// Lane by lane, ascending: each sees what the one before left.
void atomic_lanes(Machine& machine, Warp& warp, const MemoryOp& m, const Target& t, std::uint32_t mask) {
  if (add_words(warp, m, t, mask)) return;
  const std::uint32_t size = size_of(m.type);
  each_lane(mask, [&](std::uint32_t l) {
    std::byte* p = t.base + t.pattern->bytes[l];
    const std::uint64_t old = truncate(m.type, load_bits(p, size));
    const auto fresh = compute_atomic(m.op, m.type, old, machine.read_lane(warp, m.data[0], l),
                                      machine.read_lane(warp, m.data[1], l));
    if (fresh) std::memcpy(p, &*fresh, size);
    if (m.old) Machine::write_lane(warp, *m.old, l, old);
  });
}

using Mover = void (*)(Machine&, Warp&, const MemoryOp&, const Target&, std::uint32_t mask);

// Tells the machine whether memory changes.
template <Mover move>
void noticed(Machine& machine, Warp& warp, const MemoryOp& m, const Target& t, std::uint32_t mask) {
  constexpr std::size_t widest = 32;
  std::array<std::byte, widest * warp_lanes> before;
  each_lane(mask, [&](std::uint32_t l) {
    std::memcpy(before.data() + l * widest, t.base + t.pattern->bytes[l], m.width);
  });
  move(machine, warp, m, t, mask);
  bool changed = false;
  each_lane(mask, [&](std::uint32_t l) {
    changed = changed || std::memcmp(before.data() + l * widest, t.base + t.pattern->bytes[l], m.width) != 0;
  });
  if (changed) machine.note_change();
}

// Each thread has its own copy of a local array; no counters.
void access_local(Machine& machine, Warp& warp, const Op& op, const MemoryOp& m, std::uint32_t mask,
                  Mover move) {
  static_cast<void>(op);
  const ArrayPlace& place = machine.program.arrays[m.array->value];
  each_lane(mask, [&](std::uint32_t l) {
    const std::int64_t at = index_of(warp, m, l) * m.scale + m.offset;
    if (at < 0 || at + m.width > static_cast<std::int64_t>(place.bytes))
      throw FaultSignal{Fault::Kind::out_of_bounds, l,
                        fmt::format("{} {} at byte {} is out of bounds ({} bytes)", name(m.kind),
                                    (*machine.program.kernel)[*m.array].name, at, place.bytes)};
    if (at % m.width != 0)
      throw FaultSignal{Fault::Kind::misaligned, l,
                        fmt::format("{} {} at byte {} is not aligned to its {} bytes", name(m.kind),
                                    (*machine.program.kernel)[*m.array].name, at, m.width)};
    AccessPattern alone;
    alone.mask = 1U << l;
    move(machine, warp, m, {machine.local_memory(warp, l) + place.offset + at, at, &alone, *m.array},
         1U << l);
  });
}

void access(Machine& machine, Warp& warp, const Op& op, std::uint32_t mask, Mover move) {
  const MemoryOp& m = machine.program.memory[op.data];
  if (m.array && machine.program.arrays[m.array->value].space == StateSpace::local)
    return access_local(machine, warp, op, m, mask, move);
  if (m.array) {
    const Target target = machine.locate(warp, op, m, mask);
    machine.account(warp, op, m, target);
    return move(machine, warp, m, target, mask);
  }
  for (const auto& [part, target] : machine.locate_addresses(warp, op, m, mask)) {
    machine.account(warp, op, m, target);
    move(machine, warp, m, target, part);
  }
}

}  // namespace

void load(Machine& machine, Warp& warp, const Op& op, std::uint32_t mask) {
  if (machine.watched()) warp.last_read = op.source;
  access(machine, warp, op, mask, load_lanes);
}
void store(Machine& machine, Warp& warp, const Op& op, std::uint32_t mask) {
  access(machine, warp, op, mask, machine.watched() ? noticed<store_lanes> : store_lanes);
}
void atomic(Machine& machine, Warp& warp, const Op& op, std::uint32_t mask) {
  if (machine.watched()) warp.last_read = op.source;
  access(machine, warp, op, mask, machine.watched() ? noticed<atomic_lanes> : atomic_lanes);
}

}  // namespace handlers
}  // namespace fencewise::simt
