// Files as the commands read and name them.
#pragma once

#include <cstddef>
#include <string>

namespace fencewise {

inline constexpr std::size_t largest_text = std::size_t{64} << 20U;  // bytes

// The whole file. Throws InputError naming it: missing, a folder, unreadable, larger than `most` bytes (whole MiB).
[[nodiscard]] std::string read_file(const std::string& path, std::size_t most = largest_text);
// As reports show it: relative to the current folder.
[[nodiscard]] std::string without_absolute_path(const std::string& path);

}  // namespace fencewise
