// Arithmetic on numbers: what the instructions of the core set do to bits.
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/core/error.h"
#include "kernels/core/value.h"

namespace fencewise {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

float f32(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
double f64(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

unsigned width(Type type) { return size_of(type) * 8; }
std::uint64_t low_bits(Type type, std::uint64_t x) {
  return width(type) == 64 ? x : x & ((std::uint64_t{1} << width(type)) - 1);
}
std::int64_t s64(std::uint64_t x) { return static_cast<std::int64_t>(x); }
std::uint64_t u64(std::int64_t x) { return static_cast<std::uint64_t>(x); }

template <class F>
std::uint64_t compute_float(const Arithmetic& i, F a, F b, F c) {
  switch (i.op) {
    case Arith::add: return bits_of(a + b);
    case Arith::sub: return bits_of(a - b);
    case Arith::mul: return bits_of(a * b);
    case Arith::mad:
    case Arith::fma: return bits_of(std::fma(a, b, c));
    case Arith::div: return bits_of(a / b);
    case Arith::neg: return bits_of(-a);
    case Arith::abs: return bits_of(std::fabs(a));
    case Arith::min: return bits_of(std::fmin(a, b));
    case Arith::max: return bits_of(std::fmax(a, b));
    case Arith::sqrt: return bits_of(std::sqrt(a));
    case Arith::rcp: return bits_of(F{1} / a);
    default: throw NotModelled("this arithmetic on floats is not modelled");
  }
}

std::uint64_t divide(Type type, std::uint64_t a, std::uint64_t b, bool remainder) {
  if (low_bits(type, b) == 0) return remainder ? a : ~std::uint64_t{0};
  if (!is_signed(type)) {
    const std::uint64_t x = low_bits(type, a), y = low_bits(type, b);
    return remainder ? x % y : x / y;
  }
  if (s64(b) == -1) return remainder ? 0 : u64(0) - a;  // the one overflow
  return u64(remainder ? s64(a) % s64(b) : s64(a) / s64(b));
}

std::uint64_t shift(const Arithmetic& i, std::uint64_t a, std::uint64_t amount) {
  const unsigned w = width(i.type);
  if (i.op == Arith::shl) return amount >= w ? 0 : a << amount;
  if (is_signed(i.type)) return u64(s64(a) >> (amount >= w ? w - 1 : amount));
  return amount >= w ? 0 : low_bits(i.type, a) >> amount;
}

std::uint64_t multiply_high(Type type, std::uint64_t a, std::uint64_t b) {
  const unsigned w = width(type);
  if (is_signed(type)) return u64(static_cast<std::int64_t>((static_cast<Int128>(s64(a)) * s64(b)) >> w));
  return static_cast<std::uint64_t>((static_cast<Uint128>(low_bits(type, a)) * low_bits(type, b)) >> w);
}

std::uint64_t bit_field_insert(Type type, std::uint64_t a, std::uint64_t packed) {
  const std::uint64_t pos = packed & 0xffU, len = (packed >> 8U) & 0xffU;
  const std::uint64_t mask = len >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << len) - 1;
  const std::uint64_t field = low_bits(type, a) >> (pos >= 64 ? 63 : pos);
  std::uint64_t result = field & mask;
  if (is_signed(type) && len > 0 && len < 64 && ((result >> (len - 1)) & 1U) != 0) result |= ~mask;
  return result;
}

// Each nibble of the selector names a byte of b:a; its top bit replicates that byte's sign.
std::uint64_t permute_bytes(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  const std::uint64_t both = (low_bits(Type::u32, b) << 32U) | low_bits(Type::u32, a);
  std::uint64_t result = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const std::uint64_t nibble = (selector >> (4 * n)) & 0xfU;
    std::uint64_t byte = (both >> (8 * (nibble & 7U))) & 0xffU;
    if (nibble >= 8) byte = byte >= 0x80 ? 0xff : 0;
    result |= byte << (8 * n);
  }
  return result;
}

std::uint64_t compute_integer(const Arithmetic& i, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const Type t = i.type;
  switch (i.op) {
    case Arith::add: return a + b;
    case Arith::sub: return a - b;
    case Arith::mul:
    case Arith::mul_wide: return a * b;
    case Arith::mul_hi: return multiply_high(t, a, b);
    case Arith::mad:
    case Arith::fma:
    case Arith::mad_wide: return a * b + c;
    case Arith::div: return divide(t, a, b, false);
    case Arith::rem: return divide(t, a, b, true);
    case Arith::neg: return u64(0) - a;
    case Arith::abs: return s64(a) < 0 ? u64(0) - a : a;
    case Arith::min: return compare_numbers(Compare::lt, t, a, b) ? a : b;
    case Arith::max: return compare_numbers(Compare::lt, t, a, b) ? b : a;
    case Arith::bit_and: return a & b;
    case Arith::bit_or: return a | b;
    case Arith::bit_xor: return a ^ b;
    case Arith::bit_not: return t == Type::pred ? static_cast<std::uint64_t>(a == 0) : ~a;
    case Arith::shl:
    case Arith::shr: return shift(i, a, b);
    case Arith::popc: return static_cast<std::uint64_t>(std::popcount(low_bits(t, a)));
    case Arith::clz: return static_cast<std::uint64_t>(std::countl_zero(low_bits(t, a))) - (64 - width(t));
    case Arith::bfind: {
      const std::uint64_t x = is_signed(t) && s64(a) < 0 ? ~a : a;
      return low_bits(t, x) == 0 ? 0xffff'ffffU : 63U - static_cast<unsigned>(std::countl_zero(low_bits(t, x)));
    }
    case Arith::brev: {
      std::uint64_t r = 0;
      for (unsigned n = 0; n < width(t); ++n) r |= ((a >> n) & 1U) << (width(t) - 1 - n);
      return r;
    }
    case Arith::prmt: return permute_bytes(a, b, c);
    case Arith::bfe: return bit_field_insert(t, a, (b & 0xffU) | ((c & 0xffU) << 8U));
    case Arith::shf_l:
    case Arith::shf_r: {
      const std::uint64_t both = (low_bits(Type::u32, b) << 32U) | low_bits(Type::u32, a);
      const auto n = static_cast<unsigned>(c & 31U);
      return i.op == Arith::shf_l ? (both << n) >> 32U : both >> n;
    }
    default: throw NotModelled("this integer arithmetic is not modelled");
  }
}

// Numbers to and from floats saturate as PTX's cvt.rzi does.
template <class F>
std::uint64_t float_to_integer(Type to, F x) {
  if (std::isnan(x)) return 0;
  if (is_signed(to)) {
    const double lo = -std::ldexp(1.0, static_cast<int>(width(to)) - 1);
    const double hi = std::ldexp(1.0, static_cast<int>(width(to)) - 1);
    const double v = std::trunc(static_cast<double>(x));
    if (v < lo) return u64(1) << (width(to) - 1);
    if (v >= hi) return (u64(1) << (width(to) - 1)) - 1;
    return u64(static_cast<std::int64_t>(v));
  }
  const double v = std::trunc(static_cast<double>(x));
  if (v <= 0) return 0;
  if (v >= std::ldexp(1.0, static_cast<int>(width(to)))) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(v);
}

std::uint64_t convert(Type to, Type from, std::uint64_t a) {
  if (is_float(from)) {
    const double x = from == Type::f32 ? static_cast<double>(f32(a)) : f64(a);
    if (to == Type::f32) return bits_of(static_cast<float>(x));
    if (to == Type::f64) return bits_of(x);
    return float_to_integer(to, x);
  }
  const std::uint64_t source = truncate(from, a);
  if (to == Type::f32) return bits_of(is_signed(from) ? static_cast<float>(s64(source)) : static_cast<float>(source));
  if (to == Type::f64) return bits_of(is_signed(from) ? static_cast<double>(s64(source)) : static_cast<double>(source));
  return source;
}

// Twice as wide, with the same signedness.
Type widened(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return type;
  }
}

}  // namespace

