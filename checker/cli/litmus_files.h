// The litmus files that a command line names.
#pragma once

#include <string>
#include <vector>

namespace fencewise {

struct LitmusFile {
  std::string path;       // to open
  std::string shown;      // as reports name it: as given, never absolute
  std::string in_folder;  // from the folder that was given on; of a file that was given, its name
};

// Files as they are given; of folders every .litmus file in them and below, sorted. Each file once.
// Throws InputError for what can't be read, and for a folder without tests.
[[nodiscard]] std::vector<LitmusFile> litmus_files(const std::vector<std::string>& paths);

// `path` from `folder` on, with links resolved; generic separators.
[[nodiscard]] std::string relative_to(const std::string& folder, const std::string& path);

}  // namespace fencewise
