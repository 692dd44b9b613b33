// A binary relation over events, as a bit matrix: row a holds every b with (a, b).
//
// Sized once per graph and reused: assigning or clearing allocates nothing when the capacity is there.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "memmodel/execution_graph.h"

namespace fencewise {

class Relation {
 public:
  using Word = std::uint64_t;

  void reset(std::size_t events) {
    size_ = events;
    stride_ = (events + 63) / 64;
    words_.assign(size_ * stride_, 0);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

  [[nodiscard]] bool operator()(EventId a, EventId b) const {
    return (words_[a * stride_ + b / 64] >> (b % 64) & 1U) != 0;
  }
  void add(EventId a, EventId b) { words_[a * stride_ + b / 64] |= Word{1} << (b % 64); }
  void remove(EventId a, EventId b) { words_[a * stride_ + b / 64] &= ~(Word{1} << (b % 64)); }

  [[nodiscard]] std::span<const Word> row(EventId a) const { return {words_.data() + a * stride_, stride_}; }
  [[nodiscard]] std::span<Word> row(EventId a) { return {words_.data() + a * stride_, stride_}; }

  // row(into) |= other.row(from)
  void join_row(EventId into, const Relation& other, EventId from) {
    Word* to = words_.data() + into * stride_;
    const Word* source = other.words_.data() + from * stride_;
    for (std::size_t w = 0; w < stride_; ++w) to[w] |= source[w];
  }
  Relation& operator|=(const Relation& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  Relation& operator&=(const Relation& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  // What `close` uses, kept so that it allocates nothing.
  struct Closing {
    std::vector<Word> unseen, open, left, covered;
    std::vector<EventId> path;
  };
  // Transitive closure in place. Without cycles each row joins, from the last event on, those of its successors that another one
  // does not lead to: O(n^2/64 + n/64 for each edge of the transitive reduction). With cycles O(n^3/64).
  // `worked` is told, as it goes on, how many words were gone through.
  template <class Worked> void close(Closing& scratch, Worked&& worked) {
    if (!close_acyclic(scratch, worked)) close_any(worked);
  }
  void close(Closing& scratch) {
    close(scratch, [](std::size_t) {});
  }
  void close() {
    Closing scratch;
    close(scratch);
  }
  [[nodiscard]] bool reflexive_somewhere() const {
    for (EventId a = 0; a < size_; ++a)
      if ((*this)(a, a)) return true;
    return false;
  }
  // Calls f(b) for every b in the row of a, ascending.
  template <class F> void each(EventId a, F&& f) const {
    for (std::size_t w = 0; w < stride_; ++w)
      for (Word bits = words_[a * stride_ + w]; bits != 0; bits &= bits - 1)
        f(static_cast<EventId>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
  }
  friend bool operator==(const Relation&, const Relation&) = default;

 private:
  static bool has(const std::vector<Word>& set, EventId e) { return (set[e / 64] >> (e % 64) & 1U) != 0; }

  // Warshall, a word at a time.
  template <class Worked> void close_any(Worked& worked) {
    for (EventId k = 0; k < size_; ++k) {
      std::size_t joined = 0;
      for (EventId i = 0; i < size_; ++i)
        if ((*this)(i, k)) {
          join_row(i, *this, k);
          ++joined;
        }
      worked(size_ + joined * stride_);
    }
  }

  // False: there is a cycle, and the rows hold a part of the closure.
  template <class Worked> bool close_acyclic(Closing& scratch, Worked& worked) {
    auto& [unseen, open, left, covered, path] = scratch;
    unseen.assign(stride_, ~Word{0});
    open.assign(stride_, 0);
    left.resize(stride_);
    covered.resize(stride_);
    path.clear();
    for (EventId root = 0; root < size_; ++root) {
      if (!has(unseen, root)) continue;
      path.push_back(root);
      unseen[root / 64] &= ~(Word{1} << (root % 64));
      open[root / 64] |= Word{1} << (root % 64);
      while (!path.empty()) {
        const EventId a = path.back();
        const std::span<Word> mine = row(a);
        std::size_t w = 0;
        while (w < stride_ && (mine[w] & unseen[w]) == 0) ++w;
        if (w < stride_) {
          const auto bit = static_cast<std::size_t>(std::countr_zero(mine[w] & unseen[w]));
          unseen[w] &= ~(Word{1} << bit);
          open[w] |= Word{1} << bit;
          path.push_back(static_cast<EventId>(w * 64 + bit));
          continue;
        }
        if (!join_successors(a, open, left, covered, worked)) return false;
        open[a / 64] &= ~(Word{1} << (a % 64));
        path.pop_back();
      }
    }
    return true;
  }

  // All successors of `a` are closed; false: but one that leads here.
  template <class Worked>
  bool join_successors(EventId a, const std::vector<Word>& open, std::vector<Word>& left, std::vector<Word>& covered, Worked& worked) {
    const std::span<Word> mine = row(a);
    std::size_t joined = 0;
    for (std::size_t w = 0; w < stride_; ++w) {
      left[w] = mine[w];
      covered[w] = 0;
    }
    for (std::size_t w = 0; w < stride_; ++w)
      while ((left[w] & ~covered[w]) != 0) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(left[w] & ~covered[w]));
        const auto b = static_cast<EventId>(w * 64 + bit);
        if (has(open, b)) return false;
        left[w] &= ~(Word{1} << bit);
        const std::span<const Word> theirs = row(b);
        for (std::size_t v = 0; v < stride_; ++v) covered[v] |= theirs[v];
        ++joined;
      }
    worked((joined + 2) * stride_);
    for (std::size_t w = 0; w < stride_; ++w) mine[w] |= covered[w];
    return true;
  }

  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::vector<Word> words_;
};

}  // namespace fencewise
