#include "checker/cli/nvcc.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checker/cli/files.h"
#include "kernels/core/error.h"

extern char** environ;  // NOLINT: POSIX gives it no header

namespace fencewise {
namespace {

namespace fs = std::filesystem;

// A folder of its own that goes away again.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "fencewise-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw InputError("no temporary folder can be made for nvcc");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Runs a program, its output in `log`. Returns its exit status, or -1.
int run_program(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: as exec wants it
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  int status = -1;
  const bool started = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0;
  if (started && waitpid(child, &status, 0) != child) status = -1;
  posix_spawn_file_actions_destroy(&actions);
  return started && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string first_complaint(const std::string& log) {
  std::istringstream lines(log);
  std::string line, first;
  while (std::getline(lines, line)) {
    if (first.empty() && !line.empty()) first = line;
    if (line.find("error") != std::string::npos) return line;
  }
  return first.empty() ? "it says nothing" : first;
}

bool chooses(const std::vector<std::string>& args, std::string_view prefix) {
  return std::any_of(args.begin(), args.end(),
                     [prefix](const std::string& a) { return a.starts_with(prefix); });
}

}  // namespace

std::string find_nvcc() {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("PATH")) {
    std::istringstream in(path);
    for (std::string folder; std::getline(in, folder, ':');) folders.emplace_back(folder);
  }
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(fs::path(home) / "bin");
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders) {
    const std::string nvcc = (folder / "nvcc").string();
    if (!folder.empty() && access(nvcc.c_str(), X_OK) == 0) return nvcc;
  }
  return "";
}

std::string compile_to_ptx(const std::string& file, const std::vector<std::string>& args) {
  (void)read_file(file);
  const std::string nvcc = find_nvcc();
  if (nvcc.empty())
    throw InputError(
        fmt::format("{} needs nvcc, which is neither on PATH nor in CUDA_HOME; compile it elsewhere with "
                    "nvcc -ptx -O3 -lineinfo, and give the .ptx file",
                    file));
  const TemporaryFolder folder;
  const std::string ptx = folder / "kernel.ptx", log = folder / "log";
  std::vector<std::string> command{nvcc, "-ptx", "-O3", "-lineinfo"};
  if (!chooses(args, "-arch") && !chooses(args, "--gpu-architecture")) command.emplace_back("-arch=sm_90");
  if (!chooses(args, "-std") && !chooses(args, "--std")) command.emplace_back("-std=c++17");
  command.insert(command.end(), args.begin(), args.end());
  command.insert(command.end(), {file, "-o", ptx});
  if (run_program(command, log) != 0)
    throw InputError(fmt::format("nvcc refuses {}: {}", file, first_complaint(read_file(log))));
  return read_file(ptx);
}

}  // namespace fencewise
