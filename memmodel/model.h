// The four memory models, and the points in which their readings differ, in one struct.
//
// `ptx` is the PTX ISA text (9.1, chapter 8). `ptx-v6.0` and `ptx-v7.5` are the published formal models as
// Dat3M states them (cat files). `sc` is what interleaving alone would show.
// docs/memory-model.md tells where the readings differ and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fencewise {

enum class Model : std::uint8_t { ptx, ptx_v6_0, ptx_v7_5, sc };

// How base causality and causality are built.
enum class CausalityForm : std::uint8_t {
  isa,   // base = (po | sw)+; causality = ppbase | obs ; ppbase, on one address (8.9.5, 8.9.6)
  v6_0,  // base = po? ; (sw ; po?)+; causality = base | obs ; (base | po-loc), on all events
  v7_5,  // base as v6.0, or po; causality = (rf & ms | rmw)? ; ppbase, on one address
  sc,    // (po | rf | co | fr | sync)+
};

struct Reading {
  CausalityForm causality = CausalityForm::isa;
  bool fence_sc_is_acq_rel = true;  // fence.sc is a superset of fence.acq_rel (the ISA, both Alloy models)
  bool red_acquires = false;        // a red may be the read of an acquire pattern
  bool failing_cas_writes = false;  // a failing cas writes the old value back
  bool barriers_rearm = true;   // a barrier with count N re-arms after N arrivals (else: all beyond N pass)
  bool proxies = true;          // aliases and proxies are modelled
  bool sc_per_location = true;  // the axiom of 8.10.5 is present
  bool base_acyclic = true;     // base causality with the fence-SC order has no cycle (the axiom of 8.10.2)
  bool fence_sc_after_causality =
      false;              // the same axiom in the v6.0 form: fences in causality are in the order
  bool has_races = true;  // data races are a notion of this model
  bool whole_vectors = false;  // the elements of a vector access are accessed at once (else: separately, as 8.2.4 has it)

  [[nodiscard]] bool interleaving() const { return causality == CausalityForm::sc; }
};

[[nodiscard]] const Reading& reading_of(Model model);
[[nodiscard]] std::string_view name(Model model);
// Accepts ptx, ptx-v6.0, v6.0, ptx-v7.5, v7.5, sc.
[[nodiscard]] std::optional<Model> parse_model(std::string_view text);

}  // namespace fencewise
