#include "checker/cli/run_cuda.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/cli/commands.h"
#include "checker/cli/files.h"
#include "checker/cli/output.h"
#include "checker/properties/formula.h"
#include "kernels/frontend/launchfile/execute.h"

namespace fencewise {
namespace {

using launchfile::Execution;

// What must hold after a replay, of the last one. Empty: it does.
std::string broken(const Problem& problem, const Execution& execution) {
  Terms terms(problem.domain);
  const auto reading = [&](const launchfile::Memory& memory) {
    return [&](BufferId id, std::uint64_t index) {
      return Value::number(launchfile::element_of(problem.buffers[id.value], memory[id.value], index));
    };
  };
  const FinalState state{reading(execution.memory), reading(execution.at_entry), nullptr};
  for (const Assertion& assertion : problem.contract.assertions)
    if (holds(*assertion.formula, state, terms, problem) != Truth::yes)
      return fmt::format("{} fails: {}", assertion.text, explain(*assertion.formula, state, terms, problem));
  return "";
}

struct Judged {
  const Problem& problem;
  Execution execution;
  std::string failure;  // empty: right
  bool told = true;     // false: the schedule here leaves it open
};

Judged judge_run(const Problem& problem, const CudaRun& options) {
  Judged judged{problem, launchfile::execute(problem, options.seed, options.workers), "", true};
  const auto& last = judged.execution.launches.back();
  const Kernel& kernel = problem.kernels[problem.launches[last.launch].kernel.value];
  judged.failure =
      last.result.fault ? to_string(*last.result.fault, kernel) : broken(problem, judged.execution);
  judged.told = !leaves_open(last.result);
  return judged;
}

std::string_view name(const Judged& judged) { return !judged.told ? "not told" : judged.failure.empty() ? "right" : "wrong"; }

const Kernel& kernel_of(const Judged& judged, const launchfile::ExecutedLaunch& launch) {
  return judged.problem.kernels[judged.problem.launches[launch.launch].kernel.value];
}

std::string to_text(const Judged& judged) {
  std::string text = judged.failure.empty() ? "right: what must hold does, on this schedule and these data\n"
                                            : fmt::format("{}: {}\n", judged.told ? "WRONG" : "not told", judged.failure);
  for (const auto& launch : judged.execution.launches) {
    const Launch& shape = judged.problem.launches[launch.launch];
    const Dim3 &g = shape.grid, &b = shape.block;
    text += fmt::format("\nreplay {}, {}: grid {}x{}x{}, block {}x{}x{}\n", launch.replay, shape.name, g.x,
                        g.y, g.z, b.x, b.y, b.z);
    for (const PrintedText& printed : launch.result.printed) text += printed.text;
    if (!launch.result.printed.empty() && !text.ends_with('\n')) text += '\n';
    for (const CounterField& f : counter_fields())
      text += fmt::format("{:22} {:>14}\n", f.name, launch.result.counters.*f.member);
    for (const RaceReport& race : launch.result.races)
      text += to_string(race, kernel_of(judged, launch)) + '\n';
  }
  return text;
}

std::string to_json(const Judged& judged, const std::string& subject) {
  nlohmann::ordered_json json{
      {"schema", 1}, {"subject", subject}, {"result", name(judged)}};
  if (!judged.failure.empty()) json["failure"] = judged.failure;
  json["launches"] = nlohmann::ordered_json::array();
  for (const auto& launch : judged.execution.launches) {
    nlohmann::ordered_json one{{"replay", launch.replay}, {"kernel", kernel_of(judged, launch).name}};
    for (const CounterField& f : counter_fields())
      one["counters"][std::string(f.name)] = launch.result.counters.*f.member;
    one["printed"] = nlohmann::ordered_json::array();
    for (const PrintedText& printed : launch.result.printed)
      one["printed"].push_back({{"block", printed.block}, {"thread", printed.thread}, {"text", printed.text}});
    json["launches"].push_back(std::move(one));
  }
  return json.dump(2) + '\n';
}

}  // namespace

int run_cuda(const CudaRun& options) {
  require_writable(options.json);
  const Problem problem = problem_of(options.source);
  const Judged judged = judge_run(problem, options);
  if (!options.json.empty())
    write_output(options.json, to_json(judged, without_absolute_path(options.source.file)));
  if (options.json != "-") print_out(to_text(judged));
  if (!judged.told) return exit_inconclusive;
  return judged.failure.empty() ? exit_verified : exit_violated;
}

}  // namespace fencewise
