#include "tests/support/differential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "kernels/core/error.h"
#include "kernels/core/flow.h"
#include "kernels/core/printer.h"
#include "kernels/core/verdict.h"
#include "kernels/frontend/litmus/print.h"
#include "kernels/frontend/litmus/random.h"
#include "tests/support/interleave.h"

namespace fencewise::testing {
namespace {

bool has(const CheckResult& result, FindingKind kind) {
  return std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& f) { return f.kind == kind; });
}

std::string difference(std::string_view one, const std::set<std::string>& ones, std::string_view other, const std::set<std::string>& others) {
  std::string text;
  for (const std::string& state : ones)
    if (!others.contains(state)) text += fmt::format("{}, not {}: {}\n", one, other, state);
  for (const std::string& state : others)
    if (!ones.contains(state)) text += fmt::format("{}, not {}: {}\n", other, one, state);
  return text;
}

std::string difference(const CheckResult& got, const OracleAnswer& expected) {
  std::string text;
  const auto differ = [&](std::string_view what, bool explorer, bool oracle) {
    if (explorer != oracle) text += fmt::format("{}: explorer {}, oracle {}\n", what, explorer, oracle);
  };
  // The oracle goes on where PTX leaves undefined what a barrier does.
  const bool violated = std::any_of(got.findings.begin(), got.findings.end(), [](const Finding& f) {
    return f.violates && f.kind != FindingKind::barrier_divergence;
  });
  differ("violated", violated, expected.race || expected.stuck);
  differ("race", has(got, FindingKind::race), expected.race);
  differ("stuck", has(got, FindingKind::stuck), expected.stuck);
  return text + difference("explorer", {got.final_states.begin(), got.final_states.end()}, "oracle", expected.final_states);
}

std::string difference_from_interleaving(const Problem& problem, const OracleAnswer& answer) {
  const auto expected = interleave(problem);
  if (!expected) return {};
  std::string text;
  if (answer.stuck != expected->stuck) text += fmt::format("stuck: oracle {}, interleaving {}\n", answer.stuck, expected->stuck);
  return text + difference("oracle", answer.final_states, "interleaving", expected->final_states);
}

}  // namespace

Comparison compare(const Problem& problem, Model model, const OracleLimits& limits) {
  Comparison comparison;
  Problem bare = problem;
  bare.contract = {};
  CheckOptions options;
  options.model = model;
  options.engine = Engine::graph;
  options.stop_at_first = false;
  options.collect_states = true;
  const CheckResult result = check(bare, options);
  if (!result.unexplored.empty()) {
    comparison.skipped = result.unexplored;
    return comparison;
  }
  auto answer = brute_force(bare, model, limits);
  if (!answer) {
    comparison.skipped = "too large for the oracle";
    return comparison;
  }
  comparison.expected = std::move(*answer);
  comparison.difference = difference(result, comparison.expected);
  if (model == Model::sc) comparison.difference += difference_from_interleaving(bare, comparison.expected);
  return comparison;
}

// --- Varying ---

