#include "memmodel/judge.h"

#include <functional>
#include <stdexcept>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>

namespace fencewise {
namespace {

using EdgeGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, const char*>;

// Explains violations as shortest cycles over labelled edges.
class Explainer {
 public:
  Explainer(const ExecutionGraph& graph, const Relations& relations) : g_(graph), r_(relations) {}

  std::vector<CycleEdge> cycle(Axiom axiom) const {
    switch (axiom) {
      case Axiom::coherence: return close_any(coherence_edges());
      case Axiom::fence_sc:
      case Axiom::sequential_consistency: return close_any(base_edges());
      case Axiom::no_thin_air: return close_any(thin_air_edges());
      case Axiom::sc_per_location: return close_any(location_edges());
      case Axiom::atomicity: return atomicity();
      case Axiom::whole_vectors: return close_any(vector_edges());
      case Axiom::causality: return causality();
    }
    return {};
  }

 private:
  EdgeGraph empty() const { return EdgeGraph(g_.events.size()); }
  static void add(EdgeGraph& graph, EventId a, EventId b, const char* label) {
    boost::add_edge(a, b, label, graph);
  }
  void add_all(EdgeGraph& graph, const Relation& relation, const char* label) const {
    for (EventId a = 0; a < relation.size(); ++a)
      relation.each(a, [&](EventId b) { add(graph, a, b, label); });
  }
  void add_rf(EdgeGraph& graph) const {
    for (EventId e = 0; e < g_.events.size(); ++e)
      if (g_.rf[e] != no_event) add(graph, g_.rf[e], e, "rf");
  }

  EdgeGraph base_edges() const {
    EdgeGraph graph = empty();
    add_all(graph, r_.po, "po");
    add_all(graph, r_.sw, "sw");
    for (const Edge& e : g_.sync) add(graph, e.from, e.to, "bar");
    for (const Edge& e : g_.fence_sc) add(graph, e.from, e.to, "fence-sc");
    if (r_.step.size() != 0) {  // model sc: communication is part of the order
      for (EventId a = 0; a < g_.events.size(); ++a)
        r_.step.each(a, [&](EventId b) {
          if (r_.co(a, b))
            add(graph, a, b, "co");
          else if (r_.fr(a, b))
            add(graph, a, b, "fr");
          else if (g_.rf[b] == a)
            add(graph, a, b, "rf");
        });
    }
    return graph;
  }
  EdgeGraph coherence_edges() const {
    EdgeGraph graph = empty();
    for (EventId a = 0; a < g_.events.size(); ++a)
      r_.co.each(a, [&](EventId b) {
        if (a != b) add(graph, a, b, "co");  // transitive: on a cycle every write is before itself, which explains nothing
      });
    return graph;
  }
  EdgeGraph thin_air_edges() const {
    EdgeGraph graph = empty();
    add_rf(graph);
    for (const Edge& e : g_.dep) add(graph, e.from, e.to, "dep");
    return graph;
  }
  EdgeGraph location_edges() const {
    EdgeGraph graph = empty();
    for (EventId a = 0; a < g_.events.size(); ++a)
      for (EventId b = 0; b < g_.events.size(); ++b) {
        if (!r_.overlaps(a, b) || a == b) continue;
        if (r_.po(a, b)) add(graph, a, b, "po");
        if (!r_.ms(a, b)) continue;
        if (r_.co(a, b)) add(graph, a, b, "co");
        if (r_.fr(a, b)) add(graph, a, b, "fr");
        if (g_.rf[b] == a) add(graph, a, b, "rf");
      }
    return graph;
  }

  // Between first elements.
  EdgeGraph vector_edges() const {
    EdgeGraph graph = empty();
    const std::vector<EventId> first = vectors_of(g_);
    for (EventId a = 0; a < g_.events.size(); ++a)
      for (EventId b = 0; b < g_.events.size(); ++b) {
        if (first[a] == first[b] || !r_.ms(a, b)) continue;
        if (r_.co(a, b)) add(graph, first[a], first[b], "co");
        if (r_.fr(a, b)) add(graph, first[a], first[b], "fr");
        if (g_.rf[b] == a) add(graph, first[a], first[b], "rf");
      }
    return graph;
  }

