// A PTX module as it is written: functions, variables and statements with their places, before any name is looked up.
//
// Modifiers of an instruction stay one word here ("atom.global.cta.add.u32"): their order is free, opcode.h reads them.
// Source: PTX ISA 9.1, "Syntax" (4) and "Directives" (11).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/frontend/diagnostics.h"

namespace fencewise::ptx {

// What an instruction works on.
//   name     %r1, !%p1, sym, sym+4, %tid.x, _ ; `second` holds q of p|q
//   integer  -1, 0x1f      real  0f3F800000, 0d...
//   address  [elements[0]], with a list behind it in tensor copies
//   vector   {a, b}        list  (a, b), of a call
struct Operand {
  enum class Kind : std::uint8_t { name, integer, real, address, vector, list };
  Kind kind = Kind::name;
  Token token;
  bool negated = false;
  std::int64_t offset = 0;  // behind a name, in bytes
  std::optional<Token> second;
  std::vector<Operand> elements;
};

struct Guard {  // @%p, @!%p
  Token predicate;
  bool negated = false;
};

struct Instruction {
  std::optional<Guard> guard;
  Token opcode;
  std::vector<Operand> operands;
};

struct Label {
  Token name;
};

// `.reg .b32 %r<54>;` declares %r0 to %r53: `count` is 54. Without a range it is 0.
struct Registers {
  Token type;
  Token name;
  std::uint64_t count = 0;
};

// A value of a variable's initializer: a number, or the address of a symbol.
struct Initializer {
  Operand value;
  bool generic = false;  // generic(sym)
};

struct Variable {
  std::string space;  // "shared", "global", "const", "local", "param" or "reg"
  Token type;         // ".u32"
  Token name;
  std::uint64_t alignment = 0;           // 0: as its type
  std::uint32_t vector = 1;              // .v2, .v4
  std::vector<std::uint64_t> extents;    // of an array; 0 where left open
  std::vector<Initializer> initializer;  // flat
  bool external = false;
};

// `.loc`: what follows comes from here. `inlined_at` is the position of the call that this was inlined into.
struct SourcePosition {
  std::uint32_t file = 0, line = 0, column = 0;
  friend auto operator<=>(const SourcePosition&, const SourcePosition&) = default;
};
struct Loc {
  SourcePosition at;
  std::optional<SourcePosition> inlined_at;
  std::string function;  // label of the inlined function's name, maybe with "+offset"
};

// Braces scope registers, variables and labels.
struct ScopeBegin {};
struct ScopeEnd {};

// What printf_calls.h makes of a call of vprintf and of what prepares it.
using PrintfArgument = std::variant<std::monostate, Operand, std::string>;  // not known, a value, the text of a %s
struct PrintfCall {
  std::optional<Guard> guard;
  Position at;
  std::optional<std::string> format;  // none: not known
  std::vector<PrintfArgument> arguments;
};

// Likewise of a call of __assertfail: what failed and where, as far as the module's texts say it.
struct AssertCall {
  std::optional<Guard> guard;
  Position at;
  std::string message;  // "assert(n > 0) fails, k.cu:12 in void k(int)"
};

using Statement = std::variant<Instruction, Label, Registers, Variable, Loc, ScopeBegin, ScopeEnd, PrintfCall, AssertCall>;

struct Function {
  Token name;
  bool entry = false;
  std::vector<Variable> results, params;
  std::vector<Statement> body;
  bool defined = false;  // it has a body
};

struct Section {
  std::string name;
  std::string text;  // between its braces
};

struct Module {
  std::string version, target;
  std::uint64_t address_size = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::uint32_t, std::string> files;
  std::vector<Section> sections;
};

// Throws InputError for what is no PTX module. Time and memory are linear in the text, which may have at most
// `largest_file` bytes; nesting is bounded.
inline constexpr std::size_t largest_file = std::size_t{64} << 20U;
inline constexpr std::uint32_t deepest_nesting = 64;
[[nodiscard]] Module parse_syntax(std::string_view text, const Diagnostics& diagnostics);

}  // namespace fencewise::ptx
