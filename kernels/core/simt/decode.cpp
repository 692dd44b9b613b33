#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/flow.h"
#include "kernels/core/print_format.h"
#include "kernels/core/printer.h"
#include "kernels/core/simt/machine.h"
#include "kernels/core/simt/peephole.h"
#include "kernels/core/simt/program.h"

namespace fencewise::simt {
namespace {

bool differs_between_warps(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::tid_x:
    case SpecialRegister::tid_y:
    case SpecialRegister::tid_z:
    case SpecialRegister::laneid:
    case SpecialRegister::warpid:
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt: return true;
    default: return false;
  }
}

// Blocks in the order in which segments are numbered: reverse post-order, in which of two successors the one that
// stays in the loop, and then the one that is taken, comes first.
class BlockOrder {
 public:
  explicit BlockOrder(const Kernel& kernel) : kernel_(kernel), seen_(kernel.blocks.size()) {
    for (const Loop& loop : natural_loops(kernel)) {
      loops_.emplace_back(kernel.blocks.size());
      for (const BlockId b : loop.blocks) loops_.back()[b.value] = true;
    }
    visit_all();
    std::reverse(order_.begin(), order_.end());
  }
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  [[nodiscard]] bool leaves_a_loop(std::uint32_t from, std::uint32_t to) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const std::vector<bool>& loop) { return loop[from] && !loop[to]; });
  }

  // What is visited last comes first.
  [[nodiscard]] std::vector<std::uint32_t> visited_in_order(std::uint32_t block) const {
    const Operation& end = kernel_.blocks[block].instructions.back().operation;
    if (const auto* jump = std::get_if<Branch>(&end)) return {jump->target.value};
    const auto* branch = std::get_if<CondBranch>(&end);
    if (branch == nullptr) return {};
    const std::uint32_t taken = branch->taken.value, otherwise = branch->otherwise.value;
    if (leaves_a_loop(block, taken) && !leaves_a_loop(block, otherwise)) return {taken, otherwise};
    return {otherwise, taken};
  }

  // Depth first without recursion: unrolled kernels can have long chains of blocks.
  void visit_all() {
    struct Frame {
      std::uint32_t block;
      std::vector<std::uint32_t> rest;
      std::size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](std::uint32_t block) {
      if (seen_[block]) return;
      seen_[block] = true;
      stack.push_back({block, visited_in_order(block), 0});
    };
    enter(0);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.rest.size()) {
        enter(top.rest[top.next++]);
      } else {
        order_.push_back(top.block);
        stack.pop_back();
      }
    }
  }

  const Kernel& kernel_;
  std::vector<std::vector<bool>> loops_;  // [loop][block]
  std::vector<bool> seen_;
  std::vector<std::uint32_t> order_;
};

class Decoder {
 public:
  Decoder(const Kernel& kernel, const RunConfig& config)
      : simplified_(simplify(kernel)), kernel_(simplified_.kernel), config_(config) {}

  Program decode() {
    place_arrays();
    place_warp_specials();
    program_.registers = assign_registers(kernel_, warp_bytes_);
    program_.true_predicate = program_.registers.predicates;
    program_.false_predicate = program_.registers.predicates + 1;
    program_.predicate_words = program_.registers.predicates + 2;
    const BlockOrder order(kernel_);
    post_dominators_ = immediate_post_dominators(kernel_);
    first_segment_.assign(kernel_.blocks.size(), not_a_register);
    for (const std::uint32_t block : order.order()) decode_block(block);
    for (Segment& segment : program_.segments) link(segment);
    set_initial_registers();
    program_.constant_bytes = constant_bytes_;
    program_.kernel = std::make_shared<const Kernel>(kernel_);
    return std::move(program_);
  }

 private:
  // --- places ---

