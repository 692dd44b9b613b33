#include "kernels/core/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "kernels/core/error.h"

namespace fencewise {

struct KernelBuilder::State {
  Kernel kernel;
  BlockId current{0};
  SourceLine line;
  std::optional<Guard> guard;
  std::set<std::string> register_names;
  bool built = false;

  BlockId new_block(std::string label) {
    kernel.blocks.push_back(Block{fmt::format("{}{}", label, kernel.blocks.size()), {}});
    return BlockId{static_cast<std::uint32_t>(kernel.blocks.size() - 1)};
  }

  RegisterId new_register(std::string_view wanted, Type type) {
    std::string name = wanted.empty() ? fmt::format("{}{}", type == Type::pred ? "p" : is_float(type) ? "f" : "r",
                                                    kernel.registers.size())
                                      : std::string(wanted);
    for (int n = 2; !register_names.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
    kernel.registers.push_back({name, type});
    return RegisterId{static_cast<std::uint32_t>(kernel.registers.size() - 1)};
  }

  void at(const Here& here) {
    const std::string_view path = here.file_name();
    // Paths are shown relative to the source tree: the last two components say enough.
    std::size_t cut = path.rfind('/');
    if (cut != std::string_view::npos && cut > 0) cut = path.rfind('/', cut - 1);
    const std::string file(cut == std::string_view::npos ? path : path.substr(cut + 1));
    auto& files = kernel.files;
    auto found = std::find(files.begin(), files.end(), file);
    if (found == files.end()) found = files.insert(files.end(), file);
    line = {static_cast<std::uint32_t>(found - files.begin()), here.line(), here.column()};
  }

  // Temporaries are computed without the guard of a masked body: nobody outside can see them. A multiply-add is counted, so
  // it is of the active lanes alone.
  void append(Operation operation) {
    const auto* arithmetic = std::get_if<Arithmetic>(&operation);
    const bool temporary = arithmetic != nullptr && arithmetic->op != Arith::fma;
    append(std::move(operation), temporary ? std::nullopt : guard);
  }

  void append(Operation operation, std::optional<Guard> under) {
    if (built) throw InputError("a kernel builder is spent once build() was called");
    kernel.blocks[current.value].instructions.push_back({std::move(operation), under, line});
  }

  void jump(BlockId target) { append(Branch{target}); }
};

// --- Val ---

Val::Val(std::int64_t number) : operand_(Operand::imm(static_cast<std::uint64_t>(number))), type_(Type::s64) {}
Val::Val(float number) : operand_(Operand::imm(std::bit_cast<std::uint32_t>(number))), type_(Type::f32) {}
Val::Val(bool flag) : operand_(Operand::imm(flag ? 1 : 0)), type_(Type::pred) {}

Operand Val::operand(Type as) const {
  if (!is_constant()) return operand_;
  if (type_ == Type::f32) {
    if (as == Type::f32) return operand_;
    const double number = std::bit_cast<float>(static_cast<std::uint32_t>(operand_.bits));
    if (as == Type::f64) return Operand::imm(std::bit_cast<std::uint64_t>(number));
    throw InputError(fmt::format("the constant {} is no {}", number, name(as)));
  }
  const auto number = static_cast<std::int64_t>(operand_.bits);
  if (as == Type::f32) return Operand::imm(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  if (as == Type::f64) return Operand::imm(std::bit_cast<std::uint64_t>(static_cast<double>(number)));
  return Operand::imm(truncate(as, operand_.bits));
}

RegisterId Val::reg() const {
  if (!operand_.is_register()) throw InputError("a constant or special register stands where a register is needed");
  return operand_.reg();
}

namespace {

Type common_type(const Val& a, const Val& b) {
  if (a.is_constant()) return b.type();
  if (b.is_constant()) return a.type();
  if (a.type() != b.type())
    throw InputError(fmt::format("operands of types {} and {}; use cast", name(a.type()), name(b.type())));
  return a.type();
}

std::int64_t fold(Arith op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Arith::add: return a + b;
    case Arith::sub: return a - b;
    case Arith::mul: return a * b;
    case Arith::bit_and: return a & b;
    case Arith::bit_or: return a | b;
    case Arith::bit_xor: return a ^ b;
    case Arith::shl: return a << b;
    case Arith::shr: return a >> b;
    case Arith::div:
    case Arith::rem:
      if (b == 0) throw InputError("division by the constant 0");
      return op == Arith::div ? a / b : a % b;
    default: throw InternalError("fold: not a binary operator");
  }
}

bool fold(Compare op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Compare::eq: return a == b;
    case Compare::ne: return a != b;
    case Compare::lt: return a < b;
    case Compare::le: return a <= b;
    case Compare::gt: return a > b;
    case Compare::ge: return a >= b;
  }
  return false;
}

bool both_constant(const Val& a, const Val& b) { return a.is_constant() && b.is_constant(); }
std::int64_t number(const Val& a) { return static_cast<std::int64_t>(a.operand(Type::s64).bits); }

KernelBuilder* builder_of(const Val& a, const Val& b) { return a.builder() ? a.builder() : b.builder(); }

}  // namespace

#define FENCEWISE_BINARY(symbol, op)                                      \
  Val operator symbol(const Val& a, const Val& b) {                       \
    if (both_constant(a, b)) return Val(fold(Arith::op, number(a), number(b))); \
    return builder_of(a, b)->emit(Arith::op, common_type(a, b), {a, b}); \
  }
#define FENCEWISE_COMPARE(symbol, op)                                     \
  Val operator symbol(const Val& a, const Val& b) {                       \
    if (both_constant(a, b)) return Val(fold(Compare::op, number(a), number(b))); \
    return builder_of(a, b)->emit(Arith::setp, common_type(a, b), {a, b}, Compare::op); \
  }
FENCEWISE_BINARY(+, add)
FENCEWISE_BINARY(-, sub)
FENCEWISE_BINARY(*, mul)
FENCEWISE_BINARY(/, div)
FENCEWISE_BINARY(%, rem)
FENCEWISE_BINARY(&, bit_and)
FENCEWISE_BINARY(|, bit_or)
FENCEWISE_BINARY(^, bit_xor)
FENCEWISE_BINARY(<<, shl)
FENCEWISE_BINARY(>>, shr)
FENCEWISE_COMPARE(==, eq)
FENCEWISE_COMPARE(!=, ne)
FENCEWISE_COMPARE(<, lt)
FENCEWISE_COMPARE(<=, le)
FENCEWISE_COMPARE(>, gt)
FENCEWISE_COMPARE(>=, ge)
#undef FENCEWISE_BINARY
#undef FENCEWISE_COMPARE

Val operator&&(const Val& a, const Val& b) { return a & b; }
Val operator||(const Val& a, const Val& b) { return a | b; }
Val operator!(const Val& a) {
  if (a.is_constant()) return Val(number(a) == 0);
  return builder_of(a, a)->emit(Arith::bit_not, a.type(), {a});
}

// --- KernelBuilder ---

KernelBuilder::KernelBuilder(std::string name) : state_(std::make_shared<State>()) {
  state_->kernel.name = std::move(name);
  state_->new_block("entry");
  state_->kernel.blocks[0].label = "entry";
}

Array KernelBuilder::global(std::string_view name, Type element) {
  auto& arrays = state_->kernel.arrays;
  arrays.push_back({std::string(name), element, StateSpace::global, 0});
  return {ArrayId{static_cast<std::uint32_t>(arrays.size() - 1)}, element};
}

Array KernelBuilder::shared(std::string_view name, Type element, std::uint64_t length) {
  auto& arrays = state_->kernel.arrays;
  arrays.push_back({std::string(name), element, StateSpace::shared, length});
  return {ArrayId{static_cast<std::uint32_t>(arrays.size() - 1)}, element};
}

Val KernelBuilder::param(std::string_view name, Type type) {
  auto& params = state_->kernel.params;
  params.push_back({std::string(name), type});
  return {this, ParamId{static_cast<std::uint32_t>(params.size() - 1)}, type};
}

Val KernelBuilder::special(SpecialRegister special) { return {this, special, Type::u32}; }
Val KernelBuilder::tid() { return special(SpecialRegister::tid_x); }
Val KernelBuilder::tid_y() { return special(SpecialRegister::tid_y); }
Val KernelBuilder::ctaid() { return special(SpecialRegister::ctaid_x); }
Val KernelBuilder::ctaid_y() { return special(SpecialRegister::ctaid_y); }
Val KernelBuilder::ntid() { return special(SpecialRegister::ntid_x); }
Val KernelBuilder::nctaid() { return special(SpecialRegister::nctaid_x); }

Val KernelBuilder::emit(Arith op, Type type, std::initializer_list<Val> operands, Compare compare) {
  Arithmetic a{.op = op, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}, .compare = compare, .from = type};
  Operand* slots[] = {&a.a, &a.b, &a.c};
  std::size_t n = 0;
  for (const Val& v : operands) {
    const bool selector = op == Arith::selp && n == 2;
    *slots[n++] = v.operand(selector ? Type::pred : type);
  }
  const Type result = op == Arith::setp ? Type::pred : type;
  a.dst = state_->new_register("", result);
  state_->append(a);
  return {this, a.dst, result};
}

