#include "checker/properties/missing_acquire.h"

#include <algorithm>
#include <vector>

#include "kernels/core/access.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

// --- a path ---

// What the threads of a CTA do, as far as the path leads them.
class CtaEvents {
 public:
  CtaEvents(const PartialExecution& x, std::uint32_t cta) : of_(x.threads.size()) {
    for (const Event& e : x.graph.events)
      if (e.thread != no_thread && x.context().image.cta_of[e.thread] == cta) of_[e.thread].push_back(e);
    for (auto& events : of_)
      std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.po < b.po; });
  }

  // A releasing write, or a strong one behind a fence.
  [[nodiscard]] bool release() const {
    return std::any_of(of_.begin(), of_.end(), [](const auto& events) {
      bool fenced = false;
      for (const Event& e : events) {
        fenced |= e.kind == EventKind::fence && e.order != Order::acquire;
        if (e.kind == EventKind::write && (releases(e.order) || (fenced && is_strong(e.order)))) return true;
      }
      return false;
    });
  }

  // An acquiring read, or a fence behind a strong one; of `last` only what comes before its event `end`.
  [[nodiscard]] bool acquire(ThreadId last, std::uint32_t end) const {
    for (ThreadId t = 0; t < of_.size(); ++t) {
      bool observed = false;
      for (const Event& e : of_[t]) {
        if (t == last && e.po >= end) break;
        const bool reads = e.kind == EventKind::read && is_strong(e.order) && !e.red;
        if (reads && acquires(e.order)) return true;
        if (observed && e.kind == EventKind::fence && e.order != Order::release) return true;
        observed |= reads;
      }
    }
    return false;
  }

 private:
  std::vector<std::vector<Event>> of_;  // [thread] in program order
};

// The last read of the path, in that CTA, that could be part of an acquire pattern.
std::optional<MissingAcquire> last_observation(const LaunchContext& context, const view::Retrace& path, std::uint32_t cta) {
  const auto& cta_of = context.image.cta_of;
  for (auto rf = path.reads_from.rbegin(); rf != path.reads_from.rend(); ++rf) {
    if (rf->second == view::no_origin) continue;
    const auto& read = path.events[static_cast<std::size_t>(rf->first)];
    const auto& write = path.events[static_cast<std::size_t>(rf->second)];
    if (cta_of[read.thread] != cta || cta_of[write.thread] == cta) continue;
    const Kernel& kernel = *context.image.threads[read.thread].kernel;
    const Instruction& i = kernel.at(read.where);
    const Access* access = access_of(i);
    if (access == nullptr || !is_strong(access->order)) continue;
    const bool known = i.where.line != 0 && i.where.file < kernel.files.size();
    return MissingAcquire{print(i, kernel), known ? SourceRef{kernel.files[i.where.file], i.where.line} : SourceRef{}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MissingAcquire> observation_before(const WitnessLaunch& launch, std::size_t later) {
  const auto& events = launch.graph.events;
  const std::uint32_t cta = launch.cta_of[events[later].thread];
  for (std::size_t n = later; n-- > 0;) {
    const Event& e = events[n];
    if (!e.is_read() || !is_strong(e.order) || launch.cta_of[e.thread] != cta) continue;
    const EventId source = launch.graph.rf[n];
    if (source == no_event || events[source].thread == no_thread || launch.cta_of[events[source].thread] == cta) continue;
    return MissingAcquire{launch.events[n].text, {launch.events[n].file, launch.events[n].line}};
  }
  return std::nullopt;
}

std::optional<MissingAcquire> missing_acquire(const LaunchContext& context, const view::Retrace& path) {
  const ThreadId first = path.events[static_cast<std::size_t>(path.race->first)].thread, second = path.race->second.thread;
  const auto& cta_of = context.image.cta_of;
  if (cta_of[first] == cta_of[second]) return std::nullopt;
  const PartialExecution x = view::follow(context, path);
  if (!CtaEvents(x, cta_of[first]).release()) return std::nullopt;
  if (CtaEvents(x, cta_of[second]).acquire(second, path.race->second.sequence * 2)) return std::nullopt;
  return last_observation(context, path, cta_of[second]);
}

}  // namespace fencewise
