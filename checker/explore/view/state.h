// A state of the operational reading: what each thread knows, and what memory holds.
//
// docs/explorers.md gives the rules. Names: a *message* is a write with its place in coherence order; a *past access* is what a
// later access may race with.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/explore/symmetry.h"
#include "checker/explore/view/hierarchy.h"
#include "checker/explore/view/knowledge.h"
#include "checker/explore/view/shared_vector.h"
#include "kernels/core/interpreter.h"

namespace fencewise::view {

// Number of a location of the launch (LocationTable).
using CellId = std::uint32_t;
// Number of an event of a path that is being retraced; -1 elsewhere, and for memory as the launch found it.
using Origin = std::int32_t;
inline constexpr Origin no_origin = -1;

struct Message {
  Value value;
  Record record = no_record;  // no_record: known to all
  Place place = 0;            // of strong ones, as is `level`
  Level level = 0;
  bool initial = false;  // memory as the launch found it
  bool strong = false;
  bool glued = false;  // the next message is the atomic that read this one
  View seen;           // this message and the atomics before it in its chain of read-modify-writes
  Structure released;
  Origin origin = no_origin;
};

struct AccessKind {
  Place place = 0;  // of strong ones, as is `level`
  Level level = 0;
  bool strong = false;
  bool write = false;
  friend auto operator<=>(const AccessKind&, const AccessKind&) = default;
};

// Past accesses of one kind to a location.
struct PastAccesses {
  AccessKind kind;
  View records;
  std::vector<Origin> origins;  // [record], while a path is retraced: the first of its accesses
};

struct Cell {
  std::vector<Message> messages;       // in coherence order; empty: as the launch found it, and never accessed
  std::vector<PastAccesses> accesses;  // by kind

  void remember(const AccessKind& kind, Record record, Origin origin);
  // Gives each kind of past accesses another name, by f(AccessKind&); those that are of one kind then become one.
  template <class F> void rename_accesses(F&& f) {
    for (PastAccesses& a : accesses) f(a.kind);
    unite_accesses();
  }

 private:
  void unite_accesses();
};

enum class Status : std::uint8_t {
  running,     // private steps to take
  visible,     // at an operation that others can notice
  deposit,     // at a fence.sc that only deposits: it is put off until the thread's next visible operation
  at_barrier,
  at_warp,     // at an operation that its warp takes together
  spinning,    // repeats a round of plain loads that changes nothing
  exited,
  faulted,
  waiting,      // its CTA is not resident yet
};

struct Thread {
  ThreadState state;
  Status status = Status::running;
  bool passed = false;       // its barrier or warp operation is complete: `results` is what it returns
  bool deposited = false;    // since its last visible operation
  bool stepped = false;      // has made a move; only where the progress model asks
  bool looked = false;       // has read strongly, or passed a fence.sc, since the last barrier of its CTA (Future::leaves)
  bool past_barriers = false;  // has run something behind them (BehindBarriers), and there are other lanes in its warp
  std::array<Value, 2> results;
  Symmetry::Sweep::Visited swept;  // by strong loads, so far: CTAs can't be renamed now
  View known;
  Record segment = no_record;            // record of its accesses since its last release
  Structure fences;                      // what its release fences leave
  std::map<CellId, Structure> own;       // what its release writes leave, by location
  std::map<CellId, Structure> taken;     // what its strong reads saw, by location
};

// An arrival at a barrier that is not complete. `count` 0: all threads of the CTA.
struct Arrival {
  ThreadId thread = 0;
  bool waits = true;
  std::uint64_t id = 0, count = 0;
  std::optional<std::uint32_t> instance;
  Value predicate;
  InstructionRef where;
  View known;
};

struct State {
  SharedVector<Thread> threads;
  SharedVector<Cell> cells;  // [cell]; those beyond the end were never accessed
  std::vector<Arrival> arrivals;
  Structure fence_sc;
  std::uint32_t records = 0;  // numbers given out so far
  // While a path is retraced: whose part each CTA plays, actions taken.
  std::vector<std::uint32_t> cta_names;  // [cta]
  std::vector<std::uint32_t> sequence;   // [thread]
};

// Locations of a launch, numbered as they are met. While frozen, for several threads: one that is new throws Frozen.
class LocationTable {
 public:
  [[nodiscard]] CellId number(const Location& location) {
    if (frozen_) {
      const auto it = numbers_.find(location);
      if (it == numbers_.end()) throw Frozen();
      return it->second;
    }
    const auto [it, fresh] = numbers_.try_emplace(location, static_cast<CellId>(locations_.size()));
    if (fresh) locations_.push_back(location);
    return it->second;
  }
  [[nodiscard]] const Location& operator[](CellId cell) const { return locations_[cell]; }
  [[nodiscard]] std::size_t size() const { return locations_.size(); }
  void freeze(bool frozen) { frozen_ = frozen; }

 private:
  bool frozen_ = false;
  std::map<Location, CellId> numbers_;
  std::vector<Location> locations_;
};

// A state in normal form without private steps to take, as bytes: a piece for each thread and each location, and one for arrivals.
// What views know is apart (knowledge_table.h), for subsumption.
struct Control {
  std::string bytes;
  std::vector<std::uint32_t> ends;  // [piece] where the next one begins
  friend bool operator==(const Control&, const Control&) = default;
};
[[nodiscard]] Control encode_control(const State& state);
// The state again, without what is known. `like`: any state of the same launch.
[[nodiscard]] State decode_control(const std::string& bytes, const State& like);

}  // namespace fencewise::view
