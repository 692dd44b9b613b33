// The matrix products, with all threads of a block and two steps along K: which barriers each of them needs. The
// kernels: kernels/gemm/gemm.h. Small whole numbers as data, so that the result can be compared exactly.
#include <string>

#include <fmt/format.h>

#include "kernels/gemm/gemm.h"
#include "protocols/drop_barrier.h"
#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

std::vector<Parameter> parameters(const GemmVariant& v) {
  return {{.name = "n",
           .help = "rows and columns of C",
           .standard = v.tile_m,
           .min = v.tile_m,
           .max = std::int64_t{2} * v.tile_m,
           .choices = {}},
          {.name = "depth",
           .help = "columns of A, rows of B",
           .standard = std::int64_t{2} * v.tile_k,
           .min = v.tile_k,
           .max = std::int64_t{16} * v.tile_k,
           .choices = {}}};
}

// One barrier between storing a tile and reading it, one between reading it and storing the next. With two buffers (k9)
// the first is that of the first tile, the second that of all others.
std::vector<DroppedBarrier> dropped_barriers(const GemmVariant& v) {
  using enum FindingKind;
  if (v.shared_bytes == 0) return {};
  const Need two_steps{"depth", std::int64_t{2} * v.tile_k};
  const Expectation unwritten = violated({assertion, unwritten_read});
  if (v.version == GemmVersion::k9)
    return {{"the first tile is read before all threads have stored it", {}, violated({race}), unwritten},
            {"tiles are read before all threads have stored them", {two_steps}, violated({race}), unwritten}};
  return {{"tiles are read before all threads have stored them", {}, violated({race}), unwritten},
          {"tiles are overwritten while others still read them",
           {two_steps},
           violated({race}),
           violated({assertion}, "C[")}};
}

Variant base(const GemmVariant& v) {
  return {"",
          v.shared_bytes == 0 ? "no thread reads what another one writes" : "tiles between barriers",
          {},
          verified(),
          verified()};
}

// Up to one step more along K than k9 has buffers.
std::string sweep(const GemmVariant& v) {
  return fmt::format("n={},depth={}|{}|{}", v.tile_m, v.tile_k, 2 * v.tile_k, 3 * v.tile_k);
}

Problem build(const GemmVariant& v, const Parameters& given, std::string_view variant) {
  const std::int64_t n = given["n"], depth = given["depth"];
  Problem problem;
  problem.name = fmt::format("gemm-{}", v.name);
  check_gemm_depth(v, depth);
  problem.kernels = {as_variant(gemm_kernel(v.version), variant)};
  problem.buffers = {whole_numbers("A", n * depth, 7), whole_numbers("B", depth * n, 5),
                     output("C", Type::f32, n * n)};

  Launch launch;
  launch.name = problem.name;
  launch.grid = gemm_grid(v, n);
  launch.block = v.block;
  launch.params = {static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(depth)};
  problem.launches = {launch};

  const BufferTerm a = term(problem, "A"), b = term(problem, "B"), c = term(problem, "C");
  const auto is_product = [&](const Term& row, const Term& column) {
    return c[row * n + column] ==
           sum("k", 0, depth, [&](const Term& k) { return a[row * depth + k] * b[k * n + column]; });
  };
  const auto row_is_product = [&](const Term& row) {
    return forall("column", 0, n, [&](const Term& column) { return is_product(row, column); });
  };
  problem.contract.assertions = {
      {.text = "C == A * B", .formula = forall("row", 0, n, row_is_product), .when = When::each_replay}};
  return problem;
}

}  // namespace

std::vector<Protocol> gemms() {
  std::vector<Protocol> protocols;
  for (const GemmVariant& v : gemm_variants())
    protocols.push_back({.name = fmt::format("gemm-{}", v.name),
                         .summary = fmt::format("C = A*B: {}", v.title),
                         .parameters = parameters(v),
                         .variants = with_dropped_barriers({base(v)}, dropped_barriers(v)),
                         .sweep = sweep(v),
                         .build = [&v](const Parameters& given, std::string_view variant) {
                           return build(v, given, variant);
                         }});
  return protocols;
}

}  // namespace fencewise::protocols
