// One worker of the executor: runs blocks of a decoded kernel, one after the other, and keeps its own counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "kernels/core/simt/access_pattern.h"
#include "kernels/core/simt/program.h"
#include "kernels/core/simt/race_detector.h"
#include "kernels/core/simt/run.h"

namespace fencewise::simt {

// Bytes aligned for vector registers.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size);
  [[nodiscard]] std::byte* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> bytes_;
  std::size_t size_;
};

// One side of a branch that waits for its turn, or what follows when both sides have met.
struct Divergence {
  std::uint32_t segment = 0;
  std::uint32_t mask = 0;
  std::uint32_t reconvergence = not_a_register;  // this side is over when control gets there
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

struct Warp {
  enum class State : std::uint8_t { ready, waiting, done };
  Registers registers;
  std::uint32_t* predicates = nullptr;
  std::uint32_t index = 0;
  std::uint32_t existing = 0;  // lanes that the block has
  std::uint32_t live = 0;      // lanes that have not exited
  std::uint32_t mask = 0;      // lanes that are active now
  std::uint32_t segment = 0;
  std::uint32_t reconvergence = not_a_register;
  State state = State::ready;
  std::uint32_t barrier = 0;  // waiting: index into Program::barriers
  std::vector<Divergence> stack;
  std::optional<InstructionRef> last_read;  // since the block is watched for a hang
};

// Thrown by handlers; turned into a Fault where the block and the warp are known.
struct FaultSignal {
  Fault::Kind kind;
  std::uint32_t lane;
  std::string message;
};

// Where one warp instruction's lanes access memory: base + pattern.bytes[lane].
struct Target {
  std::byte* base = nullptr;  // of the first active lane
  std::int64_t offset = 0;    // the same, in bytes from the start of its array
  AccessPattern* pattern = nullptr;
  ArrayId array;
};

// Rounds in which some warps wait for others to catch up before the waiting ones get a turn: a warp may spin on what
// a waiting one is to write.
inline constexpr std::uint32_t patience = 100'000;
// Steps of a block before it is watched for a hang, which makes its stores slower.
inline constexpr std::uint64_t first_moment = 1U << 17U;
// Not where time passes, and not where blocks run side by side and may change each other's memory.
[[nodiscard]] bool tells_hangs(const Program& program, const RunConfig& config);

class Machine {
 public:
  Machine(const Program& program, const RunConfig& config);

  // False if the block ended with a fault; then no further block may run.
  bool run_block(std::uint64_t linear);

  [[nodiscard]] Counters counters() const;
  [[nodiscard]] const std::vector<RaceReport>& races() const { return races_; }
  [[nodiscard]] const std::optional<Fault>& fault() const { return fault_; }
  [[nodiscard]] const std::vector<PrintedText>& printed() const { return printed_; }

  // --- for the handlers ---
  const Program& program;
  const RunConfig& config;
  Counters traffic;  // what depends on addresses, and divergence
  [[nodiscard]] std::uint64_t read_lane(const Warp& warp, const Source& source, std::uint32_t lane) const;
  static void write_lane(Warp& warp, const Source& target, std::uint32_t lane, std::uint64_t value);
  // Adds an access's lines, sectors or wavefronts, and looks for races.
  void account(const Warp& warp, const Op& op, const MemoryOp& m, const Target& target);
  [[nodiscard]] Target locate(const Warp& warp, const Op& op, const MemoryOp& m, std::uint32_t mask);
  void print(const Warp& warp, std::uint32_t lane, std::string text);
  // Whether the block runs so long that a hang is looked for: what it reads and changes is then to be told.
  [[nodiscard]] bool watched() const { return moment_.has_value(); }
  void note_change() { ++changes_; }
  [[nodiscard]] std::byte* local_memory(const Warp& warp, std::uint32_t lane);
  [[nodiscard]] std::vector<std::pair<std::uint32_t, Target>> locate_addresses(const Warp& warp, const Op& op,
                                                                               const MemoryOp& m,
                                                                               std::uint32_t mask);

 private:
  struct BarrierState {
    std::uint32_t arrived = 0;   // threads
    std::uint32_t expected = 0;  // 0: all live threads
    std::uint32_t votes_for = 0, voters = 0;
    std::vector<std::uint32_t> waiting;  // warps
    friend bool operator==(const BarrierState&, const BarrierState&) = default;
    void clear() {
      arrived = expected = votes_for = voters = 0;
      waiting.clear();
    }
  };
  struct PendingRace {
    std::uint32_t op = 0;
    RaceReport report;
  };

