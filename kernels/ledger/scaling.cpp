#include "kernels/ledger/scaling.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

// What happens once a thread. The rest grows with the number of steps.
bool grows_with_square(std::string_view counter) {
  return counter.starts_with("gst") || counter == "branch_instr";
}
bool is_sum(std::string_view counter) { return counter == "warp_instr" || counter == "lane_instr"; }

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw InputError("the scaled ledger exceeds 64 bits");
  return product;
}

}  // namespace

Counters scale_gemm(const Counters& counters, std::uint64_t factor) {
  if (counters.lane_instr != 32 * counters.warp_instr)
    throw InputError("only ledgers of full warps can be scaled to another size");
  const std::uint64_t square = multiply(factor, factor), cube = multiply(square, factor);
  Counters scaled;
  for (const CounterField& f : counter_fields())
    if (!is_sum(f.name))
      scaled.*f.member = multiply(counters.*f.member, grows_with_square(f.name) ? square : cube);
  scaled.warp_instr = scaled.gld_instr + scaled.gst_instr + scaled.lds_instr + scaled.sts_instr +
                      scaled.bar_instr + scaled.branch_instr + scaled.alu_instr + scaled.ffma_instr +
                      scaled.shfl_instr + scaled.atom_instr;
  scaled.lane_instr = multiply(32, scaled.warp_instr);
  return scaled;
}

double deviation(const Counters& a, const Counters& b) {
  double worst = 0;
  for (const CounterField& f : counter_fields()) {
    const auto x = static_cast<double>(a.*f.member), y = static_cast<double>(b.*f.member);
    if (x != y) worst = std::max(worst, std::max(x, y) / std::max(std::min(x, y), 1.0) - 1);
  }
  return worst;
}

double per_thousand_fma(std::uint64_t count, const Counters& counters) {
  return counters.fma == 0 ? 0 : 1000.0 * static_cast<double>(count) / static_cast<double>(counters.fma);
}

}  // namespace fencewise
