#include "kernels/frontend/ptx/relative_addresses.h"

#include <optional>
#include <set>
#include <vector>

#include "kernels/core/flow.h"

namespace fencewise::ptx {
namespace {

// What a register may hold: numbers, addresses of some arrays.
struct Contents {
  bool number = false;
  std::set<std::uint32_t> arrays;

  // The array that all of it are addresses of.
  [[nodiscard]] std::optional<std::uint32_t> only() const {
    return number || arrays.size() != 1 ? std::nullopt : std::optional(*arrays.begin());
  }
  [[nodiscard]] bool pointer() const { return !arrays.empty(); }
  bool add(const Contents& other) {
    const bool had = number;
    const std::size_t before = arrays.size();
    number = number || other.number;
    arrays.insert(other.arrays.begin(), other.arrays.end());
    return number != had || arrays.size() != before;
  }
};

using CoreOperand = fencewise::Operand;

class Analysis {
 public:
  explicit Analysis(const Kernel& kernel)
      : kernel_(kernel), contents_(kernel.registers.size()), absolute_(kernel.arrays.size()) {
    do {
      changed_ = false;
      for_each([this](const fencewise::Instruction& i) { flow(i); });
    } while (changed_);
    for (const Contents& c : contents_)
      if (c.pointer() && !c.only()) keep(c);
    for_each([this](const fencewise::Instruction& i) { refuse(i); });
  }

  [[nodiscard]] bool relative(std::uint32_t array) const { return !absolute_[array]; }
  // The array of an address in a register, if it is relative.
  [[nodiscard]] std::optional<std::uint32_t> array_of(const CoreOperand& operand) const {
    const auto array = of(operand).only();
    return array && relative(*array) ? array : std::nullopt;
  }

  // No array begins at address 0, so that this is decided.
  [[nodiscard]] bool compares_with_null(const Arithmetic& a) const {
    const bool null = a.b.kind == CoreOperand::Kind::immediate && a.b.bits == 0;
    const bool equality = a.compare == Compare::eq || a.compare == Compare::ne;
    return a.op == Arith::setp && null && equality && size_of(a.type) == 8 && of(a.a).only().has_value();
  }

 private:
  template <class F> void for_each(const F& f) const {
    for (const Block& block : kernel_.blocks)
      for (const fencewise::Instruction& instruction : block.instructions) f(instruction);
  }

  [[nodiscard]] Contents of(const CoreOperand& operand) const {
    if (operand.kind == CoreOperand::Kind::reg) return contents_[operand.index];
    if (operand.kind == CoreOperand::Kind::address_of) return {false, {operand.index}};
    return {operand.present(), {}};
  }

  void keep(const Contents& contents) {
    for (const std::uint32_t array : contents.arrays) absolute_[array] = true;
  }
  void keep(const CoreOperand& operand) { keep(of(operand)); }

  void flow(const fencewise::Instruction& i) {
    const auto* arithmetic = std::get_if<Arithmetic>(&i.operation);
    if (arithmetic != nullptr) {
      changed_ = contents_[arithmetic->dst.value].add(result_of(*arithmetic)) || changed_;
      return;
    }
    for (const RegisterId reg : registers_written(i))
      changed_ = contents_[reg.value].add({true, {}}) || changed_;
  }

  // Operands of which nothing is known yet add nothing.
  [[nodiscard]] Contents result_of(const Arithmetic& a) const {
    const Contents first = of(a.a), second = of(a.b), third = of(a.c);
    Contents sum = first;
    switch (a.op) {
      case Arith::mov: return first;
      case Arith::selp: sum.add(second); return sum;
      case Arith::add:
        if (first.pointer() != second.pointer()) return first.pointer() ? first : second;
        sum.add(second);
        return sum;
      case Arith::sub:
        if (second.pointer()) return {true, {}};
        return first;
      case Arith::mad:
      case Arith::mad_wide:
        if (third.pointer()) return third;
        return {true, {}};
      default: return {true, {}};
    }
  }

  // --- uses that need the whole address ---

