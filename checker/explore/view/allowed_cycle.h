// Cycles of a state graph that the progress model allows to go round for ever.
//
// A strongly connected part is looked at as a whole: a run may take all its steps again and again. If a member is wronged there
// (schedulers.h), so it is by every run in that part in which its group makes steps for ever; the steps of that group are taken
// away, and what remains connected is looked at in turn. What is left in the end is allowed, and nothing allowed was lost: the
// emptiness test of Streett automata, whose pairs are "the group goes on" and "the member goes on, or can't again and again".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "checker/explore/view/schedulers.h"

namespace fencewise::view {

struct Step {
  static constexpr std::uint32_t out = ~0U;  // leads out of the graph
  std::uint32_t from = 0, to = 0;            // states
  ThreadId thread = 0;
  bool writes = false;  // for the caller
};

struct StateGraph {
  std::vector<Step> steps;   // of each state none, or, unless it is `partly` there, all
  std::vector<bool> partly;  // [state]; at least one state of each cycle is not
};

// Steps from `start` back to it.
struct Cycle {
  std::uint32_t start = 0;
  std::vector<Step> steps;
};

struct Part {  // strongly connected
  std::vector<std::uint32_t> states;
  bool closed = false;  // no step leads out of it
};

// A short cycle that is allowed; no value: there is none. `standing_in`: of a state. `notice` is called for each part that has a
// cycle, before it is looked at; may be null.
[[nodiscard]] std::optional<Cycle> allowed_cycle(const StateGraph& graph, const Schedulers& schedulers,
                                                 const std::function<Schedulers::Standing(std::uint32_t)>& standing_in,
                                                 const std::function<void(const Part&)>& notice = nullptr);

// Whether a marked step leads from one state of a strongly connected part to another of it, or back.
[[nodiscard]] bool any_on_a_cycle(const std::vector<bool>& marked, const std::vector<Step>& steps, std::size_t states);

}  // namespace fencewise::view
