#include "checker/explore/symmetry_program.h"

#include <fmt/format.h>

#include "checker/explore/memory_image.h"
#include "checker/explore/mix.h"

namespace fencewise {
namespace {

// Calls f(left, right) for neighbours of each role, as long as it returns true.
template <class F> bool each_neighbours(const CtaRoles& roles, F&& f) {
  for (const auto& members : roles.members())
    for (std::size_t n = 0; n + 1 < members.size(); ++n)
      if (!f(members[n], members[n + 1])) return false;
  return true;
}

// Where element `i` of a buffer is when `left` and `right` trade places; `elements` a slot.
std::uint64_t image_of(const Slots& slots, std::uint64_t elements, std::uint64_t i, std::uint32_t left, std::uint32_t right) {
  if (!slots.any()) return i;
  const auto owner = slots.owner[i / elements];
  if (owner != left && owner != right) return i;
  const std::uint32_t to = *slots.of_cta[owner == left ? right : left];
  return to * elements + i % elements;
}

}  // namespace

std::string memory_is_symmetric(const LaunchContext& c, const MemoryImage& memory, Buffers which, const CtaRoles& roles,
                                const std::vector<Slots>& slots, std::uint32_t replays) {
  std::string why;
  const auto trade = [&](std::uint32_t left, std::uint32_t right) {
    // Symbols of the two slots trade places.
    std::unordered_map<std::uint32_t, Value> renamed;
    for (std::uint32_t b = 0; b < slots.size(); ++b) {
      if (!slots[b].any()) continue;
      const Buffer& buffer = c.problem.buffers[b];
      const std::uint64_t elements = slots[b].bytes / size_of(buffer.element);
      if (!slots[b].of_cta[left] || !slots[b].of_cta[right]) continue;
      for (std::uint64_t k = 0; k < elements; ++k)
        for (std::uint32_t r = 0; r <= replays; ++r) {
          const Value x = symbol_of(buffer, *slots[b].of_cta[left] * elements + k, r, c.terms),
                      y = symbol_of(buffer, *slots[b].of_cta[right] * elements + k, r, c.terms);
          renamed[x.term()] = y;
          renamed[y.term()] = x;
        }
    }
    for (std::uint32_t b = 0; b < c.problem.buffers.size(); ++b) {
      const BufferId id{b};
      if (which == Buffers::outputs && c.problem.buffers[b].role != Role::output) continue;
      const std::uint64_t elements = slots[b].any() ? slots[b].bytes / size_of(c.problem.buffers[b].element) : 0;
      for (std::uint64_t i = 0; i < memory.length(id); ++i) {
        if (memory.ambiguous(id, i)) {
          why = fmt::format("'{}' holds several values", c.problem.buffers[b].name);
          return false;
        }
        const Value here = memory.at(id, i), there = memory.at(id, image_of(slots[b], elements, i, left, right));
        if (c.terms.is_poison(here) && c.terms.is_poison(there)) continue;
        if (c.terms.substitute(here, renamed) == there) continue;
        why = fmt::format("'{}' holds different things for different CTAs", c.problem.buffers[b].name);
        return false;
      }
    }
    return true;
  };
  (void)each_neighbours(roles, trade);
  return why;
}

namespace {

// A number for a formula that does not depend on the order of its parts, with two CTAs renamed: with the same one before and after,
// the formula says the same. Formulas are data, so the number is taken for the formula.
class RenamedFormula {
 public:
  RenamedFormula(const Problem& problem, const std::vector<Slots>& slots, std::uint32_t left, std::uint32_t right)
      : problem_(problem), slots_(slots), left_(left), right_(right) {}

  // No value: it can't be told.
  std::optional<std::uint64_t> operator()(const Formula& f) {
    telling_ = true;
    const std::uint64_t n = std::visit([&](const auto& node) { return look(node); }, f.node);
    return telling_ ? std::optional(n) : std::nullopt;
  }

 private:
  std::uint64_t of(const Formula& f) { return std::visit([&](const auto& node) { return look(node); }, f.node); }
  std::uint64_t of(const Expr& e) { return std::visit([&](const auto& node) { return look(node); }, e.node); }

  std::uint64_t look(const Comparison& c) {
    const std::uint64_t a = of(*c.left), b = of(*c.right);
    const bool either = c.op == Compare::eq || c.op == Compare::ne;
    return mix(mix(1, static_cast<std::uint64_t>(c.op)), either ? a + b : mix(a, b));
  }
  std::uint64_t look(const Not& n) { return mix(2, of(*n.operand)); }
  std::uint64_t look(const AndOr& a) {
    std::uint64_t all = 0;
    for (const FormulaPtr& f : a.operands) all += mix(3, of(*f));
    return mix(static_cast<std::uint64_t>(a.conjunction) + 4, all);
  }
  std::uint64_t look(const ForAll& f) { return repeat(6, f.variable, f.lo, f.hi, [&] { return of(*f.body); }); }
  std::uint64_t look(const Constant& c) { return mix(7, static_cast<std::uint64_t>(c.value)); }

