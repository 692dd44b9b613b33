// litmus: many litmus tests, each run to its answer, and compared with what is expected.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/in_order.h"
#include "checker/cli/interrupt.h"
#include "checker/cli/litmus_files.h"
#include "checker/cli/litmus_table.h"
#include "checker/cli/output.h"
#include "checker/cli/progress_line.h"
#include "checker/cli/files.h"
#include "checker/cli/subject.h"
#include "checker/report/dot.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/parse.h"

namespace fencewise {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

LitmusOptions litmus_options(const Options& options) {
  const CheckOptions given = check_options(options);
  LitmusOptions result;
  result.model = given.model;
  result.progress = given.progress;
  if (options.loop_bound) result.loop_bound = given.loop_bound;
  result.collect_states = true;
  return result;
}

// The table of expectations and the folder from which its paths count.
struct Expected {
  LitmusExpectations table;
  std::string folder;

  // Paths count from the table's folder; from the folder given where the table lies elsewhere.
  [[nodiscard]] std::optional<LitmusExpectation> find(Model model, const LitmusFile& file) const {
    for (const std::string& path : {relative_to(folder, file.path), file.in_folder, file.shown})
      if (const LitmusExpectation* found = table.find(model, path)) return *found;
    return std::nullopt;
  }
};

std::optional<Expected> expected_of(const Options& options) {
  if (options.expected.empty()) return std::nullopt;
  Expected result{LitmusExpectations::parse(read_file(options.expected), options.expected, check_options(options).progress),
                  std::filesystem::path(options.expected).parent_path().string()};
  return result;
}

// --- One test ---

struct Setting {
  LitmusOptions options;
  Limits limits;
  Progress progress;
};

void answer(const Problem& test, const Setting& setting, LitmusRun& run) {
  const LitmusOutcome outcome = run_litmus(test, setting.options, setting.limits, setting.progress);
  run.statement = outcome.statement;
  run.liveness = outcome.liveness;
  run.not_modelled = outcome.not_modelled;
  run.reason = outcome.reason;
  run.search = outcome.details.search;
  run.states = observed_states(test, outcome.details.final_states);
}

LitmusRun run_file(const LitmusFile& file, const Setting& setting, const std::optional<Expected>& expected) {
  const Clock::time_point start = Clock::now();
  LitmusRun run;
  run.path = file.shown;
  if (expected) run.expected = expected->find(setting.options.model, file);
  try {
    const Problem test = parse_litmus(read_file(file.path), file.shown);
    run.name = test.name;
    run.quantifier = test.contract.quantifier;
    if (!test.contract.assertions.empty()) run.condition = test.contract.assertions.front().text;
    answer(test, setting, run);
  } catch (const InputError& error) {
    run.status = LitmusStatus::malformed;
    run.reason = error.what();
  } catch (const NotModelled& error) {
    run.not_modelled = true;
    run.reason = error.what();
  } catch (const std::bad_alloc&) {
    run.reason = "out of memory";
  }
  if (run.status != LitmusStatus::malformed) compare(run, expected.has_value());
  run.seconds = since(start);
  return run;
}

// --- All of them ---

class LitmusCommand {
 public:
  explicit LitmusCommand(const Options& options)
      : options_(options),
        setting_{litmus_options(options), limits(options), {}},
        expected_(expected_of(options)),
        files_(litmus_files(options.paths)),
        table_(setting_.options.model, longest_path(), expected_.has_value()) {
    setting_.progress.stop = &stop_on_interrupt();
  }

  int run() {
    require_one_test();
    require_writable(options_.json);
    require_writable(options_.dot);
    const Clock::time_point start = Clock::now();
    if (as_text_ && !options_.quiet) print_out(table_.header());
    run_all();
    const double seconds = since(start);
    if (as_text_) print_out(table_.summary(tally_, seconds));
    if (!options_.json.empty())
      write_output(options_.json, litmus_json(setting_.options.model, kept_, seconds));
    if (options_.explain || !options_.dot.empty()) show_witness();
    hint();
    return exit_code();
  }

 private:
  [[nodiscard]] std::size_t longest_path() const {
    std::size_t longest = 0;
    for (const LitmusFile& file : files_) longest = std::max(longest, file.shown.size());
    return longest;
  }

