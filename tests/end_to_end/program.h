// The program under test.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "protocols/protocol.h"  // its Not comes before the `using ::testing::Not` of tests
#include "tests/support/process.h"

namespace fencewise {

// Arguments are split at blanks; there is no shell.
[[nodiscard]] inline testing::ProcessResult fencewise(const std::string& arguments, double interrupt_after = 0) {
  return testing::run_process(FENCEWISE_CLI, arguments, interrupt_after);
}

[[nodiscard]] inline testing::ProcessResult fencewise(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), FENCEWISE_CLI);
  return testing::run_process(arguments);
}
// Two words in braces would else be taken for a string's begin and end.
[[nodiscard]] inline testing::ProcessResult fencewise(std::initializer_list<std::string> arguments) {
  return fencewise(std::vector<std::string>(arguments));
}

}  // namespace fencewise
