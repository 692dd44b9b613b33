// What the executor counts, and the few figures that follow from the counts.
//
// A statement is counted once for each warp that has an active lane in it. Which statement belongs to which class, and
// what is not counted at all (address and loop arithmetic, predicates, moves), is told in docs/ledgers.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fencewise {

struct Counters {
  std::uint64_t warp_instr = 0;  // sum of the ten classes below
  std::uint64_t lane_instr = 0;  // the same, times the active lanes

  std::uint64_t gld_instr = 0, gst_instr = 0;  // global loads and stores, any width
  std::uint64_t lds_instr = 0, sts_instr = 0;  // shared loads and stores, any width
  std::uint64_t bar_instr = 0;
  std::uint64_t branch_instr = 0;
  std::uint64_t alu_instr = 0;  // what the kernel declares with compute(c)
  std::uint64_t ffma_instr = 0;
  std::uint64_t shfl_instr = 0;
  std::uint64_t atom_instr = 0;

  std::uint64_t fma = 0;        // multiply-adds: ffma_instr times the active lanes
  std::uint64_t divergent = 0;  // (warp, branch) pairs where some but not all active lanes enter
  std::uint64_t barriers = 0;   // completed barriers, one a block

  std::uint64_t gld_lines = 0, gst_lines = 0;      // distinct 128-byte lines
  std::uint64_t gld_sectors = 0, gst_sectors = 0;  // distinct 32-byte sectors
  std::uint64_t lds_wavefronts = 0, sts_wavefronts = 0;
  std::uint64_t ideal_lds_wavefronts = 0, ideal_sts_wavefronts = 0;

  std::uint64_t race_count = 0;  // racing (lane, shared word) accesses

  [[nodiscard]] std::uint64_t smem_wavefronts() const { return lds_wavefronts + sts_wavefronts; }
  [[nodiscard]] std::uint64_t ideal_smem_wavefronts() const {
    return ideal_lds_wavefronts + ideal_sts_wavefronts;
  }
  [[nodiscard]] double simt_efficiency() const;       // active lanes of an instruction, as a share of 32
  [[nodiscard]] double bank_conflict_factor() const;  // wavefronts over ideal ones; 1 without shared accesses

  Counters& operator+=(const Counters& other);
  friend bool operator==(const Counters&, const Counters&) = default;
};

// Every counter with its name, in the order of the tables: the one list from which sums, JSON and CSV derive.
struct CounterField {
  std::string_view name;
  std::uint64_t Counters::*member;
};
[[nodiscard]] std::span<const CounterField> counter_fields();

}  // namespace fencewise
