#include "tests/support/random_kernel.h"

#include <algorithm>

#include "kernels/core/builder.h"

namespace fencewise::testing {
namespace {

class Generator {
 public:
  Generator(const std::vector<std::uint8_t>& choices, Tidiness tidiness)
      : choices_(choices), tidy_(tidiness == Tidiness::tidy) {}

  RandomKernel generate() {
    RandomKernel k;
    static constexpr std::array<std::uint32_t, 8> sizes{32, 64, 33, 96, 1, 128, 70, 40};
    k.threads = sizes[pick(sizes.size())];
    k.blocks = 1 + pick(2);
    while (more() && k.statements.size() < 24) k.statements.push_back(statement(0));
    return k;
  }

 private:
  [[nodiscard]] bool more() const { return at_ < choices_.size(); }
  std::uint32_t pick(std::size_t n) { return more() ? static_cast<std::uint32_t>(choices_[at_++] % n) : 0; }

  Linear linear() {
    using enum Linear::Base;
    static constexpr std::array bases{tid, variable, tid, one, variable, ctaid};
    return {bases[pick(bases.size())], pick(variables), pick(6), pick(40)};
  }

  Condition condition() {
    static constexpr std::array<std::uint32_t, 5> masks{31, 7, 63, 1, 255};
    return {linear(), masks[pick(masks.size())], static_cast<Compare>(pick(6)), pick(34)};
  }

  Statement statement(int depth) {
    using enum Statement::Kind;
    static constexpr std::array kinds{store,   load, assign, branch,  load, store,  barrier,
                                      shuffle, fma,  atomic, compute, loop, branch, ballot};
    Statement s;
    s.kind = kinds[pick(kinds.size())];
    const bool nested = depth > 0;
    if (s.kind == barrier && nested) s.kind = assign;
    if ((s.kind == branch || s.kind == loop) && depth >= 3) s.kind = fma;
    s.target = pick(variables);
    s.source = pick(variables);
    s.amount = 1 + pick(20);
    s.mode = static_cast<ShuffleMode>(pick(4));
    s.value = linear();
    s.condition = condition();
    if (s.kind == load || s.kind == store || s.kind == atomic) memory(s);
    if (s.kind == shuffle || s.kind == fma || s.kind == compute) s.masked = pick(3) == 1;
    if (s.kind == branch || s.kind == loop) s.body = block(depth);
    if (s.kind == branch && pick(2) == 1) s.other = block(depth);
    return s;
  }

  std::vector<Statement> block(int depth) {
    std::vector<Statement> statements;
    const std::uint32_t count = 1 + pick(3);
    for (std::uint32_t i = 0; i < count; ++i) statements.push_back(statement(depth + 1));
    return statements;
  }

  void memory(Statement& s) {
    s.shared = pick(2) == 1;
    s.masked = pick(3) == 1;
    static constexpr std::array<std::uint32_t, 4> widths{1, 1, 4, 2};
    if (s.kind != Statement::Kind::atomic) s.width = widths[pick(widths.size())];
    if (!tidy_) return;
    // Own elements only: of the first 128 threads; blocks go apart in build() and lockstep.
    s.width = 1;
    s.value = {Linear::Base::tid, 0, 1, 0};
  }

  const std::vector<std::uint8_t>& choices_;
  bool tidy_;
  std::size_t at_ = 0;
};

class Builder {
 public:
  explicit Builder(const RandomKernel& random)
      : random_(random),
        k_("random"),
        g_(k_.global("g", Type::u32)),
        out_(k_.global("out", Type::u32)),
        s_(k_.shared("s", Type::u32, shared_length)) {
    for (std::uint32_t v = 0; v < variables; ++v) v_.push_back(k_.var("v", Type::u32, 0));
    f_ = k_.var("f", Type::f32, 1.0F);
  }

  Kernel build() {
    for (const Statement& s : random_.statements) emit(s);
    const Val first = (k_.ctaid() * Val(random_.threads) + k_.tid()) * Val(variables + 1);
    for (std::uint32_t v = 0; v < variables; ++v) k_.st(out_[first + Val(v)], v_[v]);
    k_.st(out_[first + Val(variables)], k_.cast(f_, Type::u32));
    return k_.build();
  }

