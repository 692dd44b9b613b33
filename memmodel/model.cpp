#include "memmodel/model.h"

namespace fencewise {
namespace {

constexpr Reading isa{};

constexpr Reading v6_0{.causality = CausalityForm::v6_0,
                       .fence_sc_is_acq_rel = false,
                       .red_acquires = true,
                       .failing_cas_writes = true,
                       .barriers_rearm = false,
                       .proxies = false,
                       .sc_per_location = true,
                       .base_acyclic = false,
                       .fence_sc_after_causality = true};

constexpr Reading v7_5{.causality = CausalityForm::v7_5,
                       .fence_sc_is_acq_rel = false,
                       .red_acquires = true,
                       .failing_cas_writes = true,
                       .barriers_rearm = false,
                       .proxies = true,
                       .sc_per_location = false,
                       .base_acyclic = false};

constexpr Reading interleaving{.causality = CausalityForm::sc,
                               .proxies = false,
                               .sc_per_location = false,
                               .base_acyclic = false,
                               .has_races = false};

}  // namespace

const Reading& reading_of(Model model) {
  switch (model) {
    case Model::ptx: return isa;
    case Model::ptx_v6_0: return v6_0;
    case Model::ptx_v7_5: return v7_5;
    case Model::sc: return interleaving;
  }
  return isa;
}

std::string_view name(Model model) {
  switch (model) {
    case Model::ptx: return "ptx";
    case Model::ptx_v6_0: return "ptx-v6.0";
    case Model::ptx_v7_5: return "ptx-v7.5";
    case Model::sc: return "sc";
  }
  return "?";
}

std::optional<Model> parse_model(std::string_view text) {
  if (text == "ptx") return Model::ptx;
  if (text == "ptx-v6.0" || text == "v6.0") return Model::ptx_v6_0;
  if (text == "ptx-v7.5" || text == "v7.5") return Model::ptx_v7_5;
  if (text == "sc") return Model::sc;
  return std::nullopt;
}

}  // namespace fencewise
