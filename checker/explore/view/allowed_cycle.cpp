#include "checker/explore/view/allowed_cycle.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include "kernels/core/error.h"

namespace fencewise::view {
namespace {

using StateNumber = std::uint32_t;
using Member = Schedulers::Member;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

// [vertex]; and how many there are.
std::pair<std::vector<std::size_t>, std::size_t> components(const Graph& graph) {
  std::vector<std::size_t> component(boost::num_vertices(graph));
  if (component.empty()) return {component, 0};
  const std::size_t count = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  return {std::move(component), count};
}

class CycleSearch {
 public:
  CycleSearch(const StateGraph& graph, const Schedulers& schedulers,
              const std::function<Schedulers::Standing(StateNumber)>& standing_in, const std::function<void(const Part&)>& notice)
      : graph_(graph), schedulers_(schedulers), standing_in_(standing_in), notice_(notice), steps_from_(graph.partly.size()), number_(graph.partly.size()) {
    for (std::uint32_t s = 0; s < graph.steps.size(); ++s) steps_from_[graph.steps[s].from].push_back(s);
  }

  std::optional<Cycle> run() {
    std::vector<std::uint32_t> all;
    for (std::uint32_t s = 0; s < graph_.steps.size(); ++s)
      if (graph_.steps[s].to != Step::out) all.push_back(s);
    std::vector<StateNumber> states(graph_.partly.size());
    std::iota(states.begin(), states.end(), 0);
    return search(states, all);
  }

 private:
  // Within `states`, by those steps alone. Parts that are met first come first.
  std::optional<Cycle> search(const std::vector<StateNumber>& states, const std::vector<std::uint32_t>& steps) {
    for (auto& [part, inside] : cyclic_parts(states, steps)) {
      if (notice_) notice_(part);
      const std::vector<bool> promised = schedulers_.all_fair() ? std::vector<bool>(schedulers_.members(), true)  // who has finished
                                                                                                                  // can't move
                                                                : schedulers_.promised(standing_in_(part.states.front()));
      const auto wronged = schedulers_.wronged(promised, moves(inside), able(part.states));
      if (!wronged) return cycle_of(inside, promised);
      const Member group = schedulers_.group_of(*wronged);
      if (group == Schedulers::grid) continue;
      std::erase_if(inside, [&](std::uint32_t s) { return is_in(graph_.steps[s].thread, group); });
      if (auto found = search(part.states, inside)) return found;
    }
    return std::nullopt;
  }

  std::vector<std::pair<Part, std::vector<std::uint32_t>>> cyclic_parts(const std::vector<StateNumber>& states,
                                                                        const std::vector<std::uint32_t>& steps) {
    for (std::size_t n = 0; n < states.size(); ++n) number_[states[n]] = n;
    Graph graph(states.size());
    for (const std::uint32_t s : steps) boost::add_edge(number_[graph_.steps[s].from], number_[graph_.steps[s].to], graph);
    const auto [component, count] = components(graph);
    std::vector<std::pair<Part, std::vector<std::uint32_t>>> parts(count);
    for (const StateNumber s : states) parts[component[number_[s]]].first.states.push_back(s);
    for (const std::uint32_t s : steps) {
      const std::size_t c = component[number_[graph_.steps[s].from]];
      if (c == component[number_[graph_.steps[s].to]]) parts[c].second.push_back(s);
    }
    std::erase_if(parts, [](const auto& p) { return p.second.empty(); });
    for (auto& [part, inside] : parts) {
      std::sort(part.states.begin(), part.states.end());
      std::size_t leaving = 0;
      for (const StateNumber s : part.states) leaving += steps_from_[s].size();
      part.closed = leaving == inside.size();
    }
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first.states.front() < b.first.states.front(); });
    return parts;
  }

  [[nodiscard]] bool is_in(ThreadId thread, Member member) const {
    bool found = false;
    schedulers_.each_of(thread, [&](Member m) { found |= m == member; });
    return found;
  }

  template <class Steps> [[nodiscard]] std::vector<bool> moves(const Steps& steps) const {
    std::vector<bool> result(schedulers_.members(), false);
    for (const std::uint32_t s : steps) schedulers_.each_of(graph_.steps[s].thread, [&](Member m) { result[m] = true; });
    return result;
  }

