#include "tests/support/reports.h"

namespace fencewise::testing {
namespace {

// Adds an event to both sides of a witness.
WitnessEvent& add(WitnessLaunch& launch, const Event& event, const std::string& text, std::uint32_t line,
                  const std::string& location, const std::string& value) {
  launch.graph.add(event);
  WitnessEvent shown;
  shown.thread = event.thread;
  shown.po = event.po;
  shown.kind = event.kind;
  shown.text = text;
  shown.file = line == 0 ? "" : "protocols/splitk.cpp";
  shown.line = line;
  shown.location = location;
  shown.value = value;
  launch.events.push_back(shown);
  return launch.events.back();
}

Event access(EventKind kind, ThreadId thread, std::uint32_t po, Order order, Location location) {
  Event event;
  event.kind = kind;
  event.thread = thread;
  event.po = po;
  event.order = order;
  event.scope = Scope::gpu;
  event.location = location;
  return event;
}

void add_atomic(WitnessLaunch& launch, ThreadId thread, const std::string& old, const std::string& now,
                std::size_t source) {
  const Location sem{1, 0, 4};
  const std::string text = "@%p atom.relaxed.gpu.add.u32 %ticket, sem[0], 1";
  const auto first = static_cast<EventId>(launch.events.size());
  Event read = access(EventKind::read, thread, 1, Order::relaxed, sem);
  read.atomic = true;
  read.rmw = first + 1;
  Event write = access(EventKind::write, thread, 2, Order::relaxed, sem);
  write.atomic = true;
  write.rmw = first;
  add(launch, read, text, 42, "sem[0]", old).reads_from = source;
  add(launch, write, text, 42, "sem[0]", now);
  launch.graph.rf[first] = static_cast<EventId>(source);
}

}  // namespace

WitnessLaunch stale_read() {
  WitnessLaunch launch;
  launch.replay = 2;
  launch.kernel = "splitk";
  launch.threads = {"CTA 0 thread 0", "CTA 1 thread 0"};
  launch.launch_of = {1, 1};
  launch.cta_of = {0, 1};
  launch.finish_order = {0, 1};
  launch.graph.threads = {{CtaId{0}, ClusterId{0}, DeviceId{0}}, {CtaId{1}, ClusterId{1}, DeviceId{0}}};
  const Location ws{0, 0, 4};
  add(launch, access(EventKind::init, no_thread, 0, Order::weak, ws), "", 0, "ws[0]", "old");
  add(launch, access(EventKind::write, 0, 0, Order::weak, ws), "st.weak.f32 ws[%i], %part", 40, "ws[0]",
      "in[0]")
      .involved = true;
  add(launch, access(EventKind::init, no_thread, 0, Order::weak, {1, 0, 4}), "", 0, "sem[0]", "0");
  add_atomic(launch, 0, "0", "1", 2);
  add_atomic(launch, 1, "1", "2", 4);
  WitnessEvent& stale = add(launch, access(EventKind::read, 1, 3, Order::weak, ws), "ld.weak.f32 %x, ws[%s]",
                            45, "ws[0]", "old");
  stale.reads_from = 0;
  stale.missed = 1;
  stale.why_missed = "no fence between the count and this read";
  stale.involved = true;
  launch.graph.rf[7] = 0;
  launch.graph.co = {{0, 1}, {2, 4}, {4, 6}};
  return launch;
}

Report violated_report() {
  Finding finding;
  finding.kind = FindingKind::race;
  finding.message = "data race on ws[0]: write by CTA 0 thread 0 and read by CTA 1 thread 0";
  finding.location = "ws[0]";
  finding.launch = 2;
  finding.threads = {"CTA 0 thread 0", "CTA 1 thread 0"};
  finding.lines = {{"protocols/splitk.cpp", 40}, {"protocols/splitk.cpp", 45}};
  finding.repair = "a fence.sc.gpu before line 45 (checked)";
  WitnessLaunch second = stale_read();
  second.printed.push_back({1, 7, "printf \"block 1 is last\\n\"", "protocols/splitk.cpp", 44});
  WitnessLaunch first = stale_read();
  first.replay = 1;
  first.finish_order = {1, 0};
  finding.witness.launches = {first, second};
  Report report;
  report.subject = "splitk-serial";
  report.params = {{"order", "acquire"}, {"splits", "2"}};
  report.variant = "no-acquire-fence";
  report.result.verdict = Verdict::violated;
  report.result.engine = "graph";
  report.result.assumptions = {"all CTAs are resident"};
  report.result.findings = {finding};
  report.result.final_states = {"x=1;"};
  report.result.search = {.graphs = 7, .blocked = 1, .steps = 30, .states = 2, .finish_orders = 2};
  report.result.seconds = 0.25;
  return report;
}

Report verified_report() {
  Report report;
  report.subject = "splitk-serial";
  report.params = {{"splits", "4"}};
  report.result.engine = "graph";
  report.result.search = {.graphs = 24, .blocked = 0, .steps = 300, .states = 1, .finish_orders = 24};
  report.result.seconds = 1.5;
  return report;
}

}  // namespace fencewise::testing
