#include "kernels/frontend/ptx/opcode.h"

#include <algorithm>
#include <charconv>

namespace fencewise::ptx {

Opcode::Opcode(std::string_view text) {
  std::size_t at = std::min(text.find('.'), text.size());
  mnemonic_ = text.substr(0, at);
  while (at < text.size()) {
    const std::size_t next = std::min(text.find('.', at + 1), text.size());
    modifiers_.emplace_back(text.substr(at + 1, next - at - 1));
    at = next;
  }
}

bool Opcode::has(std::string_view modifier) const {
  return std::find(modifiers_.begin(), modifiers_.end(), modifier) != modifiers_.end();
}

bool Opcode::take(std::string_view modifier) {
  const auto it = std::find(modifiers_.begin(), modifiers_.end(), modifier);
  if (it == modifiers_.end()) return false;
  modifiers_.erase(it);
  return true;
}

void Opcode::take_prefixed(std::string_view prefix) {
  std::erase_if(modifiers_, [prefix](const std::string& m) { return m.starts_with(prefix); });
}

std::optional<Type> Opcode::take_type() {
  for (auto it = modifiers_.begin(); it != modifiers_.end(); ++it)
    if (const auto type = type_named(*it)) {
      modifiers_.erase(it);
      return type;
    }
  return std::nullopt;
}

unsigned Opcode::take_vector() { return take<unsigned>({{"v2", 2}, {"v4", 4}}).value_or(1); }

std::optional<Type> type_named(std::string_view word) {
  if (word.starts_with('.')) word.remove_prefix(1);
  if (word == "b8") return Type::u8;
  if (word == "b16") return Type::u16;
  if (word == "b32") return Type::u32;
  if (word == "b64") return Type::u64;
  return parse_type(word);
}

std::uint64_t size_of_type(std::string_view word) {
  if (const auto type = type_named(word)) return size_of(*type);
  if (word.starts_with('.')) word.remove_prefix(1);
  if (word.find("x2") != std::string_view::npos) return 4;  // f16x2, bf16x2
  if (word.starts_with("bf16")) return 2;
  std::uint64_t bits = 0;
  if (!word.empty()) std::from_chars(word.data() + 1, word.data() + word.size(), bits);
  return bits / 8;
}

}  // namespace fencewise::ptx
