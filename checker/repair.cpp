#include "checker/repair.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/each_instruction.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

// What is changed at an instruction.
struct Change {
  enum class Kind : std::uint8_t { replace, insert_before, insert_after };
  Kind kind;
  KernelId kernel;
  InstructionRef at;
  Instruction instruction;
};

// A change of the source: of every instruction that a line of it became, in loops that were unrolled and functions that were inlined.
struct Edit {
  std::string words;
  std::vector<Change> changes;
  Order fence_of = Order::weak;  // of an added fence: what it is there for, release (before a write) or acquire (after a read)
};

// The later places of a block first, so that the others stay where they are; at one place what comes behind it first.
Problem with_changes(Problem problem, std::vector<Change> changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    const auto place = [](const Change& c) { return std::tuple(c.kernel.value, c.at.block.value, c.at.index, c.kind); };
    return place(a) > place(b);
  });
  for (Change& change : changes) {
    auto& list = problem.kernels[change.kernel.value].blocks[change.at.block.value].instructions;
    const auto at = list.begin() + change.at.index;
    if (change.kind == Change::Kind::replace)
      *at = std::move(change.instruction);
    else
      list.insert(change.kind == Change::Kind::insert_after ? at + 1 : at, std::move(change.instruction));
  }
  return problem;
}

class Edits {
 public:
  // Those at a line of the finding come first among their kind.
  Edits(const Problem& problem, const Finding& finding) : problem_(problem), finding_(finding) { group(); }

  std::vector<Edit> all() {
    for_each_group([&](const Group& g) { widen(g); });
    if (edits_.size() > 1) widen_all();
    for_each_group([&](const Group& g) { strengthen_fence(g); });
    for (const Order order : {Order::acq_rel, Order::sc}) for_each_group([&](const Group& g) { add_fences(order, g); });
    for_each_group([&](const Group& g) { strengthen_access(g); });
    for_each_group([&](const Group& g) { add_barrier(g); });
    return std::move(edits_);
  }

 private:
  // Instructions alike that are of one source line.
  struct Group {
    KernelId kernel;
    std::vector<InstructionRef> members;
  };

  void group() {
    for (std::uint32_t k = 0; k < problem_.kernels.size(); ++k) {
      const Kernel& kernel = problem_.kernels[k];
      std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::size_t> group_of;
      each_instruction(kernel, [&](InstructionRef at, const Instruction& i) {
        const std::string text = print(i, kernel);
        const auto key = std::tuple(i.where.file, i.where.line, text.substr(0, text.find(' ')));
        const auto known = i.where.line == 0 ? group_of.end() : group_of.find(key);
        if (known != group_of.end()) return groups_[known->second].members.push_back(at);
        if (i.where.line != 0) group_of.emplace(key, groups_.size());
        groups_.push_back({KernelId{k}, {at}});
      });
    }
    std::stable_partition(groups_.begin(), groups_.end(), [&](const Group& g) { return of_finding(g); });
  }

  [[nodiscard]] bool of_finding(const Group& g) const {
    const SourceLine where = first(g).where;
    const Kernel& kernel = problem_.kernels[g.kernel.value];
    return where.line != 0 && where.file < kernel.files.size() &&
           std::ranges::find(finding_.lines, SourceRef{kernel.files[where.file], where.line}) != finding_.lines.end();
  }

  template <class F> void for_each_group(F&& f) {
    for (const Group& g : groups_) f(g);
  }
  [[nodiscard]] const Instruction& at(const Group& g, InstructionRef member) const { return problem_.kernels[g.kernel.value].at(member); }
  [[nodiscard]] const Instruction& first(const Group& g) const { return at(g, g.members.front()); }

  std::string place(const Group& g) const {
    const Kernel& kernel = problem_.kernels[g.kernel.value];
    const Instruction& i = first(g);
    const std::string where = print(SourceLine{i.where.file, i.where.line, 0}, kernel);
    return where.empty() ? fmt::format("'{}'", print(i, kernel)) : fmt::format("'{}' ({})", print(i, kernel), where);
  }

  // Each member becomes what `changed` makes of it.
  template <class F> void change(const Group& g, const std::string& words, F&& changed) {
    Edit e{words, {}};
    for (const InstructionRef member : g.members) {
      Instruction now = at(g, member);
      if (changed(now)) e.changes.push_back({Change::Kind::replace, g.kernel, member, std::move(now)});
    }
    if (!e.changes.empty()) edits_.push_back(std::move(e));
  }

  Edit insertion(const Group& g, Change::Kind kind, const std::string& words, const Operation& operation) const {
    Edit e{words, {}};
    for (const InstructionRef member : g.members)
      e.changes.push_back({kind, g.kernel, member, Instruction{operation, std::nullopt, at(g, member).where}});
    return e;
  }

  void widen(const Group& g) { change(g, fmt::format("widen {} to scope gpu", place(g)), widen_scope); }

  // Every narrow scope at once.
  void widen_all() {
    Edit all{"widen every cta scope to gpu", {}};
    for (const Edit& edit : edits_) all.changes.insert(all.changes.end(), edit.changes.begin(), edit.changes.end());
    edits_.push_back(std::move(all));
  }

