// Cuts a thread's column into basic blocks, and finds the labels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/frontend/diagnostics.h"

namespace fencewise::litmus {

// Instructions are added in the order of the column. Jumps name labels, which may come later.
class BlockBuilder {
 public:
  BlockBuilder(std::string thread, const Diagnostics& diagnostics)
      : thread_(std::move(thread)), diagnostics_(diagnostics), blocks_(1) {}

  void label(const Token& name);
  void add(Instruction instruction) { blocks_.back().instructions.push_back(std::move(instruction)); }
  void jump(const Token& label, SourceLine where);
  void jump_if(RegisterId predicate, const Token& label, SourceLine where);

  // The thread ends. Throws InputError for a jump to a label that does not exist.
  [[nodiscard]] std::vector<Block> finish(SourceLine end);

 private:
  struct Jump {
    BlockId from;
    Token label;
  };

  [[nodiscard]] BlockId current() const { return {static_cast<std::uint32_t>(blocks_.size() - 1)}; }
  [[nodiscard]] BlockId target(const Token& label) const;
  void drop_unreachable_end();

  std::string thread_;
  const Diagnostics& diagnostics_;
  std::vector<Block> blocks_;
  std::map<std::string, BlockId> labels_;
  std::vector<Jump> jumps_;
};

}  // namespace fencewise::litmus