  void place_arrays() {
    std::uint32_t buffers = 0;
    for (const ArrayDecl& array : kernel_.arrays) {
      const std::uint64_t bytes = array.length * size_of(array.element);
      ArrayPlace place{.space = array.space, .buffer = 0, .offset = 0, .bytes = bytes};
      if (array.space == StateSpace::shared) {
        place.offset = program_.shared_bytes;
        program_.shared_bytes += (bytes + 127) / 128 * 128;  // so that each array starts at bank 0
      } else if (array.space == StateSpace::local) {
        place.offset = program_.local_bytes;
        program_.local_bytes += (bytes + 15) / 16 * 16;
      } else {
        place.buffer = buffers;
        place.bytes = config_.buffers[buffers++].size();
      }
      program_.arrays.push_back(place);
    }
  }

  void place_warp_specials() {
    // Few are used, but finding out which is more work than the space is worth.
    for (std::uint32_t s = 0; s <= static_cast<std::uint32_t>(SpecialRegister::lanemask_gt); ++s) {
      const auto special = static_cast<SpecialRegister>(s);
      if (!differs_between_warps(special)) continue;
      program_.warp_specials.push_back({warp_bytes_, special});
      warp_bytes_ += 4 * warp_lanes;
    }
  }

  void set_initial_registers() {
    for (std::size_t r = 0; r < program_.registers.places.size(); ++r) {
      const RegisterPlace& place = program_.registers.places[r];
      const std::uint64_t value = kernel_.register_initial.empty() ? 0 : kernel_.register_initial[r];
      if (place.live_at_entry) program_.initial.push_back({place.slot, value, place.bytes});
    }
  }

  Slot constant_slot(std::uint32_t bytes) {
    const Slot slot = constant_bytes_ | 1U;
    constant_bytes_ += bytes * warp_lanes;
    return slot;
  }

  Source constant(std::uint64_t value, std::uint32_t bytes) {
    if (bytes == 0) return {value != 0 ? program_.true_predicate : program_.false_predicate, 0};
    if (bytes == 4) value &= 0xffff'ffffU;
    const auto [it, fresh] = constants_.try_emplace({value, bytes}, 0);
    if (fresh) {
      it->second = constant_slot(bytes);
      program_.constants.push_back({it->second, value, bytes});
    }
    return {it->second, bytes};
  }

  Source special(SpecialRegister s) {
    for (const SpecialLanes& known : program_.warp_specials)
      if (known.special == s) return {known.slot, 4};
    for (const SpecialLanes& known : program_.block_specials)
      if (known.special == s) return {known.slot, 4};
    program_.block_specials.push_back({constant_slot(4), s});
    return {program_.block_specials.back().slot, 4};
  }

  Source reg(RegisterId r) const {
    const RegisterPlace& place = program_.registers.places[r.value];
    return {place.slot, place.bytes};
  }

  [[nodiscard]] std::uint64_t address_of(ArrayId array) const {
    const ArrayPlace& place = program_.arrays[array.value];
    if (place.space == StateSpace::shared) return shared_base + place.offset;
    if (place.space == StateSpace::local)
      throw NotModelled("addresses of local arrays are not modelled by run");
    return buffer_base(place.buffer);
  }

  // `bytes`: lane width of a constant; registers have their own.
  Source source(const Operand& operand, std::uint32_t bytes) {
    switch (operand.kind) {
      case Operand::Kind::none: return constant(0, bytes);
      case Operand::Kind::reg: return reg(operand.reg());
      case Operand::Kind::immediate: return constant(operand.bits, bytes);
      case Operand::Kind::special: return special(static_cast<SpecialRegister>(operand.index));
      case Operand::Kind::param: return constant(config_.params[operand.index], bytes);
      case Operand::Kind::address_of:
        return constant(address_of(ArrayId{operand.index}) + operand.bits, bytes);
    }
    throw InternalError("an operand of an unknown kind");
  }
  Source source(const Operand& operand, Type type) { return source(operand, lane_bytes(type)); }

  // --- segments ---

