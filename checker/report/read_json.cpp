// JSON -> report, trusting nothing: types, ranges and indices are checked here, and in the end the report must print as
// the text it was read from, so that no key is missing, unknown or at odds with another.
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/json.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

using UnorderedJson = nlohmann::json;

constexpr std::size_t largest_text = std::size_t{64} << 20U;  // bytes
constexpr int deepest_nesting = 32;
constexpr std::uint64_t largest_count = 1'000'000;  // replays, launches, line numbers

// A value of the file and how it was reached. Throws what is wrong with it.
class Node {
 public:
  Node(const UnorderedJson& json, std::string path, const std::string& file)
      : json_(json), path_(std::move(path)), file_(file) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: {}{}{}", file_, path_, path_.empty() ? "" : ": ", what));
  }

  [[nodiscard]] Node operator[](const std::string& key) const {
    if (!json_.is_object()) refuse(fmt::format("expected an object, found {}", json_.type_name()));
    const auto it = json_.find(key);
    if (it == json_.end()) refuse(fmt::format("the key '{}' is missing", key));
    return {*it, path_.empty() ? key : path_ + "." + key, file_};
  }

  // Elements as `read` gives them.
  template <class Read> [[nodiscard]] auto list(Read read) const {
    if (!json_.is_array()) refuse(fmt::format("expected a list, found {}", json_.type_name()));
    std::vector<decltype(read(*this))> all;
    all.reserve(json_.size());
    for (std::size_t n = 0; n < json_.size(); ++n)
      all.push_back(read(Node(json_[n], fmt::format("{}[{}]", path_, n), file_)));
    return all;
  }

  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) refuse(fmt::format("expected a text, found {}", json_.type_name()));
    return json_.get<std::string>();
  }

  [[nodiscard]] bool boolean() const {
    if (!json_.is_boolean()) refuse(fmt::format("expected true or false, found {}", json_.type_name()));
    return json_.get<bool>();
  }

  // A whole number below `bound`.
  template <class Number>
  [[nodiscard]] Number number(std::uint64_t bound = std::numeric_limits<Number>::max()) const {
    if (!json_.is_number_unsigned()) refuse(fmt::format("expected a number from 0, found {}", shown()));
    const auto value = json_.get<std::uint64_t>();
    if (value > bound || value > std::numeric_limits<Number>::max())
      refuse(fmt::format("{} is too large", value));
    return static_cast<Number>(value);
  }

  // An index into something of `size` elements.
  template <class Number> [[nodiscard]] Number index(std::size_t size) const {
    const auto value = number<Number>();
    if (value >= size) refuse(fmt::format("there is no {}; expected a number below {}", value, size));
    return value;
  }

  [[nodiscard]] bool is_null() const { return json_.is_null(); }

  template <class Enum> [[nodiscard]] Enum one_of() const {
    const auto value = from_spelling<Enum>(text());
    if (!value) refuse(fmt::format("unknown '{}'; expected {}", text(), spellings<Enum>()));
    return *value;
  }

  [[nodiscard]] const UnorderedJson& json() const { return json_; }

 private:
  [[nodiscard]] std::string shown() const {
    return json_.is_number() ? json_.dump() : std::string(json_.type_name());
  }

  const UnorderedJson& json_;
  std::string path_;
  const std::string& file_;
};

std::vector<std::string> texts(const Node& node) {
  return node.list([](const Node& n) { return n.text(); });
}

// --- graphs ---

Location location(const Node& node) {
  const Location place{node["storage"].number<std::uint32_t>(), node["offset"].number<std::uint32_t>(),
                       node["size"].number<std::uint32_t>(8)};
  if (place.offset > std::numeric_limits<std::uint32_t>::max() - place.size)
    node["offset"].refuse("is too large");
  return place;
}

Event graph_event(const Node& node, std::size_t threads, std::size_t events) {
  Event event;
  event.kind = node["kind"].one_of<EventKind>();
  event.order = node["order"].one_of<Order>();
  event.scope = node["scope"].one_of<Scope>();
  event.proxy = node["proxy"].one_of<Proxy>();
  event.proxy_fence = node["proxy_fence"].one_of<ProxyFence>();
  event.atomic = node["atomic"].boolean();
  event.red = node["red"].boolean();
  event.thread = node["thread"].is_null() ? no_thread : node["thread"].index<ThreadId>(threads);
  event.po = node["po"].number<std::uint32_t>();
  event.location = location(node);
  event.alias = node["alias"].number<std::uint32_t>();
  event.rmw = node["rmw"].is_null() ? no_event : node["rmw"].index<EventId>(events);
  return event;
}

std::vector<Edge> edges(const Node& node, std::size_t events) {
  return node.list([&](const Node& n) {
    const auto ends = n.list([&](const Node& end) { return end.index<EventId>(events); });
    if (ends.size() != 2) n.refuse("expected two events");
    return Edge{ends[0], ends[1]};
  });
}