  // Members that can make a step in each of the states.
  [[nodiscard]] std::vector<bool> able(const std::vector<StateNumber>& states) const {
    std::vector<bool> result(schedulers_.members(), true);
    for (const StateNumber s : states) {
      if (graph_.partly[s]) continue;
      const std::vector<bool> here = moves(steps_from_[s]);
      for (std::size_t m = 0; m < result.size(); ++m) result[m] = result[m] && here[m];
    }
    return result;
  }

  // From one of the shortest cycles by detours, until nobody is wronged.
  Cycle cycle_of(const std::vector<std::uint32_t>& inside, const std::vector<bool>& promised) {
    inside_.assign(graph_.steps.size(), false);
    for (const std::uint32_t s : inside) inside_[s] = true;
    const auto loop = std::find_if(inside.begin(), inside.end(), [&](std::uint32_t s) { return graph_.steps[s].from == graph_.steps[s].to; });
    const std::uint32_t first = loop == inside.end() ? inside.front() : *loop;
    const StateNumber start = graph_.steps[first].from;
    std::vector<std::uint32_t> walk{first};
    const auto back = [&] {
      const auto way = way_from(graph_.steps[walk.back()].to, [&](std::uint32_t s) { return graph_.steps[s].to == start; });
      if (graph_.steps[walk.back()].to != start) walk.insert(walk.end(), way.begin(), way.end());
    };
    back();
    for (;;) {
      std::vector<StateNumber> visited;
      for (const std::uint32_t s : walk) visited.push_back(graph_.steps[s].from);
      const auto wronged = schedulers_.wronged(promised, moves(walk), able(visited));
      if (!wronged) break;
      const auto rights = [&](std::uint32_t s) {
        return is_in(graph_.steps[s].thread, *wronged) || !able({graph_.steps[s].to})[*wronged];
      };
      const auto detour = way_from(start, rights);
      if (detour.empty()) throw InternalError("a part of the state graph that is allowed has no allowed cycle");
      walk.insert(walk.end(), detour.begin(), detour.end());
      back();
    }
    Cycle cycle{start, {}};
    for (const std::uint32_t s : walk) cycle.steps.push_back(graph_.steps[s]);
    return cycle;
  }

  // The shortest way, within the part, whose last step is wanted.
  std::vector<std::uint32_t> way_from(StateNumber start, const std::function<bool(std::uint32_t)>& wanted) const {
    std::map<StateNumber, std::uint32_t> came_by;  // step
    std::deque<StateNumber> queue{start};
    std::vector<bool> seen(graph_.partly.size(), false);
    seen[start] = true;
    while (!queue.empty()) {
      const StateNumber at = queue.front();
      queue.pop_front();
      for (const std::uint32_t s : steps_from_[at]) {
        if (!inside_[s]) continue;
        if (wanted(s)) {
          std::vector<std::uint32_t> way{s};
          for (StateNumber w = at; w != start; w = graph_.steps[came_by.at(w)].from) way.push_back(came_by.at(w));
          std::reverse(way.begin(), way.end());
          return way;
        }
        const StateNumber to = graph_.steps[s].to;
        if (seen[to]) continue;
        seen[to] = true;
        came_by.emplace(to, s);
        queue.push_back(to);
      }
    }
    return {};
  }

  const StateGraph& graph_;
  const Schedulers& schedulers_;
  const std::function<Schedulers::Standing(StateNumber)>& standing_in_;
  const std::function<void(const Part&)>& notice_;
  std::vector<std::vector<std::uint32_t>> steps_from_;  // [state]
  std::vector<std::size_t> number_;                     // [state] within those looked at
  std::vector<bool> inside_;                            // [step] of the part that a cycle is made of
};

}  // namespace

std::optional<Cycle> allowed_cycle(const StateGraph& graph, const Schedulers& schedulers,
                                   const std::function<Schedulers::Standing(std::uint32_t)>& standing_in,
                                   const std::function<void(const Part&)>& notice) {
  return CycleSearch(graph, schedulers, standing_in, notice).run();
}

bool any_on_a_cycle(const std::vector<bool>& marked, const std::vector<Step>& steps, std::size_t states) {
  Graph graph(states);
  for (const Step& s : steps) boost::add_edge(s.from, s.to, graph);
  const std::vector<std::size_t> component = components(graph).first;
  for (std::size_t n = 0; n < steps.size(); ++n)
    if (marked[n] && component[steps[n].from] == component[steps[n].to]) return true;
  return false;
}

}  // namespace fencewise::view