  void decode_block(std::uint32_t block) {
    first_segment_[block] = static_cast<std::uint32_t>(program_.segments.size());
    open_segment(block);
    const auto& instructions = kernel_.blocks[block].instructions;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      where_ = {BlockId{block}, i};
      instruction_ = &instructions[i];
      std::visit([this](const auto& operation) { decode(operation); }, instruction_->operation);
    }
  }

  void open_segment(std::uint32_t block) {
    segment_ = Segment{};
    segment_.block = block;
    segment_.first = static_cast<std::uint32_t>(program_.ops.size());
    for (auto& loads : loaded_) loads = false;
    for (auto& writes : written_) writes = false;
  }

  void close_segment(Segment::End end) {
    segment_.last = static_cast<std::uint32_t>(program_.ops.size());
    segment_.end = end;
    segment_.source = where_;
    program_.segments.push_back(segment_);
  }

  // Starts a new segment if another warp could notice that this one ran ahead with the access.
  void separate(StateSpace space, bool writes) {
    const bool shared = space == StateSpace::shared || space == StateSpace::generic;
    const bool global = space != StateSpace::shared && space != StateSpace::local;
    const auto clash = [&](int s) { return written_[s] || (writes && loaded_[s]); };
    if ((shared && clash(0)) || (global && clash(1))) {
      const std::uint32_t block = segment_.block;
      close_segment(Segment::End::next);
      open_segment(block);
    }
    if (shared) (writes ? written_ : loaded_)[0] = true;
    if (global) (writes ? written_ : loaded_)[1] = true;
  }

  void link(Segment& segment) const {
    const Operation& end = kernel_.at(segment.source).operation;
    if (segment.end == Segment::End::jump)
      segment.target = first_segment_[std::get<Branch>(end).target.value];
    if (segment.end != Segment::End::branch) return;
    const auto& branch = std::get<CondBranch>(end);
    segment.target = first_segment_[branch.taken.value];
    segment.otherwise = first_segment_[branch.otherwise.value];
    if (const auto meeting = post_dominators_[segment.block])
      segment.reconvergence = first_segment_[meeting->value];
  }

  // --- operations ---

  Op new_op(Handler handler) const {
    Op op;
    op.handler = handler;
    op.source = where_;
    if (instruction_->guard) {
      op.guard = program_.registers.places[instruction_->guard->predicate.value].slot;
      op.guard_negated = instruction_->guard->negated;
    }
    return op;
  }

  void append(Op op, StatementClass statement = StatementClass::none, std::uint32_t units = 1) {
    op.statement = statement;
    op.units = units;
    if (op.guard != not_a_register)
      segment_.guarded = true;
    else if (statement != StatementClass::none)
      segment_.statements[static_cast<std::size_t>(statement)] += units;
    program_.ops.push_back(op);
  }

  template <class T> static std::uint32_t add_to(std::vector<T>& table, T entry) {
    table.push_back(std::move(entry));
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  void append_general(Handler handler, GeneralOp general, StatementClass statement = StatementClass::none) {
    Op op = new_op(handler);
    op.data = add_to(program_.general, std::move(general));
    append(op, statement);
  }

  struct Shape3 {  // lane types of result and operands
    Type dst, a, b, c;
  };
  static Shape3 shape_of(const Arithmetic& i) {
    const Type t = i.type;
    const Type wide = t == Type::s32 ? Type::s64 : Type::u64;
    switch (i.op) {
      case Arith::cvt: return {t, i.from, i.from, i.from};
      case Arith::mul_wide: return {wide, t, t, t};
      case Arith::mad_wide: return {wide, t, t, wide};
      case Arith::selp: return {t, t, t, Type::pred};
      case Arith::setp: return {Type::pred, t, t, t};
      case Arith::shl:
      case Arith::shr: return {t, t, Type::u32, t};
      default: return {t, t, t, t};
    }
  }

  void decode(const Arithmetic& i) {
    const Shape3 shape = shape_of(i);
    const Source dst = reg(i.dst);
    const Source a = source(i.a, shape.a), b = source(i.b, shape.b), c = source(i.c, shape.c);
    const StatementClass statement = is_multiply_add(i) ? StatementClass::ffma : StatementClass::none;
    const auto fits = [](const Source& s, Type type) { return s.bytes == lane_bytes(type); };
    const bool plain = fits(dst, shape.dst) && fits(a, shape.a) && fits(b, shape.b) && fits(c, shape.c);
    Op op = new_op(nullptr);
    op.dst = dst.slot;
    op.a = a.slot;
    op.b = b.slot;
    op.c = c.slot;
    op.bytes = dst.bytes;
    if (plain && choose_handler(i, op)) {
      if (op.handler == handlers::fmas)
        op.data = add_to(program_.fmas, FmaOperands{op.dst, op.a, op.b, op.c});
      if (!joins_last_run(op)) return append(op, statement);
      ++program_.ops.back().count;
      ++segment_.statements[static_cast<std::size_t>(StatementClass::ffma)];
      return;
    }
    append_general(handlers::scalar, {.operation = i, .in = {a, b, c}, .out = dst, .out2 = {}, .from = {}},
                   statement);
  }

  static bool choose_handler(const Arithmetic& i, Op& op) {
    if (i.type == Type::pred) {
      if (i.op == Arith::mov) op.b = op.a;
      op.data = static_cast<std::uint32_t>(i.op);
      op.handler = handlers::predicate_logic;
      return i.op == Arith::mov || i.op == Arith::bit_and || i.op == Arith::bit_or ||
             i.op == Arith::bit_xor || i.op == Arith::bit_not;
    }
    if (i.op == Arith::setp) {
      op.compare = compare_function(i.compare, i.type);
      op.handler = handlers::compare;
      return op.compare != nullptr;
    }
    if (i.op == Arith::selp) {
      op.handler = handlers::select;
      return size_of(i.type) >= 4;
    }
    op.lane = i.op == Arith::cvt ? convert_function(i.type, i.from) : lane_function(i.op, i.type);
    op.handler = is_multiply_add(i) && i.type == Type::f32 ? handlers::fmas : handlers::lane;
    return op.lane != nullptr;
  }

  // Multiply-adds in a row become one operation.
  [[nodiscard]] bool joins_last_run(const Op& op) const {
    if (op.handler != handlers::fmas || op.guard != not_a_register) return false;
    if (program_.ops.size() == segment_.first) return false;
    const Op& last = program_.ops.back();
    return last.handler == handlers::fmas && last.guard == not_a_register;
  }

  // --- memory ---

  MemoryOp memory_op(MemoryOp::Kind kind, const Access& access, std::uint32_t count) {
    MemoryOp m;
    m.kind = kind;
    m.space = access.space;
    m.array = access.address.array;
    m.type = access.type;
    m.count = count;
    m.width = count * size_of(access.type);
    m.strong = access.order != Order::weak || kind == MemoryOp::Kind::atomic;
    m.scale = access.address.scale;
    m.offset = access.address.offset;
    m.index_plus = simplified_.index_plus[where_.block.value][where_.index];
    set_index(m, access.address.index);
    if (m.array && program_.arrays[m.array->value].space == StateSpace::shared) m.space = StateSpace::shared;
    if (m.strong && m.space != StateSpace::global) program_.strong_shared = true;
    if (m.strong && m.space != StateSpace::shared) program_.blocks_in_order = true;
    return m;
  }

  void set_index(MemoryOp& m, const Operand& index) {
    if (!index.present()) return;
    if (index.kind == Operand::Kind::immediate) {
      m.offset += static_cast<std::int64_t>(index.bits) * m.scale;
      return;
    }
    const std::uint32_t bytes = index.kind == Operand::Kind::param
                                    ? lane_bytes(kernel_.params[index.index].type)
                                : index.kind == Operand::Kind::address_of ? 8
                                                                          : 4;
    const Source s = source(index, bytes);
    m.index = s.slot;
    m.index_kind = s.bytes == 8                ? IndexKind::u64
                   : is_signed(type_of(index)) ? IndexKind::s32
                                               : IndexKind::u32;
  }

  [[nodiscard]] Type type_of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) return kernel_[operand.reg()].type;
    if (operand.kind == Operand::Kind::param) return kernel_.params[operand.index].type;
    return Type::u32;
  }

  void append_memory(Handler handler, MemoryOp m) {
    static constexpr StatementClass classes[3][2] = {{StatementClass::gld, StatementClass::lds},
                                                     {StatementClass::gst, StatementClass::sts},
                                                     {StatementClass::atom, StatementClass::atom}};
    separate(m.space, m.kind != MemoryOp::Kind::load);
    Op op = new_op(handler);
    const auto kind = static_cast<std::size_t>(m.kind);
    const std::size_t column = m.space == StateSpace::shared ? 1 : 0;
    const bool counted =
        m.space == StateSpace::shared || m.space == StateSpace::global || m.space == StateSpace::generic;
    op.data = add_to(program_.memory, std::move(m));
    append(op, counted ? classes[kind][column] : StatementClass::none);
  }

  [[nodiscard]] static bool all_words(const MemoryOp& m) {
    if (size_of(m.type) != 4) return false;
    return std::all_of(m.data.begin(), m.data.begin() + m.count,
                       [](const Source& s) { return s.bytes == 4; });
  }

  void decode(const Load& load) {
    MemoryOp m = memory_op(MemoryOp::Kind::load, load.access, load.count);
    for (std::uint32_t i = 0; i < load.count; ++i) m.data[i] = reg(load.dst[i]);
    m.word_registers = all_words(m);
    append_memory(handlers::load, m);
  }

  void decode(const Store& store) {
    MemoryOp m = memory_op(MemoryOp::Kind::store, store.access, store.count);
    for (std::uint32_t i = 0; i < store.count; ++i) m.data[i] = source(store.value[i], store.access.type);
    m.word_registers = all_words(m);
    append_memory(handlers::store, m);
  }

  void decode(const Atomic& atomic) {
    MemoryOp m = memory_op(MemoryOp::Kind::atomic, atomic.access, 1);
    m.op = atomic.op;
    m.data[0] = source(atomic.a, atomic.access.type);
    m.data[1] = source(atomic.b, atomic.access.type);
    if (atomic.dst) m.old = reg(*atomic.dst);
    append_memory(handlers::atomic, m);
  }

  // --- the rest ---

  void decode(const Fence&) { program_.blocks_in_order = true; }
  void decode(const ProxyFenceOp&) {}
  void decode(const WarpBarrier&) {}
  void decode(const Compute& compute) {
    append(new_op(handlers::nothing), StatementClass::alu, compute.units);
  }
  void decode(const Print& print) {
    PrintOp p{print, {}};
    const std::vector<FormatArgument> taken =
        print.format ? arguments_of(*print.format) : std::vector<FormatArgument>();
    for (std::size_t n = 0; n < taken.size(); ++n) {
      const auto* value = std::get_if<Operand>(&print.arguments[n]);
      p.in.push_back(value == nullptr ? Source() : source(*value, taken[n].type));
    }
    Op op = new_op(handlers::print);
    op.data = add_to(program_.prints, std::move(p));
    append(op);
  }
  void decode(const Unmodelled&) { append(new_op(handlers::unmodelled)); }
  void decode(const ActiveMask& active) {
    append_general(handlers::active_mask,
                   {.operation = active, .in = {}, .out = reg(active.dst), .out2 = {}, .from = {}});
  }

  void decode(const Shuffle& s) {
    GeneralOp g{.operation = s, .in = {}, .out = reg(s.dst), .out2 = {}, .from = {}};
    g.in = {source(s.value, Type::u32), source(s.lane, Type::u32), source(s.clamp, Type::u32)};
    if (s.in_range) g.out2 = reg(*s.in_range);
    g.from = constant_sources(s, g);
    append_general(handlers::shuffle, std::move(g), StatementClass::shfl);
  }
  static std::optional<std::array<std::uint8_t, 32>> constant_sources(const Shuffle& s, const GeneralOp& g) {
    const bool constants =
        s.lane.kind == Operand::Kind::immediate && s.clamp.kind == Operand::Kind::immediate;
    if (!constants || g.out2 || g.in[0].bytes != 4 || g.out->bytes != 4) return std::nullopt;
    std::array<std::uint8_t, 32> from;
    for (std::uint32_t l = 0; l < warp_lanes; ++l) {
      const auto source = shuffle_source(s.mode, l, static_cast<std::uint32_t>(s.lane.bits),
                                         static_cast<std::uint32_t>(s.clamp.bits));
      from[l] = static_cast<std::uint8_t>(source.value_or(l));
    }
    return from;
  }
  void decode(const Vote& v) {
    append_general(
        handlers::vote,
        {.operation = v, .in = {source(v.predicate, Type::pred)}, .out = reg(v.dst), .out2 = {}, .from = {}});
  }
  void decode(const Match& m) {
    GeneralOp g{.operation = m, .in = {source(m.value, m.type)}, .out = reg(m.dst), .out2 = {}, .from = {}};
    if (m.all_equal) g.out2 = reg(*m.all_equal);
    append_general(handlers::match, std::move(g));
  }
  void decode(const WarpReduce& r) {
    append_general(
        handlers::warp_reduce,
        {.operation = r, .in = {source(r.value, r.type)}, .out = reg(r.dst), .out2 = {}, .from = {}});
  }

  void decode(const Barrier& barrier) {
    if (barrier.instance) throw NotModelled(describe(kernel_, where_) + ": litmus barriers have no executor");
    BarrierOp b{.barrier = barrier,
                .id = static_cast<std::uint32_t>(barrier.id.bits),
                .count = {},
                .predicate = {},
                .dst = {}};
    if (barrier.count.present()) b.count = source(barrier.count, Type::u32);
    b.predicate = source(barrier.predicate, Type::pred);
    if (barrier.dst) b.dst = reg(*barrier.dst);
    const Op guard = new_op(nullptr);
    b.guard = guard.guard;
    b.guard_negated = guard.guard_negated;
    segment_.barrier = add_to(program_.barriers, std::move(b));
    const std::uint32_t block = segment_.block;
    close_segment(Segment::End::barrier);
    open_segment(block);
  }

  void decode(const Branch&) { close_segment(Segment::End::jump); }
  void decode(const Exit&) { close_segment(Segment::End::exit); }
  void decode(const Trap&) { close_segment(Segment::End::trap); }
  void decode(const CondBranch& branch) {
    segment_.predicate = reg(branch.predicate).slot;
    segment_.negated = branch.negated;
    segment_.counted = branch.counted;
    if (branch.counted) ++segment_.statements[static_cast<std::size_t>(StatementClass::branch)];
    close_segment(Segment::End::branch);
  }

  const Simplified simplified_;
  const Kernel& kernel_;
  const RunConfig& config_;
  Program program_;
  std::uint32_t warp_bytes_ = 0, constant_bytes_ = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Slot> constants_;
  std::vector<std::optional<BlockId>> post_dominators_;
  std::vector<std::uint32_t> first_segment_;  // [block]
  Segment segment_;
  bool loaded_[2] = {}, written_[2] = {};  // shared, global: what the open segment did
  InstructionRef where_;
  const Instruction* instruction_ = nullptr;
};

}  // namespace

Program decode(const Kernel& kernel, const RunConfig& config) { return Decoder(kernel, config).decode(); }

}  // namespace fencewise::simt
