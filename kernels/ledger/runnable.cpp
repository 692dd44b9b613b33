#include "kernels/ledger/runnable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/without_barrier.h"

namespace fencewise {
namespace {

std::uint32_t small(const RunnableValues& values, std::string_view name, std::int64_t most) {
  const std::int64_t value = values.find(name)->second;
  if (value < 1 || value > most)
    throw InputError(fmt::format("{} must be from 1 to {}, not {}", name, most, value));
  return static_cast<std::uint32_t>(value);
}

void add_reductions(std::vector<RunnableKernel>& all) {
  static constexpr std::array<const char*, reduction_versions> summaries{
      "sum, interleaved with divergent warps",
      "sum, interleaved with contiguous threads",
      "sum, sequential addressing",
      "sum, two elements a thread",
      "sum, the last 64 by warp shuffles",
      "sum, the last 64 by one warp without __syncwarp(): wrong, though a lockstep run does not show it"};
  for (int v = 1; v <= reduction_versions; ++v) {
    const auto version = static_cast<ReductionVersion>(v);
    all.push_back(
        {name_of(version),
         summaries[static_cast<std::size_t>(v) - 1],
         {{"n", std::int64_t{1} << 18, "elements"}, {"threads", 256, "a block, a power of two"}},
         [version](const RunnableValues& values) {
           return prepare_reduction({version, small(values, "threads", 1024)}, values.find("n")->second);
         }});
  }
}

void add_gemms(std::vector<RunnableKernel>& all) {
  for (const GemmVariant& v : gemm_variants())
    all.push_back({fmt::format("gemm-{}", v.name),
                   fmt::format("C = A·B: {}", v.title),
                   {{"n", 128, "rows and columns of C"}, {"depth", 0, "columns of A, rows of B; 0: n"}},
                   [&v](const RunnableValues& values) {
                     const std::int64_t n = values.find("n")->second;
                     const std::int64_t given = values.find("depth")->second, depth = given == 0 ? n : given;
                     static_cast<void>(gemm_grid(v, n));  // before the matrices are made
                     check_gemm_depth(v, depth);
                     return prepare_gemm(v.version, gemm_data(static_cast<std::uint32_t>(n),
                                                              static_cast<std::uint32_t>(depth)));
                   }});
}

void add_splitk(std::vector<RunnableKernel>& all) {
  const auto add = [&](const char* name, const char* summary, const SplitkGemv& form) {
    all.push_back({name,
                   summary,
                   {{"rows", 256, "of the matrix"},
                    {"columns", 1024, "of the matrix"},
                    {"splits", 4, "CTAs that share a block of rows"},
                    {"threads", 128, "a block, a multiple of 32"},
                    {"rows_per_warp", 4, "rows that a warp adds up"}},
                   [form](const RunnableValues& values) {
                     SplitkGemv gemv = form;
                     gemv.splits = small(values, "splits", 65535);
                     gemv.threads = small(values, "threads", 1024);
                     gemv.rows_per_warp = small(values, "rows_per_warp", 32);
                     return prepare_splitk_gemv(gemv, values.find("rows")->second,
                                                values.find("columns")->second);
                   }});
  };
  add("splitk-gemv", "y = A·x split over CTAs, the last one adds the partials", {.form = SerialSteps{}});
  add("splitk-gemv-atomic", "y = A·x split over CTAs, partials added by atomics", {.form = AtomicSteps{}});
}

void add_reverse(std::vector<RunnableKernel>& all) {
  const auto add = [&](const char* name, const char* summary, const ReverseSteps& steps) {
    all.push_back(
        {name, summary, {{"n", 256, "threads of the block"}}, [steps](const RunnableValues& values) {
           return prepare_reverse(values.find("n")->second, steps);
         }});
  };
  add("reverse", "an array reversed through shared memory", {});
  add("reverse-no-barrier", "the same without its barrier: races", {.barrier = false});
}

std::string names_of(const RunnableKernel& kernel) {
  std::string names;
  for (const RunnableParameter& p : kernel.parameters) names += (names.empty() ? "" : ", ") + p.name;
  return names;
}

void set(const RunnableKernel& kernel, RunnableValues& values, std::set<std::string>& given,
         const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw InputError(fmt::format("--param takes name=value, not '{}'", text));
  const std::string name = text.substr(0, equals);
  const auto it = values.find(name);
  if (it == values.end())
    throw InputError(fmt::format("{} has no parameter '{}'; it has {}", kernel.name, name, names_of(kernel)));
  if (!given.insert(name).second) throw InputError(fmt::format("parameter '{}' is given twice", name));
  const char* const first = text.data() + equals + 1;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, it->second);
  if (error != std::errc() || end != last)
    throw InputError(fmt::format("parameter {} must be a whole number below 2^63, not '{}'", name,
                                 text.substr(equals + 1)));
}

// "drop-barrier-1 to drop-barrier-9"
std::string variants_of(const Kernel& kernel) {
  const std::size_t barriers = barriers_of(kernel).size();
  if (barriers == 0) return "none: it has no barrier";
  if (barriers == 1) return drop_barrier_name(1);
  return fmt::format("{} to {}", drop_barrier_name(1), drop_barrier_name(barriers));
}

}  // namespace

void apply_variant(PreparedRun& prepared, std::string_view variant) {
  const std::optional<std::size_t> n = dropped_barrier(variant);
  if (!n)
    throw InputError(fmt::format("{} has no variant '{}' to run; there is {}", prepared.kernel.name, variant,
                                 variants_of(prepared.kernel)));
  prepared.kernel = without_barrier(prepared.kernel, *n);
}

const std::vector<RunnableKernel>& runnable_kernels() {
  static const std::vector<RunnableKernel> all = [] {
    std::vector<RunnableKernel> list;
    add_reductions(list);
    add_gemms(list);
    add_splitk(list);
    add_reverse(list);
    return list;
  }();
  return all;
}

const RunnableKernel* find_runnable(std::string_view name) {
  const auto& all = runnable_kernels();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const RunnableKernel& k) { return k.name == name; });
  return it == all.end() ? nullptr : &*it;
}

PreparedRun prepare(const RunnableKernel& kernel, const std::vector<std::string>& given) {
  RunnableValues values;
  for (const RunnableParameter& p : kernel.parameters) values[p.name] = p.standard;
  std::set<std::string> names;
  for (const std::string& text : given) set(kernel, values, names, text);
  return kernel.prepare(values);
}

}  // namespace fencewise
