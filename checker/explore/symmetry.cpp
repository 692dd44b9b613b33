#include "checker/explore/symmetry.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker/explore/mix.h"
#include "checker/explore/symmetry_program.h"

namespace fencewise {

std::optional<Symmetry> Symmetry::find(const LaunchContext& c, Swept swept, std::uint32_t replays, std::string& why) {
  const auto refuse = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  if (c.overlaps()) return refuse("launches overlap");
  const Launch& launch = c.problem.launches[c.stage.launches.front().value];
  if (!launch.placed.empty()) return refuse("threads are placed by hand");
  if (c.image.ctas < 2) return refuse("the grid is one CTA");
  const bool ordered_sums = c.problem.domain == ValueDomain::expressions;
  if (ordered_sums && swept == Swept::plain) return refuse("values are ordered expressions");
  if (c.problem.launches.size() != 1) return refuse("the plan has several launches");
  const Kernel& kernel = c.problem.kernels[launch.kernel.value];
  Symmetry symmetry;
  symmetry.ordered_sums_ = ordered_sums;
  if (auto reason = find_roles(c, kernel, symmetry.roles_); !reason.empty()) return refuse(std::move(reason));
  if (auto reason = find_sums(kernel, symmetry.roles_, c.problem.domain, symmetry.sums_); !reason.empty()) return refuse(std::move(reason));
  symmetry.members_ = symmetry.roles_.members();

  symmetry.slots_.resize(c.image.memory.size());
  std::vector<Slots> of_buffer(c.problem.buffers.size());
  const auto bindings = bindings_of(c.problem, launch, launch.kernel);
  for (std::uint32_t a = 0; a < kernel.arrays.size(); ++a) {
    if (!bindings[a]) continue;
    if (std::count(bindings.begin(), bindings.end(), bindings[a]) > 1)
      return refuse("two arrays are one buffer");
    of_buffer[bindings[a]->value] = symmetry.slots_[bindings[a]->value] = symmetry.roles_.slots[a];
  }
  if (auto reason = memory_is_symmetric(c, c.memory, Buffers::all, symmetry.roles_, of_buffer, replays); !reason.empty())
    return refuse(std::move(reason));
  if (auto reason = contract_is_symmetric(c.problem, symmetry.roles_, of_buffer); !reason.empty())
    return refuse(std::move(reason));
  symmetry.own_storages_.resize(symmetry.ctas());
  for (std::size_t t = 0; t < c.image.threads.size(); ++t)
    for (std::uint32_t a = 0; a < kernel.arrays.size(); ++a) {
      if (bindings[a]) continue;
      const std::uint32_t cta = c.image.cta_of[t];
      const auto storage = static_cast<std::uint32_t>(c.image.threads[t].array_base[a] >> 32U) - 1;
      auto& own = symmetry.own_storages_[cta];
      if (symmetry.own_index_.try_emplace(storage, cta, static_cast<std::uint32_t>(own.size())).second) own.push_back(storage);
    }
  return symmetry;
}

std::uint32_t Symmetry::interchangeable() const {
  std::size_t n = 0;
  for (const auto& m : members_) n += m.size() > 1 ? m.size() : 0;
  return static_cast<std::uint32_t>(n);
}

std::optional<std::uint32_t> Symmetry::owner(const Location& location) const {
  const Slots& s = slots_[location.storage];
  if (!s.any()) return std::nullopt;
  return s.owner[location.offset / s.bytes];
}

std::optional<Symmetry::Home> Symmetry::home(const Location& l) const {
  if (const auto cta = owner(l)) return Home{*cta, std::uint64_t{l.storage} << 40U | place_in_slot(l) << 8U | l.size};
  const auto own = own_index_.find(l.storage);
  if (own == own_index_.end()) return std::nullopt;
  return Home{own->second.first,
              std::uint64_t{1} << 63U | std::uint64_t{own->second.second} << 40U | std::uint64_t{l.offset} << 8U | l.size};
}

Location Symmetry::renamed(const Location& l, const std::vector<std::uint32_t>& names) const {
  Location to = l;
  if (const auto cta = owner(l)) {
    const Slots& slots = slots_[l.storage];
    to.offset = static_cast<std::uint32_t>(*slots.of_cta[names[*cta]] * slots.bytes + place_in_slot(l));
  } else if (const auto own = own_index_.find(l.storage); own != own_index_.end()) {
    to.storage = own_storages_[names[own->second.first]][own->second.second];
  }
  return to;
}

// The same for corresponding events of interchangeable CTAs.
std::uint64_t Symmetry::part(const PartialExecution& x, EventId e) const {
  const Event& event = x.graph.events[e];
  const auto index = x.context().image.threads[event.thread].coordinates.index_in_cta;
  return mix(mix(index, event.po), static_cast<std::uint64_t>(event.kind));
}

// What a read is told to read from, named so that it means the same for every CTA of the reader's standing.
std::uint64_t Symmetry::descriptor(const PartialExecution& x, EventId write, EventId read) const {
  const Event& w = x.graph.events[write];
  const auto& cta_of = x.context().image.cta_of;
  if (w.thread != no_thread && cta_of[w.thread] == cta_of[x.graph.events[read].thread])
    return mix(1, part(x, write)) | 1U;
  if (w.thread == no_thread && owner(w.location)) return 3;  // the initial write of a slot
  return std::uint64_t{write} << 2U;
}

void Symmetry::begin(PartialExecution& x) const {
  for (std::uint32_t c = 0; c < ctas(); ++c) x.standing[c].history = role(c);
}

std::vector<Edge> Symmetry::representatives(const PartialExecution& x,
                                            const std::vector<Edge>& options) const {
  const auto& cta_of = x.context().image.cta_of;
  const bool one_write = options.size() < 2 || options[0].from == options[1].from;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> first;  // (standing, role) -> least CTA
  const auto least = [&](EventId e, std::optional<std::uint32_t> but) {
    const ThreadId t = x.graph.events[e].thread;
    if (t == no_thread) return true;
    const std::uint32_t cta = cta_of[t];
    if (x.standing[cta].unique || (but && *but == cta)) return true;
    const auto [it, fresh] = first.try_emplace({x.standing[cta].history, part(x, e)}, cta);
    return fresh || it->second == cta;
  };
  std::vector<Edge> kept;
  for (const Edge& edge : options) {
    const std::uint32_t reader = cta_of[x.graph.events[edge.to].thread];
    if (one_write && options.size() > 1) {
      if (least(edge.to, std::nullopt)) kept.push_back(edge);
      continue;
    }
    if (!least(edge.from, reader)) continue;
    // CTAs of equal standing choose in ascending order of what they read from.
    if (!x.standing[reader].unique) {
      const auto floor = x.floors.find({x.standing[reader].history, part(x, edge.to)});
      if (floor != x.floors.end() && descriptor(x, edge.from, edge.to) < floor->second) continue;
    }
    kept.push_back(edge);
  }
  return kept;
}

void Symmetry::choose(PartialExecution& x, const Edge& option, How how) const {
  const auto& cta_of = x.context().image.cta_of;
  const Event& write = x.graph.events[option.from];
  const Event& read = x.graph.events[option.to];
  const std::uint32_t reader = cta_of[read.thread];
  if (const auto slot = owner(read.location); slot && *slot != reader) x.standing[*slot].unique = true;
  const bool tied = write.thread != no_thread && cta_of[write.thread] != reader;
  if (tied && !x.standing[cta_of[write.thread]].unique) {
    x.standing[cta_of[write.thread]].unique = x.standing[reader].unique = true;
    return;
  }
  if (x.standing[reader].unique) return;
  auto& standing = x.standing[reader];
  const std::uint64_t what = descriptor(x, option.from, option.to);
  // Chosen by its write, a reader says nothing of what its like may read: that write's other readers were ruled out for all.
  if (how == How::by_read) x.floors.insert_or_assign({standing.history, part(x, option.to)}, what);
  standing.history = mix(mix(standing.history, part(x, option.to)), what);
}

void Symmetry::single_out(PartialExecution& x, ThreadId thread) const {
  x.standing[x.context().image.cta_of[thread]].unique = true;
}

void Symmetry::Sweep::access(InstructionRef where, unsigned element, const Location& l, std::uint32_t cta) {
  if (symmetry_ == nullptr) return;
  const std::uint32_t sum = symmetry_->sums_[where.block.value][where.index][element].sum;
  if (sum == no_sum) {
    if (symmetry_->roles_.by_id[where.block.value][where.index] && symmetry_->owner(l) != cta)
      throw SymmetryBroken("a thread reaches another CTA's slot by its own id");
    return end();
  }
  visited.emplace_back(sum, l);
}

void Symmetry::Sweep::end() {
  if (visited.empty()) return;
  // (sum, storage, place in the slot) -> how often each slot was read
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>> visits;
  for (const auto& [sum, l] : visited) {
    const Slots& slots = symmetry_->slots_[l.storage];
    auto& counts = visits[{sum, l.storage, l.offset % slots.bytes}];
    counts.resize(slots.owner.size(), 0);
    ++counts[l.offset / slots.bytes];
  }
  visited.clear();
  for (const auto& [at, counts] : visits) {
    const Slots& slots = symmetry_->slots_[std::get<1>(at)];
    for (const auto& members : symmetry_->members_) {
      const auto first = slots.of_cta[members.front()];
      for (const std::uint32_t cta : members)
        if (first && counts[*slots.of_cta[cta]] != counts[*first])
          throw SymmetryBroken("a thread reads some CTAs' slots, not all");
    }
  }
}

void Symmetry::confirm_outputs(const LaunchContext& c, const MemoryImage& memory, std::uint32_t replays) const {
  const std::vector<Slots> of_buffer(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(c.problem.buffers.size()));
  if (const std::string why = memory_is_symmetric(c, memory, Buffers::outputs, roles_, of_buffer, replays); !why.empty())
    throw SymmetryBroken(why);
}

void Symmetry::confirm(const PartialExecution& x) const {
  for (ThreadId t = 0; t < x.threads.size(); ++t) {
    Sweep sweep(this);
    for (const auto& events : x.threads[t].events)
      for (unsigned n = 0; n < events.size(); ++n) {
        if (events[n] == no_event) continue;
        const Event& event = x.graph.events[events[n]];
        if (event.is_memory())
          sweep.access(x.info[events[n]].where, n, event.location, x.context().image.cta_of[t]);
        else
          sweep.end();
      }
    sweep.end();
  }
}

}  // namespace fencewise
