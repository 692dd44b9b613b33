#include "kernels/core/simt/counters.h"

#include <array>

namespace fencewise {
namespace {

constexpr auto fields = std::to_array<CounterField>({
    {"warp_instr", &Counters::warp_instr},
    {"lane_instr", &Counters::lane_instr},
    {"gld_instr", &Counters::gld_instr},
    {"gst_instr", &Counters::gst_instr},
    {"lds_instr", &Counters::lds_instr},
    {"sts_instr", &Counters::sts_instr},
    {"bar_instr", &Counters::bar_instr},
    {"branch_instr", &Counters::branch_instr},
    {"alu_instr", &Counters::alu_instr},
    {"ffma_instr", &Counters::ffma_instr},
    {"shfl_instr", &Counters::shfl_instr},
    {"atom_instr", &Counters::atom_instr},
    {"fma", &Counters::fma},
    {"divergent", &Counters::divergent},
    {"barriers", &Counters::barriers},
    {"gld_lines", &Counters::gld_lines},
    {"gst_lines", &Counters::gst_lines},
    {"gld_sectors", &Counters::gld_sectors},
    {"gst_sectors", &Counters::gst_sectors},
    {"lds_wavefronts", &Counters::lds_wavefronts},
    {"sts_wavefronts", &Counters::sts_wavefronts},
    {"ideal_lds_wavefronts", &Counters::ideal_lds_wavefronts},
    {"ideal_sts_wavefronts", &Counters::ideal_sts_wavefronts},
    {"race_count", &Counters::race_count},
});
static_assert(fields.size() * sizeof(std::uint64_t) == sizeof(Counters),
              "a counter is missing from the list");

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::span<const CounterField> counter_fields() { return fields; }

Counters& Counters::operator+=(const Counters& other) {
  for (const CounterField& f : fields) this->*f.member += other.*f.member;
  return *this;
}

double Counters::simt_efficiency() const { return ratio(lane_instr, 32 * warp_instr); }
double Counters::bank_conflict_factor() const { return ratio(smem_wavefronts(), ideal_smem_wavefronts()); }

}  // namespace fencewise
