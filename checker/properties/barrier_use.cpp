#include "checker/properties/barrier_use.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/explore/barrier_rules.h"
#include "checker/explore/witness_builder.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

constexpr std::size_t pending = ~std::size_t{0};  // the phase of an arrival that is not met

class Search {
 public:
  Search(const PartialExecution& x, const Relations& r) : x_(x), r_(r), image_(x.context().image) {}

  std::optional<BarrierMisuse> run() {
    collect();
    for (auto& [barrier, arrivals] : arrivals_) {
      std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) { return a.event < b.event; });
      if (auto found = second_arrival(barrier, arrivals)) return found;
      if (auto found = parted_lanes(barrier, arrivals)) return found;
      if (auto found = two_kinds(barrier, arrivals)) return found;
    }
    if (auto found = lanes_that_wait_apart()) return found;
    return lane_that_went_past();
  }

 private:
  struct Arrival {
    EventId event;
    AtBarrier at;
    std::uint64_t count;
    std::size_t phase;
  };
  struct Name {
    std::uint32_t cta;
    std::uint64_t id;
    friend auto operator<=>(const Name&, const Name&) = default;
  };

  [[nodiscard]] AtBarrier at(EventId arrive) const { return {x_.graph.events[arrive].thread, x_.info[arrive].where}; }

  // Instances of the litmus dialect are no barriers of the hardware.
  void collect() {
    for (std::size_t p = 0; p < x_.phases.size(); ++p) {
      const PartialExecution::Phase& phase = x_.phases[p];
      if (phase.of_warp || phase.instance) continue;
      for (const EventId e : phase.arrivals) arrivals_[{phase.cta, phase.id}].push_back({e, at(e), phase.count, p});
    }
    for (const PartialExecution::Arrival& a : x_.arrivals)
      if (a.lanes == 0 && !a.instance)
        arrivals_[{image_.cta_of[a.thread], a.id}].push_back({a.arrive, at(a.arrive), a.count, pending});
  }

  [[nodiscard]] std::optional<BarrierMisuse> parted_lanes(const Name& barrier, const std::vector<Arrival>& arrivals) const {
    std::map<std::pair<std::size_t, std::uint32_t>, const Arrival*> first;  // (phase, warp)
    for (const Arrival& a : arrivals) {
      const ThreadProgram& program = image_.threads[a.at.thread];
      const Arrival& like = *first.try_emplace({a.phase, program.coordinates.index_in_cta / program.warp_size}, &a).first->second;
      if (parts_lanes(image_, like.at, a.at)) return parted(barrier, like.event, a.event);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<BarrierMisuse> lanes_that_wait_apart() const {
    for (std::size_t n = 0; n < x_.arrivals.size(); ++n)
      for (std::size_t m = 0; m < n; ++m) {
        const PartialExecution::Arrival& a = x_.arrivals[m];
        const PartialExecution::Arrival& b = x_.arrivals[n];
        const bool wait = a.waits && b.waits && a.lanes == 0 && b.lanes == 0 && !a.instance && !b.instance;
        if (wait && parts_lanes(image_, at(a.arrive), at(b.arrive)))
          return parted({image_.cta_of[a.thread], a.id}, a.arrive, b.arrive);
      }
    return std::nullopt;
  }

  // A lane that has exited from behind the barriers, where others of its warp came to one without it.
  [[nodiscard]] std::optional<BarrierMisuse> lane_that_went_past() const {
    for (ThreadId t = 0; t < x_.threads.size(); ++t) {
      if (x_.threads[t].status != ThreadStatus::exited) continue;
      const EventId past = first_behind_barriers(t);
      if (past == no_event) continue;
      for (const auto& [barrier, arrivals] : arrivals_)
        for (const Arrival& a : arrivals) {
          const bool came_too = std::any_of(arrivals.begin(), arrivals.end(),
                                            [&](const Arrival& b) { return b.at.thread == t && b.phase == a.phase; });
          if (came_too || !of_one_warp(image_, a.at.thread, t) || !wants_whole_warps(barrier_of(image_, a.at))) continue;
          return found(barrier, a.event, past,
                       fmt::format("{} comes to '{}', which {} of the same warp has gone past to '{}': lanes come to an aligned "
                                   "barrier together",
                                   thread(a.event), text(a.event), thread(past), text(past)));
        }
    }
    return std::nullopt;
  }
  [[nodiscard]] EventId first_behind_barriers(ThreadId t) const {
    const BehindBarriers& behind = x_.context().behind_barriers[image_.threads[t].coordinates.kernel.value];
    for (EventId e = 0; e < x_.graph.events.size(); ++e)
      if (x_.graph.events[e].thread == t && x_.graph.events[e].kind != EventKind::init && behind.has(x_.info[e].where)) return e;
    return no_event;
  }

  // A thread whose arrival may still count when it comes again.
  std::optional<BarrierMisuse> second_arrival(const Name& barrier, const std::vector<Arrival>& arrivals) {
    std::map<ThreadId, const Arrival*> last;
    for (const Arrival& b : arrivals) {
      const Arrival* a = std::exchange(last[b.at.thread], &b);
      if (a == nullptr || barrier_of(image_, a->at).kind != BarrierKind::arrive || is_over(*a, b)) continue;
      return found(barrier, a->event, b.event,
                   fmt::format("{} comes to '{}' though its arrival at '{}' may still count", thread(b.event), text(b.event),
                               text(a->event)));
    }
    return std::nullopt;
  }

  // Threads that count differently, or of which some take part in a reduction.
  std::optional<BarrierMisuse> two_kinds(const Name& barrier, const std::vector<Arrival>& arrivals) {
    const auto differ = [&](const Arrival& a, const Arrival& b) { return a.count != b.count || mixes_reduction(image_, a.at, b.at); };
    if (std::none_of(arrivals.begin(), arrivals.end(), [&](const Arrival& a) { return differ(a, arrivals.front()); })) return std::nullopt;
    for (std::size_t n = 0; n < arrivals.size(); ++n)
      for (std::size_t m = 0; m < n; ++m) {
        const Arrival& a = arrivals[m];
        const Arrival& b = arrivals[n];
        if (!differ(a, b) || is_over(a, b) || is_over(b, a)) continue;
        return found(barrier, a.event, b.event,
                     fmt::format("{} comes to '{}' and {} to '{}': {}", thread(a.event), text(a.event), thread(b.event), text(b.event),
                                 a.count != b.count ? "one barrier may be waiting for two numbers of threads"
                                                    : "a reduction is mixed with what is none"));
      }
    return std::nullopt;
  }

  // Whether the phase of `a` is over when `b` comes: some thread that waited in it led to `b`, by program order, barriers, or
  // what was read.
  bool is_over(const Arrival& a, const Arrival& b) {
    return a.phase != pending && a.phase != b.phase && behind(a.phase)[b.event];
  }
  const std::vector<bool>& behind(std::size_t phase) {
    const auto [it, fresh] = behind_.try_emplace(phase);
    if (!fresh) return it->second;
    std::vector<bool>& seen = it->second;
    seen.resize(x_.graph.events.size());
    std::vector<EventId> work = x_.phases[phase].waits;
    const auto reach = [&](EventId e) {
      if (!seen[e]) work.push_back(e);
      seen[e] = true;
    };
    while (!work.empty()) {
      const EventId e = work.back();
      work.pop_back();
      r_.po.each(e, reach);
      for (const Edge& edge : x_.graph.sync)
        if (edge.from == e) reach(edge.to);
      for (EventId read = 0; read < x_.graph.rf.size(); ++read)
        if (x_.graph.rf[read] == e) reach(read);
    }
    return seen;
  }

  [[nodiscard]] std::string thread(EventId e) const { return thread_name(x_.context(), x_.graph.events[e].thread); }
  [[nodiscard]] std::string text(EventId e) const {
    const Kernel& kernel = *image_.threads[x_.graph.events[e].thread].kernel;
    return print(kernel.at(x_.info[e].where), kernel);
  }
  [[nodiscard]] BarrierMisuse parted(const Name& barrier, EventId a, EventId b) const {
    return found(barrier, a, b,
                 fmt::format("{} comes to '{}' and {} of the same warp to '{}' elsewhere: lanes come to an aligned barrier together",
                             thread(a), text(a), thread(b), text(b)));
  }
  [[nodiscard]] static BarrierMisuse found(const Name& barrier, EventId a, EventId b, std::string message) {
    return {a, b, fmt::format("barrier {} of CTA {}", barrier.id, barrier.cta), std::move(message)};
  }

  const PartialExecution& x_;
  const Relations& r_;
  const LaunchImage& image_;
  std::map<Name, std::vector<Arrival>> arrivals_;
  std::map<std::size_t, std::vector<bool>> behind_;  // [phase]
};

}  // namespace

std::optional<BarrierMisuse> find_barrier_misuse(const PartialExecution& x, const Relations& r) { return Search(x, r).run(); }

}  // namespace fencewise
