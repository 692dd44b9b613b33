// Runs a program and keeps what it says: for tests of the command line.
#pragma once

#include <string>
#include <vector>

namespace fencewise::testing {

struct ProcessResult {
  int exit_code = -1;  // 128 + n where signal n ended it
  std::string out, err;
};

// argv[0] is looked up in PATH. stdin is empty. Variables are set for the child alone.
// With `interrupt_after` > 0 it is sent SIGINT after so many seconds. A run of more than two minutes is killed.
[[nodiscard]] ProcessResult run_process(
    const std::vector<std::string>& argv, double interrupt_after = 0,
    const std::vector<std::pair<std::string, std::string>>& environment = {});

// Arguments are split at blanks; there is no shell.
[[nodiscard]] ProcessResult run_process(const std::string& program, const std::string& arguments, double interrupt_after = 0);

// A folder of its own that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

[[nodiscard]] std::string contents_of(const std::string& path);
void write_file(const std::string& path, const std::string& text);

}  // namespace fencewise::testing
