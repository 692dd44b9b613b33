#include "kernels/frontend/litmus/blocks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/frontend/litmus/words.h"

namespace fencewise::litmus {

void BlockBuilder::label(const Token& name) {
  if (!is_label(name.text)) {
    diagnostics_.error(
        name.at, fmt::format("found label {}; expected LC and digits, such as LC00", quoted(name.text)));
  }
  if (!blocks_.back().instructions.empty()) {
    const BlockId next{current().value + 1};
    const SourceLine where = blocks_.back().instructions.back().where;
    blocks_.back().instructions.push_back({Branch{next}, std::nullopt, where});
    blocks_.emplace_back();
  }
  if (!labels_.emplace(name.text, current()).second) {
    diagnostics_.error(name.at, fmt::format("label {} stands twice in thread {}; expected it once",
                                            quoted(name.text), thread_));
  }
  if (blocks_.back().label.empty()) blocks_.back().label = name.text;
}

void BlockBuilder::jump(const Token& label, SourceLine where) {
  jumps_.push_back({current(), label});
  add({Branch{}, std::nullopt, where});
  blocks_.emplace_back();
}

void BlockBuilder::jump_if(RegisterId predicate, const Token& label, SourceLine where) {
  jumps_.push_back({current(), label});
  CondBranch branch;
  branch.predicate = predicate;
  branch.otherwise = BlockId{current().value + 1};
  add({branch, std::nullopt, where});
  blocks_.emplace_back();
}

std::vector<Block> BlockBuilder::finish(SourceLine end) {
  for (const Jump& jump : jumps_) {
    Operation& last = blocks_[jump.from.value].instructions.back().operation;
    if (auto* branch = std::get_if<Branch>(&last)) branch->target = target(jump.label);
    if (auto* branch = std::get_if<CondBranch>(&last)) branch->taken = target(jump.label);
  }
  blocks_.back().instructions.push_back({Exit{}, std::nullopt, end});
  drop_unreachable_end();
  return std::exchange(blocks_, {});
}

BlockId BlockBuilder::target(const Token& label) const {
  if (const auto found = labels_.find(label.text); found != labels_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, block] : labels_) known.push_back(name);
  diagnostics_.error(label.at,
                     fmt::format("no label {} in thread {}; expected {}", quoted(label.text), thread_,
                                 known.empty() ? fmt::format("a cell '{}:' in its column", label.text)
                                               : fmt::format("{}", fmt::join(known, " or "))));
}

// What follows a `goto` in the last cell.
void BlockBuilder::drop_unreachable_end() {
  if (blocks_.size() < 2 || blocks_.back().instructions.size() != 1 || !blocks_.back().label.empty()) return;
  const Operation& before = blocks_[blocks_.size() - 2].instructions.back().operation;
  if (std::holds_alternative<Branch>(before)) blocks_.pop_back();
}

}  // namespace fencewise::litmus
