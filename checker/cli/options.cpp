#include "checker/cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <map>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "checker/cli/plan_options.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::uint32_t bit(Command command) { return 1U << static_cast<unsigned>(command); }
constexpr std::uint32_t with_subject = bit(Command::show) | bit(Command::check) | bit(Command::simulate);
constexpr std::uint32_t reads_cuda = with_subject | bit(Command::ptx) | bit(Command::init);
constexpr std::uint32_t with_report = bit(Command::check) | bit(Command::replay);
constexpr std::uint32_t checks = bit(Command::check);
constexpr std::uint32_t explores = bit(Command::check) | bit(Command::litmus);
constexpr std::uint32_t simulates = bit(Command::simulate);
constexpr std::uint32_t runs_tests = bit(Command::litmus);
constexpr std::uint32_t generates = bit(Command::generate);

// One function a type of member: binds an option, or a flag, to it.
template <auto Member> void bind(CLI::App& app, const OptionRow& row, Options& options) {
  auto* option = row.value == nullptr ? nullptr : app.add_option(row.names, options.*Member, row.help);
  if (option != nullptr) option->type_name(row.value)->allow_extra_args(false);
}
// Without a value it is "defaults".
template <auto Member> void bind_optional(CLI::App& app, const OptionRow& row, Options& options) {
  const auto set = [&options](const std::vector<std::string>& given) {
    options.*Member = given.empty() || given.front().empty() ? "defaults" : given.front();
  };
  app.add_option_function<std::vector<std::string>>(row.names, set, row.help)->type_name(row.value)->expected(0, 1);
}
template <auto Member> void bind_flag(CLI::App& app, const OptionRow& row, Options& options) {
  app.add_flag(row.names, options.*Member, row.help);
}

