#include "kernels/frontend/litmus/parse.h"

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/frontend/litmus/locations.h"
#include "kernels/frontend/litmus/lower_condition.h"
#include "kernels/frontend/litmus/lower_thread.h"
#include "kernels/frontend/litmus/placement.h"
#include "kernels/frontend/litmus/registers.h"
#include "kernels/frontend/litmus/syntax.h"
#include "kernels/frontend/litmus/words.h"

namespace fencewise {
namespace litmus {
namespace {

constexpr std::size_t most_rows = 10'000;

// The program, one column a thread. Every row has a cell for each.
std::vector<Column> columns(const SyntaxTree& tree, const Diagnostics& diagnostics) {
  std::vector<Column> result(tree.threads.size());
  for (std::size_t i = 0; i < tree.rows.size(); ++i) {
    const std::vector<Cell>& cells = tree.rows[i].cells;
    if (i == most_rows) {
      diagnostics.error(cells.front().at,
                        fmt::format("found {} rows; expected at most {}", tree.rows.size(), most_rows));
    }
    if (cells.size() != result.size()) {
      const Position at = cells[std::min(cells.size() - 1, result.size())].at;
      diagnostics.error(at, fmt::format("found a row of {} cell{}; expected {}, one for each thread",
                                        cells.size(), cells.size() == 1 ? "" : "s", result.size()));
    }
    for (std::size_t thread = 0; thread < cells.size(); ++thread) {
      if (cells[thread].statement || !cells[thread].labels.empty()) result[thread].push_back(&cells[thread]);
    }
  }
  return result;
}

void declare_register(const Initial& initial, std::vector<Registers>& threads,
                      const Diagnostics& diagnostics) {
  const std::uint32_t thread = thread_number(*initial.thread, diagnostics);
  if (thread >= threads.size()) {
    diagnostics.error(initial.thread->at, fmt::format("no thread {}; expected one from P0 to P{}",
                                                      quoted(initial.thread->text), threads.size() - 1));
  }
  if (!is_register(initial.name.text)) {
    diagnostics.error(initial.name.at,
                      fmt::format("found {}; expected a register (r0, r1, ...)", quoted(initial.name.text)));
  }
  if (!is_integer(initial.value.text)) {
    diagnostics.not_modelled(initial.value.at, fmt::format("an address in a register ({}) is not modelled",
                                                           quoted(initial.value.text)));
  }
  if (!threads[thread].declare(initial.name.text, integer_of(initial.value, diagnostics))) {
    diagnostics.error(initial.name.at,
                      fmt::format("register {} of P{} is declared twice; expected one initial value",
                                  quoted(initial.name.text), thread));
  }
}

Quantifier quantifier_of(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::exists: return Quantifier::exists;
    case ConditionKind::not_exists: return Quantifier::never;
    case ConditionKind::forall: return Quantifier::always;
  }
  return Quantifier::exists;
}

Problem lower(const SyntaxTree& tree, const Diagnostics& diagnostics) {
  const std::vector<Placement> placed = placements(tree, diagnostics);
  const std::vector<Column> programs = columns(tree, diagnostics);
  std::vector<Registers> registers(placed.size());
  Locations locations(diagnostics);
  for (const Initial& initial : tree.initials) {
    if (initial.thread) {
      declare_register(initial, registers, diagnostics);
    } else {
      locations.declare(initial);
    }
  }

  Problem problem;
  problem.name = tree.name;
  Launch launch;
  launch.name = tree.name;
  for (std::uint32_t i = 0; i < placed.size(); ++i) {
    Kernel kernel;
    kernel.name = fmt::format("P{}", i);
    kernel.files = {diagnostics.file()};
    collect_registers(programs[i], registers[i]);
    registers[i].number(kernel);
    lower_thread(programs[i], tree.threads[i].thread.at, registers[i], locations, kernel, diagnostics);
    problem.kernels.push_back(std::move(kernel));
    launch.placed.push_back({KernelId{i}, placed[i]});
  }
  problem.launches.push_back(std::move(launch));

  problem.contract.quantifier = quantifier_of(tree.kind);
  if (tree.filter) problem.contract.filter = lower_condition(*tree.filter, registers, locations, diagnostics);
  problem.contract.assertions.push_back({tree.condition.text,
                                         lower_condition(tree.condition, registers, locations, diagnostics),
                                         When::plan_end});
  problem.buffers = locations.buffers();
  return problem;
}

}  // namespace
}  // namespace litmus

Problem parse_litmus(std::string_view text, std::string_view file_name) {
  const Diagnostics diagnostics{std::string(file_name)};
  return litmus::lower(litmus::parse_syntax(text, diagnostics), diagnostics);
}

Problem read_litmus(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // One byte more than is allowed, so that a file that is too long says so.
  std::string text(litmus::largest_file + 1, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof()) {
    throw InputError(fmt::format("{}: can't be read; expected a litmus test", path));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_litmus(text, path);
}

}  // namespace fencewise
