// What can be said of a kernel without its launch.
//
// Registers are bits: a register may be wider than what an operation reads or writes (sm_100 code declares floats
// as .b32, ld.u8 fills a .b32), never narrower, and predicates stay apart.
#include <numeric>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/print_format.h"
#include "kernels/core/printer.h"
#include "kernels/core/validate.h"

namespace fencewise {
namespace {

bool is_unary(Arith op) {
  switch (op) {
    case Arith::mov:
    case Arith::neg:
    case Arith::abs:
    case Arith::bit_not:
    case Arith::cvt:
    case Arith::popc:
    case Arith::clz:
    case Arith::brev:
    case Arith::bfind:
    case Arith::sqrt:
    case Arith::rcp: return true;
    default: return false;
  }
}

bool is_ternary(Arith op) {
  switch (op) {
    case Arith::mad:
    case Arith::mad_wide:
    case Arith::fma:
    case Arith::selp:
    case Arith::bfe:
    case Arith::bfi:
    case Arith::prmt:
    case Arith::shf_l:
    case Arith::shf_r: return true;
    default: return false;
  }
}

bool takes_predicates(Arith op) {
  return op == Arith::mov || op == Arith::bit_and || op == Arith::bit_or || op == Arith::bit_xor ||
         op == Arith::bit_not;
}

bool takes_floats(Arith op) {
  switch (op) {
    case Arith::mov:
    case Arith::add:
    case Arith::sub:
    case Arith::mul:
    case Arith::mad:
    case Arith::fma:
    case Arith::div:
    case Arith::neg:
    case Arith::abs:
    case Arith::min:
    case Arith::max:
    case Arith::setp:
    case Arith::selp:
    case Arith::cvt:
    case Arith::sqrt:
    case Arith::rcp: return true;
    default: return false;
  }
}

bool takes_only_floats(Arith op) { return op == Arith::fma || op == Arith::sqrt || op == Arith::rcp; }
bool is_wide(Arith op) { return op == Arith::mul_wide || op == Arith::mad_wide; }
bool counts_bits(Arith op) { return op == Arith::popc || op == Arith::clz || op == Arith::bfind; }

// What a register in some place must hold: a predicate, or at least this many bytes.
struct Need {
  bool predicate = false;
  std::uint32_t bytes = 0;
};
constexpr Need predicate{true, 1};
constexpr Need any_integer{false, 1};
constexpr Need word{false, 4};
Need bits_of(Type type) { return {type == Type::pred, size_of(type)}; }

Need result_of(const Arithmetic& a) {
  if (a.op == Arith::setp) return predicate;
  if (counts_bits(a.op)) return word;
  return is_wide(a.op) ? Need{false, size_of(a.type) * 2} : bits_of(a.type);
}

Need second_of(const Arithmetic& a) {
  const bool position = a.op == Arith::shl || a.op == Arith::shr || a.op == Arith::bfe;
  return position ? any_integer : bits_of(a.type);
}

Need third_of(const Arithmetic& a) {
  switch (a.op) {
    case Arith::selp: return predicate;
    case Arith::mad_wide: return {false, size_of(a.type) * 2};
    case Arith::bfe:
    case Arith::bfi:
    case Arith::shf_l:
    case Arith::shf_r: return any_integer;
    default: return bits_of(a.type);
  }
}

bool is_load_order(Order order) {
  return order == Order::weak || order == Order::relaxed || order == Order::acquire;
}
bool is_store_order(Order order) {
  return order == Order::weak || order == Order::relaxed || order == Order::release;
}
bool is_atomic_order(Order order) { return order != Order::weak && order != Order::sc; }
bool is_fence_order(Order order) { return order != Order::weak && order != Order::relaxed; }

bool is_load_cache(CacheOperator cache) { return cache != CacheOperator::wb && cache != CacheOperator::wt; }
bool is_store_cache(CacheOperator cache) {
  return cache == CacheOperator::none || cache == CacheOperator::wb || cache == CacheOperator::cg ||
         cache == CacheOperator::cs || cache == CacheOperator::wt;
}

bool combines_bits(AtomicOp op) {
  return op == AtomicOp::bit_and || op == AtomicOp::bit_or || op == AtomicOp::bit_xor;
}
bool takes_float(AtomicOp op) { return op == AtomicOp::add || op == AtomicOp::exch || op == AtomicOp::cas; }

class InstructionChecker {
 public:
  InstructionChecker(const Kernel& kernel, InstructionRef ref) : kernel_(kernel), ref_(ref) {}