  void require_one_test() const {
    const char* const option = options_.explain ? "--explain" : !options_.dot.empty() ? "--dot" : nullptr;
    if (option != nullptr && files_.size() != 1)
      throw InputError(
          fmt::format("{} shows one execution of one test; {} tests are given", option, files_.size()));
  }

  void run_all() {
    JobsDone progress(!options_.quiet, "tests", files_.size());
    std::size_t done = 0;
    in_order<LitmusRun>(
        files_.size(), workers_of(options_),
        [this](std::size_t i) { return run_file(files_[i], setting_, expected_); },
        [&](std::size_t, LitmusRun run) {
          ++done;
          progress.wipe();
          take(std::move(run));
        },
        [&] { progress.show(done); });
  }

  void take(LitmusRun run) {
    tally_.count(run);
    if (as_text_ && (!options_.quiet || run.status == LitmusStatus::differs)) {
      print_out(table_.line(run));
      if (options_.states) print_out(herd_text(run));
    }
    if (run.status == LitmusStatus::malformed) fmt::print(stderr, "fencewise: {}\n", run.reason);
    if (run.status == LitmusStatus::differs && first_difference_.empty()) first_difference_ = run.path;
    if (!options_.json.empty()) kept_.push_back(std::move(run));
  }

  // The execution that decides the one test, as `check` would show it.
  void show_witness() {
    if (tally_[LitmusStatus::malformed] != 0 || tally_[LitmusStatus::not_modelled] != 0) return;
    const Problem test = parse_litmus(read_file(files_.front().path), files_.front().shown);
    const LitmusOutcome outcome = run_litmus(test, setting_.options, setting_.limits, setting_.progress);
    const auto witness = litmus_witness(test, outcome, setting_.options, setting_.limits, setting_.progress);
    Report report;
    report.subject = files_.front().shown;
    report.options.model = setting_.options.model;
    report.options.races = Races::off;
    report.options.loop_bound = setting_.options.loop_bound;
    report.options.progress = setting_.options.progress;
    report.result = outcome.details;
    report.result.verdict = outcome.statement;
    report.result.findings.clear();
    if (witness) report.result.findings.push_back(*witness);
    if (!options_.dot.empty()) write_output(options_.dot, to_dot(report));
    if (!options_.explain || !as_text_) return;
    print_out("\n" + to_text(report, text_options(options_)));
    if (!witness && outcome.statement != Verdict::inconclusive)
      print_out("no single execution decides this test: the answer is about all of them\n");
  }

  void hint() const {
    if (!as_text_ || options_.quiet) return;
    const std::string model = setting_.options.model == Model::ptx
                                  ? ""
                                  : fmt::format(" --model {}", spelling(setting_.options.model));
    if (!first_difference_.empty() && !options_.explain) {
      print_out(fmt::format("hint: fencewise litmus {}{} --explain shows the execution that decides it\n",
                            first_difference_, model));
    } else if (expected_ && tally_.compared == 0) {
      print_out(
          fmt::format("hint: {} has no line for model {} that names one of these files; its paths count from "
                      "its own folder\n",
                      options_.expected, spelling(setting_.options.model)));
    }
  }

  [[nodiscard]] int exit_code() const {
    if (tally_[LitmusStatus::malformed] != 0) return exit_usage;
    if (tally_[LitmusStatus::differs] != 0) return exit_violated;
    if (tally_[LitmusStatus::inconclusive] != 0) return exit_inconclusive;
    // Nothing was expected of what is not modelled: without expectations at all, an answer was.
    return !expected_ && tally_[LitmusStatus::not_modelled] != 0 ? exit_inconclusive : exit_verified;
  }

  const Options& options_;
  Setting setting_;
  std::optional<Expected> expected_;
  std::vector<LitmusFile> files_;
  LitmusTable table_;
  bool as_text_ = !stdout_is_taken(options_);
  LitmusTally tally_;
  std::vector<LitmusRun> kept_;
  std::string first_difference_;
};

}  // namespace

int litmus_command(const Options& options) {
  refuse_contradictions(options);
  return LitmusCommand(options).run();
}

}  // namespace fencewise
