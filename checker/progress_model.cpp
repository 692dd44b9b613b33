#include "checker/progress_model.h"

#include <fmt/format.h>

namespace fencewise {

std::string_view name(ProgressModel model) {
  switch (model) {
    case ProgressModel::fair: return "fair";
    case ProgressModel::hsa: return "hsa";
    case ProgressModel::obe: return "obe";
    case ProgressModel::hsa_obe: return "hsa_obe";
    case ProgressModel::lobe: return "lobe";
    case ProgressModel::unfair: return "unfair";
    case ProgressModel::lockstep: return "lockstep";
  }
  return "?";
}

std::string text_of(const ProgressModels& p) {
  if (p.ctas == p.warps && p.warps == p.lanes) return std::string(name(p.ctas));
  return fmt::format("ctas={},warps={},lanes={}", name(p.ctas), name(p.warps), name(p.lanes));
}

}  // namespace fencewise