  void check() const {
    const Instruction& instruction = kernel_.at(ref_);
    const bool last = ref_.index + 1 == kernel_.blocks[ref_.block.value].instructions.size();
    if (is_terminator(instruction) && !last) fail("only the last instruction of a block may end it");
    if (!is_terminator(instruction) && last) fail("a block ends with a branch, exit or trap");
    if (is_terminator(instruction) && instruction.guard)
      fail("the end of a block has no guard; branch to a block of its own instead");
    if (instruction.guard) require(instruction.guard->predicate, predicate, "the guard");
    std::visit(*this, instruction.operation);
  }

  void operator()(const Arithmetic& a) const {
    check_type(a);
    require(a.dst, result_of(a), "the result");
    require(a.a, bits_of(a.op == Arith::cvt ? a.from : a.type), "the first operand");
    if (!is_unary(a.op)) require(a.b, second_of(a), "the second operand");
    if (is_ternary(a.op)) require(a.c, third_of(a), "the third operand");
  }

  void operator()(const Load& load) const {
    check_access(load.access, load.count);
    if (!is_load_order(load.access.order)) fail("a load is weak, relaxed or acquire");
    if (!is_load_cache(load.access.cache)) fail("this cache operator is for stores");
    if (load.access.cache == CacheOperator::nc && load.access.space != StateSpace::global)
      fail("ld.nc reads global memory only");
    for (std::size_t i = 0; i < load.count; ++i)
      require(load.dst[i], bits_of(load.access.type), "the result");
  }

  void operator()(const Store& store) const {
    check_access(store.access, store.count);
    check_writable(store.access);
    if (!is_store_order(store.access.order)) fail("a store is weak, relaxed or release");
    if (!is_store_cache(store.access.cache)) fail("this cache operator is for loads");
    for (std::size_t i = 0; i < store.count; ++i)
      require(store.value[i], bits_of(store.access.type), "the value");
  }

  void operator()(const Atomic& atomic) const {
    check_access(atomic.access, 1);
    check_writable(atomic.access);
    if (!is_atomic_order(atomic.access.order)) fail("an atomic is relaxed, acquire, release or acq_rel");
    if (atomic.access.is_volatile) fail("an atomic is never volatile");
    if (atomic.access.cache != CacheOperator::none) fail("an atomic has no cache operator");
    check_atomic_type(atomic);
    check_red(atomic);
    const Need bits = bits_of(atomic.access.type);
    if (atomic.dst) require(*atomic.dst, bits, "the old value");
    require(atomic.a, bits, "the operand");
    if (atomic.op == AtomicOp::cas) require(atomic.b, bits, "the new value");
    if (atomic.op != AtomicOp::cas && atomic.b.present()) fail("only cas has two operands");
  }

  void operator()(const Fence& fence) const {
    if (!is_fence_order(fence.order)) fail("a fence is acquire, release, acq_rel or sc");
  }
  void operator()(const ProxyFenceOp&) const {}

  void operator()(const Barrier& barrier) const {
    if (!barrier.instance) check_barrier_number(barrier);
    if (barrier.instance) require(barrier.id, any_integer, "the barrier");
    if (barrier.count.present()) require(barrier.count, any_integer, "the thread count");
    if (barrier.kind == BarrierKind::arrive && !barrier.instance && !barrier.count.present())
      fail("bar.arrive needs a thread count");
    if (barrier.kind == BarrierKind::red)
      check_barrier_reduction(barrier);
    else if (barrier.reduction != BarrierReduction::none || barrier.dst || barrier.predicate.present())
      fail("only bar.red has a predicate and a result");
  }

