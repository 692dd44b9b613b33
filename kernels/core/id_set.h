// A set of ids (RegisterId, ArrayId, BlockId, ...) as a bit vector: one bit an id, 64 a word.
//
// Every set of one analysis has the same universe, so union and comparison go word by word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fencewise {

template <class Id> class IdSet {
 public:
  IdSet() = default;
  // Empty, with room for ids 0 .. universe-1.
  explicit IdSet(std::size_t universe) : words_((universe + 63) / 64) {}

  [[nodiscard]] bool contains(Id id) const {
    const std::size_t word = id.value / 64;
    return word < words_.size() && (words_[word] >> (id.value % 64) & 1U) != 0;
  }
  void insert(Id id) { words_[id.value / 64] |= bit(id); }
  void erase(Id id) { words_[id.value / 64] &= ~bit(id); }

  // Adds the members of `other`, which has the same universe. True if that changed this set.
  bool merge(const IdSet& other) {
    bool changed = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t merged = words_[i] | other.words_[i];
      changed |= merged != words_[i];
      words_[i] = merged;
    }
    return changed;
  }

  [[nodiscard]] bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
  }
  // Ascending.
  [[nodiscard]] std::vector<Id> members() const {
    std::vector<Id> ids;
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        ids.push_back(
            Id{static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)))});
    return ids;
  }
  // The words behind the set, for hot loops that mask whole states.
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

  friend bool operator==(const IdSet&, const IdSet&) = default;

 private:
  static std::uint64_t bit(Id id) { return std::uint64_t{1} << (id.value % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace fencewise
