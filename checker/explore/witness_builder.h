// Turns a behaviour of one launch into what a report shows: events in an order of execution, with values and names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/explore/partial_execution.h"
#include "memmodel/relations.h"

namespace fencewise {

struct LaunchNumber {
  std::uint32_t replay = 1;
  std::uint32_t launch = 1;
};

// `involved`: events that the finding is about. The relations are derived for the execution's graph.
[[nodiscard]] WitnessLaunch witness_of(const PartialExecution& execution, const Relations& relations,
                                       LaunchNumber number, const std::vector<EventId>& involved = {});

// Fills in what the execution prints, between the witness's events. `actions`: how many of its actions each thread has taken, if not
// all; what comes later is left out.
void add_printed(WitnessLaunch& launch, const PartialExecution& execution, std::span<const std::uint32_t> actions = {});

// Fills in the launches and threads of a witness, without events.
void name_threads(WitnessLaunch& launch, const LaunchContext& context);

// "CTA 1 thread 0", with its launch before it where several overlap, or the kernel's name where threads are placed by hand.
[[nodiscard]] std::string thread_name(const LaunchContext& context, ThreadId thread);

// The instruction of an event of a thread, as printed.
[[nodiscard]] std::string instruction_text(const PartialExecution& execution, EventId event);
// The instruction's text and line, as an event of a witness shows them.
void show_instruction(WitnessEvent& event, const Kernel& kernel, InstructionRef at);
[[nodiscard]] SourceRef source_of(const PartialExecution& execution, EventId event);

// The order of execution: po, reads-from and synchronization respected where they have no cycle; threads run on as long as
// they can. No value: they have one.
[[nodiscard]] std::optional<std::vector<EventId>> execution_order(const PartialExecution& execution,
                                                                  const Relations& relations);
[[nodiscard]] std::vector<std::uint32_t> finish_order(const PartialExecution& execution,
                                                      const std::vector<EventId>& order);

}  // namespace fencewise