ExecutionGraph graph(const Node& node, std::size_t threads, std::size_t events) {
  ExecutionGraph g;
  g.threads = node["threads"].list([](const Node& n) {
    return Placement{CtaId{n["cta"].number<std::uint32_t>()}, ClusterId{n["cluster"].number<std::uint32_t>()},
                     DeviceId{n["device"].number<std::uint32_t>()}};
  });
  if (g.threads.size() != threads && !g.threads.empty())
    node["threads"].refuse("must be as many as the launch has");
  g.events = node["events"].list([&](const Node& n) { return graph_event(n, g.threads.size(), events); });
  if (g.events.size() != events && !g.events.empty())
    node["events"].refuse("must be as many as the launch has");
  g.rf = node["rf"].list(
      [&](const Node& n) { return n.is_null() ? no_event : n.index<EventId>(g.events.size()); });
  if (g.rf.size() != g.events.size()) node["rf"].refuse("must have one entry an event");
  g.co = edges(node["co"], g.events.size());
  g.fence_sc = edges(node["fence_sc"], g.events.size());
  g.sync = edges(node["sync"], g.events.size());
  g.dep = edges(node["dep"], g.events.size());
  return g;
}

// --- witnesses ---

WitnessEvent witness_event(const Node& node, std::size_t threads, std::size_t events) {
  const auto event_index = [&](const Node& n) {
    return n.is_null() ? std::nullopt : std::optional(n.index<std::size_t>(events));
  };
  WitnessEvent event;
  event.thread = node["thread"].is_null() ? no_thread : node["thread"].index<ThreadId>(threads);
  event.po = node["po"].number<std::uint32_t>();
  event.kind = node["kind"].one_of<EventKind>();
  event.text = node["text"].text();
  event.file = node["file"].text();
  event.line = node["line"].number<std::uint32_t>();
  event.inlined = node["inlined"].text();
  event.location = node["location"].text();
  event.value = node["value"].text();
  event.reads_from = event_index(node["reads_from"]);
  event.missed = event_index(node["missed"]);
  event.why_missed = node["why_missed"].text();
  event.involved = node["involved"].boolean();
  return event;
}

std::vector<std::uint32_t> finish_order(const Node& node, const std::vector<std::uint32_t>& cta_of) {
  const std::set<std::uint32_t> ctas(cta_of.begin(), cta_of.end());
  std::set<std::uint32_t> seen;
  return node.list([&](const Node& n) {
    const auto cta = n.number<std::uint32_t>();
    if (!ctas.contains(cta)) n.refuse(fmt::format("there is no CTA {}", cta));
    if (!seen.insert(cta).second) n.refuse(fmt::format("CTA {} finishes twice", cta));
    return cta;
  });
}

void check_events_match(const Node& node, const WitnessLaunch& l) {
  for (std::size_t n = 0; n < l.graph.events.size(); ++n) {
    const Event& event = l.graph.events[n];
    const WitnessEvent& shown = l.events[n];
    if (event.kind != shown.kind || event.thread != shown.thread || event.po != shown.po)
      node.refuse(fmt::format("events[{}] and graph.events[{}] differ", n, n));
  }
}

WitnessLaunch launch(const Node& node) {
  WitnessLaunch l;
  l.replay = node["replay"].number<std::uint32_t>(largest_count);
  l.launch = node["launch"].number<std::uint32_t>(largest_count);
  l.kernel = node["kernel"].text();
  l.threads = texts(node["threads"]);
  l.launch_of = node["launch_of"].list([&](const Node& n) { return n.number<std::uint32_t>(largest_count); });
  if (l.launch_of.size() != l.threads.size()) node["launch_of"].refuse("must have one entry a thread");
  l.cta_of = node["cta_of"].list([&](const Node& n) { return n.index<std::uint32_t>(l.threads.size()); });
  if (l.cta_of.size() != l.threads.size()) node["cta_of"].refuse("must have one entry a thread");
  l.ordered = node["ordered"].boolean();
  l.finish_order = finish_order(node["finish_order"], l.cta_of);
  const std::size_t events = node["events"].json().size();
  l.events = node["events"].list([&](const Node& n) { return witness_event(n, l.threads.size(), events); });
  l.printed = node["printed"].list([&](const Node& n) {
    return WitnessPrint{n["thread"].index<ThreadId>(l.threads.size()), n["before"].index<std::size_t>(events + 1), n["text"].text(),
                        n["file"].text(), n["line"].number<std::uint32_t>()};
  });
  l.graph = graph(node["graph"], l.threads.size(), events);
  check_events_match(node, l);
  return l;
}

// --- findings, reports ---

std::vector<WitnessMove> moves(const Node& node) {
  return node.list([](const Node& n) { return WitnessMove{n["thread"].number<ThreadId>(), n["choice"].number<std::uint32_t>()}; });
}

EndlessRun endless(const Node& node) {
  EndlessRun run;
  run.unfinished = texts(node["unfinished"]);
  run.way_in = moves(node["way_in"]);
  run.cycle = node["cycle"].list([](const Node& n) { return n.number<ThreadId>(); });
  return run;
}