Val KernelBuilder::var(std::string_view name, Type type, const Val& initial) {
  const RegisterId r = state_->new_register(name, type);
  const Val v{this, r, type};
  set(v, initial);
  return v;
}

void KernelBuilder::set(const Val& variable, const Val& value) {
  if (!value.is_constant() && value.type() != variable.type())
    throw InputError(fmt::format("a {} is assigned to a {}; use cast", name(value.type()), name(variable.type())));
  state_->append(Arithmetic{.op = Arith::mov, .type = variable.type(), .dst = variable.reg(),
                            .a = value.operand(variable.type()), .b = {}, .c = {}},
                 state_->guard);
}

Val KernelBuilder::cast(const Val& value, Type to) {
  if (value.is_constant()) return {this, value.operand(to), to};
  if (value.type() == to) return value;
  if (value.type() == Type::pred)
    return emit(Arith::selp, to, {Val(1), Val(0), value});
  const RegisterId r = state_->new_register("", to);
  state_->append(Arithmetic{.op = Arith::cvt, .type = to, .dst = r, .a = value.operand(value.type()), .b = {}, .c = {},
                            .compare = Compare::eq, .from = value.type()});
  return {this, r, to};
}

Val KernelBuilder::select(const Val& condition, const Val& yes, const Val& no) {
  return emit(Arith::selp, common_type(yes, no), {yes, no, condition});
}
Val KernelBuilder::fma(const Val& a, const Val& b, const Val& c) {
  return emit(Arith::fma, common_type(a, c), {a, b, c});
}
Val KernelBuilder::min(const Val& a, const Val& b) { return emit(Arith::min, common_type(a, b), {a, b}); }
Val KernelBuilder::max(const Val& a, const Val& b) { return emit(Arith::max, common_type(a, b), {a, b}); }

