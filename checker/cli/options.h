// The common options: one table, from which parsing, help and the tests of both derive.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checker/check.h"

namespace CLI {
class App;
}

namespace fencewise {

enum class Command : std::uint8_t { list, show, check, simulate, replay, litmus, generate, ptx, init };

// As given, not yet checked against each other or a subject.
struct Options {
  std::string subject;
  std::vector<std::string> params;  // "splits=4"
  std::string variant;
  bool all_variants = false;
  bool no_shrink = false;
  bool clean = false, find_resident = false, determinism = false;
  std::string initial = "declared", sweep;
  std::optional<std::int64_t> replays;
  std::string format = "text";

  std::string model = "ptx", races = "fail", engine = "auto", vectors = "strict";
  std::string progress;  // "hsa" or "ctas=hsa,lanes=unfair"; empty: fair
  bool lockstep = false;
  std::optional<std::int64_t> in_flight, resident, loop_bound, max_states, max_graphs;
  std::optional<double> max_seconds;
  std::string max_memory;  // "2G"; empty: 75 % of RAM

  std::string launch;     // of a PTX or CUDA file; empty: the .toml beside it
  std::string nvcc_args;  // of a CUDA file, separated by spaces
  bool ptx_lines = false;
  std::string kernel;  // init

  std::string order;  // "2,0,3,1"
  std::optional<std::int64_t> runs, seed;

  std::string json, csv, dot;  // file or "-"; empty: none
  bool list_json = false;
  bool quiet = false, verbose = false;

  std::vector<std::string> paths;  // litmus: files and folders
  std::string expected;            // litmus: a table; empty: none
  bool states = false, explain = false;
  std::optional<std::int64_t> workers;

  std::optional<std::int64_t> count, min_threads, max_threads, max_instructions, max_operations,
      max_locations;  // generate
  std::vector<std::string> with, without;
  std::string out;  // generate: a folder; empty: stdout
};

struct OptionRow {
  const char* names;  // "--max-seconds"
  const char* value;  // "S"; null for flags
  const char* help;
  std::uint32_t commands;  // bit Command
  void (*add)(CLI::App&, const OptionRow&, Options&);
};
[[nodiscard]] std::span<const OptionRow> option_table();

// Gives `app` the options of `command`.
void add_options(CLI::App& app, Command command, Options& options);

// The options that the command's search needs. Throw InputError for unknown names, numbers out of range and contradictions.
[[nodiscard]] CheckOptions check_options(const Options& options);
[[nodiscard]] unsigned workers_of(const Options& options);  // one a core, unless told otherwise
[[nodiscard]] Limits limits(const Options& options);
void refuse_contradictions(const Options& options);
// A list of CTAs; empty: none was given.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> finish_order(const Options& options);

}  // namespace fencewise
