#include "kernels/frontend/ptx/pointers.h"

#include <algorithm>
#include <set>

namespace fencewise::ptx {
namespace {

using Params = std::set<std::uint32_t>;

class Following {
 public:
  explicit Following(const Kernel& kernel) : kernel_(kernel), reach_(kernel.registers.size()) {
    do {
      changed_ = false;
      for_each([this](const Instruction& i) {
        if (const auto* a = std::get_if<Arithmetic>(&i.operation)) follow(*a);
      });
    } while (changed_);
  }

  std::vector<PointerUse> uses() const {
    std::vector<PointerUse> uses(kernel_.params.size());
    for_each([&](const Instruction& i) {
      if (const auto* load = std::get_if<Load>(&i.operation))
        mark(load->access, uses, [](PointerUse& u) { u.read = true; });
      if (const auto* store = std::get_if<Store>(&i.operation))
        mark(store->access, uses, [](PointerUse& u) { u.written = true; });
      if (const auto* atomic = std::get_if<Atomic>(&i.operation))
        mark(atomic->access, uses, [](PointerUse& u) { u.atomic = true; });
    });
    return uses;
  }

 private:
  using Instruction = fencewise::Instruction;

  template <class F> void for_each(const F& f) const {
    for (const Block& block : kernel_.blocks)
      for (const Instruction& instruction : block.instructions) f(instruction);
  }

  [[nodiscard]] Params params_in(const fencewise::Operand& operand) const {
    using Kind = fencewise::Operand::Kind;
    if (operand.kind == Kind::reg) return reach_[operand.index];
    if (operand.kind == Kind::param && size_of(kernel_.params[operand.index].type) == 8)
      return {operand.index};
    return {};
  }

  void add(RegisterId dst, const fencewise::Operand& from) {
    const Params params = params_in(from);
    const std::size_t before = reach_[dst.value].size();
    reach_[dst.value].insert(params.begin(), params.end());
    changed_ = changed_ || reach_[dst.value].size() != before;
  }

  void follow(const Arithmetic& a) {
    switch (a.op) {
      case Arith::add:
      case Arith::selp: add(a.dst, a.b); [[fallthrough]];
      case Arith::mov:
      case Arith::sub:
      case Arith::cvt:
      case Arith::bit_and: add(a.dst, a.a); break;
      case Arith::mad:
      case Arith::mad_wide: add(a.dst, a.c); break;
      default: break;
    }
  }

  template <class F> void mark(const Access& access, std::vector<PointerUse>& uses, const F& how) const {
    for (const std::uint32_t param : params_in(access.address.index)) {
      how(uses[param]);
      ++uses[param].types[access.type];
    }
  }

  const Kernel& kernel_;
  std::vector<Params> reach_;  // [register]
  bool changed_ = false;
};

}  // namespace

Type PointerUse::element() const {
  const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(types.begin(), types.end(), more);
  return most == types.end() ? Type::u32 : most->first;
}

std::vector<PointerUse> pointer_uses(const Kernel& kernel) { return Following(kernel).uses(); }

}  // namespace fencewise::ptx