  // Shortest path of at least one edge; empty if there is none.
  static std::vector<CycleEdge> path(const EdgeGraph& graph, EventId from, EventId to) {
    const std::size_t n = boost::num_vertices(graph);
    std::vector<EdgeGraph::edge_descriptor> into(n);
    std::vector<bool> seen(n, false);
    std::vector<EventId> queue{from};
    for (std::size_t k = 0; k < queue.size(); ++k) {
      for (auto [e, end] = boost::out_edges(queue[k], graph); e != end; ++e) {
        const auto next = static_cast<EventId>(boost::target(*e, graph));
        if (seen[next]) continue;
        seen[next] = true;
        into[next] = *e;
        queue.push_back(next);
      }
    }
    if (!seen[to]) return {};
    std::vector<CycleEdge> edges;
    for (EventId at = to;;) {
      const auto source = static_cast<EventId>(boost::source(into[at], graph));
      edges.insert(edges.begin(), {source, at, graph[into[at]]});
      at = source;
      if (at == from) break;
    }
    return edges;
  }

  std::vector<CycleEdge> close_any(const EdgeGraph& graph) const {
    std::vector<CycleEdge> best;
    for (EventId a = 0; a < g_.events.size(); ++a) {
      auto found = path(graph, a, a);
      if (!found.empty() && (best.empty() || found.size() < best.size())) best = std::move(found);
    }
    return best;
  }

  std::vector<CycleEdge> atomicity() const {
    for (EventId r = 0; r < g_.events.size(); ++r) {
      const EventId own = g_.events[r].rmw;
      if (!g_.events[r].is_read() || own == no_event) continue;
      for (EventId w = 0; w < g_.events.size(); ++w)
        if (w != own && r_.fr(r, w) && r_.co(w, own)) return {{r, w, "fr"}, {w, own, "co"}, {own, r, "rmw"}};
    }
    return {};
  }

  // (rf | fr) ; cause, the causal part spelt out.
  std::vector<CycleEdge> causality() const {
    const EdgeGraph base = base_edges();
    for (EventId r = 0; r < g_.events.size(); ++r) {
      if (!g_.events[r].is_read() || g_.rf[r] == no_event) continue;
      if (r_.cause(r, g_.rf[r])) return joined({g_.rf[r], r, "rf"}, causal_path(base, r, g_.rf[r]));
      for (EventId w = 0; w < g_.events.size(); ++w)
        if (r_.fr(r, w) && r_.cause(w, r)) return joined({r, w, "fr"}, causal_path(base, w, r));
    }
    return {};
  }
  std::vector<CycleEdge> causal_path(const EdgeGraph& base, EventId from, EventId to) const {
    if (auto direct = path(base, from, to); !direct.empty()) return direct;
    for (EventId z = 0; z < g_.events.size(); ++z)
      if (r_.obs(from, z))
        if (auto rest = path(base, z, to); !rest.empty()) return joined({from, z, "obs"}, rest);
    return {{from, to, "cause"}};
  }
  static std::vector<CycleEdge> joined(CycleEdge first, std::vector<CycleEdge> rest) {
    rest.insert(rest.begin(), std::move(first));
    return rest;
  }

  const ExecutionGraph& g_;
  const Relations& r_;
};

void require_complete(const ExecutionGraph& g, const Relations& r) {
  for (EventId e = 0; e < g.events.size(); ++e)
    if (g.events[e].is_read() && g.rf[e] == no_event) throw std::logic_error("judge: a read has no source");
  for (const Edge& pair : r.write_pairs)
    if (!r.co(pair.from, pair.to) && !r.co(pair.to, pair.from))
      throw std::logic_error("judge: two morally strong writes are not ordered");
}

}  // namespace

std::optional<Violation> judge(const ExecutionGraph& graph, const Reading& reading) {
  Relations relations;
  relations.prepare(graph, reading);
  relations.derive(graph);
  if (const auto axiom = relations.violated_axiom(graph))
    return Violation{*axiom, Explainer(graph, relations).cycle(*axiom)};
  require_complete(graph, relations);
  if (!reading.interleaving()) {
    for (const Edge& pair : relations.fence_pairs)
      if (!relations.step(pair.from, pair.to) && !relations.step(pair.to, pair.from))
        throw std::logic_error("judge: two morally strong fence.sc are not ordered");
  }
  return std::nullopt;
}

}  // namespace fencewise
