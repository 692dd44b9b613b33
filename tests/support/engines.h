// One program, explored by the graph explorer and by the view explorer: do they say the same?
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "checker/check.h"
#include "kernels/core/problem.h"

namespace fencewise::testing {

struct EngineComparison {
  std::string skipped;     // why there is nothing to compare: the graph explorer did not end
  std::string declined;    // why the view explorer takes the program not, or only in part
  std::string difference;  // what differs; empty: they agree, as far as they were compared
  bool race = false, violated = false;
  bool grid = false;        // threads of a grid; else placed by hand
  std::size_t states = 0;   // final states, of race-free programs
  std::uint64_t stored = 0;  // states that the view explorer stored
};

// What may be chosen for the view explorer.
struct ViewChoice {
  Reduction one_sided = Reduction::automatic;
  Reduction forgetful_polls = Reduction::automatic;
  Reduction symmetry = Reduction::automatic;
  ViewReductions reductions{};
};

// The graph explorer's answer to a program, which is compared with many.
struct GraphAnswer {
  std::string skipped;
  bool race = false, violated = false;
  std::set<FindingKind> kinds;
  std::set<std::string> final_states;  // of grids: memory only
};
[[nodiscard]] GraphAnswer graph_answer(const Problem& problem);

// Verdict, existence of a race, whether a thread can hang and, of race-free programs, the set of final states. `graph` is asked
// where the view explorer does not decline.
[[nodiscard]] EngineComparison compare_engines(const Problem& problem, const std::function<GraphAnswer()>& graph,
                                               const ViewChoice& choice = {});
[[nodiscard]] EngineComparison compare_engines(const Problem& problem, const ViewChoice& choice = {});

// How a sample of programs spreads.
class EngineSpread {
 public:
  void count(const EngineComparison& comparison);
  [[nodiscard]] std::uint64_t compared() const { return raced_ + race_free_; }
  [[nodiscard]] std::uint64_t with_states() const { return with_states_; }  // race-free, with two final states or more
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t raced_ = 0, race_free_ = 0, with_states_ = 0, wrong_ = 0, grids_ = 0, stored_ = 0;
  std::map<std::string, std::uint64_t> skipped_, declined_;  // reason -> programs
  std::map<std::size_t, std::uint64_t> states_;              // final states, next power of 2 -> race-free programs
};

}  // namespace fencewise::testing
