// Scalar types of registers, array elements and accesses.
//
// As in PTX a register is only bits; the type is the instruction's. Signedness matters to comparison, division,
// right shift, widening and min/max.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fencewise {

enum class Type : std::uint8_t { pred, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64 };

[[nodiscard]] constexpr std::uint32_t size_of(Type type) {  // bytes; a predicate counts 1
  switch (type) {
    case Type::pred:
    case Type::u8:
    case Type::s8: return 1;
    case Type::u16:
    case Type::s16: return 2;
    case Type::u32:
    case Type::s32:
    case Type::f32: return 4;
    case Type::u64:
    case Type::s64:
    case Type::f64: return 8;
  }
  return 0;
}

[[nodiscard]] constexpr bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }
[[nodiscard]] constexpr bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

[[nodiscard]] constexpr const char* name(Type type) {
  switch (type) {
    case Type::pred: return "pred";
    case Type::u8: return "u8";
    case Type::u16: return "u16";
    case Type::u32: return "u32";
    case Type::u64: return "u64";
    case Type::s8: return "s8";
    case Type::s16: return "s16";
    case Type::s32: return "s32";
    case Type::s64: return "s64";
    case Type::f32: return "f32";
    case Type::f64: return "f64";
  }
  return "?";
}

[[nodiscard]] std::optional<Type> parse_type(std::string_view text);

// Keeps the low bits that `type` holds, sign-extended to 64 bits where it is signed. f32 keeps 32 bits, a
// predicate becomes 0 or 1.
[[nodiscard]] constexpr std::uint64_t truncate(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::pred: return bits != 0;
    case Type::u8: return bits & 0xffU;
    case Type::u16: return bits & 0xffffU;
    case Type::u32:
    case Type::f32: return bits & 0xffff'ffffU;
    case Type::s8: return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(bits)));
    case Type::s16: return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(bits)));
    case Type::s32: return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
    case Type::u64:
    case Type::s64:
    case Type::f64: return bits;
  }
  return bits;
}

}  // namespace fencewise
