// What a check can answer, and the kinds of what it can find.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fencewise {

enum class Verdict : std::uint8_t { verified, violated, inconclusive };

enum class FindingKind : std::uint8_t {
  assertion,           // a final condition fails
  race,                // a data race
  contract,            // a launch does not leave memory as it found it
  unwritten_read,      // memory nobody wrote is read, or its poison steers control or reaches an output
  out_of_bounds,
  misaligned,
  mixed_size,          // racing accesses that overlap partly: the model gives no guarantee
  barrier_divergence,
  stuck,               // a thread can never finish (barrier, deadlock)
  livelock,            // a thread can spin for ever
  order_dependent,     // an output depends on the CTA finish order
  trap,
};

[[nodiscard]] std::string_view name(Verdict verdict);
[[nodiscard]] std::string_view name(FindingKind kind);  // as the command line and JSON spell it: "unwritten-read"
[[nodiscard]] std::optional<FindingKind> parse_finding_kind(std::string_view text);

}  // namespace fencewise