Finding finding(const Node& node) {
  Finding f;
  f.kind = node["kind"].one_of<FindingKind>();
  f.violates = node["violates"].boolean();
  f.message = node["message"].text();
  f.location = node["location"].text();
  f.launch = node["launch"].number<std::uint32_t>(largest_count);
  f.threads = texts(node["threads"]);
  f.lines = node["lines"].list([](const Node& n) {
    return SourceRef{n["file"].text(), n["line"].number<std::uint32_t>()};
  });
  f.repair = node["repair"].text();
  if (!node["endless"].is_null()) f.endless = endless(node["endless"]);
  if (!node["way_in"].is_null()) f.way_in = moves(node["way_in"]);
  f.witness.launches = node["witness"]["launches"].list([](const Node& n) { return launch(n); });
  f.other.launches = node["other"]["launches"].list([](const Node& n) { return launch(n); });
  return f;
}

CheckOptions check_options(const Node& root) {
  const Node node = root["options"];
  CheckOptions o;
  o.model = root["model"].one_of<Model>();
  o.engine = node["engine"].one_of<Engine>();
  o.races = node["races"].one_of<Races>();
  o.vectors = node["vectors"].one_of<Vectors>();
  o.loop_bound = node["loop_bound"].number<std::uint32_t>();
  o.determinism = node["determinism"].boolean();
  o.stop_at_first = node["stop_at_first"].boolean();
  o.resident = node["resident"].number<std::uint32_t>();
  const Node progress = node["progress"];
  o.progress = {progress["ctas"].one_of<ProgressModel>(), progress["warps"].one_of<ProgressModel>(),
                progress["lanes"].one_of<ProgressModel>()};
  return o;
}

SearchStats search(const Node& node) {
  SearchStats s;
  s.graphs = node["graphs"].number<std::uint64_t>();
  s.blocked = node["blocked"].number<std::uint64_t>();
  s.states = node["states"].number<std::uint64_t>();
  s.steps = node["steps"].number<std::uint64_t>();
  s.finish_orders = node["finish_orders"].number<std::uint64_t>();
  s.interchangeable = node["interchangeable"].number<std::uint64_t>();
  return s;
}

double seconds(const Node& node) {
  if (!node.json().is_number() || node.json().get<double>() < 0) node.refuse("expected a number of seconds");
  return node.json().get<double>();
}

std::map<std::string, std::string> params(const Node& node) {
  if (!node.json().is_object()) node.refuse("expected an object");
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : node.json().items()) {
    if (!value.is_number_integer() && !value.is_string())
      node[name].refuse("expected a whole number or a text");
    all[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return all;
}

CheckResult result(const Node& root) {
  CheckResult r;
  r.verdict = root["verdict"].one_of<Verdict>();
  r.reason = root["reason"].text();
  r.engine = root["engine"].text();
  r.assumptions = texts(root["assumptions"]);
  r.findings = root["findings"].list([](const Node& n) { return finding(n); });
  r.final_states = texts(root["final_states"]);
  r.search = search(root["search"]);
  r.seconds = seconds(root["seconds"]);
  return r;
}

UnorderedJson parsed(std::string_view text, const std::string& name) {
  if (text.size() > largest_text)
    throw InputError(fmt::format("{}: larger than {} MiB", name, largest_text >> 20U));
  const auto not_too_deep = [&name](int depth, UnorderedJson::parse_event_t, UnorderedJson&) {
    if (depth > deepest_nesting)
      throw InputError(fmt::format("{}: nested deeper than {}", name, deepest_nesting));
    return true;
  };
  try {
    return UnorderedJson::parse(text.begin(), text.end(), not_too_deep);
  } catch (const UnorderedJson::parse_error& error) {
    throw InputError(fmt::format("{}: no JSON (byte {})", name, error.byte));
  }
}

// The first place where the file and what was understood of it differ.
void check_equal(const Node& found, const UnorderedJson& understood) {
  if (found.json().is_object() && understood.is_object()) {
    for (const auto& [key, value] : found.json().items()) {
      if (!understood.contains(key)) found.refuse(fmt::format("unknown key '{}'", key));
      check_equal(found[key], understood[key]);
    }
  } else if (found.json().is_array() && found.json().size() == understood.size()) {
    std::size_t n = 0;
    (void)found.list([&](const Node& element) {
      check_equal(element, understood[n]);
      return n++;
    });
  } else if (found.json() != understood) {
    found.refuse("contradicts the rest of the file");
  }
}

}  // namespace

Report report_from_json(std::string_view text, const std::string& name) {
  const UnorderedJson json = parsed(text, name);
  const Node root(json, "", name);
  if (!json.is_object() || !json.contains("schema"))
    root.refuse("no report of fencewise: the key 'schema' is missing");
  if (root["schema"].text() != report_schema)
    root["schema"].refuse(fmt::format("unknown '{}'; expected '{}'", root["schema"].text(), report_schema));
  Report report;
  report.subject = root["subject"].text();
  report.params = params(root["params"]);
  report.variant = root["variant"].text();
  report.options = check_options(root);
  report.result = result(root);
  UnorderedJson understood = UnorderedJson::parse(to_json(report));
  understood["seconds"] = json["seconds"];  // written to the millisecond
  check_equal(root, understood);
  return report;
}

}  // namespace fencewise
