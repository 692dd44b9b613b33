// Interchangeable CTAs in a state (symmetry.h): an order that does not depend on the path, and who stands for whom.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "checker/explore/symmetry.h"
#include "checker/explore/view/knowledge_table.h"
#include "checker/explore/view/machine.h"

namespace fencewise::view {

class Interchange {
 public:
  // `replays`: symbols of that many replays may be in memory.
  Interchange(Machine& machine, const Symmetry& symmetry, std::uint32_t replays);

  // Puts the CTAs of each role in an order of what can be seen of them. Returns [cta] what it is called now; none: as before.
  std::vector<std::uint32_t> order(State& state);
  // CTAs that may move in a state in normal form, of that table: the classes of those that are interchangeable.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> classes(const State& state, const TableView& table);

 private:
  using Colour = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  [[nodiscard]] std::vector<Colour> colours(const State& state);
  void rename(State& state, const std::vector<std::uint32_t>& names);
  [[nodiscard]] bool is_fixed(Value value);
  [[nodiscard]] Value renamed_value(Value value, const std::vector<std::uint32_t>& names);
  [[nodiscard]] std::optional<Symmetry::Home> home(CellId cell);
  class Trades;

  Machine& machine_;
  const Symmetry& symmetry_;
  struct Symbol {
    std::uint32_t cta;
    std::uint32_t part;  // index into symbols_[cta]
  };
  std::vector<std::vector<Value>> symbols_;           // [cta][part]
  std::unordered_map<std::uint32_t, Symbol> symbol_;  // term -> whose it is
  std::unordered_map<std::uint32_t, bool> fixed_;     // [term] no renaming changes it
  std::vector<std::optional<Symmetry::Home>> homes_;  // [cell]
};

}  // namespace fencewise::view
