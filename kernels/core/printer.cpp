// Instructions and kernels. Operands: print_operand.cpp. Problems and formulas: print_problem.cpp.
#include "kernels/core/printer.h"

#include <string_view>

#include <fmt/format.h>

#include "kernels/core/print_format.h"

namespace fencewise {
namespace {

// The type as PTX spells it where an operation only moves or combines bits.
std::string bit_type(Type type) {
  return type == Type::pred ? "pred" : fmt::format("b{}", size_of(type) * 8);
}

const char* name(StateSpace space) {
  switch (space) {
    case StateSpace::global: return "global";
    case StateSpace::shared: return "shared";
    case StateSpace::local: return "local";
    case StateSpace::constant: return "const";
    case StateSpace::param: return "param";
    case StateSpace::generic: return "generic";
  }
  return "?";
}

const char* name(CacheOperator cache) {
  switch (cache) {
    case CacheOperator::none: return "";
    case CacheOperator::ca: return "ca";
    case CacheOperator::cg: return "cg";
    case CacheOperator::cs: return "cs";
    case CacheOperator::lu: return "lu";
    case CacheOperator::cv: return "cv";
    case CacheOperator::wb: return "wb";
    case CacheOperator::wt: return "wt";
    case CacheOperator::nc: return "nc";
  }
  return "?";
}

// The proxy as a prefix of the mnemonic, as in the litmus dialect: suld, tld, cold, sust.
const char* prefix(Proxy proxy) {
  switch (proxy) {
    case Proxy::generic: return "";
    case Proxy::surface: return "su";
    case Proxy::texture: return "t";
    case Proxy::constant: return "co";
  }
  return "?";
}

const char* name(AtomicOp op) {
  switch (op) {
    case AtomicOp::add: return "add";
    case AtomicOp::sub: return "sub";
    case AtomicOp::inc: return "inc";
    case AtomicOp::dec: return "dec";
    case AtomicOp::min: return "min";
    case AtomicOp::max: return "max";
    case AtomicOp::bit_and: return "and";
    case AtomicOp::bit_or: return "or";
    case AtomicOp::bit_xor: return "xor";
    case AtomicOp::exch: return "exch";
    case AtomicOp::cas: return "cas";
    case AtomicOp::mul: return "mul";
    case AtomicOp::div: return "div";
  }
  return "?";
}

bool on_bits(AtomicOp op) {
  return op == AtomicOp::bit_and || op == AtomicOp::bit_or || op == AtomicOp::bit_xor ||
         op == AtomicOp::exch || op == AtomicOp::cas;
}

const char* name(Compare compare) {
  switch (compare) {
    case Compare::eq: return "eq";
    case Compare::ne: return "ne";
    case Compare::lt: return "lt";
    case Compare::le: return "le";
    case Compare::gt: return "gt";
    case Compare::ge: return "ge";
  }
  return "?";
}

const char* name(ShuffleMode mode) {
  switch (mode) {
    case ShuffleMode::up: return "up";
    case ShuffleMode::down: return "down";
    case ShuffleMode::bfly: return "bfly";
    case ShuffleMode::idx: return "idx";
  }
  return "?";
}

const char* name(VoteMode mode) {
  switch (mode) {
    case VoteMode::all: return "all";
    case VoteMode::any: return "any";
    case VoteMode::uni: return "uni";
    case VoteMode::ballot: return "ballot";
  }
  return "?";
}

const char* name(BarrierReduction reduction) {
  switch (reduction) {
    case BarrierReduction::none: return "none";
    case BarrierReduction::all: return "and.pred";
    case BarrierReduction::any: return "or.pred";
    case BarrierReduction::popc: return "popc.u32";
  }
  return "?";
}

// The mnemonic with all modifiers but the type of a comparison or conversion.
std::string mnemonic(const Arithmetic& a) {
  const std::string type = name(a.type);
  const std::string bits = bit_type(a.type);
  const char* low = is_float(a.type) ? "" : ".lo";
  const char* rounded = is_float(a.type) ? ".rn" : "";
  switch (a.op) {
    case Arith::mov: return "mov." + type;
    case Arith::add: return "add." + type;
    case Arith::sub: return "sub." + type;
    case Arith::mul: return fmt::format("mul{}.{}", low, type);
    case Arith::mul_hi: return "mul.hi." + type;
    case Arith::mul_wide: return "mul.wide." + type;
    case Arith::mad: return fmt::format("mad{}.{}", low, type);
    case Arith::mad_wide: return "mad.wide." + type;
    case Arith::fma: return "fma.rn." + type;
    case Arith::div: return fmt::format("div{}.{}", rounded, type);
    case Arith::rem: return "rem." + type;
    case Arith::neg: return "neg." + type;
    case Arith::abs: return "abs." + type;
    case Arith::min: return "min." + type;
    case Arith::max: return "max." + type;
    case Arith::bit_and: return "and." + bits;
    case Arith::bit_or: return "or." + bits;
    case Arith::bit_xor: return "xor." + bits;
    case Arith::bit_not: return "not." + bits;
    case Arith::shl: return "shl." + bits;
    case Arith::shr: return "shr." + type;
    case Arith::setp: return fmt::format("setp.{}.{}", name(a.compare), type);
    case Arith::selp: return "selp." + type;
    case Arith::cvt: return fmt::format("cvt.{}.{}", type, name(a.from));
    case Arith::popc: return "popc." + bits;
    case Arith::clz: return "clz." + bits;
    case Arith::brev: return "brev." + bits;
    case Arith::bfind: return "bfind." + type;
    case Arith::bfe: return "bfe." + type;
    case Arith::bfi: return "bfi." + bits;
    case Arith::prmt: return "prmt." + bits;
    case Arith::shf_l: return "shf.l.wrap." + bits;
    case Arith::shf_r: return "shf.r.wrap." + bits;
    case Arith::sqrt: return "sqrt.rn." + type;
    case Arith::rcp: return "rcp.rn." + type;
  }
  return "?";
}

// Everything between `ld`, `st`, `atom` or `red` and the operation or type.
std::string modifiers(const Access& access) {
  std::string text;
  if (access.is_volatile) {
    text = ".volatile";
  } else {
    text = fmt::format(".{}", name(access.order));
    if (is_strong(access.order)) text += fmt::format(".{}", name(access.scope));
  }
  if (access.space != StateSpace::global) text += fmt::format(".{}", name(access.space));
  if (access.cache != CacheOperator::none) text += fmt::format(".{}", name(access.cache));
  return text;
}

std::string vector_suffix(std::uint8_t count) { return count == 1 ? "" : fmt::format(".v{}", count); }

class InstructionPrinter {
 public:
  explicit InstructionPrinter(const Kernel& kernel) : kernel_(kernel) {}