  std::uint64_t look(const Number& n) { return mix(8, static_cast<std::uint64_t>(n.value)); }
  std::uint64_t look(const Variable& v) { return mix(8, static_cast<std::uint64_t>(variable(v.name))); }
  std::uint64_t look(const ThreadRegister&) { return cannot_tell(); }
  std::uint64_t look(const BinaryExpr& b) {
    const std::uint64_t x = of(*b.left), y = of(*b.right);
    return b.op == BinaryExpr::Op::add ? mix(9, x + y) : mix(mix(10, static_cast<std::uint64_t>(b.op)), mix(x, y));
  }
  std::uint64_t look(const SumExpr& s) { return repeat(11, s.variable, s.lo, s.hi, [&] { return of(*s.body); }); }
  std::uint64_t look(const Element& e) {
    const Buffer& buffer = problem_.buffers[e.buffer.value];
    const Slots& slots = slots_[e.buffer.value];
    const auto index = number(*e.index);
    if (!index || *index < 0 || static_cast<std::uint64_t>(*index) >= buffer.length) return cannot_tell();
    const std::uint64_t elements = slots.any() ? slots.bytes / size_of(buffer.element) : 1;
    const std::uint64_t at = image_of(slots, elements, static_cast<std::uint64_t>(*index), left_, right_);
    return mix(mix(12, std::uint64_t{e.buffer.value} << 1U | static_cast<std::uint64_t>(e.at_entry)), at);
  }

  template <class F>
  std::uint64_t repeat(std::uint64_t kind, const std::string& name, const ExprPtr& lo, const ExprPtr& hi, F&& body) {
    const auto from = number(*lo), to = number(*hi);
    if (!from || !to || *to - *from > 1'000'000) return cannot_tell();
    std::uint64_t all = 0;
    for (std::int64_t v = *from; v < *to && telling_; ++v) {
      variables_.emplace_back(name, v);
      all += mix(kind, body());
      variables_.pop_back();
    }
    return mix(13, all);
  }
  std::int64_t variable(const std::string& name) {
    for (auto v = variables_.rbegin(); v != variables_.rend(); ++v)
      if (v->first == name) return v->second;
    telling_ = false;
    return 0;
  }
  std::optional<std::int64_t> number(const Expr& e) {
    if (const auto* n = std::get_if<Number>(&e.node)) return n->value;
    if (const auto* v = std::get_if<Variable>(&e.node)) return variable(v->name);
    const auto* b = std::get_if<BinaryExpr>(&e.node);
    if (b == nullptr) return std::nullopt;
    const auto x = number(*b->left), y = number(*b->right);
    if (!x || !y) return std::nullopt;
    switch (b->op) {
      case BinaryExpr::Op::add: return *x + *y;
      case BinaryExpr::Op::sub: return *x - *y;
      case BinaryExpr::Op::mul: return *x * *y;
      case BinaryExpr::Op::div: return *y == 0 ? std::nullopt : std::optional(*x / *y);
      case BinaryExpr::Op::rem: return *y == 0 ? std::nullopt : std::optional(*x % *y);
    }
    return std::nullopt;
  }
  std::uint64_t cannot_tell() {
    telling_ = false;
    return 0;
  }

  const Problem& problem_;
  const std::vector<Slots>& slots_;
  std::uint32_t left_, right_;
  bool telling_ = true;
  std::vector<std::pair<std::string, std::int64_t>> variables_;
};

constexpr std::uint32_t nobody = ~0U;

}  // namespace

std::string contract_is_symmetric(const Problem& problem, const CtaRoles& roles, const std::vector<Slots>& slots) {
  if (problem.contract.filter) return "the contract has a filter";
  for (const Assertion& assertion : problem.contract.assertions) {
    const auto written = RenamedFormula(problem, slots, nobody, nobody)(*assertion.formula);
    const bool same = written && each_neighbours(roles, [&](std::uint32_t left, std::uint32_t right) {
      return RenamedFormula(problem, slots, left, right)(*assertion.formula) == written;
    });
    if (!same) return fmt::format("the contract tells CTAs apart: {}", assertion.text);
  }
  return "";
}

}  // namespace fencewise
