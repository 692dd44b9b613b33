// The commands of `fencewise`. Each prints its result and returns the exit code; what is wrong with the input is thrown.
#pragma once

#include "checker/cli/options.h"

namespace fencewise {

// 0 verified or all as expected, 1 violated or something differs, 3 inconclusive.
enum ExitCode : int {
  exit_verified = 0,
  exit_violated = 1,
  exit_usage = 2,
  exit_inconclusive = 3,
  exit_bug = 70
};

[[nodiscard]] int list_command(const Options& options);
[[nodiscard]] int show_command(const Options& options);
[[nodiscard]] int check_command(const Options& options);
[[nodiscard]] int check_all_variants(const Options& options);  // check --all-variants
[[nodiscard]] int check_sweep(const Options& options);         // check --sweep
[[nodiscard]] int simulate_command(const Options& options);
[[nodiscard]] int replay_command(const Options& options);
[[nodiscard]] int litmus_command(const Options& options);
[[nodiscard]] int generate_command(const Options& options);
[[nodiscard]] int ptx_command(const Options& options);
[[nodiscard]] int init_command(const Options& options);

[[nodiscard]] int exit_code_of(Verdict verdict);

}  // namespace fencewise
