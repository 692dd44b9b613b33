#include "kernels/ledger/execute.h"

namespace fencewise {

Executed execute(PreparedRun prepared, unsigned workers) {
  Executed executed{run(prepared, workers), false};
  executed.right = !executed.run.fault && prepared.is_right(prepared);
  return executed;
}

ExecutedGemm execute_gemm(GemmVersion version, const GemmData& data, unsigned workers) {
  PreparedRun prepared = prepare_gemm(version, data);
  ExecutedGemm executed{run(prepared, workers), false, 0};
  executed.same_bits = !executed.run.fault && prepared.is_right(prepared);
  executed.largest_error = largest_error(prepared, data);
  return executed;
}

}  // namespace fencewise
