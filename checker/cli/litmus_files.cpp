#include "checker/cli/litmus_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void unreadable(const fs::path& path, const std::error_code& error) {
  throw InputError(fmt::format("can't read {}: {}", path.generic_string(), error.message()));
}

std::string shown(const fs::path& path) {
  return (path.is_absolute() ? path.lexically_proximate(fs::current_path()) : path.lexically_normal())
      .generic_string();
}

// Links to folders are not followed, so that a ring of them ends.
std::vector<fs::path> tests_below(const fs::path& folder) {
  std::vector<fs::path> tests;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  while (!error && at != fs::recursive_directory_iterator()) {
    std::error_code of_entry;
    if (at->path().extension() == ".litmus" && !at->is_directory(of_entry)) tests.push_back(at->path());
    at.increment(error);
  }
  if (error) unreadable(folder, error);
  if (tests.empty()) throw InputError(fmt::format("no .litmus file in {}", folder.generic_string()));
  std::sort(tests.begin(), tests.end());
  return tests;
}

}  // namespace

std::vector<LitmusFile> litmus_files(const std::vector<std::string>& paths) {
  std::vector<LitmusFile> files;
  std::set<fs::path> seen;
  const auto add = [&](const fs::path& path, const fs::path& in_folder) {
    std::error_code error;
    const fs::path resolved = fs::canonical(path, error);
    if (error) unreadable(path, error);
    if (seen.insert(resolved).second)
      files.push_back({path.string(), shown(path), in_folder.generic_string()});
  };
  for (const std::string& given : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(given, error);
    if (!fs::status_known(status) || !fs::exists(status))
      unreadable(given, error ? error : std::make_error_code(std::errc::no_such_file_or_directory));
    if (!fs::is_directory(status)) {
      add(given, fs::path(given).filename());
      continue;
    }
    for (const fs::path& test : tests_below(given)) add(test, test.lexically_relative(given));
  }
  return files;
}

std::string relative_to(const std::string& folder, const std::string& path) {
  const fs::path from = fs::weakly_canonical(folder.empty() ? fs::path(".") : fs::path(folder));
  return fs::weakly_canonical(path).lexically_proximate(from).generic_string();
}

}  // namespace fencewise