  void refuse(const fencewise::Instruction& i) {
    if (const auto* arithmetic = std::get_if<Arithmetic>(&i.operation)) return refuse(*arithmetic);
    if (const auto* store = std::get_if<Store>(&i.operation))
      for (std::size_t n = 0; n < store->count; ++n) keep(store->value[n]);
    if (const auto* atomic = std::get_if<Atomic>(&i.operation)) {
      keep(atomic->a);
      keep(atomic->b);
    }
    if (const auto* shuffle = std::get_if<Shuffle>(&i.operation)) keep(shuffle->value);
    if (const auto* match = std::get_if<Match>(&i.operation)) keep(match->value);
    if (const auto* reduce = std::get_if<WarpReduce>(&i.operation)) keep(reduce->value);
  }

  void refuse(const Arithmetic& a) {
    const Contents first = of(a.a), second = of(a.b), third = of(a.c);
    const bool same = first.only() && first.only() == second.only();
    switch (a.op) {
      case Arith::mov:
      case Arith::selp:
        if (size_of(a.type) < 8) keep_all(a);
        return;
      case Arith::add:
        if (size_of(a.type) < 8 || (first.pointer() && second.pointer())) keep_all(a);
        return;
      case Arith::sub:
        if (size_of(a.type) < 8 || (second.pointer() && !same)) keep_all(a);
        return;
      case Arith::mad:
      case Arith::mad_wide:
        if (first.pointer() || second.pointer() ||
            (third.pointer() && a.op == Arith::mad && size_of(a.type) < 8))
          keep_all(a);
        return;
      case Arith::setp:
        if (compares_with_null(a)) return;
        if (!same || (a.compare != Compare::eq && a.compare != Compare::ne)) keep_all(a);
        return;
      case Arith::bit_and:
        if (!is_window_mask(a.b)) keep_all(a);
        return;
      default: keep_all(a);
    }
  }

  void keep_all(const Arithmetic& a) {
    keep(a.a);
    keep(a.b);
    keep(a.c);
  }

  // The low half of an address is the same with and without its array, which begins at a multiple of 2^32.
  static bool is_window_mask(const CoreOperand& operand) {
    return operand.kind == CoreOperand::Kind::immediate && operand.bits == 0xffff'ffffU;
  }

  const Kernel& kernel_;
  std::vector<Contents> contents_;  // [register]
  std::vector<bool> absolute_;      // [array]
  bool changed_ = false;
};

class Rewriting {
 public:
  explicit Rewriting(const Kernel& kernel) : analysis_(kernel) {}

  void rewrite(fencewise::Instruction& i) const {
    if (auto* load = std::get_if<Load>(&i.operation)) address(load->access);
    if (auto* store = std::get_if<Store>(&i.operation)) address(store->access);
    if (auto* atomic = std::get_if<Atomic>(&i.operation)) address(atomic->access);
    if (auto* arithmetic = std::get_if<Arithmetic>(&i.operation)) {
      if (analysis_.compares_with_null(*arithmetic)) *arithmetic = decided(*arithmetic);
      operand(arithmetic->a);
      operand(arithmetic->b);
      operand(arithmetic->c);
    }
    // An offset would be shown for an address.
    if (auto* print = std::get_if<Print>(&i.operation))
      for (auto& argument : print->arguments)
        if (auto* value = std::get_if<CoreOperand>(&argument); value != nullptr && analysis_.array_of(*value))
          *value = {};
  }

 private:
  void operand(CoreOperand& o) const {
    if (o.kind == CoreOperand::Kind::address_of && analysis_.relative(o.index)) o = CoreOperand::imm(o.bits);
  }

  static Arithmetic decided(const Arithmetic& a) {
    const CoreOperand differs = CoreOperand::imm(a.compare == Compare::ne ? 1 : 0);
    return {.op = Arith::mov, .type = Type::pred, .dst = a.dst, .a = differs, .b = {}, .c = {}};
  }

  void address(Access& access) const {
    if (access.address.array) return;
    if (const auto array = analysis_.array_of(access.address.index)) access.address.array = ArrayId{*array};
  }

  Analysis analysis_;
};

}  // namespace

void make_addresses_relative(Kernel& kernel) {
  const Rewriting rewriting(kernel);
  for (Block& block : kernel.blocks)
    for (fencewise::Instruction& instruction : block.instructions) rewriting.rewrite(instruction);
}

}  // namespace fencewise::ptx
