// The PTX reader: what it makes of a module, and where it says that one is wrong.
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/frontend/ptx/number.h"
#include "kernels/frontend/ptx/opcode.h"
#include "kernels/frontend/ptx/program.h"
#include "kernels/frontend/ptx/source_lines.h"

namespace fencewise::ptx {
namespace {

const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";

Module read(const std::string& text) { return parse_program(head + text, "k.ptx").module; }

// A kernel with this body, on one line.
Function kernel(const std::string& body) { return read(".entry k() { " + body + " }").functions.at(0); }

template <class T> std::vector<T> statements(const Function& function) {
  std::vector<T> found;
  for (const Statement& statement : function.body)
    if (const auto* t = std::get_if<T>(&statement)) found.push_back(*t);
  return found;
}

Instruction instruction(const std::string& text) { return statements<Instruction>(kernel(text)).at(0); }

std::string syntax_error_of(const std::string& text) {
  try {
    (void)parse_program(text, "k.ptx");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

// --- what is read ---

TEST(PtxReader, ReadsOperandsOfEveryForm) {
  const Instruction i = instruction(
      "@!%p1 foo.bar::baz.u32 {%r1, _}, [%rd1+-8], sym+4, -1, 0f3F800000, !%p2, %r2|%p3, (a, b);");
  EXPECT_EQ(i.guard->predicate.text, "%p1");
  EXPECT_TRUE(i.guard->negated);
  EXPECT_EQ(i.opcode.text, "foo.bar::baz.u32");
  ASSERT_EQ(i.operands.size(), 8U);
  EXPECT_EQ(i.operands[0].kind, Operand::Kind::vector);
  EXPECT_EQ(i.operands[0].elements[1].token.text, "_");
  EXPECT_EQ(i.operands[1].kind, Operand::Kind::address);
  EXPECT_EQ(i.operands[1].elements[0].token.text, "%rd1");
  EXPECT_EQ(i.operands[1].elements[0].offset, -8);
  EXPECT_EQ(i.operands[2].offset, 4);
  EXPECT_EQ(i.operands[3].kind, Operand::Kind::integer);
  EXPECT_EQ(i.operands[4].kind, Operand::Kind::real);
  EXPECT_TRUE(i.operands[5].negated);
  EXPECT_EQ(i.operands[6].second->text, "%p3");
  EXPECT_EQ(i.operands[7].elements.size(), 2U);
}

TEST(PtxReader, TakesSpacesAndCommentsAnywhere) {
  const Instruction i =
      instruction("ld.global.b32 { %r1 } , [ %rd1 + 0 ] ; // behind\n /* and\n between */ ret;");
  EXPECT_EQ(i.operands[1].elements[0].offset, 0);
}

TEST(PtxReader, ReadsSeveralStatementsOnALineAndBlocks) {
  const Function f = kernel("{ .reg .pred p; .reg .b32 %r<4>, x; L: mov.u32 x, 1; @p bra L; } ret;");
  EXPECT_EQ(statements<Registers>(f).size(), 3U);
  EXPECT_EQ(statements<Registers>(f)[1].count, 4U);
  EXPECT_EQ(statements<Label>(f).size(), 1U);
  EXPECT_EQ(statements<ScopeBegin>(f).size(), 1U);
  EXPECT_EQ(statements<Instruction>(f).size(), 3U);
}

TEST(PtxReader, ReadsVariablesWithTheirInitialValues) {
  const Module m = read(
      ".visible .global .align 8 .b8 a[4] = {1, 0x2, 3};\n.extern .shared .align 16 .b8 s[];\n"
      ".const .u64 p = generic(a)+2;\n.weak .global .f32 f = 0f3F800000;\n");
  ASSERT_EQ(m.variables.size(), 4U);
  EXPECT_EQ(m.variables[0].extents, std::vector<std::uint64_t>{4});
  EXPECT_EQ(m.variables[0].initializer.size(), 3U);
  EXPECT_EQ(m.variables[0].alignment, 8U);
  EXPECT_TRUE(m.variables[1].external);
  EXPECT_EQ(m.variables[1].extents, std::vector<std::uint64_t>{0});
  EXPECT_TRUE(m.variables[2].initializer.at(0).generic);
  EXPECT_EQ(m.variables[2].initializer.at(0).value.offset, 2);
  EXPECT_FALSE(m.variables[3].external);
}

TEST(PtxReader, ReadsParametersOfKernelsAndFunctions) {
  const Module m = read(
      ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[48])\n"
      ".maxntid 128, 1, 1 .minnctapersm 2 { ret; }\n.func (.param .b32 r) f(.reg .b32 x);\n"
      ".extern .func .noreturn g;\n");
  ASSERT_EQ(m.functions.size(), 3U);
  EXPECT_EQ(m.functions[0].params.at(1).extents, std::vector<std::uint64_t>{48});
  EXPECT_EQ(m.functions[0].params.at(1).type.text, ".b8");
  EXPECT_TRUE(m.functions[0].defined);
  EXPECT_EQ(m.functions[1].results.size(), 1U);
  EXPECT_FALSE(m.functions[1].entry);
  EXPECT_FALSE(m.functions[2].defined);
}

TEST(PtxReader, ReadsPlacesOfTheSource) {
  const Module m = read(
      ".entry k() {\n.loc 1 7 3\n.loc 2 112 3, function_name $L__info_string0, inlined_at 1 7 9\nret;\n}\n"
      ".file 1 \"/a/k.cu\"\n.file 2 \"/cuda/include/x.h\", 12, 34\n.section "
      ".debug_str\n{\n$L__info_string0:\n.b8 102,0\n}\n");
  const auto locs = statements<Loc>(m.functions[0]);
  ASSERT_EQ(locs.size(), 2U);
  EXPECT_EQ(locs[1].at, (SourcePosition{2, 112, 3}));
  EXPECT_EQ(locs[1].inlined_at, (SourcePosition{1, 7, 9}));
  EXPECT_EQ(locs[1].function, "$L__info_string0");
  EXPECT_EQ(m.files.at(2), "/cuda/include/x.h");
  EXPECT_EQ(m.sections.at(0).name, ".debug_str");
}

TEST(PtxReader, ReadsCallsAndPrototypes) {
  const Function f = kernel(
      "{ .param .b64 param0; call.uni (retval0),\n f,\n (\n param0\n ); proto: .callprototype _ (.param .b64 "
      "_); call g; }");
  const auto calls = statements<Instruction>(f);
  EXPECT_EQ(calls.at(0).operands.size(), 3U);
  EXPECT_EQ(calls.at(1).operands.size(), 1U);
}

// --- places in inlined code ---

TEST(SourceLines, FoldAChainToTheInnermostPlaceOfTheUsersCode) {
  const Module m = read(
      ".entry k() {\n.loc 1 7 3\n.loc 3 20 1, function_name $L__info_string1, inlined_at 1 7 3\n"
      ".loc 2 112 3, function_name $L__info_string0, inlined_at 3 20 1\nret;\n}\n"
      ".file 1 \"/home/u/k.cu\"\n.file 2 \"/cuda/include/x.h\"\n.file 3 \"/home/u/lib/tools.h\"\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,51,98,97,114\n.b8 118,0\n$L__info_string1:\n.b8 "
      "102,0\n}\n");
  SourceLines lines(m, m.functions[0]);
  for (const Loc& loc : statements<Loc>(m.functions[0])) lines.read(loc);
  EXPECT_EQ(lines.files().at(lines.current().user.file), "lib/tools.h");
  EXPECT_EQ(lines.current().user.line, 20U);
  EXPECT_EQ(lines.current().path, std::vector<std::string>{"bar"});
}

TEST(SourceLines, KeepTheLastPlaceWhereALineIsZero) {
  const Module m = read(".entry k() {\n.loc 1 7 3\n.loc 1 0 9\nret;\n}\n.file 1 \"/home/u/k.cu\"\n");
  SourceLines lines(m, m.functions[0]);
  for (const Loc& loc : statements<Loc>(m.functions[0])) lines.read(loc);
  EXPECT_EQ(lines.current().user.line, 7U);
}

TEST(Names, LoseWhatIsAroundThem) {
  EXPECT_EQ(short_name("_ZZ13splitk_serialE4last"), "last");
  EXPECT_EQ(short_name("_ZZ9block_sumiE1s"), "s");
  EXPECT_EQ(short_name("_Z13reduce_moduloIiEvPKT_PS0_"), "reduce_modulo<int>");
  EXPECT_EQ(short_name("s"), "s");  // which would be the type short
  EXPECT_EQ(qualified_name("_ZN2ns6reduceIiEEvPT_"), "ns::reduce<int>");
  EXPECT_EQ(qualified_name("_ZN12_GLOBAL__N_11kEPi"), "(anonymous namespace)::k");
  EXPECT_EQ(without_template_arguments("ns::a<int>::reduce<b<(int)2>>"), "ns::a<int>::reduce");
}

// --- numbers and opcodes ---

TEST(PtxNumbers, AreReadInEveryBase) {
  EXPECT_EQ(integer_bits("0x1F"), 31U);
  EXPECT_EQ(integer_bits("017"), 15U);
  EXPECT_EQ(integer_bits("0b101"), 5U);
  EXPECT_EQ(integer_bits("-1"), ~std::uint64_t{0});
  EXPECT_EQ(integer_bits("7U"), 7U);
  EXPECT_EQ(real_bits("0f3F800000", Type::f32), 0x3f800000U);
  EXPECT_EQ(real_bits("0d3FF0000000000000", Type::f64), 0x3ff0000000000000U);
  EXPECT_EQ(real_bits("-1.5", Type::f32), 0xbfc00000U);
}

TEST(PtxOpcode, FindsModifiersInAnyOrder) {
  for (const char* text : {"atom.global.cta.add.u32", "atom.add.u32.cta.global", "atom.cta.u32.global.add"}) {
    Opcode opcode(text);
    EXPECT_EQ(opcode.mnemonic(), "atom");
    EXPECT_TRUE(opcode.take("cta"));
    EXPECT_EQ(opcode.take_type(), Type::u32);
    EXPECT_TRUE(opcode.take("add"));
    EXPECT_TRUE(opcode.take("global"));
    EXPECT_TRUE(opcode.modifiers().empty());
  }
}

// --- what is wrong ---

struct Wrong {
  std::string body;
  std::string message;
};

TEST(PtxReader, NamesThePlaceOfAnError) {
  const std::vector<Wrong> table{
      {"mov.u32 %r1 %r2;", "k.ptx:5:13: found '%r2'; expected ';' to end the instruction, or an operand"},
      {"mov.u32 %r1, ;",
       "k.ptx:5:14: found ';'; expected an operand: a register, a number, [address] or {vector}"},
      {"ld.u32 %r1, [%rd1;",
       "k.ptx:5:18: found ';'; expected ']' to close the address, or an offset such as +4"},
      {"mov.b64 {%r1, %r2;", "k.ptx:5:18: found ';'; expected '}' to close the vector, or ','"},
      {"@ret;", "k.ptx:5:5: found ';'; expected an instruction behind the guard"},
      {"@%p1 ;", "k.ptx:5:6: found ';'; expected an instruction behind the guard"},
      {".reg .b32 %r<x>;", "k.ptx:5:14: found 'x'; expected how many registers there are, such as <8>"},
      {".shared .align 4 a;", "k.ptx:5:18: found 'a'; expected a type such as .u32 before the name"},
      {".shared .u32;", "k.ptx:5:13: found ';'; expected a name for the variable, behind its type"},
      {".shared .u32 a[4;", "k.ptx:5:17: found ';'; expected ']' to close the array's length"},
      {".loc 1 2;", "k.ptx:5:9: found ';'; expected a file, a line and a column"},
      {".nonsense 1;",
       "k.ptx:5:1: found '.nonsense'; expected an instruction, a declaration, or '}' to end the function"},
      {"/* never closed", "k.ptx:7:1: found the end of the file; expected '*/' to close a comment"}};
  for (const Wrong& wrong : table)
    EXPECT_EQ(syntax_error_of(head + ".entry k() {\n" + wrong.body + "\n}\n"), wrong.message) << wrong.body;
}

TEST(PtxReader, NamesThePlaceOfAnErrorOutsideOfFunctions) {
  EXPECT_EQ(syntax_error_of(""),
            "k.ptx:1:1: found the end of the file; expected a PTX module that begins with .version");
  EXPECT_EQ(syntax_error_of("int main() {}"),
            "k.ptx:1:1: found 'int'; expected a PTX module that begins with .version");
  EXPECT_EQ(syntax_error_of(".version nine"), "k.ptx:1:10: found 'nine'; expected a version such as 9.0");
  EXPECT_EQ(syntax_error_of(head + ".entry k(.param .u64) { }"),
            "k.ptx:4:21: found ')'; expected a name for the parameter, behind its type");
  EXPECT_EQ(syntax_error_of(head + ".entry k() { ret;"),
            "k.ptx:4:18: found the end of the file; expected an instruction, a declaration, or '}' to end "
            "the function");
  EXPECT_EQ(syntax_error_of(head + ".global .u32 a = ;"),
            "k.ptx:4:18: found ';'; expected a value, a symbol or a list in braces");
}

TEST(PtxReader, BoundsNesting) {
  std::string body;
  for (int n = 0; n < 10'000; ++n) body += "{";
  EXPECT_NE(syntax_error_of(head + ".entry k() {\n" + body).find("expected braces nested less deeply"),
            std::string::npos);
}

TEST(PtxProgram, KnowsAKernelByAnyPartOfItsNameThatIsNoOtherKernels) {
  const std::string ints = "_ZN2ns6reduceIiLi2EEEvPT_", floats = "_ZN2ns6reduceIfLi2EEEvPT_", scan = "_Z4scanIiEvPT_", over = "_Z1fPi",
                    loaded = "_Z1fPf";
  std::string text = head;
  for (const std::string& name : {ints, floats, scan, over, loaded}) text += ".entry " + name + "() { ret; }\n";
  const Program program = parse_program(text, "k.ptx");
  for (const char* name : {"_Z4scanIiEvPT_", "scan", "scan<int>", "void scan<int>(int*)"}) EXPECT_EQ(program.entry(name).name.text, scan);
  for (const char* name : {"reduce<int,2>", "ns::reduce<int, 2>", "void ns::reduce<int, 2>(int*)"})
    EXPECT_EQ(program.entry(name).name.text, ints);
  EXPECT_EQ(program.entry("f(float*)").name.text, loaded);
  EXPECT_EQ(program.entries_named("reduce").size(), 2U);
  EXPECT_EQ(program.name_of(program.entry(floats)), "reduce<float, 2>");
  EXPECT_EQ(program.name_of(program.entry(over)), "f(int*)");
  const auto error = [&](const char* name) {
    try {
      (void)program.entry(name);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("found");
  };
  EXPECT_EQ(error("ns::reduce"), "k.ptx: several kernels 'ns::reduce'; name one of reduce<int, 2>, reduce<float, 2>");
  EXPECT_EQ(error("f"), "k.ptx: several kernels 'f'; name one of f(int*), f(float*)");
  EXPECT_EQ(error("educe"), "k.ptx: no kernel 'educe'; it has reduce<int, 2>, reduce<float, 2>, scan<int>, f(int*), f(float*)");
}

TEST(PtxProgram, NamesItsKernels) {
  const Program program =
      parse_program(head + ".entry a() { ret; }\n.entry b() { ret; }\n.func c() { ret; }", "k.ptx");
  EXPECT_EQ(program.entries().size(), 2U);
  EXPECT_EQ(program.entry("b").name.text, "b");
  EXPECT_THROW((void)program.entry(""), InputError);
  EXPECT_THROW((void)program.entry("c"), InputError);
}

}  // namespace
}  // namespace fencewise::ptx