  std::string operator()(const Arithmetic& a) const {
    std::string text = fmt::format("{} {}", mnemonic(a), reg(a.dst));
    const Type source = a.op == Arith::cvt ? a.from : a.type;
    const bool shift = a.op == Arith::shl || a.op == Arith::shr || a.op == Arith::bfe;
    if (a.a.present()) text += ", " + operand(a.a, source);
    if (a.b.present()) text += ", " + operand(a.b, shift ? Type::u32 : source);
    if (a.c.present()) text += ", " + operand(a.c, a.op == Arith::selp ? Type::pred : source);
    return text;
  }

  std::string operator()(const Load& load) const {
    return fmt::format("{}ld{}{}.{} {}, {}", prefix(load.access.proxy), modifiers(load.access),
                       vector_suffix(load.count), name(load.access.type),
                       elements(load.count, [&](std::size_t i) { return reg(load.dst[i]); }),
                       address(load.access));
  }

  std::string operator()(const Store& store) const {
    const Type type = store.access.type;
    return fmt::format("{}st{}{}.{} {}, {}", prefix(store.access.proxy), modifiers(store.access),
                       vector_suffix(store.count), name(type), address(store.access),
                       elements(store.count, [&](std::size_t i) { return operand(store.value[i], type); }));
  }

  std::string operator()(const Atomic& atomic) const {
    const Type type = atomic.access.type;
    std::string text = fmt::format("{}{}{}.{}.{} ", prefix(atomic.access.proxy), atomic.red ? "red" : "atom",
                                   modifiers(atomic.access), name(atomic.op),
                                   on_bits(atomic.op) ? bit_type(type) : name(type));
    if (atomic.dst || !atomic.red) text += atomic.dst ? reg(*atomic.dst) + ", " : "_, ";
    text += fmt::format("{}, {}", address(atomic.access), operand(atomic.a, type));
    if (atomic.b.present()) text += ", " + operand(atomic.b, type);
    return text;
  }

