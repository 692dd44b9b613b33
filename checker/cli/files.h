// Files as the commands read and name them.
#pragma once

#include <string>

namespace fencewise {

// The whole file. Throws InputError naming it: missing, a folder, unreadable, larger than 64 MiB.
[[nodiscard]] std::string read_file(const std::string& path);
// As reports show it: relative to the current folder.
[[nodiscard]] std::string without_absolute_path(const std::string& path);

}  // namespace fencewise
