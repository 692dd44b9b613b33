// A launch file: which kernels run, with which grids, blocks and arguments, on which buffers, and what must hold then.
//
// TOML; docs/ptx.md describes it. Numbers may be expressions over [constants], in quotes. Reading checks the form; that
// kernels, buffers and arguments fit each other is checked where the problem is built (build_problem.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/core/problem.h"
#include "kernels/frontend/diagnostics.h"
#include "kernels/frontend/launchfile/expression.h"

namespace fencewise::launchfile {

// A number as it is written: itself, or an expression.
struct Numeric {
  std::variant<std::int64_t, double, Node> value;
  Position at;
};

struct BufferEntry {
  Token name;
  std::optional<Type> type;       // none: a module variable keeps its own, a new buffer is u32
  std::optional<Numeric> length;  // elements
  std::optional<Role> role;
  std::optional<InitialContents::Kind> initial;
  std::vector<Numeric> values;  // initial = [..]
  bool own = false;  // workspace of which each launch in flight has one of its own
};

// An argument: a number, a buffer or a place in one ("ws", "&ws[4]"), or the fields of a struct.
struct Argument {
  std::variant<Numeric, std::vector<Argument>> value;
  std::optional<Type> type;  // { u64 = 5 }: of a field
  Position at;
};

struct LaunchEntry {
  Token kernel;  // empty text: the only one
  std::array<std::optional<Numeric>, 3> grid, block;
  std::optional<Numeric> dynamic_shared;  // bytes
  std::vector<Argument> arguments;
  std::uint32_t stream = 0;
  std::vector<std::uint32_t> after;  // launches of the file, from 0, all earlier
  Position at;
};

struct Check {
  std::string text;
  Node formula;
  When when = When::each_replay;
};

struct LaunchFile {
  Constants constants;
  std::vector<BufferEntry> buffers;
  std::vector<LaunchEntry> launches;
  std::vector<Check> checks;
  std::vector<Token> restored;
  std::uint32_t replays = 1;
  ValueDomain domain = ValueDomain::multisets;
};

// `overrides` take the place of [constants]. Throws InputError with "file:line:column: found; expected".
[[nodiscard]] LaunchFile parse_launch_file(std::string_view text, const Constants& overrides,
                                           const Diagnostics& diagnostics);

}  // namespace fencewise::launchfile