  std::string operator()(const Fence& fence) const {
    return fmt::format("fence.{}.{}", name(fence.order), name(fence.scope));
  }
  std::string operator()(const ProxyFenceOp& fence) const {
    return fmt::format("fence.proxy.{}", name(fence.kind));
  }

  std::string operator()(const Barrier& barrier) const {
    std::string text = barrier.instance ? "bar.cta" : barrier.aligned ? "bar" : "barrier";
    switch (barrier.kind) {
      case BarrierKind::sync: text += ".sync "; break;
      case BarrierKind::arrive: text += ".arrive "; break;
      case BarrierKind::red: text += fmt::format(".red.{} ", name(barrier.reduction)); break;
    }
    if (barrier.dst) text += reg(*barrier.dst) + ", ";
    if (barrier.instance) text += fmt::format("{}, ", *barrier.instance);
    text += operand(barrier.id, Type::u32);
    if (barrier.count.present()) text += ", " + operand(barrier.count, Type::u32);
    if (barrier.predicate.present()) text += ", " + operand(barrier.predicate, Type::pred);
    return text;
  }

  std::string operator()(const WarpBarrier& barrier) const { return barrier.mask.present() ? "bar.warp.sync " + mask(barrier.mask) : "(lanes meet)"; }

  std::string operator()(const Shuffle& shuffle) const {
    return fmt::format("shfl.sync.{}.b32 {}, {}, {}, {}, {}", name(shuffle.mode),
                       pair(shuffle.dst, shuffle.in_range), operand(shuffle.value, Type::u32),
                       operand(shuffle.lane, Type::u32), operand(shuffle.clamp, Type::u32),
                       mask(shuffle.mask));
  }

  std::string operator()(const Vote& vote) const {
    return fmt::format("vote.sync.{}.{} {}, {}, {}", name(vote.mode),
                       vote.mode == VoteMode::ballot ? "b32" : "pred", reg(vote.dst),
                       operand(vote.predicate, Type::pred), mask(vote.mask));
  }

  std::string operator()(const Match& match) const {
    return fmt::format("match.{}.sync.{} {}, {}, {}", match.mode == MatchMode::any ? "any" : "all",
                       bit_type(match.type), pair(match.dst, match.all_equal),
                       operand(match.value, match.type), mask(match.mask));
  }

  std::string operator()(const WarpReduce& reduce) const {
    return fmt::format("redux.sync.{}.{} {}, {}, {}", name(reduce.op),
                       on_bits(reduce.op) ? bit_type(reduce.type) : name(reduce.type), reg(reduce.dst),
                       operand(reduce.value, reduce.type), mask(reduce.mask));
  }

  std::string operator()(const ActiveMask& active) const { return "activemask.b32 " + reg(active.dst); }
  std::string operator()(const Branch& branch) const { return "bra " + label_of(branch.target, kernel_); }
  std::string operator()(const CondBranch& branch) const {
    return fmt::format("@{}{} bra {}; bra {}", branch.negated ? "!" : "", reg(branch.predicate),
                       label_of(branch.taken, kernel_), label_of(branch.otherwise, kernel_));
  }
  std::string operator()(const Exit&) const { return "exit"; }
  std::string operator()(const Trap& trap) const {
    return trap.message.empty() ? "trap" : fmt::format("trap \"{}\"", trap.message);
  }
  std::string operator()(const Compute& compute) const { return fmt::format("compute {}", compute.units); }
  std::string operator()(const Print& print) const {
    if (!print.format) return "printf (format not found)";
    std::string text = "printf " + quoted_literal(*print.format);
    const std::vector<FormatArgument> taken = arguments_of(*print.format);
    for (std::size_t n = 0; n < print.arguments.size() && n < taken.size(); ++n)
      text += ", " + argument(print.arguments[n], taken[n].type);
    return text;
  }
  std::string operator()(const Unmodelled& unmodelled) const {
    return fmt::format("unmodelled \"{}\"", unmodelled.what);
  }