  // Returns whether the scope was too narrow.
  static bool widen_scope(Instruction& i) {
    if (Access* access = access_of(i); access != nullptr) {
      if (!is_strong(access->order) || access->scope >= Scope::gpu || access->space == StateSpace::shared) return false;
      access->scope = Scope::gpu;
      return true;
    }
    auto* fence = std::get_if<Fence>(&i.operation);
    if (fence == nullptr || fence->scope >= Scope::gpu) return false;
    fence->scope = Scope::gpu;
    return true;
  }

  void strengthen_fence(const Group& g) {
    change(g, fmt::format("make {} a fence.sc", place(g)), [](Instruction& i) {
      auto* fence = std::get_if<Fence>(&i.operation);
      if (fence == nullptr || fence->order == Order::sc) return false;
      fence->order = Order::sc;
      return true;
    });
  }

  void strengthen_access(const Group& g) {
    change(g, fmt::format("make {} acq_rel", place(g)), [](Instruction& i) {
      auto* atomic = std::get_if<Atomic>(&i.operation);
      if (atomic == nullptr || atomic->access.order == Order::acq_rel || atomic->red) return false;
      atomic->access.order = Order::acq_rel;
      return true;
    });
    // A plain access of what others access by strong ones; which those are the check tells.
    change(g, fmt::format("make {} .relaxed.gpu (or volatile)", place(g)), [](Instruction& i) {
      Access* access = access_of(i);
      if (access == nullptr || is_strong(access->order) || access->space == StateSpace::shared || access->cache == CacheOperator::nc) return false;
      access->cache = CacheOperator::none;  // which goes with weak accesses only
      access->order = Order::relaxed;
      access->scope = Scope::gpu;
      return true;
    });
  }

  // CUDA's __threadfence() is the stronger of the two.
  void add_fences(Order order, const Group& g) {
    const Access* access = access_of(first(g));
    if (access == nullptr || access->space == StateSpace::shared) return;
    if (!is_strong(access->order)) return;  // patterns are made of strong accesses
    const Fence fence{order, Scope::gpu};
    const char* name = order == Order::sc ? "fence.sc.gpu (__threadfence())" : "fence.acq_rel.gpu (or __threadfence())";
    const auto add = [&](Change::Kind kind, const char* side, Order use) {
      edits_.push_back(insertion(g, kind, fmt::format("add {} {} {}", name, side, place(g)), fence));
      edits_.back().fence_of = use;
    };
    if (!std::holds_alternative<Load>(first(g).operation)) add(Change::Kind::insert_before, "before", Order::release);
    if (!std::holds_alternative<Store>(first(g).operation)) add(Change::Kind::insert_after, "after", Order::acquire);
  }

  // After an access, where all threads of the CTA come by or none: the check tells.
  void add_barrier(const Group& g) {
    const bool global_atomic = std::holds_alternative<Atomic>(first(g).operation);
    if (access_of(first(g)) == nullptr && !std::holds_alternative<Fence>(first(g).operation)) return;
    if (!global_atomic)
      edits_.push_back(insertion(g, Change::Kind::insert_after, fmt::format("add bar.sync (__syncthreads()) after {}", place(g)), Barrier{}));
    // Behind a structured if: at the head of the block where control meets again.
    Edit behind{fmt::format("add bar.sync (__syncthreads()) after the branch with {}", place(g)), {}};
    for (const InstructionRef member : g.members) {
      const auto& last = problem_.kernels[g.kernel.value].blocks[member.block.value].instructions.back();
      const auto* jump = std::get_if<Branch>(&last.operation);
      if (jump == nullptr || jump->target.value <= member.block.value) continue;
      behind.changes.push_back({Change::Kind::insert_before, g.kernel, {jump->target, 0}, Instruction{Barrier{}, std::nullopt, at(g, member).where}});
    }
    if (!behind.changes.empty()) edits_.push_back(std::move(behind));
  }

  const Problem& problem_;
  const Finding& finding_;
  std::vector<Group> groups_;
  std::vector<Edit> edits_;
};

bool repairable(FindingKind kind) {
  return kind == FindingKind::race || kind == FindingKind::assertion || kind == FindingKind::unwritten_read;
}

}  // namespace

std::optional<std::string> find_repair(const Problem& problem, const CheckOptions& options,
                                       const Finding& finding, const Limits& allowed, double seconds_each,
                                       double seconds_in_all) {
  seconds_in_all = std::min(seconds_in_all, allowed.seconds_left());
  if (!repairable(finding.kind) || problem.contract.quantifier != Quantifier::always) return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const std::vector<Edit> edits = Edits(problem, finding).all();
  std::optional<std::string> found;
  // Returns whether to go on.
  const auto attempt = [&](std::initializer_list<const Edit*> together) {
    const double left = seconds_in_all - spent();
    if (left <= 0) return false;
    std::vector<std::string> words;
    std::vector<Change> changes;
    for (const Edit* edit : together) {
      words.push_back(edit->words);
      changes.insert(changes.end(), edit->changes.begin(), edit->changes.end());
    }
    Limits limits;
    limits.seconds = std::min(seconds_each, left);
    if (check(with_changes(problem, std::move(changes)), options, limits).verdict != Verdict::verified) return true;
    found = fmt::format("{}", fmt::join(words, ", and "));
    return false;
  };
  for (const Edit& edit : edits)
    if (!attempt({&edit})) return found;
  for (const Edit& release : edits)
    for (const Edit& acquire : edits)
      if (release.fence_of == Order::release && acquire.fence_of == Order::acquire && !attempt({&release, &acquire})) return found;
  return std::nullopt;
}

}  // namespace fencewise
