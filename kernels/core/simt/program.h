// A kernel made ready to run: operands resolved to places, handlers chosen, instructions cut into segments.
//
// A segment is a straight piece of a block that a warp may run from end to end before the next warp starts, although
// the rule is "all warps execute statement k before any executes k+1": within a segment no warp can notice the
// difference. For each of global and shared memory it has either loads only, or one store or atomic only.
// Segments are numbered in an order in which a branch's sides come before the place where they meet and a loop before
// what follows it; the scheduler always runs the warps with the lowest number, which keeps a block in lockstep.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/core/simt/lanes.h"
#include "kernels/core/simt/register_file.h"
#include "kernels/core/simt/run.h"
#include "kernels/core/warp.h"

namespace fencewise::simt {

class Machine;
struct Warp;
struct Op;
using Handler = void (*)(Machine&, Warp&, const Op&, std::uint32_t mask);

enum class StatementClass : std::uint8_t { gld, gst, lds, sts, bar, branch, alu, ffma, shfl, atom, none };
inline constexpr std::size_t statement_classes = 10;

// An operand of an instruction: a register, or a constant spread over all lanes.
struct Source {
  Slot slot = 0;
  std::uint32_t bytes = 4;  // a lane; 0 for a predicate, whose slot is the number of its word
};

struct Op {
  Handler handler = nullptr;
  LaneFunction lane = nullptr;
  CompareFunction compare = nullptr;
  Slot dst = 0, a = 0, b = 0, c = 0;
  std::uint32_t bytes = 4;  // of a lane of dst
  std::uint32_t data = 0;   // index into one of the program's tables, as the handler knows
  std::uint32_t count = 1;
  std::uint32_t guard = not_a_register;  // predicate
  bool guard_negated = false;
  StatementClass statement = StatementClass::none;  // what a guarded operation counts as
  std::uint32_t units = 1;
  InstructionRef source;
};

enum class IndexKind : std::uint8_t { none, u32, s32, u64 };

struct MemoryOp {
  enum class Kind : std::uint8_t { load, store, atomic } kind = Kind::load;
  StateSpace space = StateSpace::global;
  std::optional<ArrayId> array;
  IndexKind index_kind = IndexKind::none;
  Slot index = 0;
  std::uint32_t index_plus = 0;  // added to a u32 index before scaling, modulo 2^32
  std::uint32_t scale = 1;
  std::int64_t offset = 0;
  Type type = Type::u32;
  std::uint32_t count = 1;       // elements a lane
  std::uint32_t width = 4;       // bytes a lane
  bool strong = false;           // not weak
  bool word_registers = false;   // elements and registers have 4 bytes: the fast paths apply
  std::array<Source, 4> data{};  // load: destinations; store: values; atomic: operands
  AtomicOp op = AtomicOp::add;
  std::optional<Source> old;  // atomic: destination
};

// An instruction that is computed lane by lane (or is not elementwise).
struct GeneralOp {
  Operation operation;
  std::array<Source, 4> in{};
  std::optional<Source> out, out2;
  // Shuffle of 32-bit registers with a constant distance: where each lane reads from, found once.
  std::optional<std::array<std::uint8_t, 32>> from;
};

struct PrintOp {
  Print print;
  std::vector<Source> in;  // [argument]
};

struct Segment {
  enum class End : std::uint8_t { next, jump, branch, barrier, exit, trap };
  std::uint32_t first = 0, last = 0;  // ops [first, last)
  End end = End::next;
  bool guarded = false;  // some op has a guard
  std::uint32_t block = 0;
  std::uint32_t target = 0, otherwise = 0;                    // segments: jump; branch taken and not taken
  std::uint32_t reconvergence = not_a_register;               // branch: segment where the sides meet
  std::uint32_t predicate = 0;                                // branch
  bool negated = false, counted = false;                      // branch
  std::uint32_t barrier = 0;                                  // barrier: index into Program::barriers
  InstructionRef source;                                      // of the end
  std::array<std::uint32_t, statement_classes> statements{};  // executed by each warp that runs the segment
};

struct BarrierOp {
  Barrier barrier;
  std::uint32_t id = 0;
  std::optional<Source> count;
  Source predicate;
  std::optional<Source> dst;
  std::uint32_t guard = not_a_register;
  bool guard_negated = false;
};

// One value in all lanes; bytes 0: a predicate.
struct ConstantLanes {
  Slot slot = 0;
  std::uint64_t value = 0;
  std::uint32_t bytes = 4;
};
struct SpecialLanes {
  Slot slot = 0;
  SpecialRegister special = SpecialRegister::tid_x;
};

struct ArrayPlace {
  StateSpace space = StateSpace::global;
  std::uint32_t buffer = 0;  // global: index into RunConfig::buffers
  std::uint64_t offset = 0;  // shared, local: bytes from the start of the block's (thread's) memory
  std::uint64_t bytes = 0;
};

struct Program {
  std::shared_ptr<const Kernel> kernel;  // simplified; instructions keep their source lines
  std::vector<Op> ops;
  std::vector<Segment> segments;  // [0] is the entry
  std::vector<FmaOperands> fmas;
  std::vector<MemoryOp> memory;
  std::vector<GeneralOp> general;
  std::vector<BarrierOp> barriers;
  std::vector<PrintOp> prints;
  RegisterFile registers;
  std::vector<SpecialLanes> warp_specials;   // differ between warps or lanes; in the warp's area
  std::vector<SpecialLanes> block_specials;  // the same for the block; in the constants
  std::vector<ConstantLanes> constants;
  std::vector<ConstantLanes> initial;  // registers that may be read before they are written
  std::uint32_t constant_bytes = 0;
  std::uint32_t true_predicate = 0, false_predicate = 0;  // words that hold ~0 and 0
  std::uint32_t predicate_words = 0;
  std::vector<ArrayPlace> arrays;                   // [array]
  std::uint64_t shared_bytes = 0, local_bytes = 0;  // of a block, of a thread
  bool strong_shared = false;                       // some shared access is not weak
  bool blocks_in_order = false;                     // global atomics, fences or strong global accesses
};

[[nodiscard]] Program decode(const Kernel& kernel, const RunConfig& config);

// Virtual addresses: buffer b starts at (b + 1) << 32; shared memory at shared_base, so that the low half of a
// shared address is its offset in the block's shared memory.
inline constexpr std::uint64_t shared_base = std::uint64_t{1} << 60;
[[nodiscard]] constexpr std::uint64_t buffer_base(std::uint32_t buffer) {
  return (std::uint64_t{buffer} + 1) << 32;
}

}  // namespace fencewise::simt
