#include "tests/support/progress_reference.h"

#include <algorithm>
#include <map>
#include <set>

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

bool is_fair_to(const SmallProgram& p, const State& s, ProgressModel model, std::size_t t) {
  if (finished(p, s, t)) return false;
  bool lowest = true, one_above_stepped = false;
  for (std::size_t u = 0; u < t; ++u) lowest = lowest && finished(p, s, u);
  for (std::size_t u = t; u < p.size(); ++u) one_above_stepped = one_above_stepped || s.stepped[u];
  switch (model) {
    case ProgressModel::fair: return true;
    case ProgressModel::hsa: return lowest;
    case ProgressModel::obe: return s.stepped[t];
    case ProgressModel::hsa_obe: return lowest || s.stepped[t];
    case ProgressModel::lobe: return one_above_stepped;
    case ProgressModel::unfair:
    case ProgressModel::lockstep: return false;
  }
  return false;
}

std::set<State> reachable(const SmallProgram& p, const State& from) {
  std::set<State> seen;
  std::vector<State> work{from};
  while (!work.empty()) {
    const State s = work.back();
    work.pop_back();
    for (std::size_t t = 0; t < p.size(); ++t)
      if (!finished(p, s, t))
        if (State next = step(p, s, t); seen.insert(next).second) work.push_back(next);
  }
  return seen;  // `from` only if it is reached again
}

}  // namespace

bool always_terminates(const SmallProgram& p, ProgressModel model) {
  State first;
  first.at.assign(p.size(), 0);
  first.stepped.assign(p.size(), false);
  std::set<State> all = reachable(p, first);
  all.insert(first);
  std::map<State, std::set<State>> from;
  for (const State& s : all) from.emplace(s, reachable(p, s));
  for (const State& s : all) {
    if (!from.at(s).contains(s)) continue;
    std::vector<bool> steps(p.size(), false);  // within the part of s
    for (const State& u : from.at(s)) {
      if (!from.at(u).contains(s)) continue;
      for (std::size_t t = 0; t < p.size(); ++t)
        if (!finished(p, u, t)) {
          const State next = step(p, u, t);
          if (next == s || from.at(next).contains(s)) steps[t] = true;
        }
    }
    bool runs_for_ever = true;
    for (std::size_t t = 0; t < p.size(); ++t) runs_for_ever = runs_for_ever && (steps[t] || !is_fair_to(p, s, model, t));
    if (runs_for_ever) return false;
  }
  return true;
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