void KernelBuilder::compute(std::uint32_t units, Here here) {
  state_->at(here);
  state_->append(Compute{units});
}

namespace {

Access access_of(const Kernel& kernel, const Place& place, const How& how) {
  Access access;
  access.address.array = place.array;
  access.address.scale = size_of(place.element);
  if (place.index.is_constant()) {
    access.address.offset = number(place.index) * size_of(place.element);
  } else {
    access.address.index = place.index.operand(place.index.type());
  }
  access.type = place.element;
  access.space = kernel[place.array].space;
  access.order = how.order;
  access.scope = how.scope;
  access.cache = how.cache;
  access.is_volatile = how.is_volatile;
  return access;
}

}  // namespace

Val KernelBuilder::ld(const Place& place, How how, Here here) { return ld(place, "", how, here); }

Val KernelBuilder::ld(const Place& place, std::string_view register_name, How how, Here here) {
  state_->at(here);
  Load load;
  load.dst[0] = state_->new_register(register_name, place.element);
  load.access = access_of(state_->kernel, place, how);
  state_->append(load);
  return {this, load.dst[0], place.element};
}

void KernelBuilder::st(const Place& place, const Val& value, How how, Here here) {
  state_->at(here);
  Val stored = value;
  if (!value.is_constant() && value.type() != place.element) {
    if (value.type() != Type::pred)
      throw InputError(fmt::format("a {} is stored to an array of {}; use cast", name(value.type()),
                                   name(place.element)));
    stored = cast(value, place.element);
  }
  Store store;
  store.value[0] = stored.operand(place.element);
  store.access = access_of(state_->kernel, place, how);
  state_->append(store);
}

