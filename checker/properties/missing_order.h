// Which order is missing between two accesses of different threads, and at which instructions.
//
// Threads are ordered through what one of them writes and another observes: a way leads from the first access by program order,
// barriers and strong reads of strong writes to the later one. Where each write on it ends a release pattern, each read begins an
// acquire pattern, and the two are morally strong to each other, it orders the accesses. Of all ways the one that lacks least is
// taken; what it lacks are the gaps. Needs no relations of the whole graph: those of the events on the ways are derived.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/explore/partial_execution.h"

namespace fencewise {

struct OrderGap {
  enum class Kind : std::uint8_t { release, acquire, scope };
  Kind kind = Kind::release;
  EventId at = no_event;     // a release is missing before this write, an acquire behind this read; the release whose scope is narrow
  EventId other = no_event;  // of a scope: the acquire
};

struct OrderLack {
  EventId first = no_event, later = no_event;
  MissingOrder missing = MissingOrder::observation;
  std::vector<OrderGap> gaps = {};  // along the way; empty: nothing leads from the first access to the later one
  EventId barrier = no_event;  // without gaps: one that stands between the accesses, but orders only others
};

// Whether a barrier of their CTA could order them; threads that are placed by hand have none.
[[nodiscard]] bool of_one_cta(const LaunchContext& context, ThreadId a, ThreadId b);

[[nodiscard]] OrderLack missing_order(const PartialExecution& execution, EventId first, EventId later);
// Of a race: from one of the two to the other, whichever lacks less.
[[nodiscard]] OrderLack missing_order_between(const PartialExecution& execution, EventId a, EventId b);

// "no acquire before the later access: ... after the read at k.cu:35 by CTA 1 thread 0".
[[nodiscard]] std::string in_words(const PartialExecution& execution, const OrderLack& lack);
// The source lines of the gaps and of the barrier; unknown ones are left out.
[[nodiscard]] std::vector<SourceRef> lines_of(const PartialExecution& execution, const OrderLack& lack);
// If acquires are all that is missing: the first read that has none.
[[nodiscard]] std::optional<MissingAcquire> missing_acquire(const PartialExecution& execution, const OrderLack& lack);

}  // namespace fencewise
