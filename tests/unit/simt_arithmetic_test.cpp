// Lane functions against compute(): every operation on every type, on random and extreme values.
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/core/validate.h"
#include "kernels/core/value.h"
#include "tests/support/simt.h"

namespace fencewise {
namespace {

constexpr std::array types{Type::u8,  Type::u16, Type::u32, Type::u64, Type::s8,
                           Type::s16, Type::s32, Type::s64, Type::f32, Type::f64};
constexpr std::uint32_t threads = 96;

Type wide(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return type;
  }
}

std::uint64_t random_bits(Type type, std::mt19937_64& rng) {
  if (is_float(type)) {
    const double value =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(rng())), -static_cast<int>(rng() % 64));
    if (type == Type::f64) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  static constexpr std::array<std::uint64_t, 6> special{
      0, 1, ~std::uint64_t{0}, 0x8000'0000U, std::uint64_t{1} << 63U, 31};
  return rng() % 3 == 0 ? special[rng() % special.size()] : rng() >> (rng() % 64);
}

// out[t] = op(a[t], b[t], c[t]), everything through 64-bit elements and registers of the instruction's own types.
struct Probe {
  Arithmetic instruction;
  Type a, b, c, result;
};

Kernel kernel_of(const Probe& probe, bool guarded) {
  KernelBuilder k("probe");
  const Array a = k.global("a", Type::u64), b = k.global("b", Type::u64), c = k.global("c", Type::u64);
  const Array out = k.global("out", Type::u64);
  const auto as = [&](const Array& array, Type type) {
    const Val bits = k.ld(array[k.tid()]);
    return type == Type::pred
               ? bits % 2 == 1
               : k.cast(bits, is_float(type) ? (size_of(type) == 4 ? Type::u32 : Type::u64) : type);
  };
  const Val x = as(a, probe.a), y = as(b, probe.b), z = as(c, probe.c);
  const Val odd = k.var("odd", Type::pred, k.tid() % 2 == 1);
  // Floats live in registers of bits, as sm_100 code has them.
  const Type kept = probe.result == Type::f32   ? Type::u32
                    : probe.result == Type::f64 ? Type::u64
                                                : probe.result;
  const Val result = kept == Type::pred ? k.var("result", Type::pred, false) : k.var("result", kept, 5);
  k.st(out[k.tid()], kept == Type::u64 ? result : k.cast(result, Type::u64));
  Kernel kernel = k.build();
  Arithmetic op = probe.instruction;
  op.dst = result.reg();
  op.a = x.reg();
  op.b = y.reg();
  op.c = z.reg();
  auto& code = kernel.blocks[0].instructions;
  auto at = code.begin();
  for (auto i = code.begin(); i != code.end(); ++i)
    if (const auto* move = std::get_if<Arithmetic>(&i->operation);
        move != nullptr && move->dst == result.reg())
      at = i + 1;
  code.insert(at, {op, guarded ? std::optional(Guard{odd.reg(), false}) : std::nullopt, {}});
  return kernel;
}

// Counts the probes that are instructions at all.
void expect_as_computed(const Probe& probe, std::mt19937_64& rng, int& tested) {
  for (const bool guarded : {false, true}) {
    const Kernel kernel = kernel_of(probe, guarded);
    try {
      validate(kernel);
    } catch (const InputError&) {
      return;  // no such instruction
    }
    std::vector<std::uint64_t> a(threads), b(threads), c(threads), out(threads);
    for (std::uint32_t t = 0; t < threads; ++t) {
      a[t] = random_bits(probe.a, rng);
      b[t] = random_bits(probe.b, rng);
      c[t] = random_bits(probe.c, rng);
    }
    try {
      ASSERT_FALSE(testing::run_simt(kernel, threads, 1, a, b, c, out).fault);
    } catch (const NotModelled&) {
      return;
    }
    for (std::uint32_t t = 0; t < threads; ++t) {
      const auto in = [](Type type, std::uint64_t bits) {
        return type == Type::pred ? bits % 2 : truncate(type, bits);
      };
      const std::uint64_t computed =
          compute(probe.instruction, in(probe.a, a[t]), in(probe.b, b[t]), in(probe.c, c[t]));
      const std::uint64_t expected =
          guarded && t % 2 == 0 ? (probe.result == Type::pred ? 0 : 5) : truncate(probe.result, computed);
      ASSERT_EQ(out[t], expected) << print(kernel) << "thread " << t << " of " << a[t] << ", " << b[t] << ", "
                                  << c[t];
    }
    tested += guarded;
  }
}

TEST(SimtArithmetic, ComputesWhatTheInterpreterComputes) {
  std::mt19937_64 rng(7);
  int tested = 0;
  for (int op = 0; op <= static_cast<int>(Arith::rcp); ++op) {
    for (const Type type : types) {
      const auto arith = static_cast<Arith>(op);
      if (arith == Arith::setp || arith == Arith::cvt || arith == Arith::selp) continue;
      const bool shift = arith == Arith::shl || arith == Arith::shr;
      const bool is_wide = arith == Arith::mul_wide || arith == Arith::mad_wide;
      const bool counts = arith == Arith::popc || arith == Arith::clz || arith == Arith::bfind;
      Arithmetic i{.op = arith, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}};
      const Type result = is_wide ? wide(type) : counts ? Type::u32 : type;
      expect_as_computed({i, type, shift ? Type::u32 : type, is_wide ? wide(type) : type, result}, rng,
                         tested);
    }
  }
  EXPECT_GE(tested, 180);
}

TEST(SimtArithmetic, ComparesSelectsAndConverts) {
  std::mt19937_64 rng(8);
  int tested = 0;
  for (const Type type : types) {
    for (int compare = 0; compare < 6; ++compare)
      expect_as_computed({{.op = Arith::setp,
                           .type = type,
                           .dst = {},
                           .a = {},
                           .b = {},
                           .c = {},
                           .compare = static_cast<Compare>(compare)},
                          type,
                          type,
                          Type::u32,
                          Type::pred},
                         rng, tested);
    expect_as_computed({{.op = Arith::selp, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}},
                        type,
                        type,
                        Type::pred,
                        type},
                       rng, tested);
    for (const Type from : types)
      expect_as_computed({{.op = Arith::cvt,
                           .type = type,
                           .dst = {},
                           .a = {},
                           .b = {},
                           .c = {},
                           .compare = Compare::eq,
                           .from = from},
                          from,
                          from,
                          Type::u32,
                          type},
                         rng, tested);
  }
  EXPECT_EQ(tested, 60 + 10 + 100);
}

TEST(SimtArithmetic, TakesRegistersWiderThanTheOperation) {
  std::mt19937_64 rng(9);
  for (const Type wider : {Type::u64, Type::s64}) {
    const Arithmetic add{.op = Arith::add, .type = Type::u32, .dst = {}, .a = {}, .b = {}, .c = {}};
    Kernel kernel = kernel_of({add, wider, wider, Type::u32, Type::u64}, false);
    std::vector<std::uint64_t> a(threads), b(threads), c(threads), out(threads);
    for (std::uint32_t t = 0; t < threads; ++t) {
      a[t] = rng();
      b[t] = rng();
    }
    ASSERT_FALSE(testing::run_simt(kernel, threads, 1, a, b, c, out).fault);
    for (std::uint32_t t = 0; t < threads; ++t) EXPECT_EQ(out[t], (a[t] + b[t]) & 0xffff'ffffU);
  }
}

}  // namespace
}  // namespace fencewise
