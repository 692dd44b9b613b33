#include "kernels/frontend/litmus/print.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/frontend/litmus/canonical.h"
#include "kernels/frontend/litmus/parse.h"
#include "kernels/frontend/litmus/print_condition.h"
#include "kernels/frontend/litmus/print_instruction.h"
#include "kernels/frontend/litmus/specialize.h"

namespace fencewise {
namespace litmus {
namespace {

// --- One thread: its lines, from top to bottom ---

class ColumnPrinter {
 public:
  ColumnPrinter(std::uint32_t thread, const Kernel& kernel)
      : thread_(thread), kernel_(kernel), labelled_(kernel.blocks.size()) {}

  std::vector<std::string> lines() {
    for (std::uint32_t i = 0; i < kernel_.blocks.size(); ++i) mark_targets(i);
    for (std::uint32_t i = 0; i < kernel_.blocks.size(); ++i) print_block(i);
    return std::move(lines_);
  }

 private:
  [[nodiscard]] const Instruction& last(std::uint32_t block) const {
    return kernel_.blocks[block].instructions.back();
  }
  [[nodiscard]] std::string label(BlockId block) const { return fmt::format("LC{}{}", thread_, block.value); }

  // A block has a label if something jumps to it, or if only the label parts it from the block before.
  void mark_targets(std::uint32_t block) {
    if (const auto* branch = std::get_if<Branch>(&last(block).operation))
      labelled_[branch->target.value] = true;
    if (const auto* branch = std::get_if<CondBranch>(&last(block).operation)) {
      const bool skips = falls_into_taken(block, *branch);
      labelled_[(skips ? branch->otherwise : branch->taken).value] = true;
      if (!skips && branch->otherwise.value != block + 1) labelled_[branch->otherwise.value] = true;
    }
  }

  static bool falls_into_taken(std::uint32_t block, const CondBranch& branch) {
    return branch.taken.value == block + 1 && branch.otherwise.value != block + 1;
  }

  void print_block(std::uint32_t block) {
    if (labelled_[block]) lines_.push_back(label({block}) + ":");
    const std::vector<Instruction>& instructions = kernel_.blocks[block].instructions;
    const bool conditional = std::holds_alternative<CondBranch>(last(block).operation);
    const std::size_t plain = instructions.size() - (conditional ? 2 : 1);
    if (conditional && instructions.size() < 2) unsupported_branch(block);
    for (std::size_t i = 0; i < plain; ++i) lines_.push_back(print_instruction(instructions[i], kernel_));
    print_end(block);
  }

  void print_end(std::uint32_t block) {
    const Operation& end = last(block).operation;
    if (const auto* branch = std::get_if<Branch>(&end)) {
      // A block that is only a goto needs it even to the next line, or it would not be a block.
      const bool alone = kernel_.blocks[block].instructions.size() == 1;
      if (alone) lines_.push_back("goto " + label(branch->target));
      if (!alone) print_goto(block, branch->target);
    } else if (const auto* conditional = std::get_if<CondBranch>(&end)) {
      print_conditional(block, *conditional);
    } else if (!std::holds_alternative<Exit>(end) || block + 1 != kernel_.blocks.size()) {
      throw NotModelled(fmt::format("the litmus dialect has no form for '{}' before the end",
                                    fencewise::print(last(block), kernel_)));
    }
  }

  void print_goto(std::uint32_t block, BlockId target) {
    if (target.value != block + 1) lines_.push_back("goto " + label(target));
  }

  void print_conditional(std::uint32_t block, const CondBranch& branch) {
    const std::vector<Instruction>& instructions = kernel_.blocks[block].instructions;
    const auto* compare = std::get_if<Arithmetic>(&instructions[instructions.size() - 2].operation);
    if (compare == nullptr || compare->op != Arith::setp || compare->dst != branch.predicate)
      unsupported_branch(block);
    const bool skips = falls_into_taken(block, branch);
    const bool inverted = skips != branch.negated;
    lines_.push_back(fmt::format("{} {}, {}, {}",
                                 branch_name(inverted ? inverse(compare->compare) : compare->compare),
                                 print_value(compare->a, kernel_), print_value(compare->b, kernel_),
                                 label(skips ? branch.otherwise : branch.taken)));
    if (!skips) print_goto(block, branch.otherwise);
  }

  [[noreturn]] void unsupported_branch(std::uint32_t block) const {
    throw NotModelled(
        fmt::format("the litmus dialect has no form for '{}' without a comparison right before it",
                    fencewise::print(last(block), kernel_)));
  }

