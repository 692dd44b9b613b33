// Builds a kernel's basic blocks, instruction by instruction, in the order of the text.
//
// Branches name labels; finish() turns them into blocks. Everything is emitted under the current guard and with the
// current source line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/frontend/diagnostics.h"
#include "kernels/frontend/ptx/names.h"

namespace fencewise::ptx {

// Where an instruction of the kernel comes from, beside its SourceLine.
struct Origin {
  Position ptx;
  std::string opcode;                // as written; empty: none (a block's end that falls through)
  std::vector<std::string> inlined;  // SourceChain::path
};

class Emitter {
 public:
  explicit Emitter(Kernel& kernel) : kernel_(kernel) { begin_block(""); }

  void at(SourceLine where, Origin origin) {
    where_ = where;
    origin_ = std::move(origin);
  }
  void under(std::optional<fencewise::Guard> guard) { guard_ = guard; }
  [[nodiscard]] RegisterId temporary(Type type);

  void emit(Operation operation);
  void label(LabelId id, const std::string& name);
  void branch(LabelId target);
  void end(Operation terminator);  // exit or trap
  // Takes back what was emitted since; a block that was begun since stays.
  [[nodiscard]] std::size_t mark() const { return block().instructions.size(); }
  void rewind(std::size_t mark);

  // The function's end. `labels` is how many there are.
  void finish(std::uint32_t labels);
  // [block][instruction]
  [[nodiscard]] const std::vector<std::vector<Origin>>& origins() const { return origins_; }

 private:
  [[nodiscard]] Block& block() { return kernel_.blocks.back(); }
  [[nodiscard]] const Block& block() const { return kernel_.blocks.back(); }
  [[nodiscard]] BlockId next() const { return BlockId{static_cast<std::uint32_t>(kernel_.blocks.size())}; }
  void begin_block(const std::string& label);
  void append(Operation operation, std::optional<fencewise::Guard> guard);
  void fall_through();
  [[nodiscard]] bool ended() const;

  Kernel& kernel_;
  std::vector<std::vector<Origin>> origins_;
  std::vector<BlockId> block_of_label_;
  std::optional<fencewise::Guard> guard_;
  SourceLine where_;
  Origin origin_;
  std::uint32_t temporaries_ = 0;
};

}  // namespace fencewise::ptx
