// Split-K around a real kernel: a matrix-vector product whose columns are split over CTAs, with all threads, shuffles and
// whole warps. The kernel: kernels/splitk/gemv.h, made of the steps that splitk-serial and splitk-atomic wrap.
#include <string>

#include "kernels/splitk/gemv.h"
#include "protocols/drop_barrier.h"
#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

// Two CTAs share the columns, two warps the rows: there must be some for either.
const Need two_ctas{"splits", 2}, two_slices{"columns", 64}, two_replays{"replays", 2};
const Need two_warps{"threads", 64}, rows_for_two{"rows", 4};

// With a row or a column less than there are warps or CTAs for: who has no work counts all the same.
const std::string sweep = "rows=1|4,columns=32|64,splits=1..3,threads=32|64,rows_per_warp=1..2";

// clang-format off
std::vector<Row<SerialSteps>> serial_rows() {
  using enum FindingKind;
  using Steps = SerialSteps;
  return {
      {"", "partials, fence, barrier, count; the last CTA fences, adds and resets", {},
       verified(), verified(), nullptr},

      {"no-release-fence", "no fence between the partials and the count", {two_ctas, two_slices},
       violated({race}, "ws["), verified(),
       [](Steps& s) { s.writer_fence = {}; }},

      {"no-acquire-fence", "no fence between the count and reading the partials", {two_ctas, two_slices},
       violated({race}, "ws["), verified(),
       [](Steps& s) { s.reader_fence = {}; }},

      {"no-reset", "the counter is left where it stands: nobody is last in the next launch",
       {two_replays, two_ctas, two_slices},
       violated({assertion, unwritten_read}, "y"), violated({assertion, unwritten_read}, "y"),
       [](Steps& s) { s.reset = false; }},
  };
}

std::vector<Row<AtomicSteps>> atomic_rows() {
  using enum FindingKind;
  using Steps = AtomicSteps;
  return {
      {"", "add, barrier, count (acq_rel); the last CTA takes the sums and leaves zeros", {},
       verified(), verified(), nullptr},

      {"relaxed-increment", "the count neither releases nor acquires", {two_ctas, two_slices},
       violated({race}, "acc"), verified(),
       [](Steps& s) { s.increment = relaxed(Scope::gpu); }},

      {"no-rezero", "the accumulator keeps its sums: the next launch adds to them", {two_replays},
       violated({assertion, contract}), violated({assertion, contract}),
       [](Steps& s) { s.rezero = false; }},
  };
}
// clang-format on

std::vector<DroppedBarrier> dropped_barriers(const Expectation& early_count,
                                             const Expectation& early_count_sc) {
  using enum FindingKind;
  return {{"thread 0 counts before the other warps have handed in their sums",
           {two_ctas, two_slices, two_warps, rows_for_two},
           early_count,
           early_count_sc},
          {"threads look at the flag before thread 0 has set it",
           {},
           violated({race, unwritten_read}, "flag"),
           violated({unwritten_read}, "flag")}};
}

// So small that every parameter can be as large as it may with the others as they are.
std::vector<Parameter> parameters() {
  return {
      {.name = "rows", .help = "of the matrix", .standard = 4, .min = 1, .max = 16, .choices = {}},
      {.name = "columns", .help = "of the matrix", .standard = 128, .min = 32, .max = 1024, .choices = {}},
      {.name = "splits",
       .help = "CTAs that share a block of rows",
       .standard = 2,
       .min = 1,
       .max = 4,
       .choices = {}},
      {.name = "threads",
       .help = "a block, a multiple of 32",
       .standard = 64,
       .min = 32,
       .max = 64,
       .choices = {}},
      {.name = "rows_per_warp",
       .help = "rows that a warp adds up",
       .standard = 2,
       .min = 1,
       .max = 2,
       .choices = {}},
      {.name = "replays",
       .help = "launches with the same arguments, one after the other",
       .standard = 1,
       .min = 1,
       .max = 100,
       .choices = {}}};
}

Problem build(std::string name, const Parameters& given, std::string_view variant, SplitkGemv gemv) {
  using enum InitialContents::Kind;
  const std::int64_t rows = given["rows"], columns = given["columns"];
  gemv.splits = static_cast<std::uint32_t>(given["splits"]);
  gemv.threads = static_cast<std::uint32_t>(given["threads"]);
  gemv.rows_per_warp = static_cast<std::uint32_t>(given["rows_per_warp"]);
  const Dim3 grid = splitk_gemv_grid(gemv, rows, columns);
  const bool serial = std::holds_alternative<SerialSteps>(gemv.form);

  Problem problem;
  problem.name = std::move(name);
  problem.kernels = {as_variant(splitk_gemv_kernel(gemv), variant)};
  problem.buffers = {
      whole_numbers("A", rows * columns, 7), whole_numbers("x", columns, 5), output("y", Type::f32, rows),
      serial ? workspace("ws", Type::f32, rows * gemv.splits, any) : workspace("acc", Type::f32, rows, zero),
      workspace("sem", Type::u32, grid.x, zero)};
  problem.replays = static_cast<std::uint32_t>(given["replays"]);

  Launch launch;
  launch.name = problem.name;
  launch.grid = grid;
  launch.block = {gemv.threads, 1, 1};
  launch.params = {static_cast<std::uint64_t>(columns)};
  launch.warp_size = 32;
  problem.launches = {launch};

  const BufferTerm a = term(problem, "A"), x = term(problem, "x"), y = term(problem, "y");
  const auto is_product = [&](const Term& row) {
    return y[row] == sum("k", 0, columns, [&](const Term& k) { return a[row * columns + k] * x[k]; });
  };
  problem.contract.assertions = {
      {.text = "y == A * x", .formula = forall("row", 0, rows, is_product), .when = When::each_replay}};
  problem.contract.restored = {term(problem, "sem").id()};
  if (!serial) problem.contract.restored.push_back(term(problem, "acc").id());
  return problem;
}

}  // namespace

Protocol splitk_gemv() {
  using enum FindingKind;
  return {
      .name = "splitk-gemv",
      .summary = "y = A*x split over CTAs: warps add by shuffles, the last CTA adds the partials",
      .parameters = parameters(),
      .variants = with_dropped_barriers(
          variants_of(serial_rows()), dropped_barriers(violated({race}, "ws["), violated({assertion}, "y"))),
      .sweep = sweep,
      .build = [](const Parameters& given, std::string_view variant) {
        return build("splitk-gemv", given, variant, {.form = change(SerialSteps{}, serial_rows(), variant)});
      }};
}

Protocol splitk_gemv_atomic() {
  using enum FindingKind;
  return {.name = "splitk-gemv-atomic",
          .summary = "y = A*x split over CTAs: partials are added by atomics, the last CTA takes the sums",
          .parameters = parameters(),
          .variants = with_dropped_barriers(
              variants_of(atomic_rows()),
              dropped_barriers(violated({race}, "acc"), violated({assertion, contract}))),
          .sweep = sweep,
          .build = [](const Parameters& given, std::string_view variant) {
            return build("splitk-gemv-atomic", given, variant,
                         {.form = change(AtomicSteps{}, atomic_rows(), variant)});
          }};
}

}  // namespace fencewise::protocols
