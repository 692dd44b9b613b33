// fencewise: the program. The one place where failures become exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

#include "checker/cli/commands.h"
#include "checker/cli/options.h"
#include "checker/cli/output.h"
#include "kernels/core/error.h"

#if __has_include("checker/cli/ledger_command.h")
#include "checker/cli/ledger_command.h"
#define FENCEWISE_HAS_LEDGER
#endif
#if __has_include("checker/cli/run_command.h")
#include "checker/cli/run_command.h"
#define FENCEWISE_HAS_RUN
#endif

#ifndef FENCEWISE_VERSION
#define FENCEWISE_VERSION "unversioned"
#endif

namespace fencewise {
namespace {

using Run = int (*)(const Options&);

// Adds a command; `subject` describes its argument, null for none.
void add_command(CLI::App& app, Command command, const char* name, const char* help, const char* subject, Run run,
                 Options& options, int& exit_code) {
  CLI::App* sub = app.add_subcommand(name, help);
  if (subject != nullptr) sub->add_option("subject", options.subject, subject)->required()->type_name("");
  add_options(*sub, command, options);
  sub->callback([run, &options, &exit_code] { exit_code = run(options); });
}

constexpr const char* subject_help = "a protocol (`fencewise list`), a .litmus, .ptx or .cu file, or a saved .json report";
constexpr const char* cuda_help = "a .ptx or .cu file";

void add_commands(CLI::App& app, Options& options, int& exit_code) {
  add_command(app, Command::list, "list", "built-in protocols", nullptr, list_command, options, exit_code);
  add_command(app, Command::show, "show", "parameters, variants and program of a subject", subject_help, show_command,
              options, exit_code);
  add_command(app, Command::check, "check", "explore every behaviour that the memory model allows", subject_help,
              check_command, options, exit_code);
  add_command(app, Command::simulate, "simulate", "interleaving only, as a test run would see it", subject_help,
              simulate_command, options, exit_code);
  add_command(app, Command::replay, "replay", "re-execute and re-judge a saved counterexample", "a saved .json report",
              replay_command, options, exit_code);
  add_command(app, Command::litmus, "litmus", "run many litmus tests, and compare with what is expected", nullptr,
              litmus_command, options, exit_code);
  app.get_subcommand("litmus")->add_option("paths", options.paths, ".litmus files, and folders of them")->required()->type_name("");
  add_command(app, Command::generate, "generate", "random litmus tests", nullptr, generate_command, options, exit_code);
  add_command(app, Command::ptx, "ptx", "what was understood of a PTX file, and what is not modelled", cuda_help, ptx_command,
              options, exit_code);
  add_command(app, Command::init, "init", "a commented launch file for a kernel of a PTX file", cuda_help, init_command, options,
              exit_code);
#ifdef FENCEWISE_HAS_LEDGER
  add_ledger_command(app, exit_code);
#endif
#ifdef FENCEWISE_HAS_RUN
  add_run_command(app, exit_code);
#endif
}

// A value left out: a variable of the shell that was not set, or `--json=`, for which CLI11 would take the next word.
void refuse_empty_words(std::span<const char* const> words) {
  const auto refuse = [](std::string_view option) { throw InputError(fmt::format("{}: expected a value, found ''", option)); };
  std::string_view before;
  bool names = false;  // behind "--"
  for (const std::string_view word : words) {
    if (word.empty()) refuse(before.starts_with('-') ? before : "arguments");
    names |= word == "--";
    if (!names && word.starts_with("--") && word.find('=') == word.size() - 1) refuse(word.substr(0, word.size() - 1));
    before = word;
  }
}

// CLI11's messages begin with a capital and may end with a line end.
std::string tidy(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || rest.empty()) return tidy(error.what());
  const char* const what = rest.front().starts_with('-') ? "unknown option" : "unexpected argument";
  return fmt::format("{} '{}'; fencewise --help shows what there is", what, rest.front());
}

int fail(int code, std::string_view message) {
  std::fflush(stdout);
  fmt::print(stderr, "fencewise: {}\n", message);
  return code;
}

bool has_command(CLI::App& app, std::string_view name) {
  return !app.get_subcommands([name](const CLI::App* command) { return command->get_name() == name; }).empty();
}

int run(int argc, char** argv) {
  CLI::App app("Checks GPU synchronization protocols against the PTX memory model.", "fencewise");
  app.set_version_flag("--version", "fencewise " FENCEWISE_VERSION);
  app.require_subcommand(1);
  Options options;
  int exit_code = exit_verified;
  add_commands(app, options, exit_code);
  if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1]))
    return fail(exit_usage, fmt::format("unknown command '{}'; fencewise --help lists them", argv[1]));
  refuse_empty_words({argv, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help, --version
  } catch (const CLI::ParseError& error) {
    return fail(exit_usage, usage_message(app, error));
  }
  finish_output();
  return exit_code;
}

}  // namespace
}  // namespace fencewise

int main(int argc, char** argv) {
  using namespace fencewise;
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    return fail(exit_usage, error.what());
  } catch (const NotModelled& error) {
    return fail(exit_inconclusive, fmt::format("inconclusive: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return fail(exit_inconclusive, "inconclusive: out of memory");
  } catch (const std::exception& error) {
    return fail(exit_bug, fmt::format("{}; this is a bug in fencewise", error.what()));
  }
}
