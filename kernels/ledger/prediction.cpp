#include "kernels/ledger/prediction.h"

#include <algorithm>

namespace fencewise {
namespace {

double issue_seconds(const Counters& c, const Device& d) {
  return static_cast<double>(c.warp_instr) / (issues_per_clock * d.rate());
}
double shared_seconds(const Counters& c, const Device& d) {
  return static_cast<double>(c.smem_wavefronts()) / d.rate();
}

}  // namespace

const TimeTerm& Prediction::bound() const {
  return *std::max_element(terms.begin(), terms.end(),
                           [](const TimeTerm& a, const TimeTerm& b) { return a.seconds < b.seconds; });
}

double Prediction::seconds_of(std::string_view resource) const {
  const auto it =
      std::find_if(terms.begin(), terms.end(), [&](const TimeTerm& t) { return t.resource == resource; });
  return it == terms.end() ? 0 : it->seconds;
}

Prediction predict_reduction(const Counters& c, const Device& d) {
  const double memory = 32.0 * static_cast<double>(c.gld_sectors + c.gst_sectors) / d.bandwidth;
  return {{{"issue", issue_seconds(c, d)}, {"shared", shared_seconds(c, d)}, {"memory", memory}}};
}

Prediction predict_gemm(const Counters& c, const Device& d) {
  const double l1 = static_cast<double>(c.gld_lines + c.gst_lines) / d.rate();
  const double fma = static_cast<double>(c.fma) / (d.rate() * d.fma_per_clock);
  return {{{"issue", issue_seconds(c, d)}, {"L1", l1}, {"shared", shared_seconds(c, d)}, {"FMA", fma}}};
}

double gemm_gflops(std::uint64_t n, double seconds) {
  const auto size = static_cast<double>(n);
  return 2 * size * size * size / seconds / 1e9;
}

}  // namespace fencewise
