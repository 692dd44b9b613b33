#include "kernels/frontend/ptx/emitter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fencewise::ptx {
namespace {

// Until finish() a target from here on is a label's number.
constexpr std::uint32_t first_label = std::uint32_t{1} << 31U;

}  // namespace

RegisterId Emitter::temporary(Type type) {
  kernel_.registers.push_back({fmt::format("t{}", temporaries_++), type});
  return RegisterId{static_cast<std::uint32_t>(kernel_.registers.size() - 1)};
}

void Emitter::begin_block(const std::string& label) {
  kernel_.blocks.push_back({label, {}});
  origins_.emplace_back();
}

void Emitter::append(Operation operation, std::optional<fencewise::Guard> guard) {
  block().instructions.push_back({std::move(operation), guard, where_});
  origins_.back().push_back(origin_);
}

void Emitter::emit(Operation operation) { append(std::move(operation), guard_); }

bool Emitter::ended() const {
  return !block().instructions.empty() && is_terminator(block().instructions.back());
}

// A branch that nobody wrote.
void Emitter::fall_through() {
  const Origin written = std::exchange(origin_, {});
  append(Branch{next()}, std::nullopt);
  origin_ = written;
}

void Emitter::label(LabelId id, const std::string& name) {
  if (!block().instructions.empty()) {
    fall_through();
    begin_block(name);
  } else if (block().label.empty()) {
    block().label = name;
  }
  if (block_of_label_.size() <= id.value) block_of_label_.resize(id.value + 1);
  block_of_label_[id.value] = BlockId{next().value - 1};
}

void Emitter::branch(LabelId target) {
  const BlockId taken{first_label + target.value};
  if (guard_) {
    append(CondBranch{guard_->predicate, guard_->negated, taken, next(), true}, std::nullopt);
  } else {
    append(Branch{taken}, std::nullopt);
  }
  begin_block("");
}

void Emitter::end(Operation terminator) {
  if (guard_) {
    const BlockId taken = next();
    append(CondBranch{guard_->predicate, guard_->negated, taken, BlockId{taken.value + 1}, true},
           std::nullopt);
    begin_block("");
  }
  append(std::move(terminator), std::nullopt);
  begin_block("");
}

void Emitter::rewind(std::size_t mark) {
  block().instructions.resize(mark);
  origins_.back().resize(mark);
}

void Emitter::finish(std::uint32_t labels) {
  where_ = {};
  origin_ = {};
  if (!ended()) append(Exit{}, std::nullopt);
  block_of_label_.resize(labels);
  BlockId furthest;
  const auto resolve = [&](BlockId& target) {
    if (target.value >= first_label) target = block_of_label_[target.value - first_label];
    furthest.value = std::max(furthest.value, target.value);
  };
  for (Block& b : kernel_.blocks) {
    if (auto* branch = std::get_if<Branch>(&b.instructions.back().operation)) resolve(branch->target);
    if (auto* branch = std::get_if<CondBranch>(&b.instructions.back().operation)) {
      resolve(branch->taken);
      resolve(branch->otherwise);
    }
  }
  // The block that was begun behind the last `ret`.
  const bool empty = kernel_.blocks.size() > 1 && block().instructions.size() == 1 && block().label.empty();
  if (empty && furthest.value + 1 < kernel_.blocks.size()) {
    kernel_.blocks.pop_back();
    origins_.pop_back();
  }
}

}  // namespace fencewise::ptx
