// Kernels without one of their barriers, and what the in-order detector sees of it.
#include "kernels/core/without_barrier.h"

#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/ledger/runnable.h"
#include "tests/support/simt.h"

namespace fencewise {
namespace {

std::vector<std::uint32_t> lines_of(const Kernel& kernel) {
  std::vector<std::uint32_t> lines;
  for (const InstructionRef ref : barriers_of(kernel)) lines.push_back(kernel.at(ref).where.line);
  return lines;
}

Kernel nested() {
  KernelBuilder k("nested");
  const Array out = k.global("out", Type::u32);
  k.bar_sync();
  k.if_else(
      k.ctaid() == 0, [&] { k.bar_sync(); }, [&] { k.bar_sync(); });
  k.for_(0, 3, [&](const Val&) {
    k.bar_sync();
    k.if_(k.ctaid() == 1, [&] { k.bar_sync(); });
  });
  k.bar_sync();
  k.st(out[k.tid()], 1);
  return k.build();
}

TEST(Barriers, AreCountedAsTheSourceHasThem) {
  const std::vector<std::uint32_t> lines = lines_of(nested());
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end())) << ::testing::PrintToString(lines);
}

TEST(WithoutBarrier, LeavesOutThatOneAndNothingElse) {
  const Kernel kernel = nested();
  const std::vector<std::uint32_t> lines = lines_of(kernel);
  for (std::size_t n = 1; n <= lines.size(); ++n) {
    std::vector<std::uint32_t> left = lines;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(n - 1));
    EXPECT_EQ(lines_of(without_barrier(kernel, n)), left) << n;
  }
}

TEST(WithoutBarrier, RefusesABarrierThatIsNotThere) {
  const Kernel kernel = nested();
  for (const std::size_t n : {std::size_t{0}, std::size_t{7}})
    EXPECT_THROW((void)without_barrier(kernel, n), InputError);
  try {
    (void)without_barrier(reverse_kernel(4), 2);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "reverse has 1 barrier, and no barrier 2 to drop");
  }
}

// [barrier that is dropped]: whether the in-order detector, which knows no races within a warp, sees a race.
std::string seen_by_the_detector(const std::string& name, const std::vector<std::string>& params = {}) {
  std::string seen;
  const std::size_t barriers = barriers_of(prepare(*find_runnable(name), params).kernel).size();
  for (std::size_t n = 1; n <= barriers; ++n) {
    PreparedRun prepared = prepare(*find_runnable(name), params);
    prepared.kernel = without_barrier(prepared.kernel, n);
    seen += run(prepared).counters.race_count > 0 ? 'x' : '-';
  }
  return seen;
}

TEST(WithoutBarrier, TheDetectorSeesOnlyRacesBetweenWarps) {
  // Version 1: from s = 32 on, partners are in different warps. The last barrier is not needed: thread 0 reads its own.
  EXPECT_EQ(seen_by_the_detector("reduction-1"), "-----xxx-");
  // Version 2: thread t reads what threads 2t and 2t+1 wrote; with 32 writers left, all are of one warp.
  EXPECT_EQ(seen_by_the_detector("reduction-2"), "xxx------");
  EXPECT_EQ(seen_by_the_detector("reduction-3"), "xxx------");
  EXPECT_EQ(seen_by_the_detector("reduction-4"), "xxx------");
  EXPECT_EQ(seen_by_the_detector("reduction-5"), "xxx");
  EXPECT_EQ(seen_by_the_detector("reduction-6"), "xxx");
}

TEST(WithoutBarrier, TheDetectorSeesEveryBarrierOfTheMatrixProducts) {
  for (const char* name :
       {"gemm-k3", "gemm-k4", "gemm-k5", "gemm-k5v", "gemm-k6", "gemm-k7", "gemm-k8", "gemm-k9"})
    EXPECT_EQ(seen_by_the_detector(name), "xx") << name;
  for (const char* name : {"gemm-k1", "gemm-k2"}) EXPECT_EQ(seen_by_the_detector(name), "") << name;
}

// Between the CTAs of split-K it sees nothing: it watches shared memory.
TEST(WithoutBarrier, TheDetectorSeesTheFlagOfSplitKOnly) {
  EXPECT_EQ(seen_by_the_detector("splitk-gemv"), "-x");
  EXPECT_EQ(seen_by_the_detector("splitk-gemv-atomic"), "-x");
}

}  // namespace
}  // namespace fencewise
