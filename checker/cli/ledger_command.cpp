#include "checker/cli/ledger_command.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/cli/commands.h"
#include "checker/cli/output.h"
#include "kernels/core/error.h"
#include "kernels/ledger/device.h"
#include "kernels/ledger/ledgers.h"

namespace fencewise {
namespace {

constexpr std::int64_t quick_reduction = std::int64_t{1} << 14;
constexpr std::int64_t quick_gemm = 128;

// CLI11 cuts numbers that are too large to the largest one, and drops what is empty in a list; say so instead.
std::int64_t whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw CLI::ValidationError(fmt::format("'{}' is no whole number below 2^63", text));
  return value;
}

// "128" or "128,256".
std::vector<std::int64_t> whole_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    numbers.push_back(whole_number(text.substr(from, end - from)));
    from = end + 1;
  }
  return numbers;
}

// As CLI11 wants it: what is wrong, or nothing.
template <class Read> CLI::Validator readable_by(Read read) {
  return {[read](const std::string& text) {
            try {
              (void)read(text);
            } catch (const CLI::ValidationError& error) {
              return std::string(error.what());
            }
            return std::string();
          },
          ""};
}

// Where a ledger goes; empty: nowhere.
struct Outputs {
  std::string json, csv, plot;

  void add_to(CLI::App& app) {
    app.add_option("--json", json, "write the tables as JSON, - for stdout")->type_name("FILE");
    app.add_option("--csv", csv, "write the tables as CSV, - for stdout")->type_name("FILE");
    app.add_option("--plot", plot, "draw bar charts")->type_name("FILE.svg");
  }
  void check() const {
    if (json == "-" && csv == "-")
      throw InputError("--json - and --csv - both want stdout; write one to a file");
    if (plot == "-" && (json == "-" || csv == "-"))
      throw InputError("--plot - and another output both want stdout; write one to a file");
    for (const std::string& path : {json, csv, plot}) require_writable(path);
  }
  void write(const Ledger& ledger) const {
    if (!json.empty()) write_output(json, to_json(ledger));
    if (!csv.empty()) write_output(csv, to_csv(ledger));
    if (!plot.empty()) write_output(plot, to_svg(ledger.charts));
    if (json != "-" && csv != "-" && plot != "-") print_out(to_text(ledger));
  }
};

// Options live as long as the parser's callbacks.
struct State {
  Outputs outputs;
  bool quick = false;
  SyncOptions sync;
  ReductionOptions reduction;
  GemmOptions gemm;
  SplitkOptions splitk;
};
using StatePtr = std::shared_ptr<State>;

// What stands between `ledger` and the ledger's name: a second name, or options, which come after it.
void refuse_extras(const CLI::App& ledger, const std::string& name) {
  const std::vector<std::string> rest = ledger.remaining();
  if (rest.empty()) return;
  if (rest.front().starts_with("-"))
    throw InputError(fmt::format("write options after the ledger's name: ledger {} {}", name, rest.front()));
  throw InputError(fmt::format("unknown ledger '{}' before '{}'", rest.front(), name));
}

CLI::App& add(CLI::App& ledger, const char* name, const char* help, const StatePtr& state, int& exit_code,
              const std::function<Ledger()>& make) {
  CLI::App* app = ledger.add_subcommand(name, help);
  state->outputs.add_to(*app);
  app->callback([&ledger, state, &exit_code, make, name] {
    refuse_extras(ledger, name);
    state->outputs.check();
    state->outputs.write(make());
    exit_code = exit_verified;
  });
  return *app;
}

CLI::Option* add_number(CLI::App& app, const char* names, std::int64_t& number, const char* help) {
  return app.add_option(names, number, help)->check(readable_by(whole_number))->capture_default_str();
}

void add_workers(CLI::App& app, unsigned& workers) {
  app.add_option("-j,--workers", workers, "threads that run blocks")->check(CLI::Range(1U, 1024U));
}

void add_device(CLI::App& app, std::string& device) {
  app.add_option("--device", device, "of the model: " + device_keys())->capture_default_str();
}

