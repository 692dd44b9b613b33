// `fencewise run KERNEL`: one kernel on the SIMT executor, with its counters.
#pragma once

namespace CLI {
class App;
}

namespace fencewise {

// Sets `exit_code` when the command has run: 1 if the kernel failed, raced or gave a wrong result. What is wrong with the
// input is thrown.
void add_run_command(CLI::App& app, int& exit_code);

}  // namespace fencewise
