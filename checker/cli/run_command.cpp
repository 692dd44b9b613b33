#include "checker/cli/run_command.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/cli/commands.h"
#include "checker/cli/files.h"
#include "checker/cli/output.h"
#include "checker/cli/run_cuda.h"
#include "checker/cli/subject.h"
#include "kernels/core/error.h"
#include "kernels/ledger/runnable.h"

namespace fencewise {
namespace {

struct RunOptions {
  std::string kernel, variant, json, csv;
  std::vector<std::string> params, inputs, outputs;  // name=value, name=file
  std::string launch, nvcc_args;
  bool ptx_lines = false;
  std::optional<std::uint64_t> seed;
  unsigned workers = 1;
};

struct Binding {
  PreparedBuffer* buffer;
  std::string file;
};

// "in=data.bin" as the buffer and the file.
Binding binding_of(PreparedRun& prepared, const std::string& text, const char* option) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  std::string known;
  for (PreparedBuffer& buffer : prepared.buffers) {
    if (buffer.name == name && equals < text.size() - 1) return {&buffer, text.substr(equals + 1)};
    known += (known.empty() ? "" : ", ") + buffer.name;
  }
  throw InputError(
      fmt::format("{} takes buffer=file with one of the buffers {}, not '{}'", option, known, text));
}

void read_into(const Binding& input) {
  const std::string data = read_file(input.file, std::max(largest_text, input.buffer->bytes.size()));
  if (data.size() != input.buffer->bytes.size())
    throw InputError(fmt::format("{} has {} bytes; buffer {} takes {}", input.file, data.size(),
                                 input.buffer->name, input.buffer->bytes.size()));
  std::memcpy(input.buffer->bytes.data(), data.data(), data.size());
}

std::string bytes_as_text(const PreparedBuffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.bytes.data()), buffer.bytes.size()};
}

const RunnableKernel& kernel_of(const std::string& name) {
  if (const RunnableKernel* kernel = find_runnable(name)) return *kernel;
  std::string known;
  for (const RunnableKernel& k : runnable_kernels()) known += (known.empty() ? "" : ", ") + k.name;
  throw InputError(fmt::format("no kernel '{}' to run; there are {}", name, known));
}

// "right", "WRONG", "fault", "not told" where another schedule might go on, or nothing where the user's own data ran.
std::string judgement(const PreparedRun& prepared, const RunResult& result, bool own_data) {
  if (leaves_open(result)) return "not told";
  if (result.fault) return "fault";
  if (own_data) return "not judged";
  return prepared.is_right(prepared) ? "right" : "WRONG";
}

std::string to_text(const PreparedRun& prepared, const RunResult& result, const std::string& verdict) {
  const Dim3 &g = prepared.grid, &b = prepared.block;
  std::string text = fmt::format("{}: grid {}x{}x{}, block {}x{}x{}; result: {}\n", prepared.kernel.name, g.x,
                                 g.y, g.z, b.x, b.y, b.z, verdict);
  if (result.fault) return text + to_string(*result.fault, prepared.kernel) + '\n';
  for (const CounterField& f : counter_fields())
    text += fmt::format("{:22} {:>14}\n", f.name, result.counters.*f.member);
  text += fmt::format("{:22} {:>14.4f}\n", "simt_efficiency", result.counters.simt_efficiency());
  text += fmt::format("{:22} {:>14.4f}\n", "bank_conflict_factor", result.counters.bank_conflict_factor());
  if (result.counters.race_count > result.races.size())
    text += fmt::format("{} races; the first {}:\n", result.counters.race_count, result.races.size());
  for (const RaceReport& race : result.races) text += to_string(race, prepared.kernel) + '\n';
  return text;
}

std::string to_csv(const RunResult& result) {
  std::string text = "counter,value\n";
  for (const CounterField& f : counter_fields())
    text += fmt::format("{},{}\n", f.name, result.counters.*f.member);
  text += fmt::format("simt_efficiency,{:.4f}\n", result.counters.simt_efficiency());
  return text + fmt::format("bank_conflict_factor,{:.4f}\n", result.counters.bank_conflict_factor());
}

