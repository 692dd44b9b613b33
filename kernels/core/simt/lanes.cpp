#include "kernels/core/simt/lanes.h"

#include <cmath>

#include "kernels/core/simt/multiversion.h"

// An operand may be the destination itself, lane for lane; nothing else overlaps.
#if defined(__clang__)
#define FENCEWISE_EACH_LANE \
  _Pragma("clang loop vectorize(assume_safety)") for (std::uint32_t l = 0; l < warp_lanes; ++l)
#else
#define FENCEWISE_EACH_LANE _Pragma("GCC ivdep") for (std::uint32_t l = 0; l < warp_lanes; ++l)
#endif

#define FENCEWISE_INLINE [[gnu::always_inline]] inline

namespace fencewise::simt {
namespace {

// A register is read with the type of the instruction, whatever was written: may_alias.
using U32 = std::uint32_t __attribute__((may_alias));
using S32 = std::int32_t __attribute__((may_alias));
using U64 = std::uint64_t __attribute__((may_alias));
using S64 = std::int64_t __attribute__((may_alias));
using F32 = float __attribute__((may_alias));
using F64 = double __attribute__((may_alias));

template <class T> FENCEWISE_INLINE T* lanes_of(void* p) {
  return static_cast<T*>(__builtin_assume_aligned(p, 64));
}
template <class T> FENCEWISE_INLINE const T* lanes_of(const void* p) {
  return static_cast<const T*>(__builtin_assume_aligned(p, 64));
}

#define FENCEWISE_UNARY(name, D, A, expression)                                     \
  FENCEWISE_CLONES void name(void* dst, const void* pa, const void*, const void*) { \
    D* d = lanes_of<D>(dst);                                                        \
    const A* x = lanes_of<A>(pa);                                                   \
    FENCEWISE_EACH_LANE {                                                           \
      const auto a = x[l];                                                          \
      d[l] = static_cast<D>(expression);                                            \
    }                                                                               \
  }
#define FENCEWISE_BINARY(name, D, A, B, expression)                                    \
  FENCEWISE_CLONES void name(void* dst, const void* pa, const void* pb, const void*) { \
    D* d = lanes_of<D>(dst);                                                           \
    const A* x = lanes_of<A>(pa);                                                      \
    const B* y = lanes_of<B>(pb);                                                      \
    FENCEWISE_EACH_LANE {                                                              \
      const auto a = x[l];                                                             \
      const auto b = y[l];                                                             \
      d[l] = static_cast<D>(expression);                                               \
    }                                                                                  \
  }
#define FENCEWISE_TERNARY(name, D, A, C, expression)                                      \
  FENCEWISE_CLONES void name(void* dst, const void* pa, const void* pb, const void* pc) { \
    D* d = lanes_of<D>(dst);                                                              \
    const A* x = lanes_of<A>(pa);                                                         \
    const A* y = lanes_of<A>(pb);                                                         \
    const C* z = lanes_of<C>(pc);                                                         \
    FENCEWISE_EACH_LANE {                                                                 \
      const auto a = x[l];                                                                \
      const auto b = y[l];                                                                \
      const auto c = z[l];                                                                \
      d[l] = static_cast<D>(expression);                                                  \
    }                                                                                     \
  }

FENCEWISE_UNARY(mov_32, U32, U32, a)
FENCEWISE_UNARY(mov_64, U64, U64, a)
FENCEWISE_UNARY(neg_32, U32, U32, 0U - a)
FENCEWISE_UNARY(neg_64, U64, U64, U64{0} - a)
FENCEWISE_UNARY(not_32, U32, U32, ~a)
FENCEWISE_UNARY(not_64, U64, U64, ~a)
FENCEWISE_UNARY(neg_f32, F32, F32, -a)
FENCEWISE_UNARY(neg_f64, F64, F64, -a)
FENCEWISE_UNARY(u64_from_u32, U64, U32, a)
FENCEWISE_UNARY(s64_from_s32, S64, S32, a)
FENCEWISE_UNARY(u32_from_u64, U32, U64, a)
FENCEWISE_UNARY(f32_from_s32, F32, S32, a)
FENCEWISE_UNARY(f32_from_u32, F32, U32, a)

FENCEWISE_BINARY(add_32, U32, U32, U32, a + b)
FENCEWISE_BINARY(add_64, U64, U64, U64, a + b)
FENCEWISE_BINARY(sub_32, U32, U32, U32, a - b)
FENCEWISE_BINARY(sub_64, U64, U64, U64, a - b)
FENCEWISE_BINARY(mul_32, U32, U32, U32, a* b)
FENCEWISE_BINARY(mul_64, U64, U64, U64, a* b)
FENCEWISE_BINARY(and_32, U32, U32, U32, a& b)
FENCEWISE_BINARY(and_64, U64, U64, U64, a& b)
FENCEWISE_BINARY(or_32, U32, U32, U32, a | b)
FENCEWISE_BINARY(or_64, U64, U64, U64, a | b)
FENCEWISE_BINARY(xor_32, U32, U32, U32, a ^ b)
FENCEWISE_BINARY(xor_64, U64, U64, U64, a ^ b)
FENCEWISE_BINARY(shl_32, U32, U32, U32, b > 31 ? 0U : a << (b & 31U))
FENCEWISE_BINARY(shr_u32, U32, U32, U32, b > 31 ? 0U : a >> (b & 31U))
FENCEWISE_BINARY(shr_s32, S32, S32, U32, a >> (b > 31 ? 31U : b))
FENCEWISE_BINARY(min_u32, U32, U32, U32, a < b ? a : b)
FENCEWISE_BINARY(max_u32, U32, U32, U32, a < b ? b : a)
FENCEWISE_BINARY(min_s32, S32, S32, S32, a < b ? a : b)
FENCEWISE_BINARY(max_s32, S32, S32, S32, a < b ? b : a)
FENCEWISE_BINARY(div_u32, U32, U32, U32, b == 0 ? ~0U : a / b)
FENCEWISE_BINARY(rem_u32, U32, U32, U32, b == 0 ? a : a % b)
FENCEWISE_BINARY(wide_u32, U64, U32, U32, U64{a} * b)
FENCEWISE_BINARY(wide_s32, S64, S32, S32, S64{a} * b)
FENCEWISE_BINARY(add_f32, F32, F32, F32, a + b)
FENCEWISE_BINARY(add_f64, F64, F64, F64, a + b)
FENCEWISE_BINARY(sub_f32, F32, F32, F32, a - b)
FENCEWISE_BINARY(sub_f64, F64, F64, F64, a - b)
FENCEWISE_BINARY(mul_f32, F32, F32, F32, a* b)
FENCEWISE_BINARY(mul_f64, F64, F64, F64, a* b)
FENCEWISE_BINARY(div_f32, F32, F32, F32, a / b)
FENCEWISE_BINARY(div_f64, F64, F64, F64, a / b)

FENCEWISE_TERNARY(mad_32, U32, U32, U32, a* b + c)
FENCEWISE_TERNARY(mad_64, U64, U64, U64, a* b + c)
FENCEWISE_TERNARY(mad_wide_u32, U64, U32, U64, U64{a} * b + c)
FENCEWISE_TERNARY(mad_wide_s32, U64, S32, U64, static_cast<U64>(S64{a} * b) + c)
FENCEWISE_TERNARY(fma_f32, F32, F32, F32, std::fma(a, b, c))
FENCEWISE_TERNARY(fma_f64, F64, F64, F64, std::fma(a, b, c))

#define FENCEWISE_COMPARE(name, T, op)                                         \
  FENCEWISE_CLONES std::uint32_t name(const void* pa, const void* pb) {        \
    const T* a = lanes_of<T>(pa);                                              \
    const T* b = lanes_of<T>(pb);                                              \
    std::uint32_t mask = 0;                                                    \
    FENCEWISE_EACH_LANE mask |= static_cast<std::uint32_t>(a[l] op b[l]) << l; \
    return mask;                                                               \
  }
#define FENCEWISE_COMPARE_ALL(suffix, T)         \
  FENCEWISE_COMPARE(eq_##suffix, T, ==)          \
  FENCEWISE_COMPARE(ne_##suffix, T, !=)          \
  FENCEWISE_COMPARE(lt_##suffix, T, <)           \
  FENCEWISE_COMPARE(le_##suffix, T, <=)          \
  FENCEWISE_COMPARE(gt_##suffix, T, >)           \
  FENCEWISE_COMPARE(ge_##suffix, T, >=)          \
  CompareFunction compare_##suffix(Compare op) { \
    switch (op) {                                \
      case Compare::eq: return eq_##suffix;      \
      case Compare::ne: return ne_##suffix;      \
      case Compare::lt: return lt_##suffix;      \
      case Compare::le: return le_##suffix;      \
      case Compare::gt: return gt_##suffix;      \
      case Compare::ge: return ge_##suffix;      \
    }                                            \
    return nullptr;                              \
  }
FENCEWISE_COMPARE_ALL(u32, U32)
FENCEWISE_COMPARE_ALL(s32, S32)
FENCEWISE_COMPARE_ALL(u64, U64)
FENCEWISE_COMPARE_ALL(s64, S64)
FENCEWISE_COMPARE_ALL(f32, F32)
FENCEWISE_COMPARE_ALL(f64, F64)

LaneFunction integer_function_32(Arith op, bool is_signed) {
  switch (op) {
    case Arith::mov: return mov_32;
    case Arith::neg: return neg_32;
    case Arith::bit_not: return not_32;
    case Arith::add: return add_32;
    case Arith::sub: return sub_32;
    case Arith::mul: return mul_32;
    case Arith::mad: return mad_32;
    case Arith::bit_and: return and_32;
    case Arith::bit_or: return or_32;
    case Arith::bit_xor: return xor_32;
    case Arith::shl: return shl_32;
    case Arith::shr: return is_signed ? shr_s32 : shr_u32;
    case Arith::min: return is_signed ? min_s32 : min_u32;
    case Arith::max: return is_signed ? max_s32 : max_u32;
    case Arith::mul_wide: return is_signed ? wide_s32 : wide_u32;
    case Arith::mad_wide: return is_signed ? mad_wide_s32 : mad_wide_u32;
    case Arith::div: return is_signed ? nullptr : div_u32;
    case Arith::rem: return is_signed ? nullptr : rem_u32;
    default: return nullptr;
  }
}

LaneFunction integer_function_64(Arith op) {
  switch (op) {
    case Arith::mov: return mov_64;
    case Arith::neg: return neg_64;
    case Arith::bit_not: return not_64;
    case Arith::add: return add_64;
    case Arith::sub: return sub_64;
    case Arith::mul: return mul_64;
    case Arith::mad: return mad_64;
    case Arith::bit_and: return and_64;
    case Arith::bit_or: return or_64;
    case Arith::bit_xor: return xor_64;
    default: return nullptr;
  }
}

LaneFunction float_function(Arith op, bool is_double) {
  switch (op) {
    case Arith::mov: return is_double ? mov_64 : mov_32;
    case Arith::neg: return is_double ? neg_f64 : neg_f32;
    case Arith::add: return is_double ? add_f64 : add_f32;
    case Arith::sub: return is_double ? sub_f64 : sub_f32;
    case Arith::mul: return is_double ? mul_f64 : mul_f32;
    case Arith::div: return is_double ? div_f64 : div_f32;
    case Arith::mad:
    case Arith::fma: return is_double ? fma_f64 : fma_f32;
    default: return nullptr;
  }
}

template <class T>
FENCEWISE_INLINE void select_all(void* dst, const void* pa, const void* pb, std::uint32_t mask) {
  T* d = lanes_of<T>(dst);
  const T* a = lanes_of<T>(pa);
  const T* b = lanes_of<T>(pb);
  FENCEWISE_EACH_LANE {
    const T x = a[l];
    const T y = b[l];
    d[l] = (mask >> l & 1U) != 0 ? x : y;
  }
}

FENCEWISE_CLONES void select_32(void* dst, const void* a, const void* b, std::uint32_t mask) {
  select_all<U32>(dst, a, b, mask);
}
FENCEWISE_CLONES void select_64(void* dst, const void* a, const void* b, std::uint32_t mask) {
  select_all<U64>(dst, a, b, mask);
}

FENCEWISE_CLONES void fma_all(std::byte* warp, std::byte* constants, const FmaOperands* run,
                              std::uint32_t count) {
  const Registers registers{{warp, constants}};
  for (std::uint32_t i = 0; i < count; ++i) {
    F32* d = lanes_of<F32>(static_cast<void*>(registers.at(run[i].dst)));
    const F32* a = lanes_of<F32>(static_cast<const void*>(registers.at(run[i].a)));
    const F32* b = lanes_of<F32>(static_cast<const void*>(registers.at(run[i].b)));
    const F32* c = lanes_of<F32>(static_cast<const void*>(registers.at(run[i].c)));
    FENCEWISE_EACH_LANE d[l] = std::fma(a[l], b[l], c[l]);
  }
}

FENCEWISE_CLONES bool shifted_all(const void* pi, std::uint32_t base, const std::int32_t* relative) {
  const U32* index = lanes_of<U32>(pi);
  std::uint32_t difference = 0;
  FENCEWISE_EACH_LANE difference |= (index[l] - base) ^ static_cast<std::uint32_t>(relative[l]);
  return difference == 0;
}

FENCEWISE_CLONES bool shifted_some(const void* pi, std::uint32_t base, const std::int32_t* relative,
                                   std::uint32_t mask) {
  const U32* index = lanes_of<U32>(pi);
  std::uint32_t difference = 0;
  FENCEWISE_EACH_LANE {
    const std::uint32_t d = (index[l] - base) ^ static_cast<std::uint32_t>(relative[l]);
    difference |= (mask >> l & 1U) != 0 ? d : 0U;
  }
  return difference == 0;
}

}  // namespace

LaneFunction lane_function(Arith op, Type type) {
  switch (type) {
    case Type::u32: return integer_function_32(op, false);
    case Type::s32: return integer_function_32(op, true);
    case Type::u64:
    case Type::s64: return integer_function_64(op);
    case Type::f32: return float_function(op, false);
    case Type::f64: return float_function(op, true);
    default: return nullptr;
  }
}

LaneFunction convert_function(Type to, Type from) {
  const bool from_32 = from == Type::u32 || from == Type::s32;
  const bool to_32 = to == Type::u32 || to == Type::s32;
  const bool to_64 = to == Type::u64 || to == Type::s64;
  if (from_32 && to_32) return mov_32;
  if (from_32 && to_64) return from == Type::s32 ? s64_from_s32 : u64_from_u32;
  if ((from == Type::u64 || from == Type::s64) && to_32) return u32_from_u64;
  if (from_32 && to == Type::f32) return from == Type::s32 ? f32_from_s32 : f32_from_u32;
  return nullptr;
}

CompareFunction compare_function(Compare op, Type type) {
  switch (type) {
    case Type::u32: return compare_u32(op);
    case Type::s32: return compare_s32(op);
    case Type::u64: return compare_u64(op);
    case Type::s64: return compare_s64(op);
    case Type::f32: return compare_f32(op);
    case Type::f64: return compare_f64(op);
    default: return nullptr;
  }
}

void select_lanes(void* dst, const void* a, const void* b, std::uint32_t mask, std::uint32_t bytes) {
  if (bytes == 4) return select_32(dst, a, b, mask);
  select_64(dst, a, b, mask);
}

void fill_lanes(void* dst, std::uint64_t value, std::uint32_t bytes) {
  if (bytes == 4) {
    U32* d = lanes_of<U32>(dst);
    for (std::uint32_t l = 0; l < warp_lanes; ++l) d[l] = static_cast<std::uint32_t>(value);
  } else {
    U64* d = lanes_of<U64>(dst);
    for (std::uint32_t l = 0; l < warp_lanes; ++l) d[l] = value;
  }
}

void fma_run(const Registers& registers, const FmaOperands* run, std::uint32_t count) {
  fma_all(registers.area[0], registers.area[1], run, count);
}

bool is_shifted(const void* index, std::uint32_t base, const std::int32_t* relative, std::uint32_t mask) {
  return mask == all_lanes ? shifted_all(index, base, relative) : shifted_some(index, base, relative, mask);
}

}  // namespace fencewise::simt