constexpr std::array table{
    OptionRow{"--param", "K=V", "set a parameter of the protocol; may be repeated", with_subject,
              bind<&Options::params>},
    OptionRow{"--variant", "V", "a variant of the protocol, as `show` lists them", with_subject,
              bind<&Options::variant>},
    OptionRow{"--all-variants", nullptr, "check every variant and compare with what it must yield", checks,
              bind_flag<&Options::all_variants>},
    OptionRow{"--replays", "R", "launches with the same arguments; the same as --param replays=R",
              with_subject, bind<&Options::replays>},
    OptionRow{"--launch", "FILE.toml", "the launch of a .ptx or .cu file (default: the .toml file of the same name)",
              with_subject, bind<&Options::launch>},
    OptionRow{"--nvcc-args", "ARGS", "more arguments for nvcc, for a .cu file, such as '-arch=sm_80 -DN=2'", reads_cuda,
              bind<&Options::nvcc_args>},
    OptionRow{"--ptx-lines", nullptr, "show lines of the PTX, not of the CUDA source", with_subject,
              bind_flag<&Options::ptx_lines>},
    OptionRow{"--kernel", "NAME", "the kernel, where the file has several", bit(Command::init), bind<&Options::kernel>},
    OptionRow{"--out", "FILE|-", "where the launch file goes (default: stdout)", bit(Command::init), bind<&Options::out>},
    OptionRow{"--format", "F", "text, litmus, ptx or dot", bit(Command::show), bind<&Options::format>},
    OptionRow{"--model", "M", "memory model: ptx (default), ptx-v6.0, ptx-v7.5 or sc", explores,
              bind<&Options::model>},
    OptionRow{"--races", "R", "data races: fail (default), report or off", checks, bind<&Options::races>},
    OptionRow{"--engine", "E", "auto (default), view or graph", checks, bind<&Options::engine>},
    OptionRow{"--vectors", "V", "vector accesses: strict (default; separate scalars) or whole (up to 16 bytes at once)", checks,
              bind<&Options::vectors>},
    OptionRow{"--sweep", "[LIST]",
              "a table over many shapes, such as splits=1..8,threads=1..3; alone: the protocol's own, as `show` lists them", checks,
              bind_optional<&Options::sweep>},
    OptionRow{"--in-flight", "N", "N instances at once over one workspace, each with inputs and outputs of its own", checks,
              bind<&Options::in_flight>},
    OptionRow{"--determinism", nullptr, "does an output depend on the order in which CTAs finish?", checks,
              bind_flag<&Options::determinism>},
    OptionRow{"--initial", "W", "workspace at entry: declared (default), or any: names what is relied on", checks,
              bind<&Options::initial>},
    OptionRow{"--clean", nullptr, "what a replay reads before writing it must be left as it was found", checks,
              bind_flag<&Options::clean>},
    OptionRow{"--resident", "R", "at most R CTAs at a time; one leaves when it exits, they start in any order", checks,
              bind<&Options::resident>},
    OptionRow{"--progress", "M", "who is promised to go on: fair (default), hsa, obe, hsa_obe, lobe or unfair; or ctas=M,warps=M,lanes=M",
              explores, bind<&Options::progress>},
    OptionRow{"--lockstep", nullptr, "the lanes of a warp move together; the same as --progress lanes=lockstep", explores,
              bind_flag<&Options::lockstep>},
    OptionRow{"--find-resident", nullptr, "the smallest R that passes", checks, bind_flag<&Options::find_resident>},
    OptionRow{"--no-shrink", nullptr, "show a counterexample at the given parameters, not at the smallest that fail", checks,
              bind_flag<&Options::no_shrink>},
    OptionRow{"--loop-bound", "N",
              "rounds of a loop whose condition depends on memory (default 8; of a litmus test 3)", checks,
              bind<&Options::loop_bound>},
    OptionRow{"--loop-bound", "N", "rounds of a loop whose condition depends on memory (default 3)",
              runs_tests, bind<&Options::loop_bound>},
    OptionRow{"-j,--workers", "N", "threads: of the view explorer, or rows of a table at a time (default: one a core)", checks,
              bind<&Options::workers>},
    OptionRow{"--max-seconds", "S", "stop after this time; with --all-variants, for each", checks,
              bind<&Options::max_seconds>},
    OptionRow{"--max-seconds", "S", "stop a test after this time", runs_tests, bind<&Options::max_seconds>},
    OptionRow{"--max-memory", "BYTES", "stop at this size, such as 512M or 4G (default 75 % of RAM)",
              explores, bind<&Options::max_memory>},
    OptionRow{"--max-states", "N", "stop after this many states", checks, bind<&Options::max_states>},
    OptionRow{"--max-graphs", "N", "stop after this many execution graphs, of a test each", explores,
              bind<&Options::max_graphs>},
    OptionRow{"--order", "LIST", "CTAs in the order in which they finish, such as 2,0,3,1", simulates,
              bind<&Options::order>},
    OptionRow{"--runs", "N", "random runs (default 1)", simulates, bind<&Options::runs>},
    OptionRow{"--seed", "K", "of the first run; the next ones count up (default 1)", simulates,
              bind<&Options::seed>},
    OptionRow{"--expected", "FILE.tsv", "compare with a table of expectations", runs_tests,
              bind<&Options::expected>},
    OptionRow{"--states", nullptr, "list the final states that are reachable, as herd does", runs_tests,
              bind_flag<&Options::states>},
    OptionRow{"--explain", nullptr, "show an execution that decides the test; for one test", runs_tests,
              bind_flag<&Options::explain>},
    OptionRow{"-j,--workers", "N", "tests at a time (default: one a core)", runs_tests,
              bind<&Options::workers>},
    OptionRow{"--json", "FILE|-", "write what each test answers as JSON", runs_tests, bind<&Options::json>},
    OptionRow{"--dot", "FILE|-", "write an execution that decides the test for Graphviz; for one test",
              runs_tests, bind<&Options::dot>},
    OptionRow{"-q,--quiet", nullptr, "only the tests that differ and the summary", runs_tests,
              bind_flag<&Options::quiet>},
    OptionRow{"--count", "N", "tests to make (default 1)", generates, bind<&Options::count>},
    OptionRow{"--seed", "K", "of the first test; the next ones count up (default 1)", generates,
              bind<&Options::seed>},
    OptionRow{"--out", "FOLDER", "write gen-K.litmus, ... here; one test alone may go to stdout", generates,
              bind<&Options::out>},
    OptionRow{"--min-threads", "N", "threads of a test, at least (default 2)", generates,
              bind<&Options::min_threads>},
    OptionRow{"--max-threads", "N", "threads of a test, at most (default 3)", generates,
              bind<&Options::max_threads>},
    OptionRow{"--max-instructions", "N", "memory operations of a thread, at most (default 3)", generates,
              bind<&Options::max_instructions>},
    OptionRow{"--max-operations", "N", "memory operations of a test, at most (default 8)", generates,
              bind<&Options::max_operations>},
    OptionRow{"--max-locations", "N", "locations of a test, at most (default 2)", generates,
              bind<&Options::max_locations>},
    OptionRow{"--with", "WHAT", "also one-sided-fences, volatiles or clusters; may be repeated", generates,
              bind<&Options::with>},
    OptionRow{"--without", "WHAT",
              "not fences, atomics, dependencies, branches, barriers or several-gpus; may be repeated",
              generates, bind<&Options::without>},
    OptionRow{"--json,--save", "FILE|-", "write the report, with what `replay` needs, as JSON", with_report,
              bind<&Options::json>},
    OptionRow{"--csv", "FILE|-", "write the table of --sweep or --all-variants as CSV", checks, bind<&Options::csv>},
    OptionRow{"--dot", "FILE|-", "write the counterexample's execution graph for Graphviz", with_report,
              bind<&Options::dot>},
    OptionRow{"--json", nullptr, "print the list as JSON", bit(Command::list),
              bind_flag<&Options::list_json>},
    OptionRow{"-q,--quiet", nullptr, "only the first line: the verdict, or the summary",
              with_report | simulates, bind_flag<&Options::quiet>},
    OptionRow{"-v,--verbose", nullptr, "every event of every launch; all final states", with_report,
              bind_flag<&Options::verbose>},
};

