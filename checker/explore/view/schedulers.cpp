#include "checker/explore/view/schedulers.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace fencewise::view {

Schedulers::Schedulers(const LaunchImage& image, const ProgressModels& models) : models_(models) {
  nodes_.push_back({grid, models.ctas, {}, "the grid"});
  std::map<std::uint32_t, Member> ctas;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Member> warps;
  for (std::uint32_t cta = 0; cta < image.ctas; ++cta) ctas[cta] = add(grid, models.warps, fmt::format("CTA {}", cta));
  for (ThreadId t = 0; t < image.threads.size(); ++t) {
    const ThreadProgram& program = image.threads[t];
    const std::uint32_t cta = image.cta_of[t];
    const std::uint32_t number = program.coordinates.index_in_cta / std::max(1U, program.warp_size);
    const auto [warp, fresh] = warps.try_emplace({cta, number}, grid);
    if (fresh) warp->second = add(ctas.at(cta), models.lanes, fmt::format("warp {} of CTA {}", number, cta));
    leaf_.push_back(add(warp->second, ProgressModel::fair, ""));
  }
}

Schedulers::Member Schedulers::add(Member group, ProgressModel model, std::string name) {
  const auto member = static_cast<Member>(nodes_.size());
  nodes_.push_back({group, model, {}, std::move(name)});
  nodes_[group].members.push_back(member);
  return member;
}

bool Schedulers::ask_who_has_stepped() const {
  const auto asks = [](ProgressModel m) {
    return m == ProgressModel::obe || m == ProgressModel::hsa_obe || m == ProgressModel::lobe;
  };
  return asks(models_.ctas) || asks(models_.warps) || asks(models_.lanes);
}

std::string Schedulers::name(Member member) const { return nodes_[member].name; }

std::vector<bool> Schedulers::promised(const Standing& standing) const {
  std::vector<bool> finished(nodes_.size(), true), stepped(nodes_.size(), false), result(nodes_.size(), false);
  for (ThreadId t = 0; t < leaf_.size(); ++t)
    each_of(t, [&](Member m) {
      if (!standing.finished[t]) finished[m] = false;
      if (standing.stepped[t]) stepped[m] = true;
    });
  result[grid] = true;
  for (const Node& group : nodes_) {
    const auto& members = group.members;
    const auto lowest = std::find_if(members.begin(), members.end(), [&](Member m) { return !finished[m]; });
    const auto highest = std::find_if(members.rbegin(), members.rend(), [&](Member m) { return bool{stepped[m]}; });
    for (const Member m : members) {
      if (finished[m]) continue;
      switch (group.model) {
        case ProgressModel::fair: result[m] = true; break;
        case ProgressModel::hsa: result[m] = m == *lowest; break;
        case ProgressModel::obe: result[m] = stepped[m]; break;
        case ProgressModel::hsa_obe: result[m] = m == *lowest || stepped[m]; break;
        case ProgressModel::lobe: result[m] = highest != members.rend() && m <= *highest; break;
        case ProgressModel::unfair:
        case ProgressModel::lockstep: break;
      }
    }
  }
  return result;
}

std::optional<Schedulers::Member> Schedulers::wronged(const std::vector<bool>& promised, const std::vector<bool>& moves,
                                                      const std::vector<bool>& able) const {
  for (Member m = grid + 1; m < nodes_.size(); ++m)
    if (moves[nodes_[m].group] && promised[m] && able[m] && !moves[m]) return m;
  return std::nullopt;
}

}  // namespace fencewise::view
