// generate: random litmus tests, the same for a seed everywhere.
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/output.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/generate.h"

namespace fencewise {
namespace {

constexpr std::int64_t most_tests = 1'000'000;

struct Ingredient {
  std::string_view name;
  bool GeneratorOptions::*member;
};
constexpr std::array ingredients{
    Ingredient{"fences", &GeneratorOptions::fences},
    Ingredient{"one-sided-fences", &GeneratorOptions::one_sided_fences},
    Ingredient{"atomics", &GeneratorOptions::atomics},
    Ingredient{"dependencies", &GeneratorOptions::dependencies},
    Ingredient{"branches", &GeneratorOptions::branches},
    Ingredient{"barriers", &GeneratorOptions::barriers},
    Ingredient{"volatiles", &GeneratorOptions::volatiles},
    Ingredient{"clusters", &GeneratorOptions::clusters},
    Ingredient{"several-gpus", &GeneratorOptions::several_gpus},
};

bool& ingredient(GeneratorOptions& options, const std::string& name) {
  std::string known;
  for (const Ingredient& i : ingredients) {
    if (i.name == name) return options.*i.member;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", i.name);
  }
  throw InputError(fmt::format("unknown ingredient '{}'; expected {}", name, known));
}

void set(std::uint32_t& number, const std::optional<std::int64_t>& given, const char* option) {
  if (!given) return;
  if (*given < 1 || *given > std::numeric_limits<std::uint16_t>::max())
    throw InputError(fmt::format("{} must be from 1 to {}; got {}", option,
                                 std::numeric_limits<std::uint16_t>::max(), *given));
  number = static_cast<std::uint32_t>(*given);
}

GeneratorOptions generator_options(const Options& options) {
  GeneratorOptions result;
  set(result.min_threads, options.min_threads, "--min-threads");
  set(result.max_threads, options.max_threads, "--max-threads");
  set(result.max_instructions, options.max_instructions, "--max-instructions");
  set(result.max_operations, options.max_operations, "--max-operations");
  set(result.max_locations, options.max_locations, "--max-locations");
  if (!options.min_threads) result.min_threads = std::min(result.min_threads, result.max_threads);
  if (!options.max_threads) result.max_threads = std::max(result.min_threads, result.max_threads);
  for (const std::string& name : options.with) ingredient(result, name) = true;
  for (const std::string& name : options.without) ingredient(result, name) = false;
  return result;
}

std::int64_t count_of(const Options& options) {
  const std::int64_t count = options.count.value_or(1);
  if (count < 1 || count > most_tests)
    throw InputError(fmt::format("--count must be from 1 to {}; got {}", most_tests, count));
  if (count > 1 && options.out.empty())
    throw InputError(fmt::format("{} tests need --out FOLDER; one alone goes to stdout", count));
  return count;
}

std::uint64_t seed_of(const Options& options) {
  const std::int64_t seed = options.seed.value_or(1);
  if (seed < 0) throw InputError(fmt::format("--seed must be 0 or more; got {}", seed));
  return static_cast<std::uint64_t>(seed);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("can't make the folder {}: {}", folder, error.message()));
}

}  // namespace

int generate_command(const Options& options) {
  const std::int64_t count = count_of(options);
  const GeneratorOptions wanted = generator_options(options);
  const std::uint64_t first = seed_of(options);
  if (options.out.empty()) {
    print_out(generate_litmus_text(first, wanted));
    return exit_verified;
  }
  make_folder(options.out);
  for (std::uint64_t seed = first; seed != first + static_cast<std::uint64_t>(count); ++seed)
    write_output(fmt::format("{}/gen-{}.litmus", options.out, seed), generate_litmus_text(seed, wanted));
  print_out(fmt::format(
      "{} test{} in {}: gen-{}.litmus{}\n", count, count == 1 ? "" : "s", options.out, first,
      count == 1 ? "" : fmt::format(" to gen-{}.litmus", first + static_cast<std::uint64_t>(count) - 1)));
  return exit_verified;
}

}  // namespace fencewise