void add_sync(CLI::App& ledger, const StatePtr& s, int& exit_code) {
  CLI::App& app = add(ledger, "sync", "what an in-order race detector sees", s, exit_code,
                      [s] { return sync_ledger(s->sync); });
  add_number(app, "--block", s->sync.threads, "threads of the block that reverses");
}

void add_reduction(CLI::App& ledger, const StatePtr& s, int& exit_code) {
  CLI::App& app = add(ledger, "reduction", "five versions of a parallel sum", s, exit_code, [s] {
    if (s->quick) s->reduction.n = quick_reduction;
    return reduction_ledger(s->reduction);
  });
  CLI::Option* n = add_number(app, "-n,--n", s->reduction.n, "elements");
  app.add_flag("--quick", s->quick, "16384 elements")->excludes(n);
  add_number(app, "--block", s->reduction.threads, "threads of a block");
  add_device(app, s->reduction.device);
  add_workers(app, s->reduction.workers);
}

void add_gemm(CLI::App& ledger, const StatePtr& s, int& exit_code) {
  CLI::App& app = add(ledger, "gemm", "ten versions of a matrix product", s, exit_code, [s] {
    if (s->quick) s->gemm.sizes = {quick_gemm};
    return gemm_ledger(s->gemm);
  });
  const auto set = [s](const std::vector<std::string>& words) {
    s->gemm.sizes.clear();
    for (const std::string& word : words) std::ranges::copy(whole_numbers(word), std::back_inserter(s->gemm.sizes));
  };
  CLI::Option* n = app.add_option_function<std::vector<std::string>>("-n,--n", set, "sizes to run, such as 128,256")
                       ->check(readable_by(whole_numbers))
                       ->type_name("INT")
                       ->default_str(fmt::format("[{}]", fmt::join(s->gemm.sizes, ",")));
  app.add_flag("--quick", s->quick, "128 only")->excludes(n);
  add_number(app, "--at", s->gemm.at, "size of the model");
  add_device(app, s->gemm.device);
  add_workers(app, s->gemm.workers);
}

void add_splitk(CLI::App& ledger, const StatePtr& s, int& exit_code) {
  CLI::App& app = add(ledger, "splitk", "how many splits a matrix-vector product should take", s, exit_code,
                      [s] { return splitk_ledger(s->splitk); });
  add_number(app, "--rows", s->splitk.rows, "of the matrix");
  add_number(app, "--columns", s->splitk.columns, "of the matrix: K");
  add_number(app, "--rows-per-block", s->splitk.rows_per_block, "results of a CTA");
  add_number(app, "--blocks-per-sm", s->splitk.blocks_per_sm, "CTAs that an SM holds");
  add_number(app, "--max-splits", s->splitk.max_splits, "the largest S shown");
  add_device(app, s->splitk.device);
}

}  // namespace

void add_ledger_command(CLI::App& app, int& exit_code) {
  CLI::App* ledger = app.add_subcommand("ledger", "performance ledgers: events counted, times predicted");
  ledger->require_subcommand(0, 1);
  ledger->callback([ledger] {
    if (!ledger->get_subcommands().empty()) return;
    const std::vector<std::string> rest = ledger->remaining();
    throw InputError(
        fmt::format("{}: there are banks, sync, reduction, gemm, tiles, splitk",
                    rest.empty() ? "name a ledger" : fmt::format("unknown ledger '{}'", rest.front())));
  });
  const auto state = std::make_shared<State>();
  add(*ledger, "banks", "what shared-memory patterns cost", state, exit_code, banks_ledger);
  add_sync(*ledger, state, exit_code);
  add_reduction(*ledger, state, exit_code);
  add_gemm(*ledger, state, exit_code);
  add(*ledger, "tiles", "register tiles against shared memory", state, exit_code, tiles_ledger);
  add_splitk(*ledger, state, exit_code);
  ledger->allow_extras();  // last: subcommands inherit it, and they must refuse what they don't know
}

}  // namespace fencewise
