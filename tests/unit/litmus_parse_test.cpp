// The litmus reader: what it makes of a test, and what it says about a wrong one.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/litmus/canonical.h"
#include "kernels/frontend/litmus/parse.h"
#include "kernels/frontend/litmus/print.h"

namespace fencewise {
namespace {

constexpr std::string_view message_passing = R"(PTX MP
"message passing"
{
x = 0; flag = 0; P1:r0 = 7;
}
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.weak x, 1           | ld.acquire.gpu r0, flag ;
 st.release.gpu flag, 1 | ld.weak r1, x           ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

// The text with its first `from` replaced.
std::string with(std::string_view from, std::string_view to, std::string_view text = message_passing) {
  std::string result(text);
  const std::size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return result.replace(at, from.size(), to);
}

std::string error_of(std::string_view text) {
  try {
    (void)parse_litmus(text, "mp.litmus");
  } catch (const InputError& e) {
    return e.what();
  } catch (const NotModelled& e) {
    return std::string("not modelled: ") + e.what();
  }
  return "no error";
}

std::string error_with(std::string_view from, std::string_view to) { return error_of(with(from, to)); }

// A test of one thread.
std::string one_thread(std::string_view program, std::string_view condition = "exists (0 == 0)") {
  return fmt::format("PTX one\n{{ x = 0; y = 0; }}\n P0@cta 0,gpu 0 ;\n {}\n{}\n", program, condition);
}

std::vector<std::string> instructions(const Problem& problem, std::size_t thread = 0) {
  std::vector<std::string> result;
  for (const Block& block : problem.kernels[thread].blocks) {
    for (const Instruction& instruction : block.instructions)
      result.push_back(print(instruction, problem.kernels[thread]));
  }
  return result;
}

const Instruction& first(const Problem& problem) { return problem.kernels[0].blocks[0].instructions[0]; }

// --- Structure ---

TEST(LitmusParser, MakesAKernelOfEachThreadAndABufferOfEachLocation) {
  const Problem problem = parse_litmus(message_passing, "mp.litmus");
  EXPECT_EQ(problem.name, "MP");
  ASSERT_EQ(problem.kernels.size(), 2U);
  EXPECT_EQ(problem.kernels[0].name, "P0");
  EXPECT_EQ(instructions(problem, 0),
            (std::vector<std::string>{"st.weak.s64 x[0], 1", "st.release.gpu.s64 flag[0], 1", "exit"}));
  EXPECT_EQ(instructions(problem, 1),
            (std::vector<std::string>{"ld.acquire.gpu.s64 %r0, flag[0]", "ld.weak.s64 %r1, x[0]", "exit"}));
  ASSERT_EQ(problem.buffers.size(), 2U);
  EXPECT_EQ(problem.buffers[0].name, "x");
  EXPECT_EQ(problem.buffers[0].length, 1U);
  EXPECT_EQ(problem.buffers[0].element, Type::s64);
  EXPECT_EQ(problem.buffers[0].role, Role::workspace);
  EXPECT_EQ(problem.kernels[1].register_initial, (std::vector<std::uint64_t>{7, 0}));
  ASSERT_EQ(problem.launches.size(), 1U);
  EXPECT_EQ(problem.launches[0].placed.size(), 2U);
  EXPECT_NO_THROW(validate(problem));
}

TEST(LitmusParser, RemembersLineAndColumnOfEachInstruction) {
  const Problem problem = parse_litmus(message_passing, "mp.litmus");
  EXPECT_EQ(problem.kernels[1].files, std::vector<std::string>{"mp.litmus"});
  EXPECT_EQ(problem.kernels[1].blocks[0].instructions[1].where, (SourceLine{0, 8, 27}));
}

TEST(LitmusParser, KeepsTheConditionAsWritten) {
  const Problem problem = parse_litmus(message_passing, "mp.litmus");
  ASSERT_EQ(problem.contract.assertions.size(), 1U);
  EXPECT_EQ(problem.contract.assertions[0].text, "(P1:r0 == 1 /\\ P1:r1 == 0)");
  EXPECT_EQ(problem.contract.assertions[0].when, When::plan_end);
  EXPECT_EQ(print(*problem.contract.assertions[0].formula, problem), "P1:r0 == 1 && P1:r1 == 0");
}

TEST(LitmusParser, ReadsTheThreeQuantifiersAndTheirSpellings) {
  const auto quantifier = [](std::string_view text) {
    return parse_litmus(with("exists (", std::string(text) + " ("), "mp.litmus").contract.quantifier;
  };
  EXPECT_EQ(quantifier("exists"), Quantifier::exists);
  EXPECT_EQ(quantifier("~exists"), Quantifier::never);
  EXPECT_EQ(quantifier("~ exists"), Quantifier::never);
  EXPECT_EQ(quantifier("not exists"), Quantifier::never);
  EXPECT_EQ(quantifier("forall"), Quantifier::always);
  EXPECT_EQ(quantifier("final"), Quantifier::exists);
}

TEST(LitmusParser, BindsNegationTighterThanAndTighterThanOr) {
  const auto formula = [](std::string_view condition) {
    const Problem problem = parse_litmus(one_thread("ld.weak r0, x;", condition), "t.litmus");
    return print(*problem.contract.assertions[0].formula, problem);
  };
  EXPECT_EQ(formula("exists ~x == 1 /\\ y = 2 \\/ P0:r0 < 3"), "!(x[0] == 1) && y[0] == 2 || P0:r0 < 3");
  EXPECT_EQ(formula("exists ~(x >= 1 \\/ y != 2) /\\ 0: r0 > -1"), "!(x[0] >= 1 || y[0] != 2) && P0:r0 > -1");
  EXPECT_EQ(formula("exists x + y * 2 - 1 <= (P0:r0 + 1) / 2"), "x[0] + y[0] * 2 - 1 <= (P0:r0 + 1) / 2");
}

TEST(LitmusParser, ReadsFilterAndLocationsBeforeTheCondition) {
  const Problem problem =
      parse_litmus(with("exists", "locations [x; P1:r0;]\nfilter (P1:r0 == 1)\nexists"), "mp.litmus");
  ASSERT_NE(problem.contract.filter.get(), nullptr);
  EXPECT_EQ(print(*problem.contract.filter, problem), "P1:r0 == 1");
}

TEST(LitmusParser, SkipsCommentsAndConfigurations) {
  const Problem plain = parse_litmus(message_passing, "mp.litmus");
  const std::string commented = with("st.weak x, 1  ", "st.weak (* data | ; *) x << any >>, 1  ");
  EXPECT_TRUE(same(plain, parse_litmus(commented, "mp.litmus")));
}

TEST(LitmusParser, StartsUndeclaredLocationsAndRegistersAtZero) {
  const Problem problem = parse_litmus(one_thread("st.weak z, r3;", "exists (z == 0)"), "t.litmus");
  ASSERT_TRUE(problem.find_buffer("z"));
  EXPECT_EQ(problem.buffers[problem.find_buffer("z")->value].initial.values, std::vector<std::uint64_t>{0});
  EXPECT_TRUE(problem.kernels[0].register_initial.empty());
}

TEST(LitmusParser, ReadsAliasesWithTheirOwnAddressAndViewsWithout) {
  const Problem problem = parse_litmus(
      with("flag = 0;", "flag = 5; y @ generic aliases flag; s @ surface aliases y; c = y;"), "mp.litmus");
  const Buffer& y = problem.buffers[2];
  const Buffer& s = problem.buffers[3];
  EXPECT_EQ(y.alias_of, BufferId{1});
  EXPECT_TRUE(y.own_address);
  EXPECT_EQ(s.alias_of, BufferId{2});
  EXPECT_FALSE(s.own_address);
  EXPECT_EQ(problem.buffers[4].initial.values, std::vector<std::uint64_t>{5});
  EXPECT_FALSE(problem.buffers[4].alias_of);
}

TEST(LitmusParser, GivesCtasIdsThatAreUniqueInTheMachine) {
  const auto placed = [](std::string_view header0, std::string_view header1) {
    std::string text = with("P0@cta 0,gpu 0", header0);
    return parse_litmus(with("P1@cta 1,gpu 0", header1, text), "mp.litmus").launches[0].placed;
  };
  const auto same_number = placed("P0@cta 3,gpu 0", "1@cta 3,gpu 1");
  EXPECT_NE(same_number[0].placement.cta, same_number[1].placement.cta);
  EXPECT_EQ(same_number[1].placement.device, DeviceId{1});
  const auto plain = placed("P0@cta 3,gpu 0", "P1@cta 5,gpu 0");
  EXPECT_EQ(plain[1].placement, (Placement{CtaId{5}, ClusterId{5}, DeviceId{0}}));
  const auto cluster = placed("P0@cta 0,cluster 2,gpu 0", "P1@gpu 0, cta 1, cluster 2");
  EXPECT_EQ(cluster[1].placement, (Placement{CtaId{1}, ClusterId{2}, DeviceId{0}}));
}

struct InstructionCase {
  const char* litmus;
  const char* core;
};

TEST(LitmusParser, ReadsEveryInstructionForm) {
  const InstructionCase cases[] = {
      {"ld.weak r0, x", "ld.weak.s64 %r0, x[0]"},
      {"ld.relaxed.cta r0, x", "ld.relaxed.cta.s64 %r0, x[0]"},
      {"ld.acquire.cluster r0, x", "ld.acquire.cluster.s64 %r0, x[0]"},
      {"ld.volatile r0, x", "ld.volatile.s64 %r0, x[0]"},
      {"tld.weak r0, x", "tld.weak.s64 %r0, x[0]"},
      {"suld.weak r0, x", "suld.weak.s64 %r0, x[0]"},
      {"cold.relaxed.sys r0, x", "cold.relaxed.sys.s64 %r0, x[0]"},
      {"ld r0, -3", "mov.s64 %r0, -3"},
      {"ld r0, r1", "mov.s64 %r0, %r1"},
      {"add r0, r1, 2", "add.s64 %r0, %r1, 2"},
      {"sub r0, 1, r1", "sub.s64 %r0, 1, %r1"},
      {"mul r0, r0, r0", "mul.lo.s64 %r0, %r0, %r0"},
      {"div r0, r1, 0x10", "div.s64 %r0, %r1, 16"},
      {"st.weak x, 1", "st.weak.s64 x[0], 1"},
      {"st.release.sys x, r0", "st.release.sys.s64 x[0], %r0"},
      {"st.volatile x, 1", "st.volatile.s64 x[0], 1"},
      {"sust.relaxed.gpu x, 1", "sust.relaxed.gpu.s64 x[0], 1"},
      {"red.release.sys.or x, 4", "red.release.sys.or.b64 x[0], 4"},
      {"sured.relaxed.cta.add x, 4", "sured.relaxed.cta.add.s64 x[0], 4"},
      {"fence.sc.gpu", "fence.sc.gpu"},
      {"fence.acq_rel.cta", "fence.acq_rel.cta"},
      {"fence.acquire.sys", "fence.acquire.sys"},
      {"fence.release.cluster", "fence.release.cluster"},
      {"membar.gl", "fence.sc.gpu"},
      {"membar.cta", "fence.sc.cta"},
      {"membar.sys", "fence.sc.sys"},
      {"fence.proxy.alias", "fence.proxy.alias"},
      {"fence.proxy.texture", "fence.proxy.texture"},
      {"bar.cta.sync 4", "bar.cta.sync 4, 0"},
      {"bar.cta.sync 4, r0, 2", "bar.cta.sync 4, %r0, 2"},
      {"bar.cta.arrive 1, 2, 3", "bar.cta.arrive 1, 2, 3"},
  };
  for (const InstructionCase& c : cases) {
    const Problem problem = parse_litmus(one_thread(fmt::format("{} ;", c.litmus)), "t.litmus");
    EXPECT_EQ(print(first(problem), problem.kernels[0]), c.core) << c.litmus;
  }
}

TEST(LitmusParser, ReadsAtomicsWithTheirOperandsInOrder) {
  const Problem cas = parse_litmus(one_thread("atom.acq_rel.gpu.cas r0, x, 3, r1 ;"), "t.litmus");
  const auto& atomic = std::get<Atomic>(first(cas).operation);
  EXPECT_EQ(atomic.op, AtomicOp::cas);
  EXPECT_EQ(atomic.access.order, Order::acq_rel);
  EXPECT_EQ(atomic.a, Operand::imm(3));
  EXPECT_EQ(atomic.b, Operand(RegisterId{1}));
  EXPECT_EQ(atomic.dst, RegisterId{0});
  EXPECT_FALSE(atomic.red);
  const Problem red = parse_litmus(one_thread("red.relaxed.cta.add x, 1 ;"), "t.litmus");
  EXPECT_TRUE(std::get<Atomic>(first(red).operation).red);
  EXPECT_FALSE(std::get<Atomic>(first(red).operation).dst);
}

TEST(LitmusParser, CutsColumnsIntoBlocksAtLabelsAndJumps) {
  const Problem problem =
      parse_litmus(one_thread("LC00: ; ld.relaxed.gpu r0, x ; bne r0, 1, LC00 ; goto LC02 ; LC01: ; "
                              "st.weak y, 1 ; LC02: ;"),
                   "t.litmus");
  EXPECT_EQ(print(problem.kernels[0]), R"(kernel P0
  global s64 x[]
  global s64 y[]
  reg s64 %r0
  reg pred %p
LC00:
  ld.relaxed.gpu.s64 %r0, x[0]
  setp.ne.s64 %p, %r0, 1
  @%p bra LC00; bra b1
b1:
  bra LC02
LC01:
  st.weak.s64 y[0], 1
  bra LC02
LC02:
  exit
)");
  EXPECT_NO_THROW(validate(problem));
}

// A barrier counts for the others even where its thread never comes, so that code after a goto stays.
TEST(LitmusParser, KeepsUnreachableCode) {
  const Problem problem = parse_litmus(one_thread("goto LC01 ; bar.cta.sync 0 ; LC01: ;"), "t.litmus");
  EXPECT_EQ(instructions(problem),
            (std::vector<std::string>{"bra LC01", "bar.cta.sync 0, 0", "bra LC01", "exit"}));
}

// --- Errors, as a new user would make them ---

TEST(LitmusErrors, NameAnUnknownInstructionAndWhatThereIs) {
  EXPECT_EQ(error_with("ld.weak r1", "load r1"),
            "mp.litmus:8:27: unknown instruction 'load'; expected ld, st, atom, red, fence, membar, bar, "
            "add, sub, mul, div, "
            "goto, beq, bne, blt, bgt, ble, bge, tld, suld, cold, sust, suatom or sured");
  EXPECT_EQ(error_with("ld.weak r1", "ld.foo.gpu r1"),
            "mp.litmus:8:29: unknown order '.foo'; expected .weak, .relaxed, .acquire or .volatile");
  EXPECT_EQ(error_with("ld.weak r1", "ld.release.gpu r1"),
            "mp.litmus:8:29: unknown order '.release'; expected .weak, .relaxed, .acquire or .volatile");
  EXPECT_EQ(error_with("st.weak x", "atom.sc.gpu.add x"),
            "mp.litmus:7:6: unknown order '.sc'; expected .relaxed, .acquire, .release or .acq_rel");
  EXPECT_EQ(error_with("st.weak x, 1", "red.relaxed.gpu.cas x, 1, 2"),
            "mp.litmus:7:17: unknown operation '.cas'; expected .add, .sub, .mul, .div, .and, .or or .xor");
}

TEST(LitmusErrors, NameTheColumnOfAnUnknownScope) {
  EXPECT_EQ(error_with("ld.acquire.gpu", "ld.acquire.block"),
            "mp.litmus:7:37: unknown scope '.block'; expected .cta, .cluster, .gpu or .sys");
  EXPECT_EQ(error_with("ld.acquire.gpu", "ld.acquire"),
            "mp.litmus:7:37: 'ld.acquire' without scope; expected .cta, .cluster, .gpu or .sys");
  EXPECT_EQ(error_with("st.weak x", "st.weak.gpu x"),
            "mp.litmus:7:9: found '.gpu' after a complete instruction; expected its operands");
}

TEST(LitmusErrors, PointAtTheEndOfTheLineWhereASemicolonIsMissing) {
  EXPECT_EQ(error_with("ld.weak r1, x           ;", "ld.weak r1, x"),
            "mp.litmus:8:40: found the end of the line; expected ';' to end the row, '|' before the next "
            "cell or ',' before an operand");
  EXPECT_EQ(error_with("r0, flag ;", "r0, flag"),
            "mp.litmus:7:50: found the end of the line; expected ';' to end the row, '|' before the next "
            "cell or ',' before an operand");
  EXPECT_EQ(error_with("P1:r0 = 7;\n}", "P1:r0 = 7\nz = 1; }"),
            "mp.litmus:4:27: found the end of the line; expected ';' before the next initial value, or '}'");
  EXPECT_EQ(error_with("gpu 0          ;", "gpu 0"),
            "mp.litmus:6:41: found the end of the line; expected '|' before the next thread, or ';' after "
            "the last");
}

TEST(LitmusErrors, CountTheCellsOfARow) {
  EXPECT_EQ(error_with("st.weak x, 1           | ld.acquire.gpu r0, flag ;", "st.weak x, 1 ;"),
            "mp.litmus:7:2: found a row of 1 cell; expected 2, one for each thread");
  EXPECT_EQ(error_with("st.weak x, 1           |", "st.weak x, 1 | |"),
            "mp.litmus:7:18: found a row of 3 cells; expected 2, one for each thread");
}

TEST(LitmusErrors, NameARegisterThatIsNeverWritten) {
  EXPECT_EQ(error_with("P1:r1 == 0", "P1:r7 == 0"),
            "mp.litmus:9:26: register 'r7' is never written by P1; expected r0 or r1");
  EXPECT_EQ(
      error_with("P1:r1 == 0", "P0:r1 == 0"),
      "mp.litmus:9:26: register 'r1' is never written by P0; expected 'P0:r1 = 0' in the initial state");
  EXPECT_EQ(error_with("P1:r1 == 0", "P4:r1 == 0"),
            "mp.litmus:9:23: no thread 'P4'; expected one from P0 to P1");
}

TEST(LitmusErrors, NameALocationThatTheTestHasNot) {
  EXPECT_EQ(error_with("P1:r1 == 0", "z == 0"), "mp.litmus:9:23: unknown location 'z'; expected x or flag");
  EXPECT_EQ(error_with("x = 0;", "y @ generic aliases q;"),
            "mp.litmus:4:21: unknown location 'q'; expected one that is declared before");
}

TEST(LitmusErrors, NameALabelThatIsMissingOrStandsTwice) {
  EXPECT_EQ(error_with("st.weak x, 1  ", "goto LC05  "),
            "mp.litmus:7:7: no label 'LC05' in thread P0; expected a cell 'LC05:' in its column");
  EXPECT_EQ(error_of(one_thread("LC00: ; LC01: ; goto LC02 ;")),
            "mp.litmus:4:23: no label 'LC02' in thread P0; expected LC00 or LC01");
  EXPECT_EQ(error_of(one_thread("LC00: ; LC00: ;")),
            "mp.litmus:4:10: label 'LC00' stands twice in thread P0; expected it once");
  EXPECT_EQ(error_of(one_thread("bne r0, 1, loop ;")),
            "mp.litmus:4:13: found 'loop'; expected a label, such as LC00");
}

TEST(LitmusErrors, NameADuplicateOrMissingThread) {
  EXPECT_EQ(error_with("P1@", "P0@"),
            "mp.litmus:6:27: found thread 'P0' a second time; expected P1, since columns are numbered from "
            "P0 in order");
  EXPECT_EQ(error_with("P1@", "P2@"),
            "mp.litmus:6:27: found thread 'P2'; expected P1, since columns are numbered from P0 in order");
  EXPECT_EQ(error_with("P0@cta 0,gpu 0", "P0@cta 0"),
            "mp.litmus:6:2: thread 'P0' without a gpu; expected 'P0@cta 0,gpu 0'");
  EXPECT_EQ(error_with("P0@cta 0,gpu 0", "P0@cta 0,sm 0"),
            "mp.litmus:6:11: found 'sm'; expected cta, cluster or gpu");
  EXPECT_EQ(error_with("P0@cta 0,gpu 0         | P1@cta 1,gpu 0",
                       "P0@cta 0,cluster 0,gpu 0 | P1@cta 0,cluster 1,gpu 0"),
            "mp.litmus:6:29: thread 'P1' puts cta 0 into another cluster than before; expected the same");
}

TEST(LitmusErrors, RefuseWhatDeclaresTwice) {
  EXPECT_EQ(error_with("x = 0;", "x = 0; x = 1;"),
            "mp.litmus:4:8: location 'x' is declared twice; expected one initial value");
  EXPECT_EQ(error_with("x = 0;", "P1:r0 = 1;"),
            "mp.litmus:4:25: register 'r0' of P1 is declared twice; expected one initial value");
  EXPECT_EQ(error_with("x = 0;", "r0 = 1;"),
            "mp.litmus:4:1: found register 'r0' without its thread; expected, for example, 'P0:r0'");
}

TEST(LitmusErrors, SayWhatAnOperandShouldBe) {
  EXPECT_EQ(error_with("st.weak x, 1", "st.weak r0, 1"), "mp.litmus:7:10: found 'r0'; expected a location");
  EXPECT_EQ(error_with("st.weak x, 1", "st.weak x, y"),
            "mp.litmus:7:13: found 'y'; expected a register or an integer");
  EXPECT_EQ(error_with("st.weak x, 1", "st.weak x"),
            "mp.litmus:7:2: found 1 operand of 'st.weak'; expected st.weak location, value");
  EXPECT_EQ(error_with("ld.weak r1, x", "ld r1, x"),
            "mp.litmus:8:34: found 'x'; expected a register or an integer ('ld' alone is a move: to read "
            "memory write ld.weak)");
  EXPECT_EQ(error_with("ld.weak r1, x", "ld.weak r1, [x]"),
            "mp.litmus:8:39: found '['; expected a register, a location, an integer or a label");
  EXPECT_EQ(error_with("ld.weak r1, x", "bar.cta.sync 0, 0, 0"),
            "mp.litmus:8:46: found a barrier for 0 threads; expected a positive count");
}

TEST(LitmusErrors, BoundIntegers) {
  EXPECT_EQ(error_with("st.weak x, 1", "st.weak x, 9223372036854775808"),
            "mp.litmus:7:13: integer '9223372036854775808' does not fit; expected one of 64 bits, signed");
  EXPECT_EQ(error_with("st.weak x, 1", "st.weak x, -9223372036854775808"), "no error");
  EXPECT_EQ(
      error_with("P1:r1 == 0", "P1:r1 == 99999999999999999999999"),
      "mp.litmus:9:32: integer '99999999999999999999999' does not fit; expected one of 64 bits, signed");
}

TEST(LitmusErrors, PointIntoTheCondition) {
  EXPECT_EQ(error_with("== 0)", "== 0"),
            "mp.litmus:10:1: found the end of the file; expected an operator or ')'");
  EXPECT_EQ(error_with("exists (P1:r0 == 1", "exists (P1:r0"),
            "mp.litmus:9:12: found a value ('r0') alone; expected a comparison, such as r0 == 1");
  EXPECT_EQ(error_with("== 0)", "== 0) ;; x"),
            "mp.litmus:9:36: found ';'; expected an operator, or the end of the file");
  EXPECT_EQ(error_with("exists (", "("),
            "mp.litmus:9:1: found '('; expected an instruction, or exists, ~exists or forall with the final "
            "condition");
  EXPECT_EQ(error_with("exists (P1:r0 == 1 /\\ P1:r1 == 0)", ""),
            "mp.litmus:10:1: found the end of the file; expected an instruction, or exists, ~exists or "
            "forall with the final condition");
}

TEST(LitmusErrors, CallWhatIsLegalButNotModelledByItsName) {
  EXPECT_EQ(error_with("P1:r1 == 0", "P1:r1 == x"),
            "not modelled: mp.litmus:9:32: a location on the right of a comparison ('x') is its address, "
            "which is not modelled; "
            "write it on the left for its value");
  EXPECT_EQ(error_with("st.weak x, 1", "cp.async.bulk x, 1"),
            "not modelled: mp.litmus:7:2: 'cp.async.bulk' is not modelled in litmus tests");
  EXPECT_EQ(error_with("P1:r0 = 7", "P1:r0 = &x"),
            "not modelled: mp.litmus:4:26: an address in a register ('&x') is not modelled");
  EXPECT_EQ(
      error_with("== 0)", "== 0) with x"),
      "not modelled: mp.litmus:9:35: 'final ... with ...' is not modelled; write exists, ~exists or forall");
}

TEST(LitmusErrors, BoundEverySize) {
  std::string threads = "PTX t {} ";
  for (int i = 0; i < 65; ++i) threads += fmt::format("{}P{}@cta {},gpu 0", i == 0 ? "" : "|", i, i);
  EXPECT_EQ(error_of(threads + "; exists 0==0"), "mp.litmus:1:1078: found 65 threads; expected at most 64");
  const std::string rows(10'001, ';');
  EXPECT_EQ(error_of("PTX t {} P0@cta 0,gpu 0;" + rows + "exists 0==0"),
            "mp.litmus:1:10025: found 10001 rows; expected at most 10000");
  EXPECT_EQ(error_of(std::string((1U << 20U) + 1, ';')),
            "mp.litmus:1:1: found a file of 1048577 bytes; expected at most 1048576");
}

TEST(LitmusErrors, BoundTheDepthOfAConditionAndNotItsLength) {
  const std::string deep = "exists " + std::string(100'000, '(') + "x == 0";
  EXPECT_EQ(error_of(one_thread("ld.weak r0, x;", deep)),
            "mp.litmus:5:108: found '('; expected a condition nested less deeply");
  const std::string tildes = "exists " + std::string(100'000, '~') + "x == 0";
  EXPECT_EQ(error_of(one_thread("ld.weak r0, x;", tildes)),
            "mp.litmus:5:108: found '~'; expected a condition nested less deeply");
  std::string sum = "exists 1";
  std::string all = "exists x == 0";
  for (int i = 0; i < 20'000; ++i) {
    sum += "+1";
    all += " /\\ x == 0";
  }
  EXPECT_EQ(error_of(one_thread("ld.weak r0, x;", sum + " == 0")),
            "mp.litmus:5:207: found '+'; expected a condition nested less deeply");
  EXPECT_EQ(error_of(one_thread("ld.weak r0, x;", all)), "no error");
}

TEST(LitmusErrors, StayOneLineWhateverTheFileHolds) {
  EXPECT_EQ(error_of(""),
            "mp.litmus:1:1: found the end of the file; expected a litmus test that begins with PTX");
  EXPECT_EQ(error_of(std::string_view("\x7f"
                                      "ELF\0\1",
                                      6)),
            "mp.litmus:1:1: found '\\x7f'; expected a litmus test that begins with PTX");
  EXPECT_EQ(error_of("PTX a (* never closed"),
            "mp.litmus:1:22: found the end of the file; expected '*)' to close a comment");
  EXPECT_EQ(error_of(one_thread(std::string(500, 'a') + " ;")).find('\n'), std::string::npos);
  EXPECT_LT(error_of(one_thread(std::string(500, 'a') + " ;")).size(), 300U);
}

TEST(LitmusFile, ThatCantBeReadSaysSo) {
  EXPECT_THROW(
      {
        try {
          (void)read_litmus("/nowhere/mp.litmus");
        } catch (const InputError& e) {
          EXPECT_STREQ(e.what(), "/nowhere/mp.litmus: can't be read; expected a litmus test");
          throw;
        }
      },
      InputError);
}

// --- The public suite, where this machine has it ---

std::filesystem::path suite_folder() {
  if (const char* folder = std::getenv("FENCEWISE_LITMUS_DIR"))
    return folder;  // NOLINT(concurrency-mt-unsafe)
  return std::filesystem::path(FENCEWISE_SOURCE_DIR) / ".." / "shared" / "litmus" / "dat3m";
}

TEST(LitmusSuite, ParsesAndPrintsBackWhole) {
  const std::filesystem::path folder = suite_folder();
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "no litmus suite at " << folder << "; set FENCEWISE_LITMUS_DIR";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".litmus") continue;
    SCOPED_TRACE(entry.path().string());
    const Problem problem = read_litmus(entry.path().string());
    EXPECT_NO_THROW(validate(problem));
    EXPECT_TRUE(is_litmus_shaped(problem));
    ++files;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace fencewise