namespace {

using litmus::Random;

void insert(Kernel& kernel, Random& random, const Operation& operation) {
  auto& instructions = kernel.blocks[random.below(static_cast<std::uint32_t>(kernel.blocks.size()))].instructions;
  const std::uint32_t at = random.below(static_cast<std::uint32_t>(instructions.size()));  // before the terminator
  instructions.insert(instructions.begin() + at, {operation, std::nullopt, {}});
}

// Of its own, and no others: threads that disagree on a barrier's count are undefined.
void add_barriers(Problem& problem, Random& random) {
  for (Kernel& kernel : problem.kernels)
    for (Block& block : kernel.blocks)
      std::erase_if(block.instructions, [](const Instruction& i) { return std::holds_alternative<Barrier>(i.operation); });
  std::vector<KernelId> together;  // threads of one CTA
  for (PlacedThread& thread : problem.launches[0].placed) {
    if (random.chance(70)) thread.placement = problem.launches[0].placed[0].placement;
    if (thread.placement == problem.launches[0].placed[0].placement) together.push_back(thread.kernel);
  }
  const auto threads = static_cast<std::uint32_t>(together.size());
  const bool counted = random.chance(60), by_instance = random.chance(50);
  const std::uint32_t counts[] = {random.between(1, threads), random.between(1, threads)};  // [barrier]; the rest is undefined
  for (std::uint32_t n = random.between(2, 4); n > 0; --n) {
    Barrier barrier;
    barrier.id = Operand::imm(random.below(2));
    if (counted) {
      barrier.count = Operand::imm(counts[barrier.id.bits]);
      if (random.chance(30)) barrier.kind = BarrierKind::arrive;
    }
    if (by_instance) barrier.instance = 0;
    insert(problem.kernels[together[random.below(threads)].value], random, barrier);
  }
}

Access* access_of(Operation& operation) {
  if (auto* load = std::get_if<Load>(&operation)) return &load->access;
  if (auto* store = std::get_if<Store>(&operation)) return &store->access;
  if (auto* atomic = std::get_if<Atomic>(&operation)) return &atomic->access;
  return nullptr;
}

void add_proxies(Problem& problem, Random& random) {
  constexpr Proxy proxies[] = {Proxy::surface, Proxy::texture, Proxy::constant};
  constexpr ProxyFence fences[] = {ProxyFence::alias, ProxyFence::generic, ProxyFence::surface, ProxyFence::texture, ProxyFence::constant};
  const bool alias = problem.buffers.size() > 1 && random.chance(60);
  if (alias) {
    problem.buffers[1].alias_of = BufferId{0};
    problem.buffers[1].own_address = true;
  }
  const Proxy other = random.pick(proxies);
  for (Kernel& kernel : problem.kernels)
    for (Block& block : kernel.blocks)
      for (Instruction& i : block.instructions)
        if (Access* access = access_of(i.operation); access && !std::holds_alternative<Atomic>(i.operation) && (!alias || random.chance(20)) && random.chance(40)) {
          access->proxy = other;
          access->order = Order::weak;
        }
  for (std::uint32_t n = random.below(4); n > 0; --n) {
    const ProxyFence kind = alias && random.chance(60) ? ProxyFence::alias : random.chance(60) ? static_cast<ProxyFence>(other) : random.pick(fences);
    insert(problem.kernels[random.below(static_cast<std::uint32_t>(problem.kernels.size()))], random, ProxyFenceOp{kind});
  }
}

}  // namespace

Problem vary(Problem problem, std::uint64_t seed) {
  Random random(seed ^ 0x7661727955U);
  if (random.chance(60)) {
    add_barriers(problem, random);
  } else {
    add_proxies(problem, random);
  }
  return problem;
}

// --- Shrinking ---

namespace {

// Simpler forms of one instruction, the simplest first.
std::vector<Instruction> simpler(const Instruction& instruction) {
  std::vector<Instruction> found;
  const auto with = [&](auto&& change) {
    Instruction copy = instruction;
    change(copy.operation);
    found.push_back(std::move(copy));
  };
  if (const auto* branch = std::get_if<CondBranch>(&instruction.operation)) {
    found.push_back({Branch{branch->taken}, std::nullopt, instruction.where});
    found.push_back({Branch{branch->otherwise}, std::nullopt, instruction.where});
  }
  if (const auto* fence = std::get_if<Fence>(&instruction.operation)) {
    if (fence->order == Order::sc) with([](Operation& o) { std::get<Fence>(o).order = Order::acq_rel; });
    if (fence->scope != Scope::sys) with([](Operation& o) { std::get<Fence>(o).scope = Scope::sys; });
  }
  Operation copy = instruction.operation;
  if (const Access* access = access_of(copy)) {
    const bool atomic = std::holds_alternative<Atomic>(copy);
    if (access->order != Order::weak && !atomic) with([](Operation& o) { access_of(o)->order = Order::weak; });
    if (access->order != Order::weak && access->order != Order::relaxed) with([](Operation& o) { access_of(o)->order = Order::relaxed; });
    if (access->order != Order::weak && access->scope != Scope::sys) with([](Operation& o) { access_of(o)->scope = Scope::sys; });
  }
  if (const auto* store = std::get_if<Store>(&instruction.operation); store != nullptr && store->value[0].is_register())
    with([](Operation& o) { std::get<Store>(o).value[0] = Operand::imm(1); });
  return found;
}

// Tries every local change of `problem`; true if one still fails, which `problem` then is.
bool shrink_once(Problem& problem, const std::function<bool(const Problem&)>& fails) {
  const auto attempt = [&](auto&& change) {
    Problem smaller = problem;
    change(smaller);
    if (!fails(smaller)) return false;
    problem = std::move(smaller);
    return true;
  };
  for (std::size_t t = 0; problem.launches[0].placed.size() > 1 && t < problem.launches[0].placed.size(); ++t)
    if (attempt([&](Problem& p) { p.launches[0].placed.erase(p.launches[0].placed.begin() + static_cast<std::ptrdiff_t>(t)); })) return true;
  for (std::size_t k = 0; k < problem.kernels.size(); ++k)
    for (std::size_t b = 0; b < problem.kernels[k].blocks.size(); ++b)
      for (std::size_t n = 0; n < problem.kernels[k].blocks[b].instructions.size(); ++n) {
        const Instruction instruction = problem.kernels[k].blocks[b].instructions[n];
        const auto at = [&](Problem& p) -> std::vector<Instruction>& { return p.kernels[k].blocks[b].instructions; };
        if (!is_terminator(instruction) && attempt([&](Problem& p) { at(p).erase(at(p).begin() + static_cast<std::ptrdiff_t>(n)); })) return true;
        for (const Instruction& other : simpler(instruction))
          if (attempt([&](Problem& p) { at(p)[n] = other; })) return true;
      }
  return false;
}

// Whether from every block that is reached an exit can be: a loop without a way out would run for ever.
bool may_end(const Kernel& kernel) {
  const auto reached_from = [&](std::uint32_t first) {
    std::vector<bool> seen(kernel.blocks.size(), false);
    std::vector<std::uint32_t> work{first};
    seen[first] = true;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      for (const BlockId next : successors(kernel.blocks[b]))
        if (!seen[next.value]) {
          seen[next.value] = true;
          work.push_back(next.value);
        }
    }
    return seen;
  };
  const auto ends = [&](std::uint32_t from) {
    const std::vector<bool> seen = reached_from(from);
    for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
      if (seen[b] && successors(kernel.blocks[b]).empty()) return true;
    return false;
  };
  const std::vector<bool> seen = reached_from(0);
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    if (seen[b] && !ends(b)) return false;
  return true;
}

}  // namespace

