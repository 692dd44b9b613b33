// Where a message about a text points, and how it is worded.
//
// Every message is one line: "file:line:column: what was found; what was expected".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fencewise {

// Counted from 1, columns in bytes.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// A word of the file and where it stands.
struct Token {
  std::string text;
  Position at;
};

class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  // Throws InputError: the file is wrong.
  [[noreturn]] void error(Position at, std::string_view message) const;
  // Throws NotModelled: the file is right, and asks for more than we model.
  [[noreturn]] void not_modelled(Position at, std::string_view message) const;

  [[nodiscard]] std::string place(Position at) const;  // "file:line:column"
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
};

// 'text' in single quotes, printable and at most a few dozen characters, whatever the file contained.
[[nodiscard]] std::string quoted(std::string_view text);
// Also for what std::quoted would take if a header brought it in.
[[nodiscard]] inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }
[[nodiscard]] inline std::string quoted(const char* text) { return quoted(std::string_view(text)); }

}  // namespace fencewise
