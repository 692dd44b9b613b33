// Builds kernels in C++ so that they read like the pseudo-code on a whiteboard:
//
//   KernelBuilder k("last_block");
//   auto ws = k.global("ws", Type::f32);
//   auto count = k.global("count", Type::u32);
//   k.st(ws[k.ctaid()], part);
//   k.fence(Order::sc, Scope::gpu);
//   auto ticket = k.atom(AtomicOp::add, count[0], 1);
//   k.if_(ticket == S - 1, [&] { ... });
//   Kernel kernel = k.build();
//
// `Val` is a value a thread computes: a constant or a register. Operators on Vals emit arithmetic. Every statement that
// touches memory or synchronizes takes the source line of its call; arithmetic takes the line of the statement before.
// Mutable variables are `var`, changed by `set`. Structured control flow is by lambdas. Mistakes (types that don't
// fit, a Val of another builder) throw InputError.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/kernel.h"

namespace fencewise {

class KernelBuilder;
using Here = std::source_location;

class Val {
 public:
  Val(int number) : Val(static_cast<std::int64_t>(number)) {}             // NOLINT: constants read naturally
  Val(unsigned number) : Val(static_cast<std::int64_t>(number)) {}        // NOLINT
  Val(std::int64_t number);                                               // NOLINT
  Val(std::uint64_t number) : Val(static_cast<std::int64_t>(number)) {}   // NOLINT
  Val(float number);                                                      // NOLINT
  Val(bool flag);                                                         // NOLINT

  [[nodiscard]] bool is_constant() const { return builder_ == nullptr; }
  [[nodiscard]] Type type() const { return type_; }
  // The operand, its constant converted to `as`.
  [[nodiscard]] Operand operand(Type as) const;
  [[nodiscard]] RegisterId reg() const;  // not for constants
  [[nodiscard]] KernelBuilder* builder() const { return builder_; }  // null for constants

 private:
  friend class KernelBuilder;
  Val(KernelBuilder* builder, Operand operand, Type type) : builder_(builder), operand_(operand), type_(type) {}
  KernelBuilder* builder_ = nullptr;
  Operand operand_;
  Type type_ = Type::s64;  // of a constant: s64, f32 or pred until it meets a register
};

// Arithmetic takes the type of the operand that is no constant; a mix of types is an InputError (use cast).
[[nodiscard]] Val operator+(const Val& a, const Val& b);
[[nodiscard]] Val operator-(const Val& a, const Val& b);
[[nodiscard]] Val operator*(const Val& a, const Val& b);
[[nodiscard]] Val operator/(const Val& a, const Val& b);
[[nodiscard]] Val operator%(const Val& a, const Val& b);
[[nodiscard]] Val operator&(const Val& a, const Val& b);
[[nodiscard]] Val operator|(const Val& a, const Val& b);
[[nodiscard]] Val operator^(const Val& a, const Val& b);
[[nodiscard]] Val operator<<(const Val& a, const Val& b);
[[nodiscard]] Val operator>>(const Val& a, const Val& b);
[[nodiscard]] Val operator==(const Val& a, const Val& b);
[[nodiscard]] Val operator!=(const Val& a, const Val& b);
[[nodiscard]] Val operator<(const Val& a, const Val& b);
[[nodiscard]] Val operator<=(const Val& a, const Val& b);
[[nodiscard]] Val operator>(const Val& a, const Val& b);
[[nodiscard]] Val operator>=(const Val& a, const Val& b);
[[nodiscard]] Val operator&&(const Val& a, const Val& b);  // no short circuit: both are computed
[[nodiscard]] Val operator||(const Val& a, const Val& b);
[[nodiscard]] Val operator!(const Val& a);

// An element of an array: what ld, st and atom take.
struct Place {
  ArrayId array;
  Val index;        // in elements
  Type element;
};

class Array {
 public:
  Array(ArrayId id, Type element) : id_(id), element_(element) {}
  [[nodiscard]] Place operator[](const Val& index) const { return Place{id_, index, element_}; }
  [[nodiscard]] ArrayId id() const { return id_; }
  [[nodiscard]] Type element() const { return element_; }

 private:
  ArrayId id_;
  Type element_;
};

// How an access is done. `weak` is ld/st without qualifier; `cg` is ld.cg (__ldcg), weak as well.
struct How {
  Order order = Order::weak;
  Scope scope = Scope::gpu;
  CacheOperator cache = CacheOperator::none;
  bool is_volatile = false;
};
inline constexpr How weak{};
inline constexpr How cg{.cache = CacheOperator::cg};
inline constexpr How volatile_{.order = Order::relaxed, .scope = Scope::sys, .is_volatile = true};
[[nodiscard]] constexpr How relaxed(Scope scope) { return {.order = Order::relaxed, .scope = scope}; }
[[nodiscard]] constexpr How acquire(Scope scope) { return {.order = Order::acquire, .scope = scope}; }
[[nodiscard]] constexpr How release(Scope scope) { return {.order = Order::release, .scope = scope}; }
[[nodiscard]] constexpr How acq_rel(Scope scope) { return {.order = Order::acq_rel, .scope = scope}; }

class KernelBuilder {
 public:
  using Body = std::function<void()>;

