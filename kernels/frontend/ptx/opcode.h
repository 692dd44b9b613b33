// The words of an instruction: "atom.global.cta.add.u32" is the mnemonic atom and four modifiers.
//
// Compilers write modifiers in any order, so that they are a set here: whoever understands one takes it, and what is
// left at the end is not understood.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/core/type.h"

namespace fencewise::ptx {

class Opcode {
 public:
  explicit Opcode(std::string_view text);

  [[nodiscard]] const std::string& mnemonic() const { return mnemonic_; }
  [[nodiscard]] const std::vector<std::string>& modifiers() const { return modifiers_; }

  [[nodiscard]] bool has(std::string_view modifier) const;
  // True if it was there.
  bool take(std::string_view modifier);
  // All that begin so, such as the hints "L1::" and "L2::".
  void take_prefixed(std::string_view prefix);
  // The first modifier that is in the table.
  template <class T> std::optional<T> take(std::initializer_list<std::pair<std::string_view, T>> table) {
    for (const auto& [word, meaning] : table)
      if (take(word)) return meaning;
    return std::nullopt;
  }
  // The first type; of two (cvt, set) the destination's.
  std::optional<Type> take_type();
  // 2 or 4 for .v2 and .v4, else 1.
  unsigned take_vector();

 private:
  std::string mnemonic_;
  std::vector<std::string> modifiers_;
};

// ".u32", "u32" or "b32": bits count as unsigned. No value: a type that is not modelled (f16, b128, ...) or none at all.
[[nodiscard]] std::optional<Type> type_named(std::string_view word);
// In bytes; also of types that are not modelled. 0: no type.
[[nodiscard]] std::uint64_t size_of_type(std::string_view word);

}  // namespace fencewise::ptx
