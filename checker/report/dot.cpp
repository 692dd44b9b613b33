#include "checker/report/dot.h"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "checker/report/names.h"
#include "kernels/core/print_dot.h"

namespace fencewise {
namespace {

std::string label(const WitnessEvent& event) {
  std::string text = event.text.empty() ? event.location : event.text;
  text += "\n";
  if (!event.location.empty() && !event.value.empty())
    text += fmt::format("{} = {}\n", event.location, event.value);
  if (event.line != 0) text += fmt::format("{}:{}\n", event.file, event.line);
  return text;
}

class Drawing {
 public:
  Drawing(const WitnessLaunch& launch, const std::string& title) : launch_(launch) {
    out_ = fmt::format(
        "digraph execution {{\n  label={};\n  labelloc=t;\n"
        "  node [shape=box, fontname=\"monospace\", fontsize=10];\n  edge [fontsize=9];\n",
        dot_quoted(title));
  }

  std::string draw() {
    for (ThreadId t = 0; t < launch_.threads.size(); ++t) thread(t);
    initial_memory();
    for (ThreadId t = 0; t < launch_.threads.size(); ++t) program_order(t);
    reads_from();
    edges(launch_.graph.co, "co", "blue");
    edges(launch_.graph.fence_sc, "fence.sc", "purple");
    edges(launch_.graph.sync, "barrier", "orange");
    return out_ + "}\n";
  }

 private:
  void node(std::size_t n) {
    const WitnessEvent& event = launch_.events[n];
    out_ += fmt::format("    e{} [label={}{}];\n", n, dot_quoted(label(event)),
                        event.involved ? ", color=red, penwidth=2" : "");
  }

  void thread(ThreadId t) {
    out_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", t, dot_quoted(launch_.threads[t]));
    for (std::size_t n = 0; n < launch_.events.size(); ++n)
      if (launch_.events[n].thread == t) node(n);
    out_ += "  }\n";
  }

  void initial_memory() {
    for (std::size_t n = 0; n < launch_.events.size(); ++n)
      if (launch_.events[n].thread == no_thread) node(n);
  }

  // From each event to those with the next number; equal numbers are unordered.
  void program_order(ThreadId t) {
    std::map<std::uint32_t, std::vector<std::size_t>> levels;
    for (std::size_t n = 0; n < launch_.events.size(); ++n)
      if (launch_.events[n].thread == t) levels[launch_.events[n].po].push_back(n);
    const std::vector<std::size_t>* before = nullptr;
    for (const auto& [po, events] : levels) {
      if (before != nullptr)
        for (const std::size_t from : *before)
          for (const std::size_t to : events) out_ += fmt::format("  e{} -> e{} [weight=10];\n", from, to);
      before = &events;
    }
  }

  void reads_from() {
    for (std::size_t n = 0; n < launch_.events.size(); ++n)
      if (launch_.events[n].reads_from) edge(*launch_.events[n].reads_from, n, "rf", "darkgreen");
  }

  void edges(const std::vector<Edge>& all, std::string_view name, std::string_view colour) {
    for (const Edge& e : all) edge(e.from, e.to, name, colour);
  }

  void edge(std::size_t from, std::size_t to, std::string_view name, std::string_view colour) {
    out_ += fmt::format("  e{} -> e{} [label=\"{}\", color={}, fontcolor={}, constraint=false];\n", from, to,
                        name, colour, colour);
  }

  const WitnessLaunch& launch_;
  std::string out_;
};

}  // namespace

std::string to_dot(const WitnessLaunch& launch, const std::string& title) {
  return Drawing(launch, title).draw();
}

std::string to_dot(const Report& report) {
  const auto& findings = report.result.findings;
  if (findings.empty() || findings.front().witness.launches.empty())
    return fmt::format(
        "digraph execution {{\n  label={};\n}}\n",
        dot_quoted(fmt::format("{}: {}, nothing to draw", report.subject, spelling(report.result.verdict))));
  return to_dot(findings.front().witness.launches.back(), findings.front().message);
}

}  // namespace fencewise
