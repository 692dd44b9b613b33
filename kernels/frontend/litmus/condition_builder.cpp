#include "kernels/frontend/litmus/condition_builder.h"

#include <algorithm>
#include <utility>

namespace fencewise::litmus {

void ConditionBuilder::leaf(ConditionNode::Kind kind, Token token, Token thread) {
  ConditionNode node;
  node.kind = kind;
  node.token = std::move(token);
  node.thread = std::move(thread);
  push(std::move(node));
}

void ConditionBuilder::binary(ConditionNode::Kind kind) {
  ConditionNode node;
  node.kind = kind;
  node.token = std::move(operators_.back());
  operators_.pop_back();
  const std::uint32_t right = pop();
  node.children = {pop(), right};
  push(std::move(node));
}

void ConditionBuilder::connect(ConditionNode::Kind kind) {
  const std::uint32_t right = pop();
  ConditionNode& left = nodes_[stack_.back()];
  if (left.kind == kind && !left.parenthesized) {
    left.children.push_back(right);
    left.depth = std::max(left.depth, nodes_[right].depth + 1);
    return;
  }
  ConditionNode node;
  node.kind = kind;
  node.token.at = left.token.at;
  node.children = {pop(), right};
  push(std::move(node));
}

void ConditionBuilder::negate() {
  ConditionNode node;
  node.kind = ConditionNode::Kind::negation;
  node.children = {pop()};
  node.token.at = nodes_[node.children[0]].token.at;
  push(std::move(node));
}

Condition ConditionBuilder::take() {
  Condition condition;
  condition.root = pop();
  condition.nodes = std::exchange(nodes_, {});
  return condition;
}

std::uint32_t ConditionBuilder::pop() {
  const std::uint32_t top = stack_.back();
  stack_.pop_back();
  return top;
}

void ConditionBuilder::push(ConditionNode node) {
  for (const std::uint32_t child : node.children) {
    node.depth = std::max(node.depth, nodes_[child].depth + 1);
  }
  stack_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  nodes_.push_back(std::move(node));
}

}  // namespace fencewise::litmus
