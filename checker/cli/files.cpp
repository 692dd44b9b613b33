#include "checker/cli/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {

std::string without_absolute_path(const std::string& path) {
  const std::filesystem::path p(path);
  return p.is_absolute() ? p.lexically_proximate(std::filesystem::current_path()).generic_string()
                         : p.generic_string();
}

std::string read_file(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw InputError(fmt::format("{} is a folder", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("can't read {}: {}", path, std::strerror(errno)));
  std::string text;
  std::array<char, std::size_t{1} << 16U> chunk;
  while (file.read(chunk.data(), chunk.size()) || file.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most) throw InputError(fmt::format("{} is larger than {} MiB", path, most >> 20U));
  }
  return text;
}

}  // namespace fencewise