std::string to_json(const PreparedRun& prepared, const RunResult& result, const std::string& verdict) {
  nlohmann::ordered_json json{{"schema", 1}, {"kernel", prepared.kernel.name}, {"result", verdict}};
  for (const CounterField& f : counter_fields())
    json["counters"][std::string(f.name)] = result.counters.*f.member;
  json["simt_efficiency"] = result.counters.simt_efficiency();
  json["bank_conflict_factor"] = result.counters.bank_conflict_factor();
  json["races"] = nlohmann::ordered_json::array();
  for (const RaceReport& race : result.races) json["races"].push_back(to_string(race, prepared.kernel));
  if (result.fault) json["fault"] = to_string(*result.fault, prepared.kernel);
  return json.dump(2) + '\n';
}

// --input and --output are of the kernels that are known by name: a launch file says what its buffers hold.
int run_file(const RunOptions& options) {
  if (!options.inputs.empty() || !options.outputs.empty() || !options.variant.empty() || !options.csv.empty())
    throw InputError(fmt::format("{} is a file: it takes no --input, --output, --variant or --csv", options.kernel));
  CudaRun run;
  run.source = {options.kernel, options.launch, words(options.nvcc_args), constants_of(options.params), std::nullopt,
                options.ptx_lines};
  run.seed = options.seed.value_or(run.seed);
  run.workers = options.workers;
  run.json = options.json;
  return run_cuda(run);
}

int run_command(const RunOptions& options) {
  if (is_cuda_file(options.kernel)) return run_file(options);
  const RunnableKernel& kernel = kernel_of(options.kernel);
  if (!options.launch.empty() || !options.nvcc_args.empty() || options.ptx_lines || options.seed)
    throw InputError(
        fmt::format("{} is no file: it takes no --launch, --nvcc-args, --ptx-lines or --seed", kernel.name));
  if (options.json == "-" && options.csv == "-")
    throw InputError("--json - and --csv - both want stdout; write one to a file");
  for (const std::string& path : {options.json, options.csv}) require_writable(path);
  PreparedRun prepared = prepare(kernel, options.params);
  if (!options.variant.empty()) apply_variant(prepared, options.variant);
  std::vector<Binding> outputs;
  for (const std::string& text : options.outputs) {
    outputs.push_back(binding_of(prepared, text, "--output"));
    require_writable(outputs.back().file);
  }
  for (const std::string& text : options.inputs) read_into(binding_of(prepared, text, "--input"));
  const RunResult result = run(prepared, options.workers);
  const std::string verdict = judgement(prepared, result, !options.inputs.empty());
  for (const Binding& output : outputs) write_output(output.file, bytes_as_text(*output.buffer));
  if (!options.json.empty()) write_output(options.json, to_json(prepared, result, verdict));
  if (!options.csv.empty()) write_output(options.csv, to_csv(result));
  if (options.json != "-" && options.csv != "-") print_out(to_text(prepared, result, verdict));
  if (leaves_open(result)) return exit_inconclusive;
  const bool good = !result.fault && result.counters.race_count == 0 && verdict != "WRONG";
  return good ? exit_verified : exit_violated;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "one kernel on the SIMT executor, with its counters");
  const auto options = std::make_shared<RunOptions>();
  command->add_option("kernel", options->kernel, "reduction-1 ... gemm-k9, splitk-gemv, reverse, ..., or a .ptx or .cu file")
      ->required()
      ->type_name("");
  command->add_option("--param", options->params, "a parameter of the kernel; repeatable")
      ->type_name("NAME=VALUE");
  command->add_option("--variant", options->variant, "run it without its N-th barrier")
      ->type_name("drop-barrier-N");
  command->add_option("--input", options->inputs, "raw little-endian elements for a buffer; repeatable")
      ->type_name("BUFFER=FILE");
  command->add_option("--output", options->outputs, "where a buffer goes after the run; repeatable")
      ->type_name("BUFFER=FILE");
  command->add_option("--json", options->json, "write counters and races as JSON, - for stdout")
      ->type_name("FILE");
  command->add_option("--csv", options->csv, "write the counters as CSV, - for stdout")->type_name("FILE");
  command->add_option("--launch", options->launch, "the launch of a .ptx or .cu file")->type_name("FILE.toml");
  command->add_option("--nvcc-args", options->nvcc_args, "more arguments for nvcc, for a .cu file")->type_name("ARGS");
  command->add_flag("--ptx-lines", options->ptx_lines, "show lines of the PTX, not of the CUDA source");
  command->add_option("--seed", options->seed, "of the data of a .ptx or .cu file (default 1)")->type_name("K");
  command->add_option("-j,--workers", options->workers, "threads that run blocks")
      ->check(CLI::Range(1U, 1024U));
  command->callback([options, &exit_code] { exit_code = run_command(*options); });
}

}  // namespace fencewise
