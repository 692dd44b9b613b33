#include "kernels/core/simt/register_file.h"

#include "kernels/core/flow.h"

namespace fencewise::simt {
namespace {

class Assigner {
 public:
  Assigner(const Kernel& kernel, std::uint32_t first) : kernel_(kernel), liveness_(kernel, {}, Prints::count) {
    file_.places.resize(kernel.registers.size());
    file_.bytes = first;
    for (std::size_t r = 0; r < kernel.registers.size(); ++r)
      file_.places[r].bytes = lane_bytes(kernel.registers[r].type);
  }

  RegisterFile assign() {
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      for (const RegisterId r : liveness_.before({BlockId{b}, 0}).members()) take_own_place(r);
    for (const RegisterId r : liveness_.before({BlockId{0}, 0}).members()) place(r).live_at_entry = true;
    for (const RegisterId r : mentioned_in_several_blocks()) take_own_place(r);
    for (const Block& block : kernel_.blocks) assign_temporaries(block);
    return std::move(file_);
  }

 private:
  RegisterPlace& place(RegisterId r) { return file_.places[r.value]; }
  std::vector<Slot>& free_list(std::uint32_t bytes) { return free_[bytes / 4]; }

  Slot fresh(std::uint32_t bytes) {
    if (bytes == 0) return file_.predicates++;
    const Slot slot = file_.bytes;
    file_.bytes += bytes * warp_lanes;
    return slot;
  }

  void take_own_place(RegisterId r) {
    if (place(r).slot == not_a_register) place(r).slot = fresh(place(r).bytes);
  }

  void take_shared_place(RegisterId r) {
    if (place(r).slot != not_a_register) return;
    auto& free = free_list(place(r).bytes);
    if (free.empty()) {
      place(r).slot = fresh(place(r).bytes);
    } else {
      place(r).slot = free.back();
      free.pop_back();
    }
  }

  // A register has one place in all blocks; a temporary's place must be free outside of its own.
  [[nodiscard]] std::vector<RegisterId> mentioned_in_several_blocks() const {
    constexpr std::uint32_t none = 0xffff'ffffU;
    std::vector<std::uint32_t> where(kernel_.registers.size(), none);
    std::vector<RegisterId> several;
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      for (const Instruction& instruction : kernel_.blocks[b].instructions) {
        for (const RegisterId r : mentioned(instruction)) {
          if (where[r.value] != none && where[r.value] != b) several.push_back(r);
          where[r.value] = b;
        }
      }
    }
    return several;
  }

  // Registers that occur in this block alone, and are not live at its start: each from its first write to its last mention.
  void assign_temporaries(const Block& block) {
    std::vector<std::uint32_t> last(kernel_.registers.size(), 0);
    std::vector<RegisterId> here;
    for (std::uint32_t i = 0; i < block.instructions.size(); ++i) {
      for (const RegisterId r : mentioned(block.instructions[i])) {
        last[r.value] = i;
        if (place(r).slot == not_a_register) here.push_back(r);
      }
    }
    std::vector<std::vector<RegisterId>> ends(block.instructions.size());
    std::vector<bool> seen(kernel_.registers.size());
    for (const RegisterId r : here) {
      if (seen[r.value]) continue;
      seen[r.value] = true;
      ends[last[r.value]].push_back(r);
    }
    for (std::uint32_t i = 0; i < block.instructions.size(); ++i) {
      // A result never takes the place of an operand of the same instruction: not all are elementwise.
      for (const RegisterId r : mentioned(block.instructions[i])) take_shared_place(r);
      for (const RegisterId r : ends[i]) free_list(place(r).bytes).push_back(place(r).slot);
    }
  }

  static std::vector<RegisterId> mentioned(const Instruction& instruction) {
    std::vector<RegisterId> all = registers_read(instruction);
    for (const RegisterId r : registers_shown(instruction)) all.push_back(r);
    for (const RegisterId r : registers_written(instruction)) all.push_back(r);
    return all;
  }

  const Kernel& kernel_;
  Liveness liveness_;
  RegisterFile file_;
  std::vector<Slot> free_[3];  // by bytes / 4
};

}  // namespace

RegisterFile assign_registers(const Kernel& kernel, std::uint32_t first) {
  return Assigner(kernel, first).assign();
}

}  // namespace fencewise::simt