std::vector<Val> KernelBuilder::ld_vector(const Place& first, int count, How how, Here here) {
  if (count != 2 && count != 4) throw InputError("a vector access has 2 or 4 elements");
  state_->at(here);
  Load load;
  load.count = static_cast<std::uint8_t>(count);
  load.access = access_of(state_->kernel, first, how);
  std::vector<Val> values;
  for (int i = 0; i < count; ++i) {
    load.dst[static_cast<std::size_t>(i)] = state_->new_register("", first.element);
    values.push_back(Val(this, load.dst[static_cast<std::size_t>(i)], first.element));
  }
  state_->append(load);
  return values;
}

void KernelBuilder::st_vector(const Place& first, const std::vector<Val>& values, How how, Here here) {
  if (values.size() != 2 && values.size() != 4) throw InputError("a vector access has 2 or 4 elements");
  state_->at(here);
  Store store;
  store.count = static_cast<std::uint8_t>(values.size());
  store.access = access_of(state_->kernel, first, how);
  for (std::size_t i = 0; i < values.size(); ++i) store.value[i] = values[i].operand(first.element);
  state_->append(store);
}

Val KernelBuilder::atom(AtomicOp op, const Place& place, const Val& operand, How how, Here here) {
  state_->at(here);
  Atomic atomic{.op = op, .dst = state_->new_register("", place.element), .a = operand.operand(place.element), .b = {},
                .red = false, .access = access_of(state_->kernel, place, how)};
  state_->append(atomic);
  return {this, *atomic.dst, place.element};
}

Val KernelBuilder::cas(const Place& place, const Val& expected, const Val& desired, How how, Here here) {
  state_->at(here);
  Atomic atomic{.op = AtomicOp::cas, .dst = state_->new_register("", place.element),
                .a = expected.operand(place.element), .b = desired.operand(place.element), .red = false,
                .access = access_of(state_->kernel, place, how)};
  state_->append(atomic);
  return {this, *atomic.dst, place.element};
}

void KernelBuilder::red(AtomicOp op, const Place& place, const Val& operand, How how, Here here) {
  state_->at(here);
  state_->append(Atomic{.op = op, .dst = std::nullopt, .a = operand.operand(place.element), .b = {}, .red = true,
                        .access = access_of(state_->kernel, place, how)});
}

void KernelBuilder::fence(Order order, Scope scope, Here here) {
  state_->at(here);
  state_->append(Fence{order, scope});
}

void KernelBuilder::proxy_fence(ProxyFence kind, Here here) {
  state_->at(here);
  state_->append(ProxyFenceOp{kind});
}

void KernelBuilder::bar_sync(Here here) {
  state_->at(here);
  state_->append(Barrier{});
}

void KernelBuilder::bar_sync(int id, const Val& count, Here here) {
  state_->at(here);
  Barrier barrier;
  barrier.id = Operand::imm(static_cast<std::uint64_t>(id));
  barrier.count = count.operand(Type::u32);
  state_->append(barrier);
}

void KernelBuilder::bar_arrive(int id, const Val& count, Here here) {
  state_->at(here);
  Barrier barrier;
  barrier.kind = BarrierKind::arrive;
  barrier.id = Operand::imm(static_cast<std::uint64_t>(id));
  barrier.count = count.operand(Type::u32);
  state_->append(barrier);
}

Val KernelBuilder::bar_red(BarrierReduction reduction, const Val& predicate, Here here) {
  state_->at(here);
  const Type type = reduction == BarrierReduction::popc ? Type::u32 : Type::pred;
  Barrier barrier;
  barrier.kind = BarrierKind::red;
  barrier.reduction = reduction;
  barrier.predicate = predicate.operand(Type::pred);
  barrier.dst = state_->new_register("", type);
  state_->append(barrier);
  return {this, *barrier.dst, type};
}

void KernelBuilder::warp_sync(std::uint32_t mask, Here here) {
  state_->at(here);
  state_->append(WarpBarrier{Operand::imm(mask)});
}

