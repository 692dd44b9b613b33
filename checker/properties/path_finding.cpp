#include "checker/properties/path_finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/properties/missing_acquire.h"
#include "kernels/core/printer.h"

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
    const std::string first = show(path.events[static_cast<std::size_t>(race.first)], race.first_writes);
    const std::string second = show(race.second, race.second_writes);
    finding_.missing_acquire = missing_acquire(context_, path);
    const MissingOrder missing = finding_.missing_acquire ? MissingOrder::acquire : MissingOrder::none;
    finding_.message = fmt::format("data race on {}: {} and {}: {}", finding_.location, first, second,
                                   why_unordered(missing, finding_.threads.front()));
    return done();
  }
  Finding unwritten(const view::Retrace& path) {
    finding_.kind = FindingKind::unwritten_read;
    finding_.location = context_.image.memory.name(path.unwritten->location);
    finding_.message = fmt::format("{0} of {1}: {1} was never written", show(path.unwritten->read, false), finding_.location);
    return done();
  }

 private:
  // Adds the access to the witness and says what it is.
  std::string show(const view::Retrace::PathEvent& event, bool writes) {
    const Kernel& kernel = *context_.image.threads[event.thread].kernel;
    const Instruction& instruction = kernel.at(event.where);
    WitnessEvent shown;
    shown.thread = event.thread;
    shown.po = event.sequence * 2;
    shown.kind = writes ? EventKind::write : EventKind::read;
    shown.text = print(instruction, kernel);
    shown.location = finding_.location;
    shown.involved = true;
    std::string at;
    if (instruction.where.line != 0 && instruction.where.file < kernel.files.size()) {
      shown.file = kernel.files[instruction.where.file];
      shown.line = instruction.where.line;
      at = fmt::format(" at {}:{}", shown.file, shown.line);
      const SourceRef source{shown.file, shown.line};
      if (std::find(finding_.lines.begin(), finding_.lines.end(), source) == finding_.lines.end()) finding_.lines.push_back(source);
    }
    finding_.threads.push_back(launch_.threads[event.thread]);
    launch_.events.push_back(std::move(shown));
    const bool atomic = std::holds_alternative<Atomic>(instruction.operation);
    return fmt::format("{} by {}{}", atomic ? "atomic" : writes ? "write" : "read", finding_.threads.back(), at);
  }
  Finding done() {
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