  std::uint32_t thread_;
  const Kernel& kernel_;
  std::vector<bool> labelled_;
  std::vector<std::string> lines_;
};

// --- The file ---

// A view doesn't know its proxy: the accesses have it. Any will do for a view that nobody uses.
Proxy view_of(const Buffer& buffer, const Problem& problem) {
  for (const Kernel& kernel : problem.kernels) {
    for (const Block& block : kernel.blocks) {
      for (const Instruction& instruction : block.instructions) {
        const Access* access = access_of(instruction);
        const bool here =
            access != nullptr && access->address.array && kernel[*access->address.array].name == buffer.name;
        if (here && access->proxy != Proxy::generic) return access->proxy;
      }
    }
  }
  return Proxy::surface;
}

std::string print_initials(const Problem& problem) {
  std::string text;
  for (const Buffer& buffer : problem.buffers) {
    if (!buffer.alias_of) {
      const auto& values = buffer.initial.values;
      text += fmt::format("{} = {};\n", buffer.name,
                          values.empty() ? 0 : static_cast<std::int64_t>(values.front()));
      continue;
    }
    text += fmt::format("{} @ {} aliases {};\n", buffer.name,
                        buffer.own_address ? "generic" : name(view_of(buffer, problem)),
                        problem.buffers[buffer.alias_of->value].name);
  }
  for (std::size_t i = 0; i < problem.kernels.size(); ++i) {
    const Kernel& kernel = problem.kernels[i];
    for (std::size_t r = 0; r < kernel.registers.size(); ++r) {
      if (kernel.registers[r].type == Type::pred) continue;
      const std::uint64_t value = kernel.register_initial.empty() ? 0 : kernel.register_initial[r];
      text += fmt::format("P{}:{} = {};\n", i, kernel.registers[r].name, static_cast<std::int64_t>(value));
    }
  }
  return text;
}

std::vector<std::string> print_headers(const Launch& launch) {
  const bool clusters =
      std::any_of(launch.placed.begin(), launch.placed.end(), [](const PlacedThread& thread) {
        return thread.placement.cluster.value != thread.placement.cta.value;
      });
  std::vector<std::string> headers;
  for (const PlacedThread& thread : launch.placed) {
    const Placement& at = thread.placement;
    headers.push_back(fmt::format("P{}@cta {}{},gpu {}", headers.size(), at.cta.value,
                                  clusters ? fmt::format(",cluster {}", at.cluster.value) : "",
                                  at.device.value));
  }
  return headers;
}

// Columns side by side, padded to their widest cell.
std::string print_table(const std::vector<std::vector<std::string>>& columns) {
  std::size_t rows = 0;
  for (const auto& column : columns) rows = std::max(rows, column.size());
  std::vector<std::size_t> widths;
  for (const auto& column : columns) {
    std::size_t width = 0;
    for (const std::string& cell : column) width = std::max(width, cell.size());
    widths.push_back(width);
  }
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = row < columns[i].size() ? columns[i][row] : "";
      text += fmt::format("{} {:<{}} ", i == 0 ? "" : "|", cell, widths[i]);
    }
    text += ";\n";
  }
  return text;
}

// A name ends where a text, a comment or the initial state begins; what parse_litmus gave has none of these.
std::string print_name(std::string_view name) {
  std::string text(name);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool comment = text[i] == '(' && i + 1 < text.size() && text[i + 1] == '*';
    if (comment || text[i] == '"' || text[i] == '{' || text[i] == '\n') text[i] = '_';
  }
  return text;
}

const char* keyword_of(Quantifier quantifier) {
  switch (quantifier) {
    case Quantifier::always: return "forall";
    case Quantifier::exists: return "exists";
    case Quantifier::never: return "~exists";
  }
  return "?";
}

std::string print_shaped(const Problem& problem) {
  const Launch& launch = problem.launches.front();
  std::vector<std::vector<std::string>> columns;
  for (const std::string& header : print_headers(launch)) columns.push_back({header});
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    const std::vector<std::string> lines = ColumnPrinter(i, problem.kernels[i]).lines();
    columns[i].insert(columns[i].end(), lines.begin(), lines.end());
  }
  std::string text = fmt::format("PTX {}\n{{\n{}}}\n{}", print_name(problem.name), print_initials(problem),
                                 print_table(columns));
  if (problem.contract.filter.get() != nullptr)
    text += fmt::format("filter {}\n", print_condition(*problem.contract.filter, problem));
  return text + fmt::format("{} ({})\n", keyword_of(problem.contract.quantifier),
                            print_condition(*problem.contract.assertions.front().formula, problem));
}

// Enough for print_shaped to look at it.
bool looks_shaped(const Problem& problem) {
  if (problem.launches.size() != 1 || problem.contract.assertions.size() != 1) return false;
  const Launch& launch = problem.launches.front();
  if (launch.placed.empty() || launch.placed.size() != problem.kernels.size()) return false;
  for (std::uint32_t i = 0; i < launch.placed.size(); ++i) {
    if (launch.placed[i].kernel.value != i || problem.kernels[i].blocks.empty()) return false;
  }
  return true;
}

// The text, if reading it gives the problem back: then, and only then, has it the shape of a litmus test.
std::optional<std::string> print_as_it_is(const Problem& problem) {
  if (!looks_shaped(problem)) return std::nullopt;
  try {
    std::string text = print_shaped(problem);
    if (same(parse_litmus(text, problem.name), problem)) return text;
  } catch (const NotModelled&) {  // has no form as it is
  } catch (const InputError&) {   // has a name that the dialect can't read
  }
  return std::nullopt;
}

}  // namespace
}  // namespace litmus

std::string print_litmus(const Problem& problem) {
  if (const auto text = litmus::print_as_it_is(problem)) return *text;
  return litmus::print_shaped(litmus::specialize(problem));
}

bool is_litmus_shaped(const Problem& problem) { return litmus::print_as_it_is(problem).has_value(); }

}  // namespace fencewise