  // schedule.cpp
  void start_block(std::uint64_t linear);
  void fill_block_specials();
  [[nodiscard]] bool run_warps();
  [[nodiscard]] std::uint32_t next_segment() const;
  void run_segment(std::uint32_t segment);
  void run_ops(Warp& warp, std::uint32_t segment, std::uint32_t last);
  void end_segment(Warp& warp, std::uint32_t segment);
  void branch(Warp& warp, const Segment& segment);
  void go_to(Warp& warp, std::uint32_t segment);
  void leave(Warp& warp);
  void let_leave_who_only_exits(Warp& warp);
  void resume_top(Warp& warp);
  void arrive(Warp& warp, const Segment& segment);
  void complete(std::uint32_t id);
  void complete_if_met(std::uint32_t id);
  void complete_met_barriers();
  void set_fault(Fault::Kind kind, std::uint32_t warp, std::uint32_t lane, InstructionRef where,
                 std::string message);
  void deadlock();

  // hang.cpp
  // A block's state, without memory: that is the same if nothing changed it in between.
  struct Moment {
    std::uint32_t segment = 0, starved = 0;
    std::uint64_t changes = 0;
    std::vector<Warp> warps;
    std::vector<std::byte> registers;
    std::vector<std::uint32_t> predicates;
    std::vector<BarrierState> barriers;
  };
  void look_for_hang(std::uint32_t segment);
  [[nodiscard]] Moment moment(std::uint32_t segment) const;
  [[nodiscard]] bool is_now(const Moment& earlier, std::uint32_t segment) const;
  void report_hang();
  [[nodiscard]] std::string who_waits_where() const;
  [[nodiscard]] std::uint32_t live_threads() const;

  // memory.cpp
  [[nodiscard]] AccessPattern* pattern_of(const Warp& warp, const Op& op, const MemoryOp& m,
                                          std::uint32_t mask);
  [[nodiscard]] Target bounded(const Op& op, const MemoryOp& m, ArrayId array, AccessPattern* pattern,
                               std::int64_t offset);
  [[nodiscard]] std::byte* start_of(ArrayId array) const;
  void find_races(const Warp& warp, const Op& op, const MemoryOp& m, const Target& target);
  void report_races(const Warp& warp, const Op& op, SharedAccess access, const Target& target,
                    std::int64_t first_word);
  void flush_races();

  AlignedBytes constants_, register_bytes_, shared_, local_;
  std::vector<std::uint32_t> predicates_;
  std::vector<Warp> warps_;
  std::uint32_t threads_ = 0;
  std::uint64_t block_ = 0;
  std::vector<BarrierState> barriers_;  // [id]
  RaceDetector detector_;
  PatternTable patterns_;
  std::vector<std::array<AccessPattern*, 4>> recent_;  // [memory op]: the patterns it had last
  std::vector<std::uint64_t> segment_runs_,
      segment_lanes_;                              // [segment]: warps that ran it, and their active lanes
  std::vector<std::uint64_t> op_runs_, op_lanes_;  // [op]: the same for guarded ones
  std::vector<PendingRace> pending_;
  std::vector<RaceReport> races_;
  std::optional<Fault> fault_;
  std::vector<PrintedText> printed_;
  std::size_t printed_bytes_ = 0;  // by this block
  std::uint32_t fault_op_ = 0;  // of the first fault in this round of a segment
  std::uint64_t steps_ = 0;
  std::uint32_t starved_ = 0;
  bool can_tell_hangs_ = false;
  std::optional<Moment> moment_;
  std::uint64_t next_moment_ = 0;  // steps
  std::uint64_t changes_ = 0;      // of memory, while watched
};

// operations.cpp, memory.cpp
namespace handlers {
void lane(Machine&, Warp&, const Op&, std::uint32_t mask);
void fmas(Machine&, Warp&, const Op&, std::uint32_t mask);
void compare(Machine&, Warp&, const Op&, std::uint32_t mask);
void select(Machine&, Warp&, const Op&, std::uint32_t mask);
void predicate_logic(Machine&, Warp&, const Op&, std::uint32_t mask);
void scalar(Machine&, Warp&, const Op&, std::uint32_t mask);
void shuffle(Machine&, Warp&, const Op&, std::uint32_t mask);
void vote(Machine&, Warp&, const Op&, std::uint32_t mask);
void match(Machine&, Warp&, const Op&, std::uint32_t mask);
void warp_reduce(Machine&, Warp&, const Op&, std::uint32_t mask);
void active_mask(Machine&, Warp&, const Op&, std::uint32_t mask);
void print(Machine&, Warp&, const Op&, std::uint32_t mask);
void nothing(Machine&, Warp&, const Op&, std::uint32_t mask);
void unmodelled(Machine&, Warp&, const Op&, std::uint32_t mask);
void load(Machine&, Warp&, const Op&, std::uint32_t mask);
void store(Machine&, Warp&, const Op&, std::uint32_t mask);
void atomic(Machine&, Warp&, const Op&, std::uint32_t mask);
}  // namespace handlers

}  // namespace fencewise::simt