  void operator()(const WarpBarrier& barrier) const { require_mask(barrier.mask); }

  void operator()(const Shuffle& shuffle) const {
    require(shuffle.dst, word, "the result");
    require(shuffle.value, word, "the value");
    if (width_of(shuffle.value) > 4) fail("a shuffle moves 32 bits; split the value");
    if (shuffle.in_range) require(*shuffle.in_range, predicate, "the in-range flag");
    require(shuffle.lane, any_integer, "the lane");
    require(shuffle.clamp, any_integer, "the clamp");
    require_mask(shuffle.mask);
  }

  void operator()(const Vote& vote) const {
    require(vote.dst, vote.mode == VoteMode::ballot ? word : predicate, "the result");
    require(vote.predicate, predicate, "the vote");
    require_mask(vote.mask);
  }

  void operator()(const Match& match) const {
    if (match.type == Type::pred || size_of(match.type) < 4) fail("match compares 32 or 64 bits");
    require(match.dst, word, "the result");
    require(match.value, bits_of(match.type), "the value");
    if (match.mode == MatchMode::any && match.all_equal) fail("only match.all has an all-equal flag");
    if (match.all_equal) require(*match.all_equal, predicate, "the all-equal flag");
    require_mask(match.mask);
  }

  void operator()(const WarpReduce& reduce) const {
    const bool known = combines_bits(reduce.op) || reduce.op == AtomicOp::add || reduce.op == AtomicOp::min ||
                       reduce.op == AtomicOp::max;
    if (!known) fail("redux is add, min, max, and, or, xor");
    if (reduce.type != Type::u32 && reduce.type != Type::s32) fail("redux works on u32 or s32");
    require(reduce.dst, word, "the result");
    require(reduce.value, word, "the value");
    require_mask(reduce.mask);
  }

  void operator()(const ActiveMask& active) const { require(active.dst, word, "the result"); }
  void operator()(const Branch& branch) const { require_block(branch.target); }
  void operator()(const CondBranch& branch) const {
    require(branch.predicate, predicate, "the condition");
    require_block(branch.taken);
    require_block(branch.otherwise);
  }
  void operator()(const Exit&) const {}
  void operator()(const Trap&) const {}
  void operator()(const Compute&) const {}
  void operator()(const Print& print) const {
    if (!print.format) return;
    const std::vector<FormatArgument> taken = arguments_of(*print.format);
    if (taken.size() != print.arguments.size())
      fail("the format takes {} arguments, not {}", taken.size(), print.arguments.size());
    for (std::size_t n = 0; n < taken.size(); ++n)
      if (const auto* value = std::get_if<Operand>(&print.arguments[n]); value != nullptr && value->present())
        require(*value, bits_of(taken[n].type), "an argument");
  }
  void operator()(const Unmodelled&) const {}

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, const Args&... args) const {
    throw InputError(describe(kernel_, ref_) + ": " + fmt::vformat(format, fmt::make_format_args(args...)));
  }

  // --- operands ---

  void require(RegisterId reg, Need need, const char* role) const {
    if (reg.value >= kernel_.registers.size())
      fail("{} is register {}; the kernel has {}", role, reg.value, kernel_.registers.size());
    const Type type = kernel_[reg].type;
    const bool is_predicate = type == Type::pred;
    if (need.predicate != is_predicate)
      fail("{} must be {} predicate; {} is {}", role, need.predicate ? "a" : "no", print(reg, kernel_),
           name(type));
    if (size_of(type) < need.bytes)
      fail("{} needs {} bits; {} is {}", role, need.bytes * 8, print(reg, kernel_), name(type));
  }

