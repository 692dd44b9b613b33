#include "kernels/core/simt/race_detector.h"

#include <algorithm>
#include <span>

#include "kernels/core/simt/multiversion.h"

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
[[gnu::always_inline]] inline std::uint32_t by_another(std::uint32_t last, std::uint32_t other,
                                                       std::uint32_t me) {
  return (last & warp_mask) == me ? other : last;
}

// The two loops over words, compiled for vectors: they run for every shared access.
FENCEWISE_CLONES std::uint32_t others_in(const std::uint32_t* last, const std::uint32_t* other,
                                         const WordRun* runs, std::size_t count, std::uint32_t me) {
  std::uint32_t found = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint32_t* l = last + runs[r].first;
    const std::uint32_t* o = other + runs[r].first;
    for (std::uint32_t i = 0; i < runs[r].count; ++i) found |= by_another(l[i], o[i], me);
  }
  return found;
}

FENCEWISE_CLONES void record_in(std::uint32_t* __restrict last, std::uint32_t* __restrict other,
                                const WordRun* runs, std::size_t count, std::uint32_t entry) {
  const std::uint32_t me = entry & warp_mask;
  for (std::size_t r = 0; r < count; ++r) {
    std::uint32_t* __restrict l = last + runs[r].first;
    std::uint32_t* __restrict o = other + runs[r].first;
    for (std::uint32_t i = 0; i < runs[r].count; ++i) {
      const std::uint32_t before = l[i], second = o[i];
      o[i] = by_another(before, second, me);
      l[i] = entry;
    }
  }
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
    if (!h.empty)
      found |= others_in(h.last.data() + first_word, h.other.data() + first_word, pattern.runs.data(),
                         pattern.runs.size(), warp + 1);
  }
  return found != 0;
}

std::optional<Conflict> RaceDetector::conflict(SharedAccess access, std::int64_t word,
                                               std::uint32_t warp) const {
  for (const SharedAccess enemy : enemies(access)) {
    const History& h = of(enemy);
    if (h.empty) continue;
    const auto w = static_cast<std::size_t>(word);
    const Entry entry = by_another(h.last[w], h.other[w], warp + 1);
    if (entry != 0) return Conflict{{entry >> warp_bits, (entry & warp_mask) - 1}, is_write(enemy)};
  }
  return std::nullopt;
}

void RaceDetector::record(SharedAccess access, const AccessPattern& pattern, std::int64_t first_word,
                          Accessor who) {
  History& h = of(access);
  h.empty = false;
  record_in(h.last.data() + first_word, h.other.data() + first_word, pattern.runs.data(), pattern.runs.size(),
            who.op << warp_bits | (who.warp + 1));
}

void RaceDetector::record(SharedAccess access, std::int64_t word, Accessor who) {
  History& h = of(access);
  h.empty = false;
  const auto w = static_cast<std::size_t>(word);
  h.other[w] = by_another(h.last[w], h.other[w], who.warp + 1);
  h.last[w] = who.op << warp_bits | (who.warp + 1);
}

}  // namespace fencewise::simt
