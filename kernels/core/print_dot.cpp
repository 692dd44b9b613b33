#include "kernels/core/print_dot.h"

#include <fmt/format.h>

#include "kernels/core/flow.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

std::string block_text(const Kernel& kernel, BlockId id) {
  std::string text = label_of(id, kernel) + ":\n";
  for (const Instruction& i : kernel.blocks[id.value].instructions) {
    const std::string line = print(i.where, kernel);
    text += fmt::format("  {}{}\n", print(i, kernel), line.empty() ? "" : "   // " + line);
  }
  return text;
}

// What a conditional branch asks on this edge; empty on all others.
std::string edge_label(const Kernel& kernel, const Block& block, BlockId to) {
  const auto* branch = std::get_if<CondBranch>(&block.instructions.back().operation);
  if (branch == nullptr || branch->taken == branch->otherwise) return "";
  const bool holds = (to == branch->taken) != branch->negated;
  return fmt::format("{}{}", holds ? "" : "!", print(branch->predicate, kernel));
}

}  // namespace

std::string dot_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\l";
    } else if (c != '\r' && c != '\0') {
      result += c;
    }
  }
  return result + "\"";
}

std::string print_dot(const Problem& problem) {
  std::string out = fmt::format("digraph program {{\n  label={};\n  labelloc=t;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n",
                                dot_quoted(problem.name));
  for (std::size_t k = 0; k < problem.kernels.size(); ++k) {
    const Kernel& kernel = problem.kernels[k];
    out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", k, dot_quoted(kernel.name));
    for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
      out += fmt::format("    k{}b{} [label={}];\n", k, b, dot_quoted(block_text(kernel, BlockId{b})));
    for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
      for (const BlockId to : successors(kernel.blocks[b]))
        out += fmt::format("    k{}b{} -> k{}b{} [label={}];\n", k, b, k, to.value,
                           dot_quoted(edge_label(kernel, kernel.blocks[b], to)));
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace fencewise
