#include "kernels/core/flow.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/kernels.h"

namespace fencewise {
namespace {

using namespace testing::sample;
using testing::arithmetic;
using testing::guarded;
using testing::load;
using testing::plain;
using testing::sample_kernel;
using testing::shape;
using testing::store;
using testing::word;

constexpr std::uint32_t end = 99;

std::vector<std::uint32_t> numbers(const std::vector<std::optional<BlockId>>& blocks) {
  std::vector<std::uint32_t> result;
  for (const auto& block : blocks) result.push_back(block ? block->value : end);
  return result;
}

std::vector<std::uint32_t> numbers(const std::vector<BlockId>& blocks) {
  std::vector<std::uint32_t> result;
  for (const BlockId block : blocks) result.push_back(block.value);
  return result;
}

using Numbers = std::vector<std::uint32_t>;

InstructionRef first(std::uint32_t index) { return {BlockId{0}, index}; }

TEST(IdSet, HoldsIdsAcrossWords) {
  RegisterSet set(130);
  EXPECT_TRUE(set.empty());
  set.insert(RegisterId{0});
  set.insert(RegisterId{64});
  set.insert(RegisterId{129});
  EXPECT_TRUE(set.contains(RegisterId{64}));
  EXPECT_FALSE(set.contains(RegisterId{65}));
  EXPECT_FALSE(set.contains(RegisterId{1000}));
  EXPECT_EQ(set.members(), (std::vector<RegisterId>{{0}, {64}, {129}}));
  set.erase(RegisterId{64});
  EXPECT_FALSE(set.contains(RegisterId{64}));
}

TEST(IdSet, MergeTellsWhetherAnythingIsNew) {
  RegisterSet a(70), b(70);
  b.insert(RegisterId{69});
  EXPECT_TRUE(a.merge(b));
  EXPECT_FALSE(a.merge(b));
  EXPECT_EQ(a, b);
}

TEST(Successors, NameEachBlockOnce) {
  const Kernel k = shape({{1, 2}, {2}, {2, 2}, {}});
  EXPECT_EQ(numbers(successors(k.blocks[0])), (Numbers{1, 2}));
  EXPECT_EQ(numbers(successors(k.blocks[1])), (Numbers{2}));
  EXPECT_EQ(numbers(successors(k.blocks[2])), (Numbers{2}));
  EXPECT_EQ(numbers(successors(k.blocks[3])), Numbers{});
}

TEST(Registers, ReadIncludesGuardIndexAndValue) {
  EXPECT_EQ(registers_read(guarded(p, store(word(x, r0), r1))), (std::vector<RegisterId>{p, r0, r1}));
  EXPECT_TRUE(registers_written(store(word(x, r0), r1)).empty());
  EXPECT_EQ(registers_written(load(r1, word(x, r0))), (std::vector<RegisterId>{r1}));
}

TEST(Registers, WrittenIncludesTheSecondResult) {
  Shuffle shuffle;
  shuffle.dst = r0;
  shuffle.in_range = p;
  shuffle.value = r1;
  EXPECT_EQ(registers_written(plain(shuffle)), (std::vector<RegisterId>{r0, p}));
  EXPECT_EQ(registers_read(plain(shuffle)), (std::vector<RegisterId>{r1}));
}

TEST(Liveness, EndsAtTheLastReadAndBeginsAtTheWrite) {
  const Kernel k = sample_kernel({load(r0, word(x, r1)), arithmetic(Arith::add, Type::u32, r0, r0, r0),
                                  store(word(y, Operand::imm(0)), r0)});
  const Liveness live(k);
  EXPECT_EQ(live.before(first(0)).members(), (std::vector<RegisterId>{r1}));
  EXPECT_EQ(live.before(first(1)).members(), (std::vector<RegisterId>{r0}));
  EXPECT_EQ(live.before(first(2)).members(), (std::vector<RegisterId>{r0}));
  EXPECT_TRUE(live.before(first(3)).empty());
}

TEST(Liveness, AGuardedWriteKeepsTheOldValueAlive) {
  const Kernel k =
      sample_kernel({guarded(p, load(r0, word(x, Operand::imm(0)))), store(word(y, Operand::imm(0)), r0)});
  const Liveness live(k);
  EXPECT_TRUE(live.before(first(0)).contains(r0));
  EXPECT_TRUE(live.before(first(0)).contains(p));
}

TEST(Liveness, GoesRoundALoop) {
  const Kernel k = testing::split_k().kernels[0];
  const RegisterId part{0}, ticket{1}, i{2}, sum{3};
  const Liveness live(k);
  const RegisterSet& at_end_of_body = live.before({BlockId{1}, 4});
  EXPECT_TRUE(at_end_of_body.contains(i)) << "read again by the next round";
  EXPECT_TRUE(at_end_of_body.contains(sum));
  EXPECT_FALSE(at_end_of_body.contains(part)) << "loaded anew by the next round";
  EXPECT_FALSE(live.before({BlockId{1}, 0}).contains(ticket));
  EXPECT_TRUE(live.before({BlockId{0}, 0}).contains(sum)) << "starts at 0, never written before the loop";
}

TEST(Liveness, KeepsWhatIsReadAfterTheThread) {
  const Kernel k = sample_kernel({load(r0, word(x, Operand::imm(0)))});
  const RegisterId observed[] = {r0};
  EXPECT_TRUE(Liveness(k, observed).before(first(1)).contains(r0));
  EXPECT_FALSE(Liveness(k).before(first(1)).contains(r0));
}

TEST(Liveness, EndsWhereOnlyArithmeticThatNobodyReadsIsLeft) {
  const Kernel k = sample_kernel({arithmetic(Arith::add, Type::u32, r1, r0, r0),
                                  guarded(p, arithmetic(Arith::add, Type::u32, r1, r1, r1)), store(word(y, Operand::imm(0)), r0)});
  const Liveness live(k);
  EXPECT_FALSE(live.before(first(1)).contains(r1)) << "r1 + r1 goes nowhere";
  EXPECT_TRUE(live.before(first(1)).contains(p)) << "what steers is looked at all the same";
}

TEST(Liveness, CountsWhatIsPrintedOnlyWhereThatIsAskedFor) {
  const Kernel k = sample_kernel({arithmetic(Arith::add, Type::u32, r1, r0, r0), plain(Print{"%d", {Operand(r1)}})});
  EXPECT_EQ(registers_shown(k.blocks[0].instructions[1]), (std::vector<RegisterId>{r1}));
  EXPECT_TRUE(registers_read(k.blocks[0].instructions[1]).empty());
  EXPECT_FALSE(Liveness(k).before(first(1)).contains(r1));
  EXPECT_FALSE(Liveness(k).before(first(0)).contains(r0));
  EXPECT_TRUE(Liveness(k, {}, Prints::count).before(first(1)).contains(r1));
  EXPECT_TRUE(Liveness(k, {}, Prints::count).before(first(0)).contains(r0));
}

TEST(MayAccess, LooksAheadAndRoundLoops) {
  const Kernel k = testing::split_k().kernels[0];
  const ArrayId in{0}, ws{1}, count{2}, out{3};
  const MayAccess access(k);
  const InstructionRef entry{BlockId{0}, 0}, body_end{BlockId{1}, 4}, done{BlockId{3}, 0};
  EXPECT_EQ(access.read_from(entry).arrays.members(), (std::vector<ArrayId>{in, ws, count}));
  EXPECT_EQ(access.written_from(entry).arrays.members(), (std::vector<ArrayId>{ws, count, out}));
  EXPECT_EQ(access.read_from(body_end).arrays.members(), (std::vector<ArrayId>{ws}));
  EXPECT_EQ(access.written_from(body_end).arrays.members(), (std::vector<ArrayId>{count, out}));
  EXPECT_TRUE(access.read_from(done).arrays.empty());
  EXPECT_FALSE(access.read_from(entry).unknown);
}

TEST(MayAccess, IncludesTheInstructionItself) {
  const Kernel k = sample_kernel({store(word(x, r0), r1)});
  const MayAccess access(k);
  EXPECT_TRUE(access.written_from(first(0)).may_touch(x));
  EXPECT_FALSE(access.written_from(first(0)).may_touch(y));
  EXPECT_FALSE(access.read_from(first(0)).may_touch(x));
  EXPECT_FALSE(access.written_from(first(1)).may_touch(x));
}

TEST(MayAccess, AnAtomicReadsAndWrites) {
  const MayAccess access(testing::split_k().kernels[0]);
  const InstructionRef ticket{BlockId{0}, 3};
  EXPECT_TRUE(access.read_from(ticket).may_touch(ArrayId{2}));
  EXPECT_TRUE(access.written_from(ticket).may_touch(ArrayId{2}));
}

TEST(MayAccess, APointerOrSomethingUnmodelledMayTouchAnyArray) {
  Access pointer = word(x, d);
  pointer.address.array.reset();
  const Kernel k = sample_kernel({load(r0, pointer), plain(Unmodelled{"cp.async"})});
  const MayAccess access(k);
  EXPECT_TRUE(access.read_from(first(0)).may_touch(y));
  EXPECT_TRUE(access.written_from(first(0)).unknown) << "cp.async follows";
  EXPECT_TRUE(access.read_from(first(1)).unknown);
  EXPECT_FALSE(access.read_from(first(2)).unknown);
}

TEST(PostDominators, OfAnIfIsItsJoin) {
  EXPECT_EQ(numbers(immediate_post_dominators(shape({{1, 2}, {3}, {3}, {}}))), (Numbers{3, 3, 3, end}));
}

TEST(PostDominators, OfALoopBranchIsTheBlockAfterTheLoop) {
  EXPECT_EQ(numbers(immediate_post_dominators(shape({{1}, {2, 3}, {1}, {}}))), (Numbers{1, 3, 1, end}));
}

TEST(PostDominators, OfABranchToTwoExitsIsTheEnd) {
  EXPECT_EQ(numbers(immediate_post_dominators(shape({{1, 2}, {}, {}}))), (Numbers{end, end, end}));
}

TEST(PostDominators, IgnoreAPathThatNeverEnds) {
  EXPECT_EQ(numbers(immediate_post_dominators(shape({{1, 2}, {1}, {3}, {}}))), (Numbers{2, end, 3, end}));
}

TEST(PostDominators, OfANestedIfIsTheInnerJoin) {
  EXPECT_EQ(numbers(immediate_post_dominators(shape({{1, 5}, {2, 3}, {4}, {4}, {5}, {}}))),
            (Numbers{5, 4, 4, 4, 5, end}));
}

TEST(Dominators, LeaveOutUnreachableBlocks) {
  EXPECT_EQ(numbers(immediate_dominators(shape({{1, 2}, {3}, {3}, {}, {3}}))), (Numbers{end, 0, 0, 0, end}));
}

TEST(Loops, HaveOneHeaderAndAllTheirLatches) {
  // 1 is entered from 0 and again from 2 and from 3.
  const Kernel k = shape({{1}, {2, 4}, {1, 3}, {1}, {}});
  EXPECT_EQ(back_edges(k), (std::vector<BackEdge>{{{2}, {1}}, {{3}, {1}}}));
  const std::vector<Loop> loops = natural_loops(k);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].header, BlockId{1});
  EXPECT_EQ(numbers(loops[0].latches), (Numbers{2, 3}));
  EXPECT_EQ(numbers(loops[0].blocks), (Numbers{1, 2, 3}));
}

