// The states that a search has met, each once.
//
// They are stored in pieces that many of them share: a thread, a location, a part of what is known (collapse compression; Holzmann,
// "State compression in SPIN", 1997). Exact: nothing is lost.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "checker/explore/view/normal_form.h"

namespace fencewise::view {

// Sequences, numbered as they are met.
template <class T> class Pieces {
 public:
  Pieces() : numbers_(0, Hash{pieces_.get()}, Equal{pieces_.get()}) {}

  [[nodiscard]] std::uint32_t number(std::span<const T> piece) {
    if (const auto known = numbers_.find(piece); known != numbers_.end()) return *known;
    const auto next = static_cast<std::uint32_t>(pieces_->size());
    pieces_->emplace_back(piece.begin(), piece.end());
    numbers_.insert(next);
    return next;
  }
  [[nodiscard]] std::span<const T> operator[](std::uint32_t number) const { return (*pieces_)[number]; }

 private:
  using List = std::deque<std::vector<T>>;
  struct Hash {
    using is_transparent = void;
    const List* pieces;
    std::size_t operator()(std::span<const T> piece) const {
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(piece.data()), piece.size_bytes()});
    }
    std::size_t operator()(std::uint32_t number) const { return (*this)(std::span<const T>((*pieces)[number])); }
  };
  struct Equal {
    using is_transparent = void;
    const List* pieces;
    bool operator()(std::span<const T> a, std::uint32_t b) const { return std::ranges::equal(a, (*pieces)[b]); }
    bool operator()(std::uint32_t a, std::span<const T> b) const { return (*this)(b, a); }
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
  };
  std::unique_ptr<List> pieces_ = std::make_unique<List>();
  std::unordered_set<std::uint32_t, Hash, Equal> numbers_;
};

class StoredStates {
 public:
  using Id = std::uint32_t;

  explicit StoredStates(const Reductions& reductions) : reductions_(reductions) {}

  struct Met {
    Id id = 0;
    bool fresh = false;
    std::vector<Id> replaced;  // stored before, and no longer: they can do no more than the new one
  };
  // The number of the state. One that knows more than another can do nothing more: it is left out if the other one is stored, and
  // taken out if it is stored and may be replaced.
  [[nodiscard]] Met add(const Stored& state, const std::function<bool(Id)>& may_be_replaced);
  // `like`: any state of the same launch.
  [[nodiscard]] State state(Id id, const State& like) const;
  [[nodiscard]] TableView table(Id id) const { return table(states_[id].table); }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  void clear();

 private:
  struct Table {
    std::uint32_t columns, records, rows, sets;
    friend bool operator==(const Table&, const Table&) = default;
  };
  struct Entry {
    const std::string* control;  // a key of by_control_
    Table table;
  };
  [[nodiscard]] std::string control_key(const Control& control);
  [[nodiscard]] TableView table(const Table& t) const { return {words_[t.columns], words_[t.records], words_[t.rows], words_[t.sets]}; }

  Reductions reductions_;
  Pieces<char> bytes_;
  Pieces<std::uint64_t> words_;
  std::unordered_map<std::string, std::vector<Id>> by_control_;  // by the numbers of the pieces; keys stay where they are
  std::vector<Entry> states_;                                    // [id]
};

}  // namespace fencewise::view