template <class Enum> Enum one_of(std::string_view option, const std::string& text) {
  if (const auto value = from_spelling<Enum>(text)) return *value;
  throw InputError(fmt::format("unknown {} '{}'; expected {}", option, text, spellings<Enum>()));
}

// "hsa", or levels such as "ctas=hsa,lanes=unfair".
ProgressModels progress_models(const std::string& text) {
  ProgressModels result;
  if (text.empty()) return result;
  const auto model = [&](std::string_view name) {
    const auto found = from_spelling<ProgressModel>(name);
    if (found) return *found;
    throw InputError(fmt::format("--progress {}: unknown model '{}'; expected {}", text, name, spellings<ProgressModel>()));
  };
  if (text.find('=') == std::string::npos) {
    result.ctas = result.warps = result.lanes = model(text);
  } else {
    const std::map<std::string_view, ProgressModel*> levels = {
        {"ctas", &result.ctas}, {"warps", &result.warps}, {"lanes", &result.lanes}};
    std::vector<std::string_view> named;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const std::string_view item = std::string_view(text).substr(at, end - at);
      const std::size_t equals = item.find('=');
      const auto level = levels.find(item.substr(0, equals));
      if (equals == std::string_view::npos || level == levels.end())
        throw InputError(fmt::format("--progress {}: '{}' is no level; write it like ctas=hsa,warps=fair,lanes=unfair", text, item));
      if (std::ranges::count(named, level->first) != 0)
        throw InputError(fmt::format("--progress {}: '{}' is there twice", text, level->first));
      named.push_back(level->first);
      *level->second = model(item.substr(equals + 1));
      at = end + 1;
    }
  }
  if (result.ctas == ProgressModel::lockstep || result.warps == ProgressModel::lockstep)
    throw InputError(fmt::format("--progress {}: only lanes run in lock-step", text));
  return result;
}

// A number given to an option, within [least, most].
template <class Number> Number within(std::string_view option, Number value, Number least, Number most) {
  if (value >= least && value <= most) return value;
  throw InputError(fmt::format("{} must be from {} to {}; got {}", option, least, most, value));
}

constexpr std::int64_t most_workers = 1024;
constexpr std::int64_t largest_count = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();  // bytes

std::uint64_t page_count_times_size() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

// What this process may use: RAM, or less where a control group says so.
std::uint64_t memory_of_machine() {
  std::uint64_t bytes = page_count_times_size();
  std::uint64_t group = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> group) bytes = std::min(bytes, group);
  return bytes;
}

// "512M", "4G", "1048576".
std::uint64_t parse_bytes(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const std::string_view units = "KMGT";
  const std::size_t power = unit.empty() ? 0 : units.find(unit.front()) + 1;  // npos + 1 is 0
  const bool known = unit.empty() || (unit.size() == 1 && power != 0);
  if (error != std::errc() || number == 0 || !known || number > largest_size >> (10 * power))
    throw InputError(fmt::format("--max-memory must be a size such as 512M or 4G; got '{}'", text));
  return number << (10 * power);
}

}  // namespace

std::span<const OptionRow> option_table() { return table; }

void add_options(CLI::App& app, Command command, Options& options) {
  for (const OptionRow& row : table)
    if ((row.commands & bit(command)) != 0) row.add(app, row, options);
}

unsigned workers_of(const Options& options) {
  if (!options.workers) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(within<std::int64_t>("--workers", *options.workers, 1, most_workers));
}

