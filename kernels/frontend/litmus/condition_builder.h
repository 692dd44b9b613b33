// Builds the tree of a condition from the grammar's callbacks, which come in postfix order.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/frontend/litmus/syntax.h"

namespace fencewise::litmus {

class ConditionBuilder {
 public:
  void leaf(ConditionNode::Kind kind, Token token, Token thread = {});
  // The operator that the next binary() applies.
  void remember(Token op) { operators_.push_back(std::move(op)); }
  void binary(ConditionNode::Kind kind);
  // Chains of one connective become one node, unless parentheses keep them apart.
  void connect(ConditionNode::Kind kind);
  void negate();
  void parenthesize() { nodes_[stack_.back()].parenthesized = true; }

  [[nodiscard]] std::uint32_t depth() const { return nodes_[stack_.back()].depth; }
  // The finished tree; the builder is empty afterwards.
  [[nodiscard]] Condition take();

 private:
  std::uint32_t pop();
  void push(ConditionNode node);

  std::vector<ConditionNode> nodes_;
  std::vector<std::uint32_t> stack_;
  std::vector<Token> operators_;
};

}  // namespace fencewise::litmus
