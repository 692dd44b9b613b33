#include "checker/cli/commands.h"
#include "checker/cli/cuda_source.h"
#include "checker/cli/output.h"
#include "checker/cli/subject.h"
#include "kernels/frontend/ptx/describe.h"

namespace fencewise {

int ptx_command(const Options& options) {
  print_out(ptx::describe(read_program(options.subject, words(options.nvcc_args))));
  return exit_verified;
}

int init_command(const Options& options) {
  const ptx::Program program = read_program(options.subject, words(options.nvcc_args));
  const std::string text = ptx::launch_file_for(program, program.entry(options.kernel));
  write_output(options.out.empty() ? "-" : options.out, text);
  return exit_verified;
}

}  // namespace fencewise
