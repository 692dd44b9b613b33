#include "kernels/core/verdict.h"

#include <array>

namespace fencewise {
namespace {

constexpr std::array<std::string_view, 12> kinds = {
    "assertion",  "race",  "contract",         "unwritten-read", "out-of-bounds",   "misaligned",
    "mixed-size", "barrier-divergence", "stuck", "livelock",      "order-dependent", "trap"};

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::verified: return "verified";
    case Verdict::violated: return "violated";
    case Verdict::inconclusive: return "inconclusive";
  }
  return "?";
}

std::string_view name(FindingKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<FindingKind> parse_finding_kind(std::string_view text) {
  for (std::size_t n = 0; n < kinds.size(); ++n)
    if (kinds[n] == text) return static_cast<FindingKind>(n);
  return std::nullopt;
}

}  // namespace fencewise
