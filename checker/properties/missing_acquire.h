// Whether a missing acquire is what lets a thread see old values: the writer releases, and a thread of the reader's CTA observes
// it, without an acquire behind that.
#pragma once

#include <optional>

#include "checker/check.h"
#include "checker/explore/view/retrace.h"

namespace fencewise {

// The last strong read, before `later` and in its CTA, of what another CTA wrote. `later` is an index into launch.events.
[[nodiscard]] std::optional<MissingAcquire> observation_before(const WitnessLaunch& launch, std::size_t later);

// Of the race in which a path ends, without judging it: no value unless the first thread's CTA releases, and the second one's
// observes something and has no acquire at all. Linear in the events.
[[nodiscard]] std::optional<MissingAcquire> missing_acquire(const LaunchContext& context, const view::Retrace& path);

}  // namespace fencewise