TEST(Loops, NestWithoutMixingTheirBlocks) {
  const std::vector<Loop> loops = natural_loops(shape({{1}, {2, 5}, {3}, {3, 4}, {1}, {}}));
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(numbers(loops[0].blocks), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(loops[1].blocks), (Numbers{3}));
}

TEST(Loops, OfUnreachableCodeDoNotCount) { EXPECT_TRUE(back_edges(shape({{}, {1}})).empty()); }

TEST(Reducible, StructuredLoopsAreAndAJumpIntoALoopIsNot) {
  EXPECT_TRUE(is_reducible(shape({{1}, {2, 3}, {1}, {}})));
  EXPECT_TRUE(is_reducible(testing::split_k().kernels[0]));
  EXPECT_FALSE(is_reducible(shape({{1, 2}, {2}, {1, 3}, {}})));
}

// The oracle: `a` post-dominates `b` if without `a` no end can be reached from `b`.
bool ends_without(const Kernel& k, std::uint32_t from, std::uint32_t removed) {
  std::vector<bool> seen(k.blocks.size());
  std::vector<std::uint32_t> open;
  if (from != removed) open.push_back(from);
  while (!open.empty()) {
    const std::uint32_t b = open.back();
    open.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    const auto next = successors(k.blocks[b]);
    if (next.empty()) return true;
    for (const BlockId to : next)
      if (to.value != removed) open.push_back(to.value);
  }
  return false;
}

