// What PTX instructions become: one test a family, the meaning as the representation prints it.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/core/validate.h"
#include "kernels/core/value.h"
#include "kernels/frontend/ptx/lower.h"
#include "kernels/frontend/ptx/program.h"

namespace fencewise::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string declarations =
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 "
    "%fd<9>;\n";

Program program_of(const std::string& body, const std::string& before = "", const std::string& params = "") {
  return parse_program(".version 9.0\n.target sm_90\n.address_size 64\n" + before + ".entry k(" + params +
                           ") {\n" + declarations + body + "\n}\n",
                       "k.ptx");
}

LoweredKernel lowered(const std::string& body, const std::string& before = "", const std::string& params = "",
                      const Arguments* arguments = nullptr) {
  const Program program = program_of(body, before, params);
  LoweredKernel result =
      lower(program.module, program.entry("k"), arguments, Lines::cuda, program.diagnostics);
  validate(result.kernel);
  return result;
}

std::vector<std::string> lines(const Kernel& kernel) {
  std::vector<std::string> text;
  for (const Block& block : kernel.blocks)
    for (const fencewise::Instruction& instruction : block.instructions)
      text.push_back(print(instruction, kernel));
  return text;
}

// The instructions of one block, without the end.
std::vector<std::string> meaning(const std::string& body, const std::string& before = "") {
  std::vector<std::string> text = lines(lowered(body, before).kernel);
  text.pop_back();
  return text;
}

