// The classic in-order race detector of a block's shared memory, per 4-byte word, since the last barrier.
//
// A read races if another warp wrote the word; a write races if another warp wrote it, else if another warp read it.
// Accesses that are not weak (atomics, volatile, relaxed, ...) don't race with each other, but do with weak ones.
// Instead of the set of warps that accessed a word, each history keeps the last access and the last one by a warp
// other than that: for any warp, that is enough to tell whether another warp accessed the word, and on which line.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/core/simt/access_pattern.h"

namespace fencewise::simt {

enum class SharedAccess : std::uint8_t { weak_read, weak_write, strong_read, strong_write };

// Who accessed a word: an operation of the program (index into Program::ops) and the warp.
struct Accessor {
  std::uint32_t op = 0;
  std::uint32_t warp = 0;
};

struct Conflict {
  Accessor other;
  bool other_wrote = false;
};

class RaceDetector {
 public:
  // Words of all shared arrays together. Without strong accesses in the kernel two histories are enough.
  RaceDetector(std::uint32_t words, bool has_strong_accesses);

  void barrier();
  // True if some word of the pattern conflicts with an earlier access of another warp.
  [[nodiscard]] bool any_conflict(SharedAccess access, const AccessPattern& pattern, std::int64_t first_word,
                                  std::uint32_t warp) const;
  [[nodiscard]] std::optional<Conflict> conflict(SharedAccess access, std::int64_t word,
                                                 std::uint32_t warp) const;
  void record(SharedAccess access, const AccessPattern& pattern, std::int64_t first_word, Accessor who);
  // One word, for accesses that are no pattern.
  void record(SharedAccess access, std::int64_t word, Accessor who);

 private:
  // 0: nobody; else op << 6 | warp + 1.
  using Entry = std::uint32_t;
  struct History {
    std::vector<Entry> last, other;
    bool empty = true;
  };
  [[nodiscard]] History& of(SharedAccess access) { return histories_[static_cast<std::size_t>(access)]; }
  [[nodiscard]] const History& of(SharedAccess access) const {
    return histories_[static_cast<std::size_t>(access)];
  }

  std::array<History, 4> histories_;
};

}  // namespace fencewise::simt