std::uint64_t compute(const Arithmetic& i, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  switch (i.op) {
    case Arith::mov: return truncate(i.type, a);
    case Arith::selp: return truncate(i.type, c != 0 ? a : b);
    case Arith::setp: return static_cast<std::uint64_t>(compare_numbers(i.compare, i.type, a, b));
    case Arith::cvt: return truncate(i.type, convert(i.type, i.from, a));
    default: break;
  }
  if (i.type == Type::f32) return compute_float(i, f32(a), f32(b), f32(c));
  if (i.type == Type::f64) return compute_float(i, f64(a), f64(b), f64(c));
  const bool wide = i.op == Arith::mul_wide || i.op == Arith::mad_wide;
  const bool shifts = i.op == Arith::shl || i.op == Arith::shr;
  const std::uint64_t x = truncate(i.type, a);
  const std::uint64_t y = shifts ? b & 0xffff'ffffU : truncate(i.type, b);
  return truncate(wide ? widened(i.type) : i.type, compute_integer(i, x, y, c));
}

bool compare_numbers(Compare op, Type type, std::uint64_t a, std::uint64_t b) {
  const auto decide = [op](auto x, auto y) {
    switch (op) {
      case Compare::eq: return x == y;
      case Compare::ne: return x != y;
      case Compare::lt: return x < y;
      case Compare::le: return x <= y;
      case Compare::gt: return x > y;
      case Compare::ge: return x >= y;
    }
    return false;
  };
  if (type == Type::f32) return decide(f32(a), f32(b));
  if (type == Type::f64) return decide(f64(a), f64(b));
  if (is_signed(type)) return decide(s64(truncate(type, a)), s64(truncate(type, b)));
  return decide(truncate(type, a), truncate(type, b));
}

std::optional<std::uint64_t> compute_atomic(AtomicOp op, Type type, std::uint64_t old, std::uint64_t a,
                                            std::uint64_t b) {
  const auto arithmetic = [&](Arith arith) {
    return compute(Arithmetic{.op = arith, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}}, old, a, 0);
  };
  const std::uint64_t x = truncate(type, old), y = truncate(type, a);
  switch (op) {
    case AtomicOp::add: return arithmetic(Arith::add);
    case AtomicOp::sub: return arithmetic(Arith::sub);
    case AtomicOp::mul: return arithmetic(Arith::mul);
    case AtomicOp::div: return arithmetic(Arith::div);
    case AtomicOp::min: return arithmetic(Arith::min);
    case AtomicOp::max: return arithmetic(Arith::max);
    case AtomicOp::bit_and: return arithmetic(Arith::bit_and);
    case AtomicOp::bit_or: return arithmetic(Arith::bit_or);
    case AtomicOp::bit_xor: return arithmetic(Arith::bit_xor);
    case AtomicOp::inc: return x >= y ? 0 : truncate(type, x + 1);
    case AtomicOp::dec: return x == 0 || x > y ? y : truncate(type, x - 1);
    case AtomicOp::exch: return y;
    case AtomicOp::cas: return x == y ? std::optional(truncate(type, b)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fencewise
