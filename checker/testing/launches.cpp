#include "checker/testing/launches.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fencewise::testing {
namespace {

rc::Gen<std::uint32_t> between(std::uint32_t least, std::uint32_t most) {
  return rc::gen::inRange(least, std::max(least, most) + 1);
}

std::string line_of(const SimulatedReplay& replay) {
  return fmt::format("replay {}: {}; CTAs finish {}; {}", replay.replay, fmt::join(replay.inputs, ", "),
                     fmt::join(replay.finish_order, ","), replay.ok ? "OK" : "WRONG: " + replay.problem);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const LaunchSize& size) {
  return out << fmt::format("ctas={} threads={} replays={}", size.ctas, size.threads, size.replays);
}

rc::Gen<LaunchSize> launch_sizes(LaunchSize most, LaunchSize least) {
  return rc::gen::construct<LaunchSize>(between(least.ctas, most.ctas), between(least.threads, most.threads),
                                        between(least.replays, most.replays));
}

// Draws which of the CTAs that are left finishes next; 0 is the first of them, so that shrinking ends at the
// order 0, 1, 2, ... RapidCheck draws from a small part of a range at first, which would give 0, 1, 2, ...
// nearly always.
rc::Gen<FinishOrder> finish_orders(std::uint32_t ctas) {
  return rc::gen::exec([ctas] {
    FinishOrder left(ctas), order;
    std::iota(left.begin(), left.end(), 0U);
    while (!left.empty()) {
      const auto next = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, left.size()));
      order.push_back(left[next]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return order;
  });
}

::testing::AssertionResult SimulatesOk(const Problem& problem, const Schedule& schedule) {
  const std::vector<SimulatedReplay> replays = simulate(problem, schedule);
  if (std::all_of(replays.begin(), replays.end(), [](const SimulatedReplay& r) { return r.ok; }))
    return ::testing::AssertionSuccess();
  auto failure = ::testing::AssertionFailure();
  failure << "a run of " << problem.name << " goes wrong:";
  for (const SimulatedReplay& replay : replays) failure << '\n' << line_of(replay);
  return failure;
}

::testing::AssertionResult SimulatesOk(const Problem& problem, const FinishOrder& order) {
  return SimulatesOk(problem, Schedule{.finish_order = order});
}

}  // namespace fencewise::testing
