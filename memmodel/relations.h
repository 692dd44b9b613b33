// The relations that follow from an execution graph, under one reading of the model.
//
// The names are those of the ISA and of the papers: po, ms (morally strong), obs (observation order), sw
// (synchronizes), base (base causality order), cause (causality order), co, fr. Each is computed in one place, here.
// A partial graph (reads without source, unknown locations) gives the relations known so far; they only grow.
//
// Sources: PTX ISA 9.1, "Morally Strong Operations" to "Axioms" (8.7-8.10); Lustig, Sahasrabuddhe, Giroux, "A Formal
// Analysis of the NVIDIA PTX Memory Consistency Model", ASPLOS 2019, section 4; Lustig, Cooksey, Giroux, "Mixed-Proxy
// Extensions for the NVIDIA PTX Memory Consistency Model", ISCA 2022, section 4.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "memmodel/execution_graph.h"
#include "memmodel/model.h"
#include "memmodel/relation.h"

namespace fencewise {

enum class Axiom : std::uint8_t {
  coherence,
  fence_sc,
  atomicity,
  no_thin_air,
  sc_per_location,
  causality,
  whole_vectors,           // only where a reading asks for it
  sequential_consistency,  // model sc only
};
[[nodiscard]] const char* name(Axiom axiom);

// Two operations that race; for an atomic the write half where there is one.
struct RacePair {
  EventId first = no_event;
  EventId second = no_event;
  bool mixed_size = false;
};

// [event]: the first element of the vector access of at most 16 bytes that it is an element of; of all others the event itself.
[[nodiscard]] std::vector<EventId> vectors_of(const ExecutionGraph& graph);

class Relations {
 public:
  // What depends on the events alone. To be called again whenever events or their locations change.
  void prepare(const ExecutionGraph& graph, const Reading& reading);
  // What depends on rf, co, fence_sc, sync and dep. Needs prepare(). No allocation once sized.
  void derive(const ExecutionGraph& graph);

  // The first axiom that the derived relations violate. O(n^2).
  [[nodiscard]] std::optional<Axiom> violated_axiom(const ExecutionGraph& graph);

  // Conflicting operations that are neither morally strong nor related by causality, in order of events.
  [[nodiscard]] std::vector<RacePair> races(const ExecutionGraph& graph) const;
  // Whether two operations (either half of each) are related by causality order, one way or the other.
  [[nodiscard]] bool ordered(const ExecutionGraph& graph, EventId a, EventId b) const;
  // Whether two operations conflict and are not morally strong: they race unless causality orders them.
  [[nodiscard]] bool may_race(const ExecutionGraph& graph, EventId a, EventId b) const;

  // Called now and then while a derivation takes long, O(n^3/64) for n events, and before it takes much memory, with how many
  // bytes. It may throw to give it up: then what is here is of no use until all is prepared again.
  std::function<void(std::size_t bytes)> pause;

  // --- From events alone ---
  Relation po;                    // program order
  Relation overlaps;              // memory events of one storage with a common byte (symmetric, reflexive)
  Relation ms;                    // morally strong (symmetric)
  Relation release;               // (W, X): X begins a release pattern that ends in write W
  Relation acquire;               // (R, Y): Y ends an acquire pattern that begins with read R
  std::vector<Edge> fence_pairs;  // unordered pairs of morally strong fence.sc, from < to
  std::vector<Edge> write_pairs;  // unordered pairs of morally strong writes of two threads, from < to

  // --- Derived ---
  Relation obs;    // observation order
  Relation sw;     // release pattern -> acquire pattern
  Relation step;   // po, sw, barrier and fence-SC edges: what base causality is the closure of
  Relation base;   // base causality order
  Relation cause;  // causality order
  Relation co;     // coherence order: chosen, initial writes first, causality between writes; transitive
  Relation fr;     // from-read

 private:
  void worked(std::size_t words) {
    if ((since_pause_ += words) < words_between_pauses) return;
    since_pause_ = 0;
    if (pause) pause(0);
  }
  void close(Relation& relation) {
    relation.close(closing_, [this](std::size_t words) { worked(words); });
  }
  void close_over(Relation& relation, const std::vector<EventId>& events);
  void prepare_patterns(const ExecutionGraph& graph);
  [[nodiscard]] bool morally_strong(const ExecutionGraph& graph, EventId a, EventId b) const;
  void derive_observation(const ExecutionGraph& graph);
  void derive_base(const ExecutionGraph& graph);
  void derive_causality(const ExecutionGraph& graph);
  void derive_coherence(const ExecutionGraph& graph);
  void derive_interleaving(const ExecutionGraph& graph);
  [[nodiscard]] bool proxy_preserved(const ExecutionGraph& graph, EventId a, EventId b) const;
  [[nodiscard]] bool thin_air(const ExecutionGraph& graph);
  [[nodiscard]] bool breaks_atomicity(const ExecutionGraph& graph) const;
  [[nodiscard]] bool breaks_sc_per_location(const ExecutionGraph& graph);
  [[nodiscard]] bool breaks_causality(const ExecutionGraph& graph) const;
  [[nodiscard]] bool tears_vectors(const ExecutionGraph& graph);
  [[nodiscard]] bool breaks_fence_sc(const ExecutionGraph& graph);

  static constexpr std::size_t words_between_pauses = std::size_t{1} << 22U;  // some milliseconds

  Reading reading_;
  std::size_t since_pause_ = 0;
  std::vector<EventId> memory_;  // memory events
  std::vector<EventId> writes_;  // writes, initial ones included
  std::vector<EventId> proxy_fences_;
  bool has_proxies_ = false;  // some access is not generic, or some storage has aliases
  Relation::Closing closing_;
  Relation scratch_;          // closure of per-location or thin-air edges
  Relation
      causal_step_;  // what may follow an observation: proxy-preserved base causality (v6.0: base | po-loc)
  std::vector<std::uint32_t> counts_;
  std::vector<EventId> queue_;
};

}  // namespace fencewise