std::string error_of(const std::string& body) {
  try {
    (void)lowered(body);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

// --- memory ---

TEST(PtxLoads, HaveTheOrderThatIsWritten) {
  EXPECT_THAT(meaning("ld.global.u32 %r1, [%rd1+4];"), ElementsAre("ld.weak.u32 %r1, [%rd1 + 4]"));
  EXPECT_THAT(meaning("ld.relaxed.gpu.global.u32 %r1, [%rd1];"),
              ElementsAre("ld.relaxed.gpu.u32 %r1, [%rd1]"));
  EXPECT_THAT(meaning("ld.global.acquire.sys.b32 %r1, [%rd1];"),
              ElementsAre("ld.acquire.sys.u32 %r1, [%rd1]"));
  EXPECT_THAT(meaning("ld.v2.f32 {%f1, %f2}, [%rd1];"),
              ElementsAre("ld.weak.generic.v2.f32 {%f1, %f2}, [%rd1]"));
}

TEST(PtxLoads, ThatAreVolatileAreRelaxedAtSystemScope) {
  const auto kernel = lowered("ld.volatile.global.u32 %r1, [%rd1];").kernel;
  const Access access = std::get<Load>(kernel.blocks[0].instructions[0].operation).access;
  EXPECT_EQ(access.order, Order::relaxed);
  EXPECT_EQ(access.scope, Scope::sys);
  EXPECT_TRUE(access.is_volatile);
}

TEST(PtxLoads, TakeCacheOperatorsAndHintsForHints) {
  const auto kernel = lowered("ld.global.cg.L1::evict_last.L2::128B.u32 %r1, [%rd1];").kernel;
  EXPECT_EQ(std::get<Load>(kernel.blocks[0].instructions[0].operation).access.order, Order::weak);
}

TEST(PtxLoads, NeedAScopeWhereTheyAreStrong) {
  EXPECT_EQ(error_of("ld.acquire.global.u32 %r1, [%rd1];"),
            "k.ptx:6:1: found 'ld.acquire.global.u32'; expected a scope: .cta, .cluster, .gpu or .sys");
}

TEST(PtxStores, HaveTheOrderThatIsWritten) {
  EXPECT_THAT(meaning("st.release.gpu.global.u32 [%rd1], 1;"), ElementsAre("st.release.gpu.u32 [%rd1], 1"));
  EXPECT_THAT(meaning("st.global.v4.u32 [%rd1], {%r1, %r2, 3, %r4};"),
              ElementsAre("st.weak.v4.u32 [%rd1], {%r1, %r2, 3, %r4}"));
}

TEST(PtxAtomics, AreRelaxedAtGpuScopeUnlessTheySayMore) {
  EXPECT_THAT(meaning("atom.global.add.u32 %r1, [%rd1], 1;"),
              ElementsAre("atom.relaxed.gpu.add.u32 %r1, [%rd1], 1"));
  EXPECT_THAT(meaning("atom.relaxed.global.cas.b32 %r1, [%rd1], 0, %r2;"),
              ElementsAre("atom.relaxed.gpu.cas.b32 %r1, [%rd1], 0, %r2"));
  EXPECT_THAT(meaning("atom.global.gpu.acq_rel.add.u32 %r1, [%rd1], %r2;"),
              ElementsAre("atom.acq_rel.gpu.add.u32 %r1, [%rd1], %r2"));
  EXPECT_THAT(meaning("atom.global.cta.inc.u32 %r1, [%rd1], %r2;"),
              ElementsAre("atom.relaxed.cta.inc.u32 %r1, [%rd1], %r2"));
  EXPECT_THAT(meaning("red.release.gpu.global.add.s32 [%rd1], 1;"),
              ElementsAre("red.release.gpu.add.s32 [%rd1], 1"));
}

TEST(PtxFences, OfTheOldSpellingAreSequentiallyConsistent) {
  EXPECT_THAT(meaning("membar.cta; membar.gl; membar.sys;"),
              ElementsAre("fence.sc.cta", "fence.sc.gpu", "fence.sc.sys"));
  EXPECT_THAT(meaning("fence.acq_rel.gpu; fence.sc.cta; fence.gpu;"),
              ElementsAre("fence.acq_rel.gpu", "fence.sc.cta", "fence.acq_rel.gpu"));
}

// --- shared memory, variables, parameters ---

TEST(PtxShared, IsOneWindowThatNamesItsVariables) {
  const auto kernel =
      lowered(
          ".shared .u8 flag; .shared .align 4 .b8 s[16];\n"
          "mov.u32 %r1, s; st.shared.u32 [%r1+4], %r2; ld.shared.u8 %rs1, [flag]; st.shared.u32 [s+8], 0;")
          .kernel;
  EXPECT_THAT(lines(kernel),
              ElementsAre("mov.u32 %r1, 4", "st.weak.shared.u32 [shared + %r1 + 4], %r2",
                          "ld.weak.shared.u8 %rs1, flag[0]", "st.weak.shared.u32 s[2], 0", "exit"));
  EXPECT_EQ(kernel.arrays.at(0).length, 20U);
}

TEST(PtxShared, TakesDynamicMemoryFromTheLaunch) {
  Arguments arguments;
  arguments.dynamic_shared = 32;
  const auto kernel = lowered(".shared .u32 a; mov.u32 %r1, a; mov.u32 %r2, d;",
                              ".extern .shared .align 16 .b8 d[];\n", "", &arguments)
                          .kernel;
  EXPECT_EQ(kernel.arrays.at(0).length, 48U);
  EXPECT_THAT(lines(kernel), ElementsAre("mov.u32 %r1, 0", "mov.u32 %r2, 16", "exit"));
}

TEST(PtxShared, HasGenericAddresses) {
  EXPECT_THAT(meaning(".shared .u32 a; mov.u64 %rd1, a; cvta.shared.u64 %rd2, %rd1; st.u32 [%rd2], 1; "
                      "cvta.to.shared.u64 %rd3, %rd2;"),
              ElementsAre("mov.u64 %rd1, 0", "add.u64 %rd2, 0, %rd1",
                          "st.weak.generic.u32 [shared + %rd2], 1", "and.b64 %rd3, %rd2, 4294967295"));
}

TEST(PtxVariables, OfTheModuleAreArrays) {
  EXPECT_THAT(meaning("ld.global.u32 %r1, [g+4]; mov.u64 %rd1, g; ld.global.u32 %r2, [%rd1];",
                      ".global .align 4 .b8 g[8];\n"),
              ElementsAre("ld.weak.u32 %r1, g[1]", "mov.u64 %rd1, 0", "ld.weak.u32 %r2, [g + %rd1]"));
}

TEST(PtxAddresses, StayWholeWhereMoreIsDoneWithThem) {
  const std::string variable = ".global .u32 g;\n";
  EXPECT_THAT(meaning("mov.u64 %rd1, g; st.global.u64 [%rd2], %rd1; ld.global.u32 %r2, [%rd1];", variable),
              ElementsAre("mov.u64 %rd1, &g", "st.weak.u64 [%rd2], %rd1", "ld.weak.u32 %r2, [%rd1]"));
  EXPECT_THAT(meaning("mov.u64 %rd1, g; setp.eq.s64 %p1, %rd1, 8; ld.global.u32 %r2, [%rd1];", variable),
              ElementsAre("mov.u64 %rd1, &g", "setp.eq.s64 %p1, %rd1, 8", "ld.weak.u32 %r2, [%rd1]"));
  EXPECT_THAT(
      meaning("mov.u64 %rd1, g; mov.u64 %rd2, h; selp.b64 %rd3, %rd1, %rd2, %p1; ld.global.u32 %r2, [%rd3];",
              variable + ".global .u32 h;\n"),
      ElementsAre("mov.u64 %rd1, &g", "mov.u64 %rd2, &h", "selp.u64 %rd3, %rd1, %rd2, %p1",
                  "ld.weak.u32 %r2, [%rd3]"));
}

TEST(PtxAddresses, AreNeverNull) {
  EXPECT_THAT(
      meaning(
          "mov.u64 %rd1, g; setp.eq.s64 %p1, %rd1, 0; setp.ne.u64 %p2, %rd1, 0; ld.global.u32 %r2, [%rd1];",
          ".global .u32 g;\n"),
      ElementsAre("mov.u64 %rd1, 0", "mov.pred %p1, 0", "mov.pred %p2, 1", "ld.weak.u32 %r2, [g + %rd1]"));
}

TEST(PtxParameters, AreReadByNameByOffsetAndByAddress) {
  Arguments arguments;
  arguments.params = {{{0, 8, BufferArgument{"data", Type::u32, 4}}},
                      {{0, 4, std::uint64_t{7}}, {8, 8, BufferArgument{"more", Type::f32, 0}}}};
  const auto kernel = lowered(
                          "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [s]; ld.param.u64 %rd2, [s+8]; mov.b64 "
                          "%rd3, s; add.s64 %rd4, %rd3, 16;"
                          "ld.param.u64 %rd5, [%rd4+-8]; st.global.u32 [%rd1], %r1; st.global.f32 [%rd2], "
                          "0f00000000; st.global.f32 [%rd5], 0f00000000;",
                          "", ".param .u64 p, .param .align 8 .b8 s[16]", &arguments)
                          .kernel;
  EXPECT_THAT(lines(kernel),
              ElementsAre("mov.u64 %rd1, 4", "mov.u32 %r1, param_1", "mov.u64 %rd2, 0", "mov.u64 %rd5, 0",
                          "st.weak.u32 [data + %rd1], %r1", "st.weak.f32 [more + %rd2], 0.0",
                          "st.weak.f32 [more + %rd5], 0.0", "exit"));
}

// --- names and control flow ---

TEST(PtxScopes, HideRegistersAndLabels) {
  const auto kernel =
      lowered("mov.u32 %r1, 1; { .reg .b32 %r1; mov.u32 %r1, 2; L: bra L; } { L: bra L; }").kernel;
  EXPECT_THAT(lines(kernel), ElementsAre("mov.u32 %r1, 1", "mov.u32 %r1'2, 2", "bra L", "bra L", "bra L"));
}

TEST(PtxGuards, OfBranchesAndExitsEndBlocks) {
  const auto kernel = lowered("@%p1 ret; @!%p2 bra END; mov.u32 %r1, 1; END: exit;").kernel;
  EXPECT_THAT(lines(kernel), ElementsAre("@%p1 bra b1; bra b2", "exit", "@!%p2 bra END; bra b3",
                                         "mov.u32 %r1, 1", "bra END", "exit"));
}

TEST(PtxGuards, StayWithOtherInstructions) {
  EXPECT_THAT(meaning("@%p1 st.global.u32 [%rd1], 1;"), ElementsAre("@%p1 st.weak.u32 [%rd1], 1"));
}

TEST(PtxCalls, OfAssertTrapAndOfPrintfReturnZero) {
  EXPECT_THAT(lines(lowered("{ .param .b32 r; call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; } call "
                            "__assertfail, (a);")
                        .kernel),
              ElementsAre("printf (format not found)", "mov.u32 %r1, 0", "trap \"an assert fails\""));
}

// --- barriers and warps ---

TEST(PtxBarriers, AreAlignedUnlessTheySayBarrier) {
  const auto kernel = lowered(
                          "bar.sync 0; barrier.sync 1, 64; bar.arrive 2, 32; bar.red.popc.u32 %r1, 0, !%p1; "
                          "bar.warp.sync -1;")
                          .kernel;
  EXPECT_TRUE(std::get<Barrier>(kernel.blocks[0].instructions[0].operation).aligned);
  EXPECT_FALSE(std::get<Barrier>(kernel.blocks[0].instructions[1].operation).aligned);
  EXPECT_EQ(std::get<Barrier>(kernel.blocks[0].instructions[2].operation).kind, BarrierKind::arrive);
  EXPECT_EQ(std::get<Barrier>(kernel.blocks[0].instructions[4].operation).reduction, BarrierReduction::popc);
  EXPECT_TRUE(std::holds_alternative<WarpBarrier>(kernel.blocks[0].instructions[5].operation));
}

TEST(PtxWarps, HaveTheirOperationsInBothSpellings) {
  EXPECT_EQ(meaning("vote.sync.ballot.b32 %r1, %p1, -1;"), meaning("vote.ballot.sync.b32 %r1, %p1, -1;"));
  const auto kernel = lowered(
                          "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1; match.all.sync.b32 %r1|%p1, %r2, -1; "
                          "redux.sync.add.u32 %r1, %r2, -1; activemask.b32 %r1;")
                          .kernel;
  const auto& is = kernel.blocks[0].instructions;
  EXPECT_TRUE(std::get<Shuffle>(is[0].operation).in_range.has_value());
  EXPECT_EQ(std::get<Match>(is[1].operation).mode, MatchMode::all);
  EXPECT_EQ(std::get<WarpReduce>(is[2].operation).op, AtomicOp::add);
  EXPECT_TRUE(std::holds_alternative<ActiveMask>(is[3].operation));
}

// --- arithmetic: straight code, run on numbers ---

// The value of a register after a body without memory.
std::uint64_t result(const std::string& body, const std::string& name) {
  const Kernel kernel = lowered(body).kernel;
  std::vector<std::uint64_t> registers(kernel.registers.size());
  const auto value = [&](const fencewise::Operand& o) {
    return o.is_register() ? registers[o.index] : o.bits;
  };
  for (const fencewise::Instruction& i : kernel.blocks[0].instructions)
    if (const auto* a = std::get_if<Arithmetic>(&i.operation))
      registers[a->dst.value] = compute(*a, value(a->a), value(a->b), value(a->c));
  for (std::size_t r = 0; r < registers.size(); ++r)
    if (kernel.registers[r].name == name) return truncate(kernel.registers[r].type, registers[r]);
  ADD_FAILURE() << "no register " << name;
  return 0;
}

struct Calculation {
  std::string body;
  std::uint64_t expected;
};

TEST(PtxArithmetic, ComputesAsTheMachineDoes) {
  const std::vector<Calculation> table{
      {"mul.wide.s32 %rd1, -2, 3; cvt.u32.u64 %r1, %rd1;", 0xffff'fffaU},
      {"mul.hi.u32 %r1, 0x80000000, 6;", 3},
      {"mad.lo.s32 %r1, 3, 4, 5;", 17},
      {"mad.wide.u32 %rd1, 0x80000000, 2, 1; shr.u64 %rd1, %rd1, 32; cvt.u32.u64 %r1, %rd1;", 1},
      {"mov.u32 %r2, 0x12345678; mov.b32 {%rs1, %rs2}, %r2; cvt.u32.u16 %r1, %rs2;", 0x1234},
      {"mov.b64 %rd1, {5, 6}; mov.b64 {_, %r1}, %rd1;", 6},
      {"bfind.u32 %r1, 0x100;", 8},
      {"bfind.shiftamt.u32 %r1, 0x100;", 23},
      {"bfind.shiftamt.u32 %r1, 0;", 0xffff'ffffU},
      {"bfe.u32 %r1, 0xabcd, 4, 8;", 0xbc},
      {"bfi.b32 %r1, 0xf, 0xa0000, 4, 8;", 0xa00f0},
      {"prmt.b32 %r1, 0x03020100, 0x07060504, 0x7531;", 0x07050301},
      {"shf.l.wrap.b32 %r1, 0x80000000, 1, 1;", 3},
      {"lop3.b32 %r1, 0xf0, 0xcc, 0xaa, 0x96;", 0xf0 ^ 0xcc ^ 0xaa},
      {"popc.b32 %r1, 0xff; clz.b32 %r2, 1; add.s32 %r1, %r1, %r2;", 39},
      {"brev.b32 %r1, 1;", 0x8000'0000U},
      {"shr.s32 %r1, -8, 1;", 0xffff'fffcU},
      {"shl.b32 %r1, 1, 40;", 0},
      {"setp.lt.u32 %p1, 1, 2; selp.b32 %r1, 10, 20, %p1;", 10},
      {"setp.hi.s32 %p1, -1, 2; selp.b32 %r1, 10, 20, %p1;", 10},
      {"mov.pred %p2, -1; setp.eq.and.s32 %p1|%p3, 1, 2, %p2; selp.b32 %r1, 10, 20, %p3;", 10},
      {"setp.ne.or.s32 %p1, 1, 1, !%p2; selp.b32 %r1, 10, 20, %p1;", 10},
      {"setp.neu.f32 %p1, 0f7FC00000, 0f00000000; selp.b32 %r1, 10, 20, %p1;", 10},
      {"setp.ne.f32 %p1, 0f7FC00000, 0f00000000; selp.b32 %r1, 10, 20, %p1;", 20},
      {"setp.ltu.f32 %p1, 0f7FC00000, 0f00000000; selp.b32 %r1, 10, 20, %p1;", 10},
      {"setp.nan.f32 %p1, 0f7FC00000, 0f00000000; selp.b32 %r1, 10, 20, %p1;", 10},
      {"fma.rn.f32 %f1, 0f40000000, 0f40400000, 0f3F800000; cvt.rzi.s32.f32 %r1, %f1;", 7},
      {"cvt.rn.f32.u32 %f1, 3; div.rn.f32 %f1, %f1, 0f40000000; mov.b32 %r1, %f1;", 0x3fc00000},
      {"cvt.s64.s32 %rd1, -1; shr.u64 %rd1, %rd1, 60; cvt.u32.u64 %r1, %rd1;", 15},
      {"div.u32 %r1, 7, 2; rem.s32 %r2, -7, 2; sub.s32 %r1, %r1, %r2;", 4},
  };
  for (const Calculation& c : table) EXPECT_EQ(result(c.body, "r1"), c.expected) << c.body;
}

// --- what is refused ---

std::string refused(const std::string& body) {
  std::string what;
  const Kernel kernel = lowered(body).kernel;
  for (const Block& block : kernel.blocks)
    for (const fencewise::Instruction& i : block.instructions)
      if (const auto* u = std::get_if<Unmodelled>(&i.operation)) what += u->what;
  return what;
}

TEST(PtxRefusals, NameTheInstructionAndItsPlace) {
  EXPECT_EQ(refused("cp.async.ca.shared.global [%r1], [%rd1], 4;"), "k.ptx:6: cp.async.ca.shared.global");
  EXPECT_EQ(refused("add.sat.s32 %r1, %r2, 1;"), "k.ptx:6: add.sat.s32 (.sat)");
  EXPECT_EQ(refused("fma.rz.f32 %f1, %f2, %f3, %f4;"), "k.ptx:6: fma.rz.f32 (.rz)");
  EXPECT_EQ(refused("add.f16 %rs1, %rs2, %rs3;"), "k.ptx:6: add.f16");
  EXPECT_EQ(refused("mov.u32 %r1, %smid;"), "k.ptx:6: mov.u32 (%smid)");
  EXPECT_EQ(refused("mov.b32 %r1, %envreg1;"), "k.ptx:6: mov.b32 (%envreg1)");
  EXPECT_EQ(refused("bar.sync %r1;"), "k.ptx:6: bar.sync (a barrier's number in a register)");
  EXPECT_THAT(refused("call.uni f, (a);"),
              HasSubstr("a call of f (compile with -O3, so that it is inlined)"));
}

TEST(PtxRefusals, LeaveTheRestOfTheKernelAsItIs) {
  EXPECT_THAT(meaning("@%p1 cp.async.wait_all; mov.u32 %r1, 1;"),
              ElementsAre("@%p1 unmodelled \"k.ptx:6: cp.async.wait_all\"", "mov.u32 %r1, 1"));
}

TEST(PtxErrors, NameWhatIsNotDeclared) {
  EXPECT_EQ(error_of("mov.u32 %r99, 1;"), "k.ptx:6:9: found '%r99'; expected a name that is declared");
  EXPECT_EQ(error_of("bra NOWHERE;"), "k.ptx:6:5: found 'NOWHERE'; expected a name that is declared");
  EXPECT_EQ(error_of("bra %r1;"), "k.ptx:6:5: found '%r1'; expected a label");
  EXPECT_EQ(error_of("add.s32 %r1, %r2;"), "k.ptx:6:1: found 2 operands of 'add.s32'; expected more");
  EXPECT_EQ(error_of("ld.global.u32 %r1, %rd1;"), "k.ptx:6:20: found '%rd1'; expected an [address]");
  EXPECT_EQ(error_of("@%q add.s32 %r1, %r2, 1;"), "k.ptx:6:2: found '%q'; expected a name that is declared");
}

// --- printf ---

// A call of vprintf as nvcc writes it: `prepare`, then the two addresses in registers.
std::string call_of_vprintf(const std::string& prepare, const std::string& format,
                            const std::string& arguments) {
  return prepare + "{ .param .b64 param0; st.param.b64 [param0+0], " + format +
         ";\n.param .b64 param1; st.param.b64 [param1+0], " + arguments +
         ";\n.param .b32 retval0; call.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r8, "
         "[retval0+0]; }\n";
}
const std::string printf_texts =
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 $str[7] = {37, 115, 32, 37, 100, 10};\n"  // "%s %d\n"
    ".global .align 1 .b8 $str$1[3] = {104, 105};\n";               // "hi"
const std::string format_in_rd2 = "mov.u64 %rd1, $str; cvta.global.u64 %rd2, %rd1;\n";
const std::string depot =
    ".local .align 8 .b8 depot[16]; .reg .b64 %SP; .reg .b64 %SPL; mov.u64 %SPL, depot; cvta.local.u64 %SP, "
    "%SPL;\n"
    "add.u64 %rd5, %SP, 0; add.u64 %rd6, %SPL, 0;\n";
const std::string hi_in_rd4 = "mov.u64 %rd3, $str$1; cvta.global.u64 %rd4, %rd3;\n";

TEST(Printf, IsOneInstructionAndNothingElse) {
  const std::string body = call_of_vprintf(
      depot + format_in_rd2 + hi_in_rd4 + "st.local.u64 [%rd6], %rd4; st.local.u32 [%rd6+8], %r1;\n", "%rd2",
      "%rd5");
  EXPECT_THAT(meaning(body, printf_texts), ElementsAre(R"(printf "%s %d\n", "hi", %r1)", "mov.u32 %r8, 0"));
  const LoweredKernel kernel = lowered(body, printf_texts);
  EXPECT_TRUE(kernel.kernel.arrays.empty()) << "nobody else uses the local memory, or the texts";
  EXPECT_TRUE(kernel.globals.empty());
}

TEST(Printf, LeavesWhatOthersUse) {
  const std::string body = call_of_vprintf(
      depot + format_in_rd2 + hi_in_rd4 +
          "st.local.u64 [%rd6], %rd4; st.local.u32 [%rd6+8], %r1; ld.local.u32 %r2, [%rd6+8];\n" +
          "ld.global.u8 %rs1, [%rd3];\n",
      "%rd2", "%rd5");
  const LoweredKernel kernel = lowered(body, printf_texts);
  EXPECT_THAT(lines(kernel.kernel), ::testing::Contains(R"(printf "%s %d\n", "hi", %r1)"));
  EXPECT_THAT(lines(kernel.kernel), ::testing::Contains(HasSubstr("st.weak.local.u32")));
  EXPECT_EQ(kernel.globals.size(), 1U) << "the text that is read";
}

TEST(Printf, ShowsAQuestionMarkForWhatIsNotKnownAtTheCall) {
  const auto shown = [](const std::string& stores) {
    return meaning(call_of_vprintf(depot + format_in_rd2 + stores, "%rd2", "%rd5"), printf_texts);
  };
  const std::string nothing = R"(printf "%s %d\n", ?, ?)";
  EXPECT_THAT(shown(""), ::testing::Contains(nothing)) << "nothing is stored";
  EXPECT_THAT(shown("st.local.u64 [%rd6], %rd7; @%p1 st.local.u32 [%rd6+8], %r1;\n"),
              ::testing::Contains(nothing))
      << "a guard";
  EXPECT_THAT(shown("st.local.u32 [%rd6+8], %r1; mov.u32 %r1, 7;\n"), ::testing::Contains(nothing))
      << "the register has changed";
  EXPECT_THAT(shown("st.local.u64 [%rd6+8], %rd7;\n"), ::testing::Contains(nothing)) << "another size";
  EXPECT_THAT(shown("@%p1 bra L;\nst.local.u32 [%rd6+8], %r1;\nL:\n"), ::testing::Contains(nothing)) << "a way without a store";
  EXPECT_THAT(shown("st.local.u32 [%rd6+8], 8;\n@%p1 bra L;\nst.local.u32 [%rd6+8], 9;\nL:\n"), ::testing::Contains(nothing))
      << "two stores";
  EXPECT_THAT(shown("st.local.u32 [%rd6+8], %r1;\nL:\nadd.u32 %r1, %r1, 1;\n@%p1 bra L;\n"), ::testing::Contains(nothing))
      << "the register changes on the way";
  EXPECT_THAT(shown("st.local.u32 [%rd6+8], %r1; st.local.u32 [%rd6+8], 9;\n"),
              ::testing::Contains(R"(printf "%s %d\n", ?, 9)"))
      << "the last one counts";
}

TEST(Printf, ShowsWhatAnotherBlockStored) {
  const auto shown = [](const std::string& stores) {
    return lines(lowered(call_of_vprintf(depot + format_in_rd2 + stores, "%rd2", "%rd5"), printf_texts).kernel);
  };
  const std::string value = R"(printf "%s %d\n", ?, %r1)";
  EXPECT_THAT(shown("st.local.u32 [%rd6+8], %r1;\nL:\nadd.u32 %r2, %r2, 1;\n@%p1 bra L;\n"), ::testing::Contains(value)) << "before a loop";
  EXPECT_THAT(shown("st.local.u32 [%rd6+8], %r1;\n@%p1 bra L;\nbra M;\nL: mov.u32 %r2, 1;\nM:\n"), ::testing::Contains(value))
      << "before ways that part and meet";
}

// --- assert ---

TEST(Assert, SaysWhatFailedAndWhere) {
  const std::string texts =
      ".global .align 1 .b8 $str[6] = {110, 32, 62, 32, 48};\n"    // "n > 0"
      ".global .align 1 .b8 $str$1[8] = {47, 97, 47, 107, 46, 99, 117};\n"  // "/a/k.cu"
      ".global .align 1 .b8 __unnamed_1[9] = {118, 111, 105, 100, 32, 107, 40, 41};\n";  // "void k()"
  const LoweredKernel kernel = lowered(
      "mov.u64 %rd1, $str; cvta.global.u64 %rd2, %rd1; mov.u64 %rd3, $str$1; cvta.global.u64 %rd4, %rd3; mov.u64 %rd5, __unnamed_1; "
      "cvta.global.u64 %rd6, %rd5;\n{ .param .b64 param0; st.param.b64 [param0+0], %rd2; .param .b64 param1; st.param.b64 [param1+0], %rd4; "
      ".param .b32 param2; st.param.b32 [param2+0], 12; .param .b64 param3; st.param.b64 [param3+0], %rd6; .param .b64 param4; "
      "st.param.b64 [param4+0], 1; call.uni __assertfail, (param0, param1, param2, param3, param4); }\n",
      texts);
  EXPECT_THAT(lines(kernel.kernel), ElementsAre("trap \"assert(n > 0) fails, k.cu:12 in void k()\""));
  EXPECT_TRUE(kernel.globals.empty()) << "the texts are no buffers";
}

TEST(Printf, WhoseFormatIsNotKnownSaysSo) {
  EXPECT_THAT(meaning(call_of_vprintf("ld.local.u64 %rd1, [%rd2];\n", "%rd1", "0"),
                      printf_texts + ".global .u32 x;\n"),
              ::testing::Contains("printf (format not found)"));
}

TEST(Printf, KeepsItsGuard) {
  std::string body = call_of_vprintf(format_in_rd2, "%rd2", "0");
  body.insert(body.find("call.uni"), "@%p1 ");
  EXPECT_THAT(meaning(body, printf_texts), ::testing::Contains(R"(@%p1 printf "%s %d\n", ?, ?)"));
}

}  // namespace
}  // namespace fencewise::ptx
