// The spelling of enumerators on the command line and in JSON, both ways, from one table each.
//
// The names of verdicts, finding kinds, models and progress models are with their types (kernels/core/verdict.h, memmodel/model.h,
// checker/progress_model.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checker/check.h"
#include "memmodel/execution_graph.h"
#include "memmodel/operation.h"
#include "memmodel/scope.h"

namespace fencewise {

template <class Enum> struct EnumName {
  Enum value;
  std::string_view name;
};

// Specialized in names.cpp for the types below.
template <class Enum> [[nodiscard]] std::span<const EnumName<Enum>> names_of();

template <> [[nodiscard]] std::span<const EnumName<Races>> names_of<Races>();
template <> [[nodiscard]] std::span<const EnumName<Vectors>> names_of<Vectors>();
template <> [[nodiscard]] std::span<const EnumName<Engine>> names_of<Engine>();
template <> [[nodiscard]] std::span<const EnumName<ProgressModel>> names_of<ProgressModel>();
template <> [[nodiscard]] std::span<const EnumName<Verdict>> names_of<Verdict>();
template <> [[nodiscard]] std::span<const EnumName<FindingKind>> names_of<FindingKind>();
template <> [[nodiscard]] std::span<const EnumName<Model>> names_of<Model>();
template <> [[nodiscard]] std::span<const EnumName<EventKind>> names_of<EventKind>();
template <> [[nodiscard]] std::span<const EnumName<Order>> names_of<Order>();
template <> [[nodiscard]] std::span<const EnumName<Scope>> names_of<Scope>();
template <> [[nodiscard]] std::span<const EnumName<Proxy>> names_of<Proxy>();
template <> [[nodiscard]] std::span<const EnumName<ProxyFence>> names_of<ProxyFence>();

template <class Enum> [[nodiscard]] std::string_view spelling(Enum value) {
  for (const auto& entry : names_of<Enum>())
    if (entry.value == value) return entry.name;
  return "?";
}

template <class Enum> [[nodiscard]] std::optional<Enum> from_spelling(std::string_view text) {
  for (const auto& entry : names_of<Enum>())
    if (entry.name == text) return entry.value;
  return std::nullopt;
}

// "fail, report or off"
template <class Enum> [[nodiscard]] std::string spellings() {
  std::string text;
  const auto all = names_of<Enum>();
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (n > 0) text += n + 1 == all.size() ? " or " : ", ";
    text += all[n].name;
  }
  return text;
}

}  // namespace fencewise