 private:
  Val value(const Linear& l) {
    Val base = 1;
    switch (l.base) {
      case Linear::Base::one: base = k_.var("one", Type::u32, 1); break;
      case Linear::Base::tid: base = k_.tid(); break;
      case Linear::Base::ctaid: base = k_.ctaid(); break;
      case Linear::Base::variable: base = v_[l.variable]; break;
    }
    return base * Val(l.factor) + Val(l.plus);
  }

  Val truth(const Condition& c) {
    const Val a = value(c.value) & Val(c.mask);
    const Val b(c.constant);
    switch (c.op) {
      case Compare::eq: return a == b;
      case Compare::ne: return a != b;
      case Compare::lt: return a < b;
      case Compare::le: return a <= b;
      case Compare::gt: return a > b;
      case Compare::ge: return a >= b;
    }
    return a == b;
  }

  // Blocks use halves of the global array, so that they never meet.
  Place place(const Statement& s) {
    const std::uint32_t length = s.shared ? shared_length : global_length / 2;
    const Val inside = (value(s.value) & Val(length / s.width - 1)) * Val(s.width);
    return s.shared ? s_[inside] : g_[inside + k_.ctaid() * Val(global_length / 2)];
  }

  void emit(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::assign: return k_.set(v_[s.target], value(s.value));
      case Statement::Kind::load:
      case Statement::Kind::store:
      case Statement::Kind::atomic:
      case Statement::Kind::shuffle:
      case Statement::Kind::fma:
      case Statement::Kind::compute: return maybe_masked(s);
      case Statement::Kind::ballot:
        return k_.set(v_[s.target], k_.vote(VoteMode::ballot, truth(s.condition)));
      case Statement::Kind::barrier: return k_.bar_sync();
      case Statement::Kind::branch: return emit_branch(s);
      case Statement::Kind::loop:
        return k_.for_(0, value(s.value) & Val(3), [&](const Val&) { emit(s.body); });
    }
  }
  void emit(const std::vector<Statement>& statements) {
    for (const Statement& s : statements) emit(s);
  }

  void emit_branch(const Statement& s) {
    if (s.other.empty()) return k_.if_(truth(s.condition), [&] { emit(s.body); });
    k_.if_else(
        truth(s.condition), [&] { emit(s.body); }, [&] { emit(s.other); });
  }

  void maybe_masked(const Statement& s) {
    if (s.masked)
      k_.masked(truth(s.condition), [&] { emit_guardable(s); });
    else
      emit_guardable(s);
  }

  void emit_guardable(const Statement& s) {
    const auto variable = [&](std::uint32_t i) { return v_[i % variables]; };
    switch (s.kind) {
      case Statement::Kind::load:
        if (s.width == 1) return k_.set(v_[s.target], k_.ld(place(s)));
        {
          const std::vector<Val> loaded = k_.ld_vector(place(s), static_cast<int>(s.width));
          for (std::uint32_t e = 0; e < s.width; ++e) k_.set(variable(s.target + e), loaded[e]);
        }
        return;
      case Statement::Kind::store:
        if (s.width == 1) return k_.st(place(s), v_[s.source]);
        {
          std::vector<Val> values;
          for (std::uint32_t e = 0; e < s.width; ++e) values.push_back(variable(s.source + e));
          k_.st_vector(place(s), values);
        }
        return;
      case Statement::Kind::fma:
        return k_.set(f_, k_.fma(f_, k_.cast(v_[s.source] & Val(15), Type::f32), f_));
      case Statement::Kind::compute: return k_.compute(s.amount);
      case Statement::Kind::atomic:
        return k_.set(v_[s.target], k_.atom(AtomicOp::add, place(s), v_[s.source]));
      default: return k_.set(v_[s.target], k_.shfl(s.mode, v_[s.source], Val(s.amount)));
    }
  }

  const RandomKernel& random_;
  KernelBuilder k_;
  Array g_, out_, s_;
  std::vector<Val> v_;
  Val f_ = 0;
};

}  // namespace

RandomKernel random_kernel(const std::vector<std::uint8_t>& choices, Tidiness tidiness) {
  return Generator(choices, tidiness).generate();
}

Kernel build(const RandomKernel& random) { return Builder(random).build(); }

}  // namespace fencewise::testing
