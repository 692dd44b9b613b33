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
  // Transitive closure in place (Warshall, a word at a time): O(n^2 * n/64).
  void close() {
    for (EventId k = 0; k < size_; ++k)
      for (EventId i = 0; i < size_; ++i)
        if ((*this)(i, k)) join_row(i, *this, k);
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
  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::vector<Word> words_;
};

}  // namespace fencewise
