// Dominators, post-dominators and natural loops (flow.h).
#include <algorithm>
#include <limits>
#include <map>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

#include "kernels/core/flow.h"

namespace fencewise {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;
constexpr Vertex nowhere = std::numeric_limits<Vertex>::max();

std::vector<bool> reachable_from(const Graph& graph, Vertex root) {
  std::vector<bool> seen(boost::num_vertices(graph));
  std::vector<Vertex> open{root};
  seen[root] = true;
  while (!open.empty()) {
    const Vertex vertex = open.back();
    open.pop_back();
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(vertex, graph))) {
      const Vertex next = boost::target(edge, graph);
      if (!seen[next]) open.push_back(next);
      seen[next] = true;
    }
  }
  return seen;
}

// Drops edges out of vertices that the root doesn't reach: they say nothing of paths from the root.
void keep_reachable(Graph& graph, Vertex root) {
  const std::vector<bool> seen = reachable_from(graph, root);
  for (Vertex v = 0; v < seen.size(); ++v)
    if (!seen[v]) boost::clear_out_edges(v, graph);
}

// [vertex]: its immediate dominator, or nowhere for the root and what the root doesn't reach.
std::vector<Vertex> dominator_tree(Graph graph, Vertex root) {
  keep_reachable(graph, root);
  std::vector<Vertex> parents(boost::num_vertices(graph), nowhere);
  boost::lengauer_tarjan_dominator_tree(
      graph, root,
      boost::make_iterator_property_map(parents.begin(), boost::get(boost::vertex_index, graph)));
  return parents;
}

Graph flow_graph(const Kernel& kernel) {
  Graph graph(kernel.blocks.size());
  for (std::size_t b = 0; b < kernel.blocks.size(); ++b)
    for (const BlockId next : successors(kernel.blocks[b])) boost::add_edge(b, next.value, graph);
  return graph;
}

// All edges turned round; the vertex behind the last block is the end of the thread.
Graph reversed_flow_graph(const Kernel& kernel) {
  const Vertex end = kernel.blocks.size();
  Graph graph(kernel.blocks.size() + 1);
  for (std::size_t b = 0; b < kernel.blocks.size(); ++b) {
    const std::vector<BlockId> next = successors(kernel.blocks[b]);
    if (next.empty()) boost::add_edge(end, b, graph);
    for (const BlockId to : next) boost::add_edge(to.value, b, graph);
  }
  return graph;
}

std::vector<std::optional<BlockId>> blocks_of(const std::vector<Vertex>& parents, std::size_t blocks) {
  std::vector<std::optional<BlockId>> result(blocks);
  for (std::size_t b = 0; b < blocks; ++b)
    if (parents[b] < blocks) result[b] = BlockId{static_cast<std::uint32_t>(parents[b])};
  return result;
}

// True for a == b too. `b` is reachable.
bool dominates(const std::vector<std::optional<BlockId>>& dominators, BlockId a, BlockId b) {
  for (std::optional<BlockId> at = b; at; at = dominators[at->value])
    if (*at == a) return true;
  return false;
}

std::vector<BlockId> loop_blocks(const Graph& graph, const Loop& loop) {
  std::vector<bool> inside(boost::num_vertices(graph));
  inside[loop.header.value] = true;
  std::vector<Vertex> open;
  const auto visit = [&](Vertex v) {
    if (!inside[v]) open.push_back(v);
    inside[v] = true;
  };
  for (const BlockId latch : loop.latches) visit(latch.value);
  while (!open.empty()) {
    const Vertex vertex = open.back();
    open.pop_back();
    for (const auto& edge : boost::make_iterator_range(boost::in_edges(vertex, graph)))
      visit(boost::source(edge, graph));
  }
  std::vector<BlockId> blocks;
  for (std::uint32_t b = 0; b < inside.size(); ++b)
    if (inside[b]) blocks.push_back(BlockId{b});
  return blocks;
}

class CycleFinder : public boost::default_dfs_visitor {
 public:
  explicit CycleFinder(bool& found) : found_(found) {}
  template <class Edge> void back_edge(Edge, const Graph&) { found_ = true; }

 private:
  bool& found_;
};

}  // namespace

std::vector<std::optional<BlockId>> immediate_post_dominators(const Kernel& kernel) {
  return blocks_of(dominator_tree(reversed_flow_graph(kernel), kernel.blocks.size()), kernel.blocks.size());
}

std::vector<std::optional<BlockId>> immediate_dominators(const Kernel& kernel) {
  return blocks_of(dominator_tree(flow_graph(kernel), 0), kernel.blocks.size());
}

std::vector<BackEdge> back_edges(const Kernel& kernel) {
  const std::vector<std::optional<BlockId>> dominators = immediate_dominators(kernel);
  const std::vector<bool> reachable = reachable_from(flow_graph(kernel), 0);
  std::vector<BackEdge> edges;
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (const BlockId next : successors(kernel.blocks[b]))
      if (reachable[b] && dominates(dominators, next, BlockId{b})) edges.push_back({BlockId{b}, next});
  return edges;
}

std::vector<Loop> natural_loops(const Kernel& kernel) {
  std::map<std::uint32_t, Loop> by_header;
  for (const BackEdge& edge : back_edges(kernel)) {
    Loop& loop = by_header[edge.header.value];
    loop.header = edge.header;
    loop.latches.push_back(edge.latch);
  }
  Graph graph = flow_graph(kernel);
  keep_reachable(graph, 0);
  std::vector<Loop> loops;
  for (auto& [header, loop] : by_header) {
    loop.blocks = loop_blocks(graph, loop);
    loops.push_back(std::move(loop));
  }
  return loops;
}

bool is_reducible(const Kernel& kernel) {
  Graph graph = flow_graph(kernel);
  keep_reachable(graph, 0);
  for (const BackEdge& edge : back_edges(kernel))
    boost::remove_edge(edge.latch.value, edge.header.value, graph);
  bool cyclic = false;
  boost::depth_first_search(graph, boost::visitor(CycleFinder(cyclic)));
  return !cyclic;
}

}  // namespace fencewise
