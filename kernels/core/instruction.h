// The program representation: instructions near PTX, as plain data.
//
// An instruction is one alternative of `Operation` with an optional guard (`@p`) and the source line it came from.
// Control flow is by basic blocks (kernel.h): the last instruction of a block, and only the last, is a Branch,
// CondBranch, Exit or Trap. Everything else moves on to the next instruction.
//
// Sources: PTX ISA 9.1, "Instruction Set" (9.7). What real PTX contains shaped it: modifiers are fields, addresses
// are array + index * scale + offset or a plain 64-bit register, vectors are up to four scalars.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/core/type.h"
#include "memmodel/operation.h"
#include "memmodel/scope.h"

namespace fencewise {

// Ids are indices into the kernel's tables.
struct RegisterId {
  std::uint32_t value = 0;
  friend bool operator==(RegisterId, RegisterId) = default;
};
struct ArrayId {  // Kernel::arrays
  std::uint32_t value = 0;
  friend bool operator==(ArrayId, ArrayId) = default;
};
struct ParamId {  // Kernel::params, scalar kernel parameters
  std::uint32_t value = 0;
  friend bool operator==(ParamId, ParamId) = default;
};
struct BlockId {  // Kernel::blocks
  std::uint32_t value = 0;
  friend bool operator==(BlockId, BlockId) = default;
};

enum class SpecialRegister : std::uint8_t {
  tid_x, tid_y, tid_z,
  ntid_x, ntid_y, ntid_z,
  ctaid_x, ctaid_y, ctaid_z,
  nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, nwarpid,
  lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  clock,  // any clock or timer: a free value
};

// What an instruction reads. `address_of` is the virtual address of an array's first byte (PTX `mov.u64 %r, sym`).
struct Operand {
  enum class Kind : std::uint8_t { none, reg, immediate, special, param, address_of };
  Kind kind = Kind::none;
  std::uint32_t index = 0;  // register, param, array or special register
  std::uint64_t bits = 0;   // immediate; offset in bytes for address_of

  Operand() = default;
  Operand(RegisterId r) : kind(Kind::reg), index(r.value) {}                                       // NOLINT
  Operand(SpecialRegister s) : kind(Kind::special), index(static_cast<std::uint32_t>(s)) {}        // NOLINT
  Operand(ParamId p) : kind(Kind::param), index(p.value) {}                                        // NOLINT
  static Operand imm(std::uint64_t bits) {
    Operand o;
    o.kind = Kind::immediate;
    o.bits = bits;
    return o;
  }
  static Operand address_of(ArrayId a, std::uint64_t offset = 0) {
    Operand o;
    o.kind = Kind::address_of;
    o.index = a.value;
    o.bits = offset;
    return o;
  }
  [[nodiscard]] bool present() const { return kind != Kind::none; }
  [[nodiscard]] bool is_register() const { return kind == Kind::reg; }
  [[nodiscard]] RegisterId reg() const { return RegisterId{index}; }
  friend bool operator==(const Operand&, const Operand&) = default;
};

enum class StateSpace : std::uint8_t { global, shared, local, constant, param, generic };
enum class CacheOperator : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt, nc };

// Byte address: (array's first byte, or 0) + index * scale + offset.
struct Address {
  std::optional<ArrayId> array;
  Operand index;             // register, immediate, special or param; none counts 0
  std::uint32_t scale = 1;   // bytes
  std::int64_t offset = 0;   // bytes
  friend bool operator==(const Address&, const Address&) = default;
};

// What every access to memory says. `order` weak ignores `scope`. `is_volatile` is kept for printing: a volatile
// access is relaxed.sys here already.
struct Access {
  Address address;
  Type type = Type::u32;
  StateSpace space = StateSpace::global;
  Order order = Order::weak;
  Scope scope = Scope::gpu;
  Proxy proxy = Proxy::generic;
  CacheOperator cache = CacheOperator::none;
  bool is_volatile = false;
  friend bool operator==(const Access&, const Access&) = default;
};

enum class Arith : std::uint8_t {
  mov, add, sub, mul, mul_hi, mul_wide, mad, mad_wide, fma, div, rem, neg, abs, min, max,
  bit_and, bit_or, bit_xor, bit_not, shl, shr,
  setp, selp, cvt,
  popc, clz, brev, bfind, bfe, bfi, prmt, shf_l, shf_r, sqrt, rcp,
};
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge };

// dst = op(a, b, c). mul and mad keep the low half; *_wide give a result twice as wide as `type`. setp compares a
// and b as `type`; selp is c ? a : b; cvt converts from `from` to `type`. Shift counts clamp to the width.
struct Arithmetic {
  Arith op = Arith::mov;
  Type type = Type::u32;
  RegisterId dst;
  Operand a, b, c;
  Compare compare = Compare::eq;  // setp
  Type from = Type::u32;          // cvt
};