  void require(const Operand& operand, Need need, const char* role) const {
    switch (operand.kind) {
      case Operand::Kind::none: fail("{} is missing", role);
      case Operand::Kind::reg: return require(operand.reg(), need, role);
      case Operand::Kind::immediate: return;
      case Operand::Kind::special:
        return require_index(operand.index, special_count, role, "special register");
      case Operand::Kind::param: return require_index(operand.index, kernel_.params.size(), role, "param");
      case Operand::Kind::address_of:
        return require_index(operand.index, kernel_.arrays.size(), role, "array");
    }
  }

  void require_index(std::uint32_t index, std::size_t count, const char* role, const char* kind) const {
    if (index >= count) fail("{} is {} {}; there are {}", role, kind, index, count);
  }

  void require_mask(const Operand& mask) const { require(mask, word, "the lane mask"); }
  void require_block(BlockId block) const {
    if (block.value >= kernel_.blocks.size())
      fail("the branch goes to block {}; the kernel has {}", block.value, kernel_.blocks.size());
  }
  [[nodiscard]] std::uint32_t width_of(const Operand& operand) const {
    return operand.is_register() ? size_of(kernel_[operand.reg()].type) : 0;
  }

  // --- types ---

  void check_type(const Arithmetic& a) const {
    if (a.type == Type::pred && !takes_predicates(a.op)) fail("this operation does not work on predicates");
    if (a.op == Arith::cvt && a.from == Type::pred) fail("cvt does not read predicates; use selp");
    if (is_float(a.type) && !takes_floats(a.op)) fail("this operation does not work on floats");
    if (!is_float(a.type) && takes_only_floats(a.op)) fail("this operation works on floats only");
    if (is_wide(a.op) && size_of(a.type) > 4) fail("a wide product is of 32-bit numbers or smaller");
  }

  void check_atomic_type(const Atomic& atomic) const {
    const Type type = atomic.access.type;
    if (is_float(type) && !takes_float(atomic.op)) fail("this atomic does not work on floats");
    const std::uint32_t least = atomic.op == AtomicOp::cas ? 2 : 4;
    if (size_of(type) < least) fail("this atomic needs at least {} bits", least * 8);
    const bool wraps = atomic.op == AtomicOp::inc || atomic.op == AtomicOp::dec;
    if (wraps && type != Type::u32) fail("atomic inc and dec work on u32");
  }

  void check_red(const Atomic& atomic) const {
    if (!atomic.red) return;
    if (atomic.dst) fail("red has no result; use atom");
    if (atomic.op == AtomicOp::exch || atomic.op == AtomicOp::cas)
      fail("red has no exch and no cas; use atom");
  }

  // --- memory ---

  void check_access(const Access& access, std::uint8_t count) const {
    if (access.type == Type::pred) fail("memory holds no predicates; use u8 or u32");
    if (count != 1 && count != 2 && count != 4) fail("a vector has 1, 2 or 4 elements, not {}", count);
    check_address(access.address);
    check_space(access);
    check_alignment(access, count);
    if (access.is_volatile && (access.order != Order::relaxed || access.scope != Scope::sys))
      fail("volatile means relaxed at sys scope");
    if (access.order != Order::weak && access.cache != CacheOperator::none)
      fail("a cache operator goes with weak accesses only");
  }

  void check_address(const Address& address) const {
    if (address.array) require_index(address.array->value, kernel_.arrays.size(), "the address", "array");
    const Operand& index = address.index;
    if (index.kind == Operand::Kind::address_of)
      fail("an array's address is no index; name the array instead");
    if (index.present()) require(index, any_integer, "the index");
    if (index.is_register() && is_float(kernel_[index.reg()].type)) fail("the index is a float");
    if (index.present() && address.scale == 0) fail("the index has scale 0");
    const bool somewhere = address.array || index.is_register() || index.kind == Operand::Kind::param;
    if (!somewhere) fail("the address names neither an array nor a register");
  }

  void check_space(const Access& access) const {
    if (access.space == StateSpace::param) fail("a kernel parameter is an operand, not memory");
    if (!access.address.array || access.space == StateSpace::generic) return;
    const ArrayDecl& array = kernel_[*access.address.array];
    const bool constant = access.space == StateSpace::constant && array.space == StateSpace::global;
    if (access.space != array.space && !constant) fail("'{}' is not in this state space", array.name);
  }

