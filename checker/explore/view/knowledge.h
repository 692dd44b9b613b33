// What threads know: sets of records, and what a release passes on.
//
// A *record* stands for accesses that become known to others together: the weak accesses and reads of a thread between two of
// its releases, or one write. A *view* is a set of records: the accesses that base-causality-precede a thread's next step, or
// are observed by a read that does. A *structure* is what a release leaves for an acquire to take: one view for each group of
// threads (hierarchy.h) that may take it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fencewise::view {

using Record = std::uint32_t;
inline constexpr Record no_record = ~Record{0};  // known to all

class View {
 public:
  [[nodiscard]] bool knows(Record r) const {
    return r == no_record || (r / 64 < words_.size() && (words_[r / 64] >> (r % 64) & 1U) != 0);
  }
  void add(Record r) {
    if (r == no_record) return;
    if (words_.size() <= r / 64) words_.resize(r / 64 + 1, 0);
    words_[r / 64] |= std::uint64_t{1} << (r % 64);
  }
  void merge(const View& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void remove(const View& other) {
    for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) words_[i] &= ~other.words_[i];
  }
  [[nodiscard]] bool includes(const View& other) const {
    for (std::size_t i = 0; i < other.words_.size(); ++i)
      if ((other.words_[i] & ~(i < words_.size() ? words_[i] : 0)) != 0) return false;
    return true;
  }
  // Keeps what the other one has too.
  void intersect(const View& other) {
    words_.resize(std::min(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  [[nodiscard]] bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
  }
  void clear() { words_.clear(); }
  template <class F> void each(F&& f) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        f(static_cast<Record>(i * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
  }
  void assign(std::span<const std::uint64_t> words) { words_.assign(words.begin(), words.end()); }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  friend bool operator==(const View& a, const View& b) { return a.includes(b) && b.includes(a); }

 private:
  std::vector<std::uint64_t> words_;  // trailing zeros mean nothing
};

// Group -> view, by group. A group without one takes nothing.
class Structure {
 public:
  using Group = std::uint32_t;
  [[nodiscard]] View& operator[](Group g) {
    const auto at = std::lower_bound(views_.begin(), views_.end(), g,
                                     [](const auto& entry, Group group) { return entry.first < group; });
    if (at != views_.end() && at->first == g) return at->second;
    return views_.insert(at, {g, View()})->second;
  }
  void merge(const Structure& other) {
    for (const auto& [g, v] : other.views_) (*this)[g].merge(v);
  }
  [[nodiscard]] bool empty() const { return views_.empty(); }
  void clear() { views_.clear(); }
  [[nodiscard]] std::vector<std::pair<Group, View>>& views() { return views_; }
  [[nodiscard]] const std::vector<std::pair<Group, View>>& views() const { return views_; }
  friend bool operator==(const Structure&, const Structure&) = default;

 private:
  std::vector<std::pair<Group, View>> views_;
};

}  // namespace fencewise::view
