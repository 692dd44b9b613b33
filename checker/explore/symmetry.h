// Interchangeable CTAs: when may the CTAs of a launch be renamed, and how the search explores one behaviour of each orbit.
//
// CTAs have *roles*: what the program decides by their ids (a branch on `ctaid == 0`, the tile of a CTA) puts them into different ones.
// CTAs of one role may be renamed if the program uses their ids only to address their own slots, reaches the slots of others only
// by sweeps (plain loads that visit the same place of every slot of a role, in any order, with no synchronization in between)
// whose values are only added up, and if memory and contract don't tell them apart. Data are symbols and sums are multisets,
// so renaming also renames the symbols of the slots. Where sums of floats are ordered, a swept value says where it was read, which is
// renamed too; outputs are then the same in all behaviours if those explored leave the same and renaming leaves it so. Found here, never promised by the user; what can only be seen of a run (that
// a sweep visits every slot) is checked on every behaviour, and if it fails the search starts anew without.
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
#include <tuple>
#include <vector>

#include "checker/explore/partial_execution.h"
#include "checker/explore/symmetry_program.h"

namespace fencewise {

// A run showed that the CTAs are not interchangeable after all.
class SymmetryBroken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Symmetry {
 public:
  // Whether the search tells of swept values where they were read (adds_in_order).
  enum class Swept : std::uint8_t { plain, placed };
  // No value: the CTAs of this launch can't be renamed, or it is not seen; `why` says what stands against it.
  // `replays_so_far`: symbols of that many replays may be in memory.
  [[nodiscard]] static std::optional<Symmetry> find(const LaunchContext& context, Swept swept,
                                                    std::uint32_t replays_so_far, std::string& why);

  [[nodiscard]] std::uint32_t ctas() const { return roles_.ctas; }
  [[nodiscard]] std::uint32_t role(std::uint32_t cta) const { return roles_.role[cta]; }
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& members() const { return members_; }  // [role]
  [[nodiscard]] std::uint32_t interchangeable() const;  // CTAs that share their role with others
  // Registers that hold a constant of the thread that tells CTAs of one role apart.
  [[nodiscard]] const std::vector<bool>& tells_apart() const { return roles_.tells_apart; }

  [[nodiscard]] std::optional<std::uint32_t> owner(const Location& location) const;  // CTA whose slot it is
  [[nodiscard]] std::uint64_t place_in_slot(const Location& location) const {        // in bytes
    return location.offset % slots_[location.storage].bytes;
  }
  // CTA whose slot, shared or local memory this is, and a number for the place that is the same for all CTAs.
  struct Home {
    std::uint32_t cta;
    std::uint64_t place;
  };
  [[nodiscard]] std::optional<Home> home(const Location& location) const;
  // The location that corresponds to this one when each CTA c is called `names[c]`.
  [[nodiscard]] Location renamed(const Location& location, const std::vector<std::uint32_t>& names) const;
  [[nodiscard]] const Slots& slots(BufferId buffer) const { return slots_[buffer.value]; }

  // Whether an access stays within its CTA's own slots. Seen to be so whenever it is made (Sweep::access).
  [[nodiscard]] bool stays_home(InstructionRef ref) const { return roles_.by_id[ref.block.value][ref.index]; }

  // What one thread has swept so far. Each value goes into one sum; a sum must have one of each slot of a role, or none.
  class Sweep {
   public:
    using Visited = std::vector<std::pair<std::uint32_t, Location>>;  // (sum, slot's location)

    explicit Sweep(const Symmetry* symmetry) : symmetry_(symmetry) {}
    // An access to memory. `element`: of a vector. Throws SymmetryBroken if it shows an access by the CTA's id outside its own slot.
    void access(InstructionRef where, unsigned element, const Location& location, std::uint32_t cta);
    // Any other operation. Throws SymmetryBroken if the sweep before it was not whole.
    void end();
    // Visits that have not come to an end.
    Visited visited;

   private:
    const Symmetry* symmetry_;  // null: nothing to see
  };
  // Whether an access is part of a sweep.
  [[nodiscard]] bool sweeps(InstructionRef ref) const { return sums_[ref.block.value][ref.index][0].sum != no_sum; }
  // Whether what it reads goes into a sum whose order matters: then the value says where it was read (Terms::placed).
  [[nodiscard]] bool adds_in_order(InstructionRef ref, unsigned element) const {
    return ordered_sums_ && sums_[ref.block.value][ref.index][element].of_floats;
  }
  // Whether all renamings leave the outputs in `memory` as they are. Throws SymmetryBroken if not.
  void confirm_outputs(const LaunchContext& context, const MemoryImage& memory, std::uint32_t replays_so_far) const;

  // To be called before any choice.
  void begin(PartialExecution& execution) const;
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
  [[nodiscard]] std::uint64_t part(const PartialExecution& execution, EventId event) const;
  [[nodiscard]] std::uint64_t descriptor(const PartialExecution& execution, EventId write,
                                         EventId read) const;

  CtaRoles roles_;
  std::vector<std::vector<std::uint32_t>> members_;        // [role]
  Sums sums_;
  bool ordered_sums_ = false;
  std::vector<Slots> slots_;                               // [storage]
  std::vector<std::vector<std::uint32_t>> own_storages_;  // [cta] shared and local memory, in the same order for all
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> own_index_;  // storage -> (cta, index in own_storages_)
};

}  // namespace fencewise