Val KernelBuilder::shfl(ShuffleMode mode, const Val& value, const Val& lane, Here here) {
  state_->at(here);
  Shuffle shuffle;
  shuffle.mode = mode;
  shuffle.dst = state_->new_register("", value.type());
  shuffle.value = value.operand(value.type());
  shuffle.lane = lane.operand(Type::u32);
  if (mode == ShuffleMode::up) shuffle.clamp = Operand::imm(0);
  state_->append(shuffle);
  return {this, shuffle.dst, value.type()};
}

Val KernelBuilder::vote(VoteMode mode, const Val& predicate, Here here) {
  state_->at(here);
  const Type type = mode == VoteMode::ballot ? Type::u32 : Type::pred;
  Vote vote;
  vote.mode = mode;
  vote.dst = state_->new_register("", type);
  vote.predicate = predicate.operand(Type::pred);
  state_->append(vote);
  return {this, vote.dst, type};
}

void KernelBuilder::if_(const Val& condition, const Body& then, Here here) {
  if_else(condition, then, nullptr, here);
}

void KernelBuilder::if_else(const Val& condition, const Body& then, const Body& otherwise, Here here) {
  State& s = *state_;
  if (condition.is_constant()) {
    const Body& chosen = number(condition) != 0 ? then : otherwise;
    if (chosen) chosen();
    return;
  }
  s.at(here);
  const BlockId yes = s.new_block("then");
  const BlockId no = otherwise ? s.new_block("else") : BlockId{};
  const BlockId join = s.new_block("endif");
  s.append(CondBranch{condition.reg(), false, yes, otherwise ? no : join, true});
  s.current = yes;
  then();
  s.jump(join);
  if (otherwise) {
    s.current = no;
    otherwise();
    s.jump(join);
  }
  s.current = join;
}

void KernelBuilder::while_(const std::function<Val()>& condition, const Body& body, Here here) {
  State& s = *state_;
  s.at(here);
  const BlockId header = s.new_block("while");
  s.jump(header);
  s.current = header;
  const Val go_on = condition();
  const BlockId inside = s.new_block("do");
  const BlockId after = s.new_block("endwhile");
  s.at(here);
  s.append(CondBranch{go_on.reg(), false, inside, after, false});
  s.current = inside;
  body();
  s.jump(header);
  s.current = after;
}

void KernelBuilder::for_(const Val& from, const Val& to, const std::function<void(Val)>& body, Here here) {
  for_step(from, to, Val(1), body, here);
}

void KernelBuilder::for_step(const Val& from, const Val& to, const Val& step, const std::function<void(Val)>& body,
                             Here here) {
  const Type type = !to.is_constant() ? to.type() : !from.is_constant() ? from.type() : Type::u32;
  const Val i = var("i", type, from);
  while_([&] { return emit(Arith::setp, type, {i, to}, Compare::lt); },
         [&] {
           body(i);
           set(i, i + step);
         },
         here);
}

Val KernelBuilder::await(const std::function<Val()>& read, const std::function<Val(Val)>& done, Here here) {
  State& s = *state_;
  s.at(here);
  const BlockId header = s.new_block("await");
  s.jump(header);
  s.current = header;
  Val value = read();
  const Val ended = done(value);
  const BlockId after = s.new_block("done");
  s.append(CondBranch{ended.reg(), false, after, header, false});
  s.current = after;
  return value;
}

void KernelBuilder::masked(const Val& condition, const Body& body, Here here) {
  State& s = *state_;
  s.at(here);
  if (s.guard) throw InputError("masked bodies don't nest; combine the conditions");
  s.guard = Guard{condition.reg(), false};
  body();
  s.guard.reset();
}

void KernelBuilder::exit(Here here) {
  state_->at(here);
  state_->append(Exit{});
  state_->current = state_->new_block("after_exit");
}

void KernelBuilder::trap(std::string message, Here here) {
  state_->at(here);
  state_->append(Trap{std::move(message)});
  state_->current = state_->new_block("after_trap");
}

Kernel KernelBuilder::build() {
  state_->append(Exit{});
  state_->built = true;
  return state_->kernel;
}

}  // namespace fencewise