Problem shrink(Problem problem, const std::function<bool(const Problem&)>& fails) {
  const auto survives = [&](const Problem& p) {
    if (!std::all_of(p.kernels.begin(), p.kernels.end(), may_end)) return false;
    try {
      return fails(p);
    } catch (const InputError&) {
      return false;
    }
  };
  while (shrink_once(problem, survives)) {
  }
  return problem;
}

std::string show(const Problem& problem) {
  Problem shown = problem;
  shown.contract = {};
  shown.contract.quantifier = Quantifier::exists;
  const auto zero = std::make_shared<const Expr>(Expr{Number{0}});
  const auto x = std::make_shared<const Expr>(Expr{Element{BufferId{0}, zero, false}});
  shown.contract.assertions = {{"any", std::make_shared<const Formula>(Formula{fencewise::Comparison{Compare::eq, x, zero}}), When::plan_end}};
  try {
    return print_litmus(shown);
  } catch (const std::runtime_error&) {
    return print(problem);
  }
}

// --- The spread of a sample ---

void Spread::count(const Comparison& c) {
  if (!c.skipped.empty()) {
    ++skipped_[c.skipped];
    return;
  }
  ++compared_;
  racy_ += static_cast<std::uint64_t>(c.expected.race);
  stuck_ += static_cast<std::uint64_t>(c.expected.stuck);
  candidates_ += c.expected.candidates;
  consistent_ += c.expected.consistent;
  most_ = std::max(most_, c.expected.candidates);
  ++states_[c.expected.final_states.size()];
  std::uint64_t power = 1;
  while (power < c.expected.candidates) power *= 10;
  ++sizes_[power];
}

std::string Spread::text() const {
  std::string text = fmt::format("{} compared: {} racy, {} can hang; {} candidates, {} consistent, at most {} a program\n", compared_, racy_,
                                 stuck_, candidates_, consistent_, most_);
  text += "  candidates up to:";
  for (const auto& [size, programs] : sizes_) text += fmt::format(" {}:{}", size, programs);
  text += "\n  final states:";
  for (const auto& [states, programs] : states_) text += fmt::format(" {}:{}", states, programs);
  for (const auto& [reason, programs] : skipped_) text += fmt::format("\n  skipped {}: {}", programs, reason);
  return text;
}

std::uint64_t first_seed() {
  const char* seed = std::getenv("FENCEWISE_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1;
}

bool small_scale() {
#ifdef __SANITIZE_ADDRESS__
  return true;
#else
  const char* scale = std::getenv("FENCEWISE_TEST_SCALE");
  return scale != nullptr && std::string_view(scale) == "small";
#endif
}

}  // namespace fencewise::testing