Numbers post_dominators_slowly(const Kernel& k) {
  const auto count = static_cast<std::uint32_t>(k.blocks.size());
  const auto strictly = [&](std::uint32_t a, std::uint32_t b) { return a != b && !ends_without(k, b, a); };
  Numbers result(count, end);
  for (std::uint32_t b = 0; b < count; ++b) {
    if (!ends_without(k, b, end)) continue;
    // The nearest: it is post-dominated by every other one.
    for (std::uint32_t a = 0; a < count; ++a) {
      bool nearest = strictly(a, b);
      for (std::uint32_t c = 0; nearest && c < count; ++c)
        nearest = c == a || !strictly(c, b) || strictly(c, a);
      if (nearest) result[b] = a;
    }
  }
  return result;
}

TEST(PostDominators, EqualTheDefinitionOnAllGraphsOfFourBlocks) {
  std::vector<Numbers> choices = {{}};
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = a; b < 4; ++b) choices.push_back(a == b ? Numbers{a} : Numbers{a, b});
  for (const auto& b0 : choices)
    for (const auto& b1 : choices)
      for (const auto& b2 : choices)
        for (const auto& b3 : choices) {
          const Kernel k = shape({b0, b1, b2, b3});
          ASSERT_EQ(numbers(immediate_post_dominators(k)), post_dominators_slowly(k));
        }
}

}  // namespace
}  // namespace fencewise
