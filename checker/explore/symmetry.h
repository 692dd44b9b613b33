// Interchangeable CTAs: when may the CTAs of a launch be renamed, and how the search explores one behaviour of each orbit.
//
// CTAs may be renamed if the program uses its CTA id only to address its own slots (an equal share of a buffer), reaches the
// slots of others only by sweeps (plain loads that visit the same place of every slot, in any order, with no synchronization
// in between) whose values are only added up, and if memory and contract don't tell CTAs apart. Data are symbols and sums are
// multisets, so renaming also renames the symbols of the slots. Found here, never promised by the user; what can only be seen
// of a run (that a sweep visits every slot) is checked on every behaviour, and if it fails the search starts anew without.
//
// The search keeps a *standing* for each CTA: the choices made for it so far. Two CTAs of equal standing are interchangeable
// in the graph so far, so of the options that differ only by them the first is tried. A choice that ties a CTA to another
// one makes both unique. docs/explorers.md gives the argument.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checker/explore/partial_execution.h"

namespace fencewise {

// A run showed that the CTAs are not interchangeable after all.
class SymmetryBroken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Symmetry {
 public:
  // No value: the CTAs of this launch can't be renamed, or it is not seen; `why` says what stands against it.
  // `replays_so_far`: symbols of that many replays may be in memory.
  [[nodiscard]] static std::optional<Symmetry> find(const LaunchContext& context,
                                                    std::uint32_t replays_so_far, std::string& why);

  [[nodiscard]] std::uint32_t ctas() const { return ctas_; }

  // How an instruction reaches slots.
  enum class Reach : std::uint8_t { other, own_slot, sweep };
  [[nodiscard]] Reach reach(InstructionRef ref) const { return reach_[ref.block.value][ref.index]; }
  [[nodiscard]] std::optional<std::uint32_t> owner(const Location& location) const;  // CTA whose slot it is
  [[nodiscard]] std::uint64_t place_in_slot(const Location& location) const {        // in bytes
    return location.offset % storage_[location.storage].slot_bytes;
  }
  // CTA whose slot, shared or local memory this is, and a number for the place that is the same for all CTAs.
  struct Home {
    std::uint32_t cta;
    std::uint64_t place;
  };
  [[nodiscard]] std::optional<Home> home(const Location& location) const;
  // The location that corresponds to this one when each CTA c is called `names[c]`.
  [[nodiscard]] Location renamed(const Location& location, const std::vector<std::uint32_t>& names) const;
  [[nodiscard]] bool slotted(BufferId buffer) const { return storage_[buffer.value].slotted; }

  // The options that are left when interchangeable CTAs are told apart only once. All edges have one write, or one read.
  [[nodiscard]] std::vector<Edge> representatives(const PartialExecution& execution,
                                                  const std::vector<Edge>& options) const;
  // To be called when `option` is chosen, before it is. `How`: by its read (among sources; also when there is only one), or by its
  // write (among readers).
  enum class How : std::uint8_t { by_read, by_write };
  void choose(PartialExecution& execution, const Edge& option, How how) const;
  // A choice that treats one CTA as no other.
  void single_out(PartialExecution& execution, ThreadId thread) const;

  // Throws SymmetryBroken if the behaviour shows an access outside its CTA's own slot that is not part of a whole sweep.
  void confirm(const PartialExecution& execution) const;

 private:
  struct SlottedArray {
    bool slotted = false;
    std::uint64_t slot_bytes = 0;
  };

  [[nodiscard]] std::uint64_t role(const PartialExecution& execution, EventId event) const;
  [[nodiscard]] std::uint64_t descriptor(const PartialExecution& execution, EventId write,
                                         EventId read) const;

  std::uint32_t ctas_ = 0;
  std::vector<SlottedArray> storage_;      // [storage]
  std::vector<std::vector<std::uint32_t>> own_storages_;  // [cta] shared and local memory, in the same order for all
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> own_index_;  // storage -> (cta, index in own_storages_)
  std::vector<std::vector<Reach>> reach_;  // [block][instruction]
};

}  // namespace fencewise
