#include "checker/repair.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/each_instruction.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

struct Edit {
  std::string words;
  KernelId kernel;
  Kernel changed;
};

class Edits {
 public:
  explicit Edits(const Problem& problem) : problem_(problem) {}

  std::vector<Edit> all() {
    for_each_instruction([&](KernelId k, InstructionRef at, const Instruction& i) { widen(k, at, i); });
    if (edits_.size() > 1) widen_all();
    for_each_instruction(
        [&](KernelId k, InstructionRef at, const Instruction& i) { strengthen_fence(k, at, i); });
    for (const Order order : {Order::acq_rel, Order::sc})
      for_each_instruction([&](KernelId k, InstructionRef at, const Instruction& i) { add_fences(order, k, at, i); });
    for_each_instruction(
        [&](KernelId k, InstructionRef at, const Instruction& i) { strengthen_atomic(k, at, i); });
    for_each_instruction([&](KernelId k, InstructionRef at, const Instruction& i) { add_barrier(k, at, i); });
    return std::move(edits_);
  }

 private:
  template <class F> void for_each_instruction(F&& f) {
    for (std::uint32_t k = 0; k < problem_.kernels.size(); ++k)
      each_instruction(problem_.kernels[k], [&](InstructionRef at, const Instruction& i) { f(KernelId{k}, at, i); });
  }

  std::string place(KernelId k, const Instruction& i) const {
    const Kernel& kernel = problem_.kernels[k.value];
    const std::string where = print(SourceLine{i.where.file, i.where.line, 0}, kernel);
    return where.empty() ? fmt::format("'{}'", print(i, kernel))
                         : fmt::format("'{}' ({})", print(i, kernel), where);
  }

  void change(KernelId k, InstructionRef at, const std::string& words, const Instruction& now) {
    Edit e{words, k, problem_.kernels[k.value]};
    e.changed.blocks[at.block.value].instructions[at.index] = now;
    edits_.push_back(std::move(e));
  }

  void insert(KernelId k, InstructionRef at, bool after, const std::string& words, Operation operation,
              SourceLine where) {
    Edit e{words, k, problem_.kernels[k.value]};
    auto& list = e.changed.blocks[at.block.value].instructions;
    list.insert(list.begin() + at.index + (after ? 1 : 0),
                Instruction{std::move(operation), std::nullopt, where});
    edits_.push_back(std::move(e));
  }

  void widen(KernelId k, InstructionRef at, const Instruction& i) {
    Instruction now = i;
    if (widen_scope(now)) change(k, at, fmt::format("widen {} to scope gpu", place(k, i)), now);
  }

  // Every narrow scope of a kernel at once.
  void widen_all() {
    std::vector<Edit> singles = std::move(edits_);
    edits_.clear();
    std::map<std::uint32_t, Edit> together;
    for (Edit& edit : singles) {
      const auto [it, fresh] = together.try_emplace(
          edit.kernel.value,
          Edit{"widen every cta scope to gpu", edit.kernel, problem_.kernels[edit.kernel.value]});
      Kernel& all = it->second.changed;
      for (std::size_t b = 0; b < all.blocks.size(); ++b)
        for (std::size_t n = 0; n < all.blocks[b].instructions.size(); ++n)
          widen_scope(all.blocks[b].instructions[n]);
      edits_.push_back(std::move(edit));
    }
    for (auto& [kernel, edit] : together) edits_.push_back(std::move(edit));
  }

  // Returns whether the scope was too narrow.
  static bool widen_scope(Instruction& i) {
    if (Access* access = access_of(i); access != nullptr) {
      if (!is_strong(access->order) || access->scope >= Scope::gpu || access->space == StateSpace::shared)
        return false;
      access->scope = Scope::gpu;
      return true;
    }
    auto* fence = std::get_if<Fence>(&i.operation);
    if (fence == nullptr || fence->scope >= Scope::gpu) return false;
    fence->scope = Scope::gpu;
    return true;
  }

  void strengthen_fence(KernelId k, InstructionRef at, const Instruction& i) {
    Instruction now = i;
    auto* fence = std::get_if<Fence>(&now.operation);
    if (fence == nullptr || fence->order == Order::sc) return;
    fence->order = Order::sc;
    change(k, at, fmt::format("make {} a fence.sc", place(k, i)), now);
  }

  void strengthen_atomic(KernelId k, InstructionRef at, const Instruction& i) {
    Instruction now = i;
    auto* atomic = std::get_if<Atomic>(&now.operation);
    if (atomic == nullptr || atomic->access.order == Order::acq_rel || atomic->red) return;
    atomic->access.order = Order::acq_rel;
    change(k, at, fmt::format("make {} acq_rel", place(k, i)), now);
  }

  // CUDA's __threadfence() is the stronger of the two.
  void add_fences(Order order, KernelId k, InstructionRef at, const Instruction& i) {
    const Access* access = access_of(i);
    if (access == nullptr || access->space == StateSpace::shared) return;
    const bool writes = !std::holds_alternative<Load>(i.operation);
    const bool reads = !std::holds_alternative<Store>(i.operation);
    if (!is_strong(access->order)) return;  // patterns are made of strong accesses
    const Fence fence{order, Scope::gpu};
    const char* name = order == Order::sc ? "fence.sc.gpu (__threadfence())" : "fence.acq_rel.gpu (or __threadfence())";
    if (writes) insert(k, at, false, fmt::format("add {} before {}", name, place(k, i)), fence, i.where);
    if (reads) insert(k, at, true, fmt::format("add {} after {}", name, place(k, i)), fence, i.where);
  }

  // After an access, where all threads of the CTA come by or none: the check tells.
  void add_barrier(KernelId k, InstructionRef at, const Instruction& i) {
    const bool global_atomic = std::holds_alternative<Atomic>(i.operation);
    if (access_of(i) == nullptr && !std::holds_alternative<Fence>(i.operation)) return;
    if (!global_atomic)
      insert(k, at, true, fmt::format("add bar.sync (__syncthreads()) after {}", place(k, i)), Barrier{},
             i.where);
    // Behind a structured if: at the head of the block where control meets again.
    const Kernel& kernel = problem_.kernels[k.value];
    const auto& last = kernel.blocks[at.block.value].instructions.back();
    const auto* jump = std::get_if<Branch>(&last.operation);
    if (jump == nullptr || jump->target.value <= at.block.value) return;
    insert(k, {jump->target, 0}, false,
           fmt::format("add bar.sync (__syncthreads()) after the branch with {}", place(k, i)), Barrier{},
           i.where);
  }

  const Problem& problem_;
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
  for (Edit& edit : Edits(problem).all()) {
    const double left = seconds_in_all - spent();
    if (left <= 0) return std::nullopt;
    Problem changed = problem;
    changed.kernels[edit.kernel.value] = std::move(edit.changed);
    Limits limits;
    limits.seconds = std::min(seconds_each, left);
    if (check(changed, options, limits).verdict == Verdict::verified) return edit.words;
  }
  return std::nullopt;
}

}  // namespace fencewise
