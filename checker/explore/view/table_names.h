// The names of the columns and rows of a table of knowledge (knowledge_table.h), as numbers.
#pragma once

#include <cstdint>

#include "checker/explore/view/state.h"
#include "kernels/core/error.h"

namespace fencewise::view {

// The name of a column: whose view (thread, message, arrival; its number in 20 bits), which of its views, then up to two numbers.
// Ascending in the order of each_column.
enum class Holder : std::uint8_t { thread, message, arrival, fence_sc };
enum class OfThread : std::uint8_t { known, fences, own, taken };
enum class OfMessage : std::uint8_t { seen, released };
// The name of a row: what it is, its cell, then two numbers: those of a message, or of a kind of accesses.
enum class Row : std::uint8_t { message, access };

constexpr std::uint64_t most_of_each = 1U << 20U;

inline std::uint64_t joined(std::uint64_t first, std::uint64_t a, std::uint64_t which, std::uint64_t b, std::uint64_t c) {
  if (a >= most_of_each || b >= most_of_each || c >= most_of_each)
    throw NotModelled("a launch with this many threads, locations or messages in the view explorer");
  return first << 62U | a << 42U | which << 40U | b << 20U | c;
}
inline std::uint64_t name(Holder holder, std::uint64_t a, std::uint64_t which = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
  return joined(static_cast<std::uint64_t>(holder), a, which, b, c);
}
inline std::uint64_t name(OfThread which, std::uint64_t thread, std::uint64_t cell = 0, std::uint64_t group = 0) {
  return name(Holder::thread, thread, static_cast<std::uint64_t>(which), cell, group);
}
inline std::uint64_t name(OfMessage which, std::uint64_t cell, std::uint64_t message, std::uint64_t group = 0) {
  return name(Holder::message, cell, static_cast<std::uint64_t>(which), message, group);
}
inline std::uint64_t name(Row row, std::uint64_t cell, std::uint64_t a, std::uint64_t b = 0) {
  return joined(static_cast<std::uint64_t>(row), cell, 0, a, b);
}
inline std::uint64_t name_of(CellId cell, const AccessKind& a) {
  return name(Row::access, cell, a.place, std::uint64_t{a.level} << 2U | std::uint64_t{a.strong} << 1U | std::uint64_t{a.write});
}
struct Parts {
  explicit Parts(std::uint64_t name)
      : first(name >> 62U), a(name >> 42U & (most_of_each - 1)), which(name >> 40U & 3U), b(name >> 20U & (most_of_each - 1)),
        c(name & (most_of_each - 1)) {}
  std::uint64_t first, a, which, b, c;
};

}  // namespace fencewise::view
