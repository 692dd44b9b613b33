#include "checker/properties/path_finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/explore/witness_builder.h"
#include "checker/properties/missing_order.h"

namespace fencewise {
namespace {

class AccessFinding {
 public:
  AccessFinding(const LaunchContext& context, LaunchNumber number) : context_(context) {
    finding_.launch = number.replay;
    launch_.replay = number.replay;
    launch_.launch = number.launch;
    name_threads(launch_, context);
  }

  Finding race(const view::Retrace& path) {
    const view::Retrace::Race& race = *path.race;
    finding_.kind = FindingKind::race;
    finding_.location = context_.image.memory.name(race.location);
    const view::Retrace::PathEvent& earlier = path.events[static_cast<std::size_t>(race.first)];
    const std::string first = show(earlier, race.first_writes);
    const std::string why = of_one_cta(context_, earlier.thread, race.second.thread) ? "no barrier of their CTA between them" : explain(path, earlier);
    finding_.message = fmt::format("data race on {}: {} and {}: {}", finding_.location, first, show(race.second, race.second_writes), why);
    return done(path);
  }
  Finding unwritten(const view::Retrace& path) {
    finding_.kind = FindingKind::unwritten_read;
    finding_.location = context_.image.memory.name(path.unwritten->location);
    finding_.message = fmt::format("{0} of {1}: {1} was never written", show(path.unwritten->read, false), finding_.location);
    return done(path);
  }

 private:
  // What is missing between threads of two CTAs. Only for them the path is followed: of gemm-k3 without its first barrier (1,024
  // threads of one CTA) that took 50 s, finding the race 3 s.
  std::string explain(const view::Retrace& path, const view::Retrace::PathEvent& first) {
    const view::Retrace::Race& race = *path.race;
    const PartialExecution x = view::follow(context_, path);
    const OrderLack lack = missing_order_between(x, event_of(x, first, race.first_writes), event_of(x, race.second, race.second_writes));
    show_gaps(x, lack);
    finding_.missing_acquire = missing_acquire(x, lack);
    for (const SourceRef& at : lines_of(x, lack)) add_line(at);
    return in_words(x, lack);
  }

  // The half of an atomic that writes, or the other.
  static EventId event_of(const PartialExecution& x, const view::Retrace::PathEvent& event, bool writes) {
    const EventId e = x.threads[event.thread].events[event.sequence][event.element];
    const EventId half = x.graph.events[e].rmw;
    return half != no_event && x.graph.events[e].is_write() != writes ? half : e;
  }

  // Adds the access to the witness and says what it is.
  std::string show(const view::Retrace::PathEvent& event, bool writes) {
    WitnessEvent& shown = add(event.thread, event.sequence * 2, event.where);
    shown.kind = writes ? EventKind::write : EventKind::read;
    shown.location = finding_.location;
    shown.involved = true;
    std::string at;
    if (shown.line != 0) {
      at = fmt::format(" at {}:{}", shown.file, shown.line);
      add_line({shown.file, shown.line});
    }
    finding_.threads.push_back(launch_.threads[event.thread]);
    const bool atomic = std::holds_alternative<Atomic>(context_.image.threads[event.thread].kernel->at(event.where).operation);
    return fmt::format("{} by {}{}", atomic ? "atomic" : writes ? "write" : "read", finding_.threads.back(), at);
  }

  // The accesses between which the order is missing.
  void show_gaps(const PartialExecution& x, const OrderLack& lack) {
    for (const OrderGap& gap : lack.gaps)
      for (const EventId e : {gap.at, gap.other})
        if (e != no_event && e != lack.first && e != lack.later) {
          const Event& event = x.graph.events[e];
          WitnessEvent& shown = add(event.thread, event.po, x.info[e].where);
          shown.kind = event.kind;
          if (event.is_memory()) shown.location = context_.image.memory.name(event.location);
        }
  }

  WitnessEvent& add(ThreadId thread, std::uint32_t po, InstructionRef where) {
    const Kernel& kernel = *context_.image.threads[thread].kernel;
    WitnessEvent& event = launch_.events.emplace_back();
    event.thread = thread;
    event.po = po;
    show_instruction(event, kernel, where);
    return event;
  }
  void add_line(const SourceRef& at) {
    if (std::find(finding_.lines.begin(), finding_.lines.end(), at) == finding_.lines.end()) finding_.lines.push_back(at);
  }
  Finding done(const view::Retrace& path) {
    finding_.way_in = moves_of(path);
    finding_.witness.launches.push_back(std::move(launch_));
    return std::move(finding_);
  }

  const LaunchContext& context_;
  Finding finding_;
  WitnessLaunch launch_;
};

}  // namespace

Finding access_finding(const LaunchContext& context, const view::Retrace& path, LaunchNumber number) {
  return path.race ? AccessFinding(context, number).race(path) : AccessFinding(context, number).unwritten(path);
}

}  // namespace fencewise
