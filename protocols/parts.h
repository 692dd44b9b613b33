// What protocol files are written with: buffers, expectations, and variants as changes to the steps of a kernel.
//
// A kernel is written once, over a struct of steps ("which fence here, is there a reset"). The struct's defaults are
// the protocol as it should be; a variant is a row that changes one of them and says what a check must then answer.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/core/builder.h"
#include "kernels/core/error.h"
#include "kernels/core/optional_fence.h"
#include "protocols/protocol.h"

namespace fencewise::protocols {

// --- buffers ---

// A launch without work has its buffers all the same: none is empty.
[[nodiscard]] inline std::uint64_t length_of(std::int64_t elements) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(elements, 1));
}

// Written by the host before each replay: symbols, so that a verdict holds for all values.
[[nodiscard]] inline Buffer input(std::string name, Type element, std::int64_t length) {
  return {std::move(name),
          element,
          length_of(length),
          Role::input,
          InitialContents::of(InitialContents::Kind::symbols),
          std::nullopt,
          false};
}
// Likewise, but i mod `modulus`: whole numbers so small that sums of their products are exact.
[[nodiscard]] inline Buffer whole_numbers(std::string name, std::int64_t length, std::int64_t modulus) {
  Buffer buffer = input(std::move(name), Type::f32, length);
  buffer.initial = InitialContents::of(InitialContents::Kind::values);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(buffer.length); ++i)
    buffer.initial.values.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(i % modulus)));
  return buffer;
}
// Poison before each replay.
[[nodiscard]] inline Buffer output(std::string name, Type element, std::int64_t length) {
  return {std::move(name),
          element,
          length_of(length),
          Role::output,
          InitialContents::of(InitialContents::Kind::unwritten),
          std::nullopt,
          false};
}
// Stays from replay to replay.
[[nodiscard]] inline Buffer workspace(std::string name, Type element, std::int64_t length,
                                      InitialContents::Kind initial) {
  return {std::move(name),
          element,
          length_of(length),
          Role::workspace,
          InitialContents::of(initial),
          std::nullopt,
          false};
}

[[nodiscard]] inline BufferTerm term(const Problem& problem, std::string_view buffer) {
  const auto id = problem.find_buffer(buffer);
  if (!id) throw InternalError("this is a bug in fencewise: no buffer " + std::string(buffer));
  return BufferTerm(*id);
}

// --- expectations ---

[[nodiscard]] inline Expectation verified() { return {}; }
// The first finding is of one of these kinds, and at `place` (a prefix of the location) where given.
[[nodiscard]] inline Expectation violated(std::vector<FindingKind> kinds, std::string place = "") {
  return {Verdict::violated, std::move(kinds), std::move(place), false};
}
// Wrong though race-free: looking for races alone would not find it.
[[nodiscard]] inline Expectation violated_without_race(std::vector<FindingKind> kinds,
                                                       std::string place = "") {
  return {Verdict::violated, std::move(kinds), std::move(place), true};
}

// --- variants ---

template <class Steps> struct Row {
  using Change = std::function<void(Steps&)>;

  Row(std::string name, std::string summary, std::vector<Need> needs, Expectation ptx, Expectation sc,
      Change step_change)
      : variant{std::move(name), std::move(summary), std::move(needs), std::move(ptx), std::move(sc)},
        change(std::move(step_change)) {}

  Variant variant;
  Change change;  // null: the base
};

template <class Steps> [[nodiscard]] std::vector<Variant> variants_of(const std::vector<Row<Steps>>& rows) {
  std::vector<Variant> variants;
  for (const auto& row : rows) variants.push_back(row.variant);
  return variants;
}

// The steps of a variant: `steps` with its change applied.
template <class Steps>
[[nodiscard]] Steps change(Steps steps, const std::vector<Row<Steps>>& rows, std::string_view variant) {
  for (const auto& row : rows)
    if (row.variant.name == variant && row.change) row.change(steps);
  return steps;
}

}  // namespace fencewise::protocols
