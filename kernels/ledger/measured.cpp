#include "kernels/ledger/measured.h"

namespace fencewise {

std::optional<double> measured_gflops(GemmVersion version, std::uint64_t n, const Device& device) {
  if (device.key != "a6000" || n != 4096) return std::nullopt;
  switch (version) {
    case GemmVersion::k1: return 309.0;
    case GemmVersion::k2: return 1986.5;
    case GemmVersion::k3: return 2980.3;
    case GemmVersion::k4: return 8474.7;
    case GemmVersion::k5:
    case GemmVersion::k5v: return 15971.7;
    case GemmVersion::k6: return 18237.3;
    case GemmVersion::k7:
    case GemmVersion::k8:
    case GemmVersion::k9: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fencewise
