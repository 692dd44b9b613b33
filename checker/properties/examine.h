// Looks at one behaviour of a launch: what is wrong with it, and what memory it leaves.
//
// The one place where properties of behaviours are evaluated: the search, replays of counterexamples and repairs all come
// here.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/explore/memory_image.h"
#include "checker/explore/partial_execution.h"
#include "checker/explore/witness_builder.h"
#include "memmodel/relations.h"

namespace fencewise {

// Where in the plan the behaviour happens.
struct PlanPoint {
  LaunchNumber number;
  bool ends_replay = true;
  bool ends_plan = true;
  const MemoryImage* replay_entry = nullptr;  // memory as the replay found it
  const MemoryImage* other = nullptr;  // that another behaviour left at the end of this replay (determinism); may be null
};

struct Examination {
  // False for a behaviour that is only a detour of another: a thread spins on a value that a newer one replaces.
  bool counts = true;
  bool complete = false;                // every thread has ended
  std::optional<MemoryImage> after;     // of a complete behaviour
  std::vector<Finding> findings;        // without witness before `witnessed`
  std::optional<std::string> unexplored;  // a bound or something not modelled was met here
  bool condition_met = false;           // exists / never: some final state satisfies the condition
  std::vector<std::string> final_states;
};

// What to look for; `seen_races` are locations already reported, not to be looked at again.
struct ExamineOptions {
  Races races = Races::fail;
  bool final_states = false;
  std::set<std::string> seen_races;
};

// Witness launches of the findings are built for this launch only; the caller puts earlier launches before them.
[[nodiscard]] Examination examine(PartialExecution& execution, Relations& relations, const PlanPoint& point,
                                  const ExamineOptions& options);

// A final state as CheckResult::final_states spells it; `registers` [thread][register], empty: none are told.
[[nodiscard]] std::string text_of_state(const LaunchContext& context, const std::vector<std::vector<Value>>& registers,
                                        const MemoryImage& memory);

// Findings in the order in which they are shown: violating ones first, then by how much they explain.
void sort_findings(std::vector<Finding>& findings);
// A finding after which a path of the search ends; the others (contract) are only noted.
[[nodiscard]] bool ends_path(const Finding& finding);

}  // namespace fencewise
