// Barriers of the CTA used in a way whose outcome PTX does not define (explore/barrier_rules.h).
#pragma once

#include <optional>
#include <string>

#include "checker/explore/partial_execution.h"
#include "memmodel/relations.h"

namespace fencewise {

// Two arrivals that do not go together, though nothing keeps them apart.
struct BarrierMisuse {
  EventId first = no_event, second = no_event;
  std::string barrier;  // "barrier 1 of CTA 0"
  std::string message;
};

[[nodiscard]] std::optional<BarrierMisuse> find_barrier_misuse(const PartialExecution& execution, const Relations& relations);

}  // namespace fencewise