struct Load {
  std::array<RegisterId, 4> dst{};
  std::uint8_t count = 1;  // 1, 2 or 4 consecutive scalars of access.type
  Access access;
};

struct Store {
  std::array<Operand, 4> value{};
  std::uint8_t count = 1;
  Access access;
};

enum class AtomicOp : std::uint8_t { add, sub, inc, dec, min, max, bit_and, bit_or, bit_xor, exch, cas, mul, div };

// `red` gives no result, and its read is no read of an acquire pattern (PTX ISA 8.8).
struct Atomic {
  AtomicOp op = AtomicOp::add;
  std::optional<RegisterId> dst;  // old value
  Operand a;                      // operand; for cas the expected value
  Operand b;                      // for cas the new value
  bool red = false;
  Access access;                  // order is relaxed, acquire, release or acq_rel
};

struct Fence {  // fence.sem.scope; membar.{cta,gl,sys} is sc
  Order order = Order::acq_rel;  // acquire, release, acq_rel or sc
  Scope scope = Scope::gpu;
};

struct ProxyFenceOp {
  ProxyFence kind = ProxyFence::alias;
};

enum class BarrierKind : std::uint8_t { sync, arrive, red };
enum class BarrierReduction : std::uint8_t { none, all, any, popc };

struct Barrier {
  BarrierKind kind = BarrierKind::sync;
  Operand id = Operand::imm(0);
  Operand count;                   // threads; none: all threads of the CTA
  BarrierReduction reduction = BarrierReduction::none;
  Operand predicate;               // red
  std::optional<RegisterId> dst;   // red
  // Litmus dialect only: which dynamic occurrences can meet. Two barriers of different instance never do.
  std::optional<std::uint32_t> instance;
  bool aligned = true;
};

struct WarpBarrier {  // bar.warp.sync
  Operand mask = Operand::imm(0xffff'ffffU);
};

enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };
struct Shuffle {
  ShuffleMode mode = ShuffleMode::down;
  RegisterId dst;
  std::optional<RegisterId> in_range;
  Operand value, lane, clamp = Operand::imm(31), mask = Operand::imm(0xffff'ffffU);
};

enum class VoteMode : std::uint8_t { all, any, uni, ballot };
struct Vote {
  VoteMode mode = VoteMode::all;
  RegisterId dst;
  Operand predicate;
  Operand mask = Operand::imm(0xffff'ffffU);
};

enum class MatchMode : std::uint8_t { any, all };
struct Match {
  MatchMode mode = MatchMode::any;
  Type type = Type::u32;
  RegisterId dst;
  std::optional<RegisterId> all_equal;
  Operand value;
  Operand mask = Operand::imm(0xffff'ffffU);
};

struct WarpReduce {  // redux.sync
  AtomicOp op = AtomicOp::add;
  Type type = Type::u32;
  RegisterId dst;
  Operand value;
  Operand mask = Operand::imm(0xffff'ffffU);
};

struct ActiveMask {
  RegisterId dst;
};

struct Branch {
  BlockId target;
};
// `branch` in the ledger's sense only when `counted`; compilers' loop branches are not.
struct CondBranch {
  RegisterId predicate;
  bool negated = false;
  BlockId taken;
  BlockId otherwise;
  bool counted = true;
};
struct Exit {};
struct Trap {
  std::string message;
};
// Costs `units` warp instructions of the class `alu` in the ledger and does nothing else (ledger.md, compute(c)).
struct Compute {
  std::uint32_t units = 1;
};
// printf. Nothing that a thread, or the memory model, could notice; what it shows is told where an execution is shown. So the
// registers that it shows count as read only where the program really runs (registers_shown in flow.h).
struct Print {
  std::optional<std::string> format;                        // as C has it; none: not known
  std::vector<std::variant<Operand, std::string>> arguments;  // numbers; the texts of %s; no operand: not known
};
// Something a front end met and this program does not model. Reaching it makes the verdict inconclusive.
struct Unmodelled {
  std::string what;
};

using Operation = std::variant<Arithmetic, Load, Store, Atomic, Fence, ProxyFenceOp, Barrier, WarpBarrier, Shuffle, Vote,
                               Match, WarpReduce, ActiveMask, Branch, CondBranch, Exit, Trap, Compute, Print, Unmodelled>;

// `@p` or `@!p`: the instruction does nothing for a thread whose predicate is false.
struct Guard {
  RegisterId predicate;
  bool negated = false;
};

// Where an instruction was written. `file` is an index into Kernel::files; line 0: unknown.
struct SourceLine {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t inlined = 0;  // it is in a function that was inlined: by Kernel::inlined[inlined - 1]; 0: it is not
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

struct Instruction {
  Operation operation;
  std::optional<Guard> guard;
  SourceLine where;
};

[[nodiscard]] bool is_terminator(const Instruction& instruction);

}  // namespace fencewise
