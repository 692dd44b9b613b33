#include "tests/support/progress_reference.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace fencewise::testing {
namespace {

using Kind = SmallInstruction::Kind;

struct State {
  std::vector<std::uint32_t> at;    // [thread]
  std::array<std::uint32_t, 2> memory{};
  std::vector<bool> stepped;        // [thread]
  friend auto operator<=>(const State&, const State&) = default;
};

bool finished(const SmallProgram& p, const State& s, std::size_t t) { return s.at[t] == p[t].size(); }

State step(const SmallProgram& p, State s, std::size_t t) {
  const SmallInstruction& i = p[t][s.at[t]];
  std::uint32_t& cell = s.memory[i.location];
  const std::uint32_t old = cell;
  if (i.kind == Kind::exchange || (i.kind == Kind::swap_zero && old == 0)) cell = i.value;
  s.at[t] = (old == i.jump_on) != i.unless ? i.target : s.at[t] + 1;
  s.stepped[t] = true;
  return s;
}

// Every state that is reached, with where each thread's step leads.
struct States {
  std::vector<State> all;
  std::vector<std::vector<std::size_t>> next;  // [state][thread]; the state itself where the thread has finished

  explicit States(const SmallProgram& p) {
    State first;
    first.at.assign(p.size(), 0);
    first.stepped.assign(p.size(), false);
    std::map<State, std::size_t> numbers{{first, 0}};
    all.push_back(first);
    for (std::size_t n = 0; n < all.size(); ++n) {
      auto& steps = next.emplace_back();
      for (std::size_t t = 0; t < p.size(); ++t) {
        const State to = finished(p, all[n], t) ? all[n] : step(p, all[n], t);
        const auto [it, fresh] = numbers.emplace(to, all.size());
        if (fresh) all.push_back(to);
        steps.push_back(it->second);
      }
    }
  }
  // [state] from there.
  [[nodiscard]] std::vector<bool> reachable(std::size_t from) const {
    std::vector<bool> seen(all.size(), false);
    seen[from] = true;
    std::vector<std::size_t> work{from};
    while (!work.empty()) {
      const std::size_t at = work.back();
      work.pop_back();
      for (const std::size_t to : next[at])
        if (!seen[to]) {
          seen[to] = true;
          work.push_back(to);
        }
    }
    return seen;
  }
};

}  // namespace

Interleaving::Interleaving(SmallProgram program) : program_(std::move(program)) {
  const States states(program_);
  std::vector<std::vector<bool>> reaches;
  for (std::size_t s = 0; s < states.all.size(); ++s) reaches.push_back(states.reachable(s));
  for (std::size_t s = 0; s < states.all.size(); ++s) {
    Part part{{}, states.all[s].stepped, std::vector<bool>(program_.size(), false)};
    for (std::size_t t = 0; t < program_.size(); ++t) part.finished.push_back(finished(program_, states.all[s], t));
    bool steps = false;
    for (std::size_t u = 0; u < states.all.size(); ++u) {
      if (!reaches[s][u] || !reaches[u][s]) continue;
      for (std::size_t t = 0; t < program_.size(); ++t)
        if (!part.finished[t] && reaches[states.next[u][t]][s]) steps = part.steps[t] = true;
    }
    if (steps) parts_.push_back(std::move(part));
  }
}

bool Interleaving::always_terminates(ProgressModel model) const {
  const auto is_fair_to = [&](const Part& part, std::size_t t) {
    bool lowest = true, one_from_here_stepped = false;
    for (std::size_t u = 0; u < t; ++u) lowest = lowest && part.finished[u];
    for (std::size_t u = t; u < program_.size(); ++u) one_from_here_stepped = one_from_here_stepped || part.stepped[u];
    switch (model) {
      case ProgressModel::fair: return true;
      case ProgressModel::hsa: return lowest;
      case ProgressModel::obe: return bool{part.stepped[t]};
      case ProgressModel::hsa_obe: return lowest || part.stepped[t];
      case ProgressModel::lobe: return one_from_here_stepped;
      case ProgressModel::unfair:
      case ProgressModel::lockstep: return false;
    }
    return false;
  };
  return std::none_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    for (std::size_t t = 0; t < program_.size(); ++t)
      if (!part.finished[t] && !part.steps[t] && is_fair_to(part, t)) return false;
    return true;  // it may go on for ever here
  });
}

std::string litmus_text(const SmallProgram& p) {
  std::vector<std::vector<std::string>> columns;
  for (std::size_t t = 0; t < p.size(); ++t) {
    auto& column = columns.emplace_back();
    const auto label = [&](std::size_t i) { return fmt::format("LC{}{}", t, i); };
    for (std::size_t n = 0; n < p[t].size(); ++n) {
      const SmallInstruction& i = p[t][n];
      const std::string reg = fmt::format("r{}", n), cell = i.location == 0 ? "x" : "y";
      column.push_back(label(n) + ":");
      switch (i.kind) {
        case Kind::exchange: column.push_back(fmt::format("atom.relaxed.gpu.exch {}, {}, {}", reg, cell, i.value)); break;
        case Kind::load: column.push_back(fmt::format("ld.relaxed.gpu {}, {}", reg, cell)); break;
        case Kind::test_zero: column.push_back(fmt::format("atom.relaxed.gpu.or {}, {}, 0", reg, cell)); break;
        case Kind::swap_zero: column.push_back(fmt::format("atom.relaxed.gpu.cas {}, {}, 0, {}", reg, cell, i.value)); break;
      }
      column.push_back(fmt::format("{} {}, {}, {}", i.unless ? "bne" : "beq", reg, i.jump_on, label(i.target)));
    }
    column.push_back(label(p[t].size()) + ":");
  }
  std::size_t rows = 0;
  for (const auto& column : columns) rows = std::max(rows, column.size());
  std::string text = "PTX small\n{\nx = 0; y = 0;\n}\n";
  for (std::size_t t = 0; t < p.size(); ++t) text += fmt::format("{} P{}@cta 0,gpu 0", t == 0 ? "" : " |", t);
  text += " ;\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < p.size(); ++t)
      text += fmt::format("{} {}", t == 0 ? "" : " |", row < columns[t].size() ? columns[t][row] : "");
    text += " ;\n";
  }
  return text + "exists (0 == 0)\n";
}

}  // namespace fencewise::testing