  [[nodiscard]] std::string guard(const Guard& guard) const {
    return fmt::format("@{}{} ", guard.negated ? "!" : "", reg(guard.predicate));
  }

 private:
  [[nodiscard]] std::string reg(RegisterId id) const { return print(id, kernel_); }
  [[nodiscard]] std::string operand(const Operand& o, Type type) const { return print(o, type, kernel_); }
  [[nodiscard]] std::string address(const Access& access) const { return print(access.address, kernel_); }
  [[nodiscard]] std::string mask(const Operand& mask) const { return operand(mask, Type::u32); }
  [[nodiscard]] std::string argument(const std::variant<Operand, std::string>& argument, Type type) const {
    if (const auto* text = std::get_if<std::string>(&argument)) return quoted_literal(*text);
    const auto& value = std::get<Operand>(argument);
    return value.present() ? operand(value, type) : "?";
  }
  [[nodiscard]] std::string pair(RegisterId first, const std::optional<RegisterId>& second) const {
    return second ? fmt::format("{}|{}", reg(first), reg(*second)) : reg(first);
  }

  // One element bare, several in braces. A count beyond four (an invalid program) shows four.
  template <class Print> static std::string elements(std::uint8_t count, const Print& print_element) {
    if (count == 1) return print_element(0);
    std::string text = "{";
    for (std::size_t i = 0; i < count && i < 4; ++i) text += (i == 0 ? "" : ", ") + print_element(i);
    return text + "}";
  }

  const Kernel& kernel_;
};

std::string print_declarations(const Kernel& kernel) {
  std::string text;
  for (const ParamDecl& param : kernel.params)
    text += fmt::format("  param {} {}\n", name(param.type), param.name);
  for (const ArrayDecl& array : kernel.arrays)
    text += fmt::format("  {} {} {}[{}]\n", name(array.space), name(array.element), array.name,
                        array.space == StateSpace::global ? "" : fmt::format("{}", array.length));
  return text;
}

std::uint64_t initial_value(const Kernel& kernel, std::size_t reg) {
  return reg < kernel.register_initial.size() ? kernel.register_initial[reg] : 0;
}

// `reg u32 %a, %b`: neighbours of one type share a line.
std::string print_registers(const Kernel& kernel) {
  std::string text;
  for (std::uint32_t i = 0; i < kernel.registers.size(); ++i) {
    const Type type = kernel.registers[i].type;
    if (i > 0 && kernel.registers[i - 1].type == type)
      text += ", ";
    else
      text += fmt::format("{}  reg {} ", i > 0 ? "\n" : "", name(type));
    text += print(RegisterId{i}, kernel);
    if (const std::uint64_t value = initial_value(kernel, i); value != 0)
      text += " = " + print(Operand::imm(value), type, kernel);
  }
  return text.empty() ? text : text + "\n";
}

std::string print_line(const Instruction& instruction, const Kernel& kernel, const PrintOptions& options) {
  const std::string text = print(instruction, kernel);
  SourceLine line = instruction.where;
  line.column = 0;
  const std::string where = options.source_lines ? print(line, kernel) : "";
  return where.empty() ? fmt::format("  {}\n", text) : fmt::format("  {:<48}  // {}\n", text, where);
}

}  // namespace

std::string print(const Instruction& instruction, const Kernel& kernel) {
  const InstructionPrinter printer(kernel);
  const std::string guard = instruction.guard ? printer.guard(*instruction.guard) : "";
  return guard + std::visit(printer, instruction.operation);
}

std::string print(const Kernel& kernel, const PrintOptions& options) {
  std::string text =
      fmt::format("kernel {}\n{}{}", kernel.name, print_declarations(kernel), print_registers(kernel));
  for (std::uint32_t i = 0; i < kernel.blocks.size(); ++i) {
    text += label_of(BlockId{i}, kernel) + ":\n";
    for (const Instruction& instruction : kernel.blocks[i].instructions)
      text += print_line(instruction, kernel, options);
  }
  return text;
}

}  // namespace fencewise
