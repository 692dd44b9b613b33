#include "kernels/reduction/reduction.h"

#include <bit>

#include <fmt/format.h>

#include "kernels/core/builder.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

bool loads_two(ReductionVersion v) { return v >= ReductionVersion::two_per_thread; }
bool has_warp_tail(ReductionVersion v) { return v >= ReductionVersion::warp_shuffle; }

void check(const ReductionShape& r) {
  const std::uint32_t least = has_warp_tail(r.version) ? 64 : 2;
  if (!std::has_single_bit(r.threads) || r.threads < least || r.threads > 1024)
    throw InputError(fmt::format("{}: the block has a power of two of threads from {} to 1024, not {}",
                                 name_of(r.version), least, r.threads));
}

struct Sum {
  KernelBuilder k;
  Array in, out, sdata;
  Val tid;
  int threads;

  explicit Sum(const ReductionShape& r)
      : k(name_of(r.version)),
        in(k.global("in", Type::f32)),
        out(k.global("out", Type::f32)),
        sdata(k.shared("sdata", Type::f32, r.threads)),
        tid(k.tid()),
        threads(static_cast<int>(r.threads)) {}

  void load_one() {
    k.st(sdata[tid], k.ld(in[k.ctaid() * threads + tid]));
    k.bar_sync();
  }

  void load_two() {
    const Val i = k.ctaid() * (2 * threads) + tid;
    const Val a = k.ld(in[i]);
    const Val b = k.ld(in[i + threads]);
    k.compute(1);
    k.st(sdata[tid], a + b);
    k.bar_sync();
  }

  // sdata[at] += sdata[at + distance]
  void add(const Val& at, int distance) {
    const Val mine = k.ld(sdata[at]);
    const Val other = k.ld(sdata[at + distance]);
    k.compute(1);
    k.st(sdata[at], mine + other);
  }

  void interleaved_divergent() {
    for (int s = 1; s < threads; s *= 2) {
      k.if_(tid % (2 * s) == 0, [&] { add(tid, s); });
      k.bar_sync();
    }
  }

  void interleaved_contiguous() {
    for (int s = 1; s < threads; s *= 2) {
      const Val index = tid * (2 * s);
      k.if_(index < threads, [&] { add(index, s); });
      k.bar_sync();
    }
  }

  // Distances from half the block down to `last`.
  void sequential(int last) {
    for (int s = threads / 2; s >= last; s /= 2) {
      k.if_(tid < s, [&] { add(tid, s); });
      k.bar_sync();
    }
  }

  void shuffle_tail() {
    k.masked(tid < 32, [&] {
      const Val mine = k.ld(sdata[tid]);
      const Val other = k.ld(sdata[tid + 32]);
      k.compute(1);
      Val sum = mine + other;
      for (int distance = 16; distance >= 1; distance /= 2) {
        const Val from = k.shfl(ShuffleMode::down, sum, distance);
        k.compute(1);
        sum = sum + from;
      }
      partial = sum;
    });
    k.masked(tid == 0, [&] { k.st(out[k.ctaid()], partial); });
  }

  // Correct only where a warp runs in lockstep, which PTX does not promise: lane 0 may read sdata[1] before lane 1
  // has added to it, or after it went on.
  void warp_synchronous_tail() {
    k.masked(tid < 32, [&] {
      for (int distance = 32; distance >= 1; distance /= 2) add(tid, distance);
    });
  }

  void write_first() {
    k.masked(tid == 0, [&] { k.st(out[k.ctaid()], k.ld(sdata[0])); });
  }

  Val partial = 0;
};

}  // namespace

std::string name_of(ReductionVersion version) {
  return fmt::format("reduction-{}", static_cast<int>(version));
}

std::uint32_t elements_per_block(const ReductionShape& r) {
  return r.threads * (loads_two(r.version) ? 2 : 1);
}

Kernel reduction_kernel(const ReductionShape& r) {
  check(r);
  Sum s(r);
  loads_two(r.version) ? s.load_two() : s.load_one();
  switch (r.version) {
    case ReductionVersion::interleaved_divergent: s.interleaved_divergent(); break;
    case ReductionVersion::interleaved_contiguous: s.interleaved_contiguous(); break;
    case ReductionVersion::sequential:
    case ReductionVersion::two_per_thread: s.sequential(1); break;
    case ReductionVersion::warp_shuffle: s.sequential(64); break;
    case ReductionVersion::warp_synchronous: s.sequential(64); break;
  }
  if (r.version == ReductionVersion::warp_shuffle) {
    s.shuffle_tail();
  } else {
    if (r.version == ReductionVersion::warp_synchronous) s.warp_synchronous_tail();
    s.write_first();
  }
  return s.k.build();
}

}  // namespace fencewise