  explicit KernelBuilder(std::string name);

  // --- names ---
  [[nodiscard]] Array global(std::string_view name, Type element);
  [[nodiscard]] Array shared(std::string_view name, Type element, std::uint64_t length);
  [[nodiscard]] Val param(std::string_view name, Type type);
  [[nodiscard]] Val tid();      // %tid.x, u32; likewise below
  [[nodiscard]] Val tid_y();
  [[nodiscard]] Val ctaid();
  [[nodiscard]] Val ctaid_y();
  [[nodiscard]] Val ntid();
  [[nodiscard]] Val nctaid();
  [[nodiscard]] Val special(SpecialRegister special);

  // --- variables and arithmetic ---
  [[nodiscard]] Val var(std::string_view name, Type type, const Val& initial);
  void set(const Val& variable, const Val& value);
  [[nodiscard]] Val cast(const Val& value, Type to);
  [[nodiscard]] Val select(const Val& condition, const Val& yes, const Val& no);
  [[nodiscard]] Val fma(const Val& a, const Val& b, const Val& c);
  [[nodiscard]] Val min(const Val& a, const Val& b);
  [[nodiscard]] Val max(const Val& a, const Val& b);
  void compute(std::uint32_t units, Here here = Here::current());  // ledger only

  // --- memory ---
  [[nodiscard]] Val ld(const Place& place, How how = weak, Here here = Here::current());
  [[nodiscard]] Val ld(const Place& place, std::string_view register_name, How how = weak, Here here = Here::current());
  void st(const Place& place, const Val& value, How how = weak, Here here = Here::current());
  [[nodiscard]] std::vector<Val> ld_vector(const Place& first, int count, How how = weak, Here here = Here::current());
  void st_vector(const Place& first, const std::vector<Val>& values, How how = weak, Here here = Here::current());
  // Old value. Default order and scope are PTX's: relaxed.gpu.
  [[nodiscard]] Val atom(AtomicOp op, const Place& place, const Val& operand, How how = relaxed(Scope::gpu),
                         Here here = Here::current());
  [[nodiscard]] Val cas(const Place& place, const Val& expected, const Val& desired, How how = relaxed(Scope::gpu),
                        Here here = Here::current());
  void red(AtomicOp op, const Place& place, const Val& operand, How how = relaxed(Scope::gpu),
           Here here = Here::current());
  void fence(Order order, Scope scope, Here here = Here::current());
  void proxy_fence(ProxyFence kind, Here here = Here::current());

  // --- barriers and warp operations ---
  void bar_sync(Here here = Here::current());  // bar.sync 0: __syncthreads()
  void bar_sync(int id, const Val& count, Here here = Here::current());
  void bar_arrive(int id, const Val& count, Here here = Here::current());
  [[nodiscard]] Val bar_red(BarrierReduction reduction, const Val& predicate, Here here = Here::current());
  void warp_sync(std::uint32_t mask = 0xffff'ffffU, Here here = Here::current());
  [[nodiscard]] Val shfl(ShuffleMode mode, const Val& value, const Val& lane, Here here = Here::current());
  [[nodiscard]] Val vote(VoteMode mode, const Val& predicate, Here here = Here::current());

  // --- control flow ---
  void if_(const Val& condition, const Body& then, Here here = Here::current());
  void if_else(const Val& condition, const Body& then, const Body& otherwise, Here here = Here::current());
  void while_(const std::function<Val()>& condition, const Body& body, Here here = Here::current());
  // from <= i < to, step 1 (or `step`).
  void for_(const Val& from, const Val& to, const std::function<void(Val)>& body, Here here = Here::current());
  void for_step(const Val& from, const Val& to, const Val& step, const std::function<void(Val)>& body,
                Here here = Here::current());
  // Spin: repeats `read` until `done` of its value; gives the value that ended it.
  Val await(const std::function<Val()>& read, const std::function<Val(Val)>& done, Here here = Here::current());
  // Instructions emitted by `body` carry the guard `@condition` (no branch: a mask in the ledger's sense).
  void masked(const Val& condition, const Body& body, Here here = Here::current());
  void exit(Here here = Here::current());
  void trap(std::string message, Here here = Here::current());

  // Ends the kernel (adds the last exit). The builder is spent afterwards.
  [[nodiscard]] Kernel build();

  // Used by the operators of Val.
  [[nodiscard]] Val emit(Arith op, Type type, std::initializer_list<Val> operands, Compare compare = Compare::eq);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fencewise
