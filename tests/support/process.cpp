#include "tests/support/process.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fencewise::testing {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;
constexpr Seconds patience{120};

// In the child: stdout and stderr go to files, so that no pipe can fill up.
[[noreturn]] void become(const std::vector<std::string>& argv, const std::string& out, const std::string& err,
                         const std::vector<std::pair<std::string, std::string>>& environment) {
  const auto redirect = [](int to, const char* path, int flags) {
    const int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, to) < 0) _exit(127);
  };
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

// The child's exit code. Polls: tests of a few milliseconds, no need for more.
int wait_for(pid_t child, double interrupt_after) {
  const auto start = Clock::now();
  bool interrupted = interrupt_after <= 0;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const Seconds elapsed = Clock::now() - start;
    if (!interrupted && elapsed.count() >= interrupt_after) {
      kill(child, SIGINT);
      interrupted = true;
    }
    if (elapsed > patience) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, double interrupt_after,
                          const std::vector<std::pair<std::string, std::string>>& environment) {
  const ScratchFolder folder;
  const std::string out = folder.file("out"), err = folder.file("err");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(argv, out, err, environment);
  ProcessResult result;
  result.exit_code = wait_for(child, interrupt_after);
  result.out = contents_of(out);
  result.err = contents_of(err);
  return result;
}

ProcessResult run_process(const std::string& program, const std::string& arguments, double interrupt_after) {
  std::vector<std::string> argv{program};
  std::istringstream words(arguments);
  for (std::string word; words >> word;) argv.push_back(word);
  return run_process(argv, interrupt_after);
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "fencewise-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace fencewise::testing
