// Report -> JSON. The order of keys here is the order in the file.
#include <cmath>

#include <nlohmann/json.hpp>

#include "checker/report/json.h"
#include "checker/report/names.h"

namespace fencewise {
namespace {

using Json = nlohmann::ordered_json;

Json optional_index(const std::optional<std::size_t>& index) { return index ? Json(*index) : Json(nullptr); }
Json optional_event(EventId id) { return id == no_event ? Json(nullptr) : Json(id); }
Json optional_thread(ThreadId id) { return id == no_thread ? Json(nullptr) : Json(id); }

Json edges(const std::vector<Edge>& all) {
  Json list = Json::array();
  for (const Edge& edge : all) list.push_back(Json::array({edge.from, edge.to}));
  return list;
}

Json source_lines(const std::vector<SourceRef>& lines) {
  Json list = Json::array();
  for (const SourceRef& ref : lines) list.push_back(Json{{"file", ref.file}, {"line", ref.line}});
  return list;
}

// --- graphs ---

Json graph_event(const Event& event) {
  Json json;
  json["kind"] = spelling(event.kind);
  json["order"] = spelling(event.order);
  json["scope"] = spelling(event.scope);
  json["proxy"] = spelling(event.proxy);
  json["proxy_fence"] = spelling(event.proxy_fence);
  json["atomic"] = event.atomic;
  json["red"] = event.red;
  json["thread"] = optional_thread(event.thread);
  json["po"] = event.po;
  json["storage"] = event.location.storage;
  json["offset"] = event.location.offset;
  json["size"] = event.location.size;
  json["alias"] = event.alias;
  json["rmw"] = optional_event(event.rmw);
  return json;
}

Json graph(const ExecutionGraph& g) {
  Json json;
  json["threads"] = Json::array();
  for (const Placement& p : g.threads)
    json["threads"].push_back(
        Json{{"cta", p.cta.value}, {"cluster", p.cluster.value}, {"device", p.device.value}});
  json["events"] = Json::array();
  for (const Event& event : g.events) json["events"].push_back(graph_event(event));
  json["rf"] = Json::array();
  for (const EventId source : g.rf) json["rf"].push_back(optional_event(source));
  json["co"] = edges(g.co);
  json["fence_sc"] = edges(g.fence_sc);
  json["sync"] = edges(g.sync);
  json["dep"] = edges(g.dep);
  return json;
}

// --- witnesses ---

// What a reader wants of an event; the rest of what `replay` needs is in the graph.
Json readable_part(const WitnessEvent& event) {
  Json json;
  json["text"] = event.text;
  json["file"] = event.file;
  json["line"] = event.line;
  json["inlined"] = event.inlined;
  json["location"] = event.location;
  json["value"] = event.value;
  json["reads_from"] = optional_index(event.reads_from);
  json["missed"] = optional_index(event.missed);
  json["why_missed"] = event.why_missed;
  json["involved"] = event.involved;
  return json;
}

Json witness_event(const WitnessEvent& event) {
  Json json;
  json["thread"] = optional_thread(event.thread);
  json["po"] = event.po;
  json["kind"] = spelling(event.kind);
  json.update(readable_part(event));
  return json;
}

Json launch(const WitnessLaunch& l) {
  Json json;
  json["replay"] = l.replay;
  json["launch"] = l.launch;
  json["kernel"] = l.kernel;
  json["threads"] = l.threads;
  json["launch_of"] = l.launch_of;
  json["cta_of"] = l.cta_of;
  json["ordered"] = l.ordered;
  json["finish_order"] = l.finish_order;
  json["events"] = Json::array();
  for (const WitnessEvent& event : l.events) json["events"].push_back(witness_event(event));
  json["printed"] = Json::array();
  for (const WitnessPrint& print : l.printed)
    json["printed"].push_back(
        Json{{"thread", print.thread}, {"before", print.before}, {"text", print.text}, {"file", print.file}, {"line", print.line}});
  json["graph"] = graph(l.graph);
  return json;
}

Json witness(const Witness& w) {
  Json json;
  json["launches"] = Json::array();
  for (const WitnessLaunch& l : w.launches) json["launches"].push_back(launch(l));
  return json;
}

// The events of the launch in which the finding shows, with threads by name.
Json readable_events(const Finding& f) {
  Json list = Json::array();
  if (f.witness.launches.empty()) return list;
  const WitnessLaunch& last = f.witness.launches.back();
  for (const WitnessEvent& event : last.events) {
    Json json;
    json["thread"] = event.thread == no_thread ? Json(nullptr) : Json(last.threads.at(event.thread));
    json["kind"] = spelling(event.kind);
    json.update(readable_part(event));
    list.push_back(std::move(json));
  }
  return list;
}

Json moves(const std::vector<WitnessMove>& all) {
  Json list = Json::array();
  for (const WitnessMove& move : all) list.push_back(Json{{"thread", move.thread}, {"choice", move.choice}});
  return list;
}

Json endless(const EndlessRun& run) {
  Json json;
  json["unfinished"] = run.unfinished;
  json["way_in"] = moves(run.way_in);
  json["cycle"] = run.cycle;
  return json;
}

Json finding(const Finding& f) {
  Json json;
  json["kind"] = spelling(f.kind);
  json["violates"] = f.violates;
  json["message"] = f.message;
  json["location"] = f.location;
  json["launch"] = f.launch;
  json["threads"] = f.threads;
  json["lines"] = source_lines(f.lines);
  json["events"] = readable_events(f);
  json["finish_order"] =
      f.witness.launches.empty() ? Json::array() : Json(f.witness.launches.back().finish_order);
  json["repair"] = f.repair;
  json["endless"] = f.endless ? endless(*f.endless) : Json(nullptr);
  json["way_in"] = f.way_in ? moves(*f.way_in) : Json(nullptr);
  json["witness"] = witness(f.witness);
  json["other"] = witness(f.other);
  return json;
}

// --- reports ---

// "4" is written as the number, "acquire" as text.
Json parameter(const std::string& text) {
  const Json number = Json::parse(text, nullptr, false);
  return number.is_number_integer() && number.dump() == text ? number : Json(text);
}

Json check_options(const CheckOptions& o) {
  Json json;
  json["engine"] = spelling(o.engine);
  json["races"] = spelling(o.races);
  json["vectors"] = spelling(o.vectors);
  json["loop_bound"] = o.loop_bound;
  json["determinism"] = o.determinism;
  json["stop_at_first"] = o.stop_at_first;
  json["resident"] = o.resident;
  json["progress"] = Json{{"ctas", spelling(o.progress.ctas)}, {"warps", spelling(o.progress.warps)}, {"lanes", spelling(o.progress.lanes)}};
  return json;
}

Json search(const SearchStats& s) {
  Json json;
  json["graphs"] = s.graphs;
  json["blocked"] = s.blocked;
  json["states"] = s.states;
  json["steps"] = s.steps;
  json["finish_orders"] = s.finish_orders;
  json["interchangeable"] = s.interchangeable;
  return json;
}

double to_milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

}  // namespace

std::string to_json(const Report& report) {
  const CheckResult& result = report.result;
  Json json;
  json["schema"] = report_schema;
  json["subject"] = report.subject;
  json["params"] = Json::object();
  for (const auto& [name, value] : report.params) json["params"][name] = parameter(value);
  json["variant"] = report.variant;
  json["model"] = spelling(report.options.model);
  json["engine"] = result.engine;
  json["options"] = check_options(report.options);
  json["verdict"] = spelling(result.verdict);
  json["reason"] = result.reason;
  json["assumptions"] = result.assumptions;
  json["findings"] = Json::array();
  for (const Finding& f : result.findings) json["findings"].push_back(finding(f));
  json["final_states"] = result.final_states;
  json["search"] = search(result.search);
  json["seconds"] = to_milliseconds(result.seconds);
  // Text from a user's file may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fencewise
