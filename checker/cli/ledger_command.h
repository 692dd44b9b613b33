// `fencewise ledger banks|sync|reduction|gemm|tiles|splitk`: performance ledgers.
#pragma once

namespace CLI {
class App;
}

namespace fencewise {

// Sets `exit_code` when the command has run; what is wrong with the input is thrown.
void add_ledger_command(CLI::App& app, int& exit_code);

}  // namespace fencewise