CheckOptions check_options(const Options& options) {
  CheckOptions result;
  const auto model = parse_model(options.model);
  if (!model)
    throw InputError(fmt::format("unknown model '{}'; expected {}", options.model, spellings<Model>()));
  result.model = *model;
  result.races = one_of<Races>("--races", options.races);
  result.vectors = one_of<Vectors>("--vectors", options.vectors);
  result.engine = one_of<Engine>("engine", options.engine);
  if (options.loop_bound)
    result.loop_bound =
        static_cast<std::uint32_t>(within<std::int64_t>("--loop-bound", *options.loop_bound, 1, 1'000'000));
  if (options.resident)
    result.resident = static_cast<std::uint32_t>(within<std::int64_t>("--resident", *options.resident, 1, 1'000'000));
  result.determinism = options.determinism;
  result.workers = workers_of(options);
  if (options.in_flight) (void)within<std::int64_t>("--in-flight", *options.in_flight, 1, most_in_flight);
  result.progress = progress_models(options.progress);
  if (options.lockstep) result.progress.lanes = ProgressModel::lockstep;
  if (options.initial != "declared" && options.initial != "any")
    throw InputError(fmt::format("unknown --initial '{}'; expected declared or any", options.initial));
  return result;
}

Limits limits(const Options& options) {
  Limits result;
  if (options.max_seconds) result.seconds = within("--max-seconds", *options.max_seconds, 0.001, 1e9);
  if (options.max_states)
    result.states = static_cast<std::uint64_t>(
        within<std::int64_t>("--max-states", *options.max_states, 1, largest_count));
  if (options.max_graphs)
    result.graphs = static_cast<std::uint64_t>(
        within<std::int64_t>("--max-graphs", *options.max_graphs, 1, largest_count));
  result.memory_bytes =
      options.max_memory.empty() ? memory_of_machine() / 4 * 3 : parse_bytes(options.max_memory);
  return result;
}

void refuse_contradictions(const Options& o) {
  const auto refuse = [](std::string_view a, std::string_view b) {
    throw InputError(fmt::format("{} and {} contradict each other; give one of them", a, b));
  };
  const auto sets_replays = [](const std::string& param) { return param.starts_with("replays="); };
  if (o.replays && std::any_of(o.params.begin(), o.params.end(), sets_replays))
    refuse("--replays", "--param replays");
  if (!o.variant.empty() && o.all_variants) refuse("--variant", "--all-variants");
  if (o.quiet && o.verbose) refuse("-q", "-v");
  if (o.resident && o.find_resident) refuse("--resident", "--find-resident");
  if (o.clean && o.initial == "any") refuse("--clean", "--initial any");
  if (!o.sweep.empty()) {
    if (o.all_variants) refuse("--sweep", "--all-variants");
    if (o.find_resident) refuse("--sweep", "--find-resident");
    if (o.clean) refuse("--sweep", "--clean");
    if (o.initial == "any") refuse("--sweep", "--initial any");
    if (!o.json.empty()) refuse("--sweep", "--json");
    if (!o.dot.empty()) refuse("--sweep", "--dot");
  }
  if (o.all_variants) {
    if (o.find_resident) refuse("--all-variants", "--find-resident");
    if (o.clean) refuse("--all-variants", "--clean");
    if (o.initial == "any") refuse("--all-variants", "--initial any");
    if (o.in_flight) refuse("--all-variants", "--in-flight");
    if (o.determinism) refuse("--all-variants", "--determinism");
  }
  if (!o.csv.empty() && o.sweep.empty() && !o.all_variants)
    throw InputError("--csv writes the table of --sweep or --all-variants; give one of them");
  if (!o.csv.empty() && o.csv == o.json) refuse(fmt::format("--csv {}", o.csv), fmt::format("--json {}", o.json));
  if (o.lockstep && (o.progress.find("lanes") != std::string::npos || (!o.progress.empty() && o.progress.find('=') == std::string::npos)))
    refuse("--lockstep", fmt::format("--progress {}", o.progress));
  if (!o.order.empty() && o.runs) refuse("--order", "--runs");
  if (!o.dot.empty() && o.all_variants) refuse("--dot", "--all-variants");
  if (o.explain && (o.json == "-" || o.dot == "-"))
    refuse("--explain", o.json == "-" ? "--json -" : "--dot -");
  if (!o.json.empty() && o.json == o.dot)
    refuse(fmt::format("--json {}", o.json), fmt::format("--dot {}", o.dot));
}

std::optional<std::vector<std::uint32_t>> finish_order(const Options& options) {
  if (options.order.empty()) return std::nullopt;
  std::vector<std::uint32_t> order;
  const char* at = options.order.data();
  const char* const end = at + options.order.size();
  for (;;) {
    std::uint32_t cta = 0;
    const auto [rest, error] = std::from_chars(at, end, cta);
    if (error != std::errc() || (rest != end && *rest != ','))
      throw InputError(
          fmt::format("--order must be a list of CTAs such as 2,0,3,1; got '{}'", options.order));
    if (std::find(order.begin(), order.end(), cta) != order.end())
      throw InputError(fmt::format("--order {} names CTA {} twice", options.order, cta));
    order.push_back(cta);
    if (rest == end) return order;
    at = rest + 1;
  }
}

}  // namespace fencewise