  void check_writable(const Access& access) const {
    if (access.space == StateSpace::constant) fail("constant memory is read-only");
  }

  // Arrays begin aligned. An index that is not known adds some multiple of its scale.
  void check_alignment(const Access& access, std::uint8_t count) const {
    const Address& address = access.address;
    if (count == 1 || !address.array) return;
    const std::uint64_t size = std::uint64_t{count} * size_of(access.type);
    const bool constant = address.index.kind == Operand::Kind::immediate;
    const std::uint64_t step =
        !address.index.present() || constant ? size : std::gcd(size, std::uint64_t{address.scale});
    const std::uint64_t known =
        static_cast<std::uint64_t>(address.offset) + (constant ? address.index.bits * address.scale : 0);
    if (known % step != 0) fail("the vector is not aligned to its {} bytes", size);
  }

  // --- barriers ---

  void check_barrier_number(const Barrier& barrier) const {
    if (barrier.id.kind != Operand::Kind::immediate) {
      require(barrier.id, any_integer, "the barrier number");
      throw NotModelled(describe(kernel_, ref_) + ": a barrier number that is no constant is not modelled");
    }
    if (barrier.id.bits > 15) fail("barriers are numbered 0 to 15, not {}", barrier.id.bits);
  }

  void check_barrier_reduction(const Barrier& barrier) const {
    if (barrier.reduction == BarrierReduction::none) fail("bar.red needs one of and, or, popc");
    if (!barrier.dst) fail("bar.red needs a result");
    require(*barrier.dst, barrier.reduction == BarrierReduction::popc ? word : predicate, "the result");
    require(barrier.predicate, predicate, "the predicate");
  }

  static constexpr std::size_t special_count = static_cast<std::size_t>(SpecialRegister::clock) + 1;

  const Kernel& kernel_;
  InstructionRef ref_;
};

template <class... Args>
[[noreturn]] void fail(const Kernel& kernel, fmt::format_string<Args...> format, const Args&... args) {
  throw InputError(fmt::format("kernel '{}': ", kernel.name) +
                   fmt::vformat(format, fmt::make_format_args(args...)));
}

void check_own_array(const Kernel& kernel, const ArrayDecl& array) {
  if (array.length == 0) fail(kernel, "array '{}' has no elements", array.name);
  if (array.length > max_bytes / size_of(array.element))
    fail(kernel, "array '{}' is larger than {} bytes", array.name, max_bytes);
}

void check_declarations(const Kernel& kernel) {
  std::uint64_t bytes = 0;
  for (const ArrayDecl& array : kernel.arrays) {
    if (array.element == Type::pred) fail(kernel, "array '{}' holds predicates; use u8 or u32", array.name);
    if (array.space == StateSpace::global) continue;
    if (array.space != StateSpace::shared && array.space != StateSpace::local)
      fail(kernel, "array '{}' is neither global, shared nor local", array.name);
    check_own_array(kernel, array);
    bytes += array.length * size_of(array.element);
    if (bytes > max_bytes) fail(kernel, "the shared and local arrays are larger than {} bytes", max_bytes);
  }
  if (!kernel.register_initial.empty() && kernel.register_initial.size() != kernel.registers.size())
    fail(kernel, "{} initial values for {} registers", kernel.register_initial.size(),
         kernel.registers.size());
}

}  // namespace

void validate(const Kernel& kernel) {
  check_declarations(kernel);
  if (kernel.blocks.empty()) fail(kernel, "there are no instructions");
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    const auto& instructions = kernel.blocks[b].instructions;
    if (instructions.empty()) fail(kernel, "block '{}' is empty", label_of(BlockId{b}, kernel));
    for (std::uint32_t i = 0; i < instructions.size(); ++i)
      InstructionChecker(kernel, {BlockId{b}, i}).check();
  }
}

}  // namespace fencewise
