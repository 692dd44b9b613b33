#include "kernels/core/simt/race_detector.h"

#include <algorithm>
#include <span>

namespace fencewise::simt {
namespace {

constexpr std::uint32_t warp_bits = 6;
constexpr std::uint32_t warp_mask = (1U << warp_bits) - 1;

// What an access conflicts with, in the order in which it is reported: writes first.
std::span<const SharedAccess> enemies(SharedAccess access) {
  using enum SharedAccess;
  static constexpr std::array read{weak_write, strong_write};
  static constexpr std::array write{weak_write, strong_write, weak_read, strong_read};
  static constexpr std::array strong_read_of{weak_write};
  static constexpr std::array strong_write_of{weak_write, weak_read};
  switch (access) {
    case weak_read: return read;
    case weak_write: return write;
    case strong_read: return strong_read_of;
    case strong_write: return strong_write_of;
  }
  return {};
}

bool is_write(SharedAccess access) {
  return access == SharedAccess::weak_write || access == SharedAccess::strong_write;
}

// The last entry by a warp other than `me` (which is warp + 1), or 0.
std::uint32_t by_another(std::uint32_t last, std::uint32_t other, std::uint32_t me) {
  return (last & warp_mask) == me ? other : last;
}

}  // namespace

RaceDetector::RaceDetector(std::uint32_t words, bool has_strong_accesses) {
  const std::size_t used = has_strong_accesses ? 4 : 2;
  for (std::size_t i = 0; i < used; ++i) {
    histories_[i].last.resize(words);
    histories_[i].other.resize(words);
  }
}

void RaceDetector::barrier() {
  for (History& h : histories_) {
    if (h.empty) continue;
    std::fill(h.last.begin(), h.last.end(), 0U);
    std::fill(h.other.begin(), h.other.end(), 0U);
    h.empty = true;
  }
}

bool RaceDetector::any_conflict(SharedAccess access, const AccessPattern& pattern, std::int64_t first_word,
                                std::uint32_t warp) const {
  std::uint32_t found = 0;
  for (const SharedAccess enemy : enemies(access)) {
    const History& h = of(enemy);
    if (h.empty) continue;
    for (const WordRun& run : pattern.runs) {
      const Entry* last = h.last.data() + (first_word + run.first);
      const Entry* other = h.other.data() + (first_word + run.first);
      for (std::uint32_t i = 0; i < run.count; ++i) found |= by_another(last[i], other[i], warp + 1);
    }
  }
  return found != 0;
}

std::optional<Conflict> RaceDetector::conflict(SharedAccess access, std::int64_t word, std::uint32_t warp) const {
  for (const SharedAccess enemy : enemies(access)) {
    const History& h = of(enemy);
    if (h.empty) continue;
    const auto w = static_cast<std::size_t>(word);
    const Entry entry = by_another(h.last[w], h.other[w], warp + 1);
    if (entry != 0) return Conflict{{entry >> warp_bits, (entry & warp_mask) - 1}, is_write(enemy)};
  }
  return std::nullopt;
}

void RaceDetector::record(SharedAccess access, const AccessPattern& pattern, std::int64_t first_word, Accessor who) {
  History& h = of(access);
  h.empty = false;
  const Entry entry = who.op << warp_bits | (who.warp + 1);
  for (const WordRun& run : pattern.runs) {
    Entry* last = h.last.data() + (first_word + run.first);
    Entry* other = h.other.data() + (first_word + run.first);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      other[i] = by_another(last[i], other[i], who.warp + 1);
      last[i] = entry;
    }
  }
}

void RaceDetector::record(SharedAccess access, std::int64_t word, Accessor who) {
  History& h = of(access);
  h.empty = false;
  const auto w = static_cast<std::size_t>(word);
  h.other[w] = by_another(h.last[w], h.other[w], who.warp + 1);
  h.last[w] = who.op << warp_bits | (who.warp + 1);
}

}  // namespace fencewise::simt
