#include "kernels/frontend/litmus/print_instruction.h"

#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"

namespace fencewise::litmus {
namespace {

[[noreturn]] void no_form(std::string_view what) {
  throw NotModelled(fmt::format("the litmus dialect has no form for {}", what));
}

std::string_view prefix(Proxy proxy) {
  switch (proxy) {
    case Proxy::generic: return "";
    case Proxy::surface: return "su";
    case Proxy::texture: return "t";
    case Proxy::constant: return "co";
  }
  return "";
}

std::string semantics(const Access& access) {
  if (access.is_volatile) return "volatile";
  if (access.order == Order::weak) return "weak";
  return fmt::format("{}.{}", name(access.order), name(access.scope));
}

std::string_view operation(AtomicOp op) {
  switch (op) {
    case AtomicOp::add: return "add";
    case AtomicOp::sub: return "sub";
    case AtomicOp::mul: return "mul";
    case AtomicOp::div: return "div";
    case AtomicOp::bit_and: return "and";
    case AtomicOp::bit_or: return "or";
    case AtomicOp::bit_xor: return "xor";
    case AtomicOp::exch: return "exch";
    case AtomicOp::cas: return "cas";
    case AtomicOp::inc: no_form("an atomic inc");
    case AtomicOp::dec: no_form("an atomic dec");
    case AtomicOp::min: no_form("an atomic min");
    case AtomicOp::max: no_form("an atomic max");
  }
  return "?";
}

class InstructionPrinter {
 public:
  InstructionPrinter(const Instruction& instruction, const Kernel& kernel)
      : instruction_(instruction), kernel_(kernel) {}

  std::string operator()(const Arithmetic& a) const {
    const std::string dst = reg(a.dst);
    switch (a.op) {
      case Arith::mov: return fmt::format("ld {}, {}", dst, value(a.a));
      case Arith::add: return fmt::format("add {}, {}, {}", dst, value(a.a), value(a.b));
      case Arith::sub: return fmt::format("sub {}, {}, {}", dst, value(a.a), value(a.b));
      case Arith::mul: return fmt::format("mul {}, {}, {}", dst, value(a.a), value(a.b));
      case Arith::div: return fmt::format("div {}, {}, {}", dst, value(a.a), value(a.b));
      default: return unsupported();
    }
  }
  std::string operator()(const Load& load) const {
    return fmt::format("{}ld.{} {}, {}", prefix(load.access.proxy), semantics(load.access), reg(load.dst[0]),
                       location(load.access));
  }
  std::string operator()(const Store& store) const {
    if (store.access.proxy == Proxy::texture || store.access.proxy == Proxy::constant) return unsupported();
    return fmt::format("{}st.{} {}, {}", prefix(store.access.proxy), semantics(store.access),
                       location(store.access), value(store.value[0]));
  }
  std::string operator()(const Atomic& a) const {
    if (a.access.proxy == Proxy::texture || a.access.proxy == Proxy::constant) return unsupported();
    const bool as_red = a.red && a.op != AtomicOp::exch && a.op != AtomicOp::cas;
    if (!as_red && !a.dst) return unsupported();
    std::string text = fmt::format("{}{}.{}.{} ", prefix(a.access.proxy), as_red ? "red" : "atom",
                                   semantics(a.access), operation(a.op));
    if (!as_red) text += reg(*a.dst) + ", ";
    text += fmt::format("{}, {}", location(a.access), value(a.a));
    if (a.op == AtomicOp::cas) text += ", " + value(a.b);
    return text;
  }
  std::string operator()(const Fence& fence) const {
    return fmt::format("fence.{}.{}", name(fence.order), name(fence.scope));
  }
  std::string operator()(const ProxyFenceOp& fence) const {
    return fmt::format("fence.proxy.{}", name(fence.kind));
  }
  std::string operator()(const Barrier& b) const {
    if (b.kind == BarrierKind::red || !b.instance) return unsupported();
    std::string text =
        fmt::format("bar.cta.{} {}", b.kind == BarrierKind::sync ? "sync" : "arrive", *b.instance);
    if (b.count.present() || b.id != Operand::imm(0)) text += ", " + value(b.id);
    if (b.count.present()) text += ", " + value(b.count);
    return text;
  }
  template <typename Other> std::string operator()(const Other&) const { return unsupported(); }

 private:
  [[noreturn]] std::string unsupported() const {
    no_form(fmt::format("'{}'", fencewise::print(instruction_, kernel_)));
  }

  [[nodiscard]] std::string reg(RegisterId id) const { return kernel_[id].name; }
  [[nodiscard]] std::string value(const Operand& operand) const { return print_value(operand, kernel_); }
  [[nodiscard]] std::string location(const Access& access) const {
    const Address& address = access.address;
    if (!address.array || address.index.present() || address.offset != 0 || access.cache == CacheOperator::nc)
      return unsupported();
    return kernel_[*address.array].name;
  }

  const Instruction& instruction_;
  const Kernel& kernel_;
};

}  // namespace

std::string print_instruction(const Instruction& instruction, const Kernel& kernel) {
  if (instruction.guard)
    no_form(fmt::format("a guarded instruction ('{}')", fencewise::print(instruction, kernel)));
  return std::visit(InstructionPrinter(instruction, kernel), instruction.operation);
}

std::string print_value(const Operand& operand, const Kernel& kernel) {
  if (operand.is_register()) return kernel[operand.reg()].name;
  if (operand.kind == Operand::Kind::immediate)
    return fmt::format("{}", static_cast<std::int64_t>(operand.bits));
  no_form(fmt::format("the operand {}", fencewise::print(operand, Type::s64, kernel)));
}

std::string branch_name(Compare compare) {
  switch (compare) {
    case Compare::eq: return "beq";
    case Compare::ne: return "bne";
    case Compare::lt: return "blt";
    case Compare::le: return "ble";
    case Compare::gt: return "bgt";
    case Compare::ge: return "bge";
  }
  return "?";
}

Compare inverse(Compare compare) {
  switch (compare) {
    case Compare::eq: return Compare::ne;
    case Compare::ne: return Compare::eq;
    case Compare::lt: return Compare::ge;
    case Compare::ge: return Compare::lt;
    case Compare::gt: return Compare::le;
    case Compare::le: return Compare::gt;
  }
  return compare;
}

}  // namespace fencewise::litmus
