// Who can synchronize with whom: scopes, and where a thread stands in the machine.
//
// Scopes are ordered from narrow to wide, so a < b reads "a is narrower than b". A warp is not a scope.
// Source: PTX ISA 9.1, Memory Consistency Model, "Scope" (8.5).
#pragma once

#include <compare>
#include <cstdint>

namespace fencewise {

enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

// Ids count from 0 within their kind. A type each, so that a CTA can't be passed for a device.
struct CtaId {
  std::uint32_t value = 0;
  friend auto operator<=>(CtaId, CtaId) = default;
};
struct ClusterId {
  std::uint32_t value = 0;
  friend auto operator<=>(ClusterId, ClusterId) = default;
};
struct DeviceId {
  std::uint32_t value = 0;
  friend auto operator<=>(DeviceId, DeviceId) = default;
};

// Invariant: threads with the same `cta` have the same `cluster`; likewise upwards. Ids are unique in the
// whole machine: CTA 0 of device 0 and CTA 0 of device 1 are two different CtaIds.
struct Placement {
  CtaId cta;
  ClusterId cluster;
  DeviceId device;
  friend auto operator<=>(const Placement&, const Placement&) = default;
};

// True if an operation at `scope` by a thread at `from` includes a thread at `to`.
// Symmetric in `from` and `to`; what a scope includes, every wider scope includes too. O(1).
[[nodiscard]] constexpr bool includes(Scope scope, const Placement& from, const Placement& to) {
  switch (scope) {
    case Scope::cta: return from.cta == to.cta;
    case Scope::cluster: return from.cluster == to.cluster;
    case Scope::gpu: return from.device == to.device;
    case Scope::sys: return true;
  }
  return false;
}

[[nodiscard]] constexpr const char* name(Scope scope) {
  switch (scope) {
    case Scope::cta: return "cta";
    case Scope::cluster: return "cluster";
    case Scope::gpu: return "gpu";
    case Scope::sys: return "sys";
  }
  return "?";
}

}  // namespace fencewise
