// Launch files: the expression language, what a problem is made of, and what is said about wrong ones.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/frontend/launchfile/build_problem.h"

namespace fencewise::launchfile {
namespace {

using ::testing::HasSubstr;

const Diagnostics diagnostics("l.toml");

std::int64_t number(const std::string& text, const Constants& constants = {}) {
  return evaluate(parse_expression(text, {1, 1}, diagnostics), constants, diagnostics);
}

std::vector<Buffer> buffers() {
  Buffer a, b, one;
  a.name = "a";
  a.length = 4;
  b.name = "b";
  b.length = 4;
  one.name = "one";
  return {a, b, one};
}

std::string formula(const std::string& text) {
  Problem problem;
  problem.buffers = buffers();
  return print(
      *lower_formula(parse_expression(text, {1, 1}, diagnostics), {{"n", 4}}, problem.buffers, diagnostics),
      problem);
}

template <class F> std::string error_of(const F& f) {
  try {
    (void)f();
  } catch (const InputError& e) {
    return e.what();
  } catch (const NotModelled& e) {
    return std::string("not modelled: ") + e.what();
  }
  return "no error";
}

// --- expressions ---

TEST(LaunchExpressions, AreNumbersOverConstants) {
  EXPECT_EQ(number("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(number("(1 + 2) * -3 % 5"), -4);
  EXPECT_EQ(number("ctas * 0x10", {{"ctas", 2}}), 32);
}

TEST(LaunchExpressions, RefuseWhatIsNoNumber) {
  EXPECT_EQ(error_of([] { return number("n"); }),
            "l.toml:1:1: found 'n'; expected a number or a name of [constants]");
  EXPECT_THAT(error_of([] { return number("1 / 0"); }),
              HasSubstr("l.toml:1:3: found '/', which overflows or divides by zero"));
  EXPECT_THAT(error_of([] { return number("0x7fffffffffffffff * 2"); }), HasSubstr("overflows"));
  EXPECT_THAT(error_of([] { return number("1 == 1"); }),
              HasSubstr("found a condition or a buffer; expected a number"));
}

TEST(LaunchFormulas, SayWhatMustHold) {
  EXPECT_EQ(formula("a[0] == 1 && !(b[1] < n)"), formula("a[0] == 1 && !(b[1] < 4)"));
  EXPECT_EQ(formula("one == 0"), formula("one[0] == 0"));
  EXPECT_EQ(formula("all(a == 0)"), formula("forall each in 0..4: a[each] == 0"));
  EXPECT_EQ(formula("one == sum(a)"), formula("one == sum(each in 0..4: a[each])"));
  EXPECT_EQ(formula("all(a == old(a) + b)"),
            formula("forall each in 0..4: a[each] == old(a[each]) + b[each]"));
  EXPECT_NE(formula("a[0] == old(a[0])"), formula("a[0] == a[0]"));
  EXPECT_EQ(formula("forall n in 0..2: a[n] == 1"), formula("forall n in 0..2: a[n] == 1"));
}

TEST(LaunchFormulas, PointAtWhatIsWrong) {
  EXPECT_EQ(error_of([] { return formula("a == 0"); }),
            "l.toml:1:1: found 'a' without an index; expected a[...], or all(...) around it");
  EXPECT_EQ(error_of([] { return formula("a[0]"); }), "l.toml:1:1: found 'a'; expected a condition");
  EXPECT_EQ(error_of([] { return formula("c[0] == 1"); }), "l.toml:1:1: found 'c'; expected a buffer");
  EXPECT_EQ(error_of([] { return formula("a[0] == x"); }),
            "l.toml:1:9: found 'x'; expected a buffer, a constant or a bound variable");
  EXPECT_EQ(error_of([] { return formula("a[0] == "); }),
            "l.toml:1:9: found the end of the expression; expected a value to compare with");
  EXPECT_EQ(error_of([] { return formula("a[0 == 1"); }),
            "l.toml:1:9: found the end of the expression; expected ']' or an operator");
  EXPECT_EQ(error_of([] { return formula("forall i in 0: a[i] == 1"); }),
            "l.toml:1:14: found ':'; expected '..' and the end of the range");
  EXPECT_EQ(error_of([] { return formula("all(1 == 1)"); }),
            "l.toml:1:5: found no buffer without an index; expected one, whose elements are meant");
  EXPECT_EQ(error_of([] { return formula("all(a == one)"); }),
            "l.toml:1:10: found 'one' of 1 elements; expected 4 as before");
  EXPECT_EQ(error_of([] { return formula("a[4] == 1"); }), "l.toml:1:1: found a[4]; a has 4 elements");
  EXPECT_EQ(error_of([] { return formula("a[0] == 18446744073709551616"); }),
            "l.toml:1:9: found '18446744073709551616'; expected a number of 64 bits");
}

// Equal are bits; an order is of numbers.
TEST(LaunchFormulas, RefuseAnOrderWithANumberThatTheTypeDoesNotHave) {
  EXPECT_EQ(error_of([] { return formula("a[0] > -1"); }),
            "l.toml:1:9: found -1; expected a number of u32, which is compared by an order");
  EXPECT_THAT(error_of([] { return formula("1 - 2 <= sum(a)"); }), HasSubstr("found -1; expected a number of u32"));
  EXPECT_THAT(error_of([] { return formula("a[0] - 5 < 0x100000000"); }), HasSubstr("found 4294967296; expected a number of u32"));
  EXPECT_EQ(error_of([] { return formula("a[0] == -1 && a[1] > 0xffffffff - 1"); }), "no error");
}

TEST(LaunchFormulas, PointAtNumbersThatCanNotBeMeant) {
  EXPECT_EQ(error_of([] { return formula("a[0] == 4294967338"); }), "l.toml:1:9: found 4294967338; expected a number that u32 can hold");
  EXPECT_THAT(error_of([] { return formula("a[0] / (n - 4) == 1"); }), HasSubstr("l.toml:1:6: found '/', which overflows or divides by zero"));
  EXPECT_THAT(error_of([] { return formula("a[0] + 4294967338 == 1"); }), HasSubstr("l.toml:1:8: found 4294967338"));
}

TEST(LaunchFormulas, AreBoundedInDepth) {
  EXPECT_THAT(error_of([] { return formula(std::string(5000, '(') + "1"); }),
              HasSubstr("expected an expression nested less deeply"));
  std::string chain = "a[0] == 1";
  for (int n = 0; n < 2000; ++n) chain += " + 1";
  EXPECT_THAT(error_of([&] { return formula(chain); }), HasSubstr("expected a shorter one"));
  EXPECT_THAT(error_of([&] { return formula(chain + chain); }), HasSubstr("expected at most 10000"));
}

// --- files ---

const std::string ptx_text = R"(.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter = 7;
.visible .entry k(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[24])
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd2, [s+8];
  st.global.u32 [%rd1], %r1;
  ld.global.u32 %r2, [counter];
  ret;
}
)";

const std::string good = R"([constants]
n = 4
m = "2 * n"
[buffers]
a = { type = "u32", length = "m", role = "output" }
[[launch]]
kernel = "k"
grid = [2, 1]
block = 2
args = ["&a[n]", "n + 1", [{ u8 = 3 }, "a", 5]]
[check]
each_replay = "a[4] == 5"
restored = ["counter"]
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = good;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Problem problem_of(const std::string& text, const Constants& overrides = {}) {
  const ptx::Program program = ptx::parse_program(ptx_text, "k.ptx");
  return build_problem(parse_launch_file(text, overrides, diagnostics), program, ptx::Lines::cuda,
                       diagnostics);
}

std::string error_with(const std::string& from, const std::string& to) {
  return error_of([&] { return problem_of(with(from, to)); });
}

TEST(LaunchFiles, MakeAProblemOfAModule) {
  const Problem problem = problem_of(good);
  ASSERT_EQ(problem.buffers.size(), 2U);
  EXPECT_EQ(problem.buffers[0].length, 8U);
  EXPECT_EQ(problem.buffers[0].initial.kind, InitialContents::Kind::unwritten);
  EXPECT_EQ(problem.buffers[1].name, "counter");
  EXPECT_EQ(problem.buffers[1].initial.values, std::vector<std::uint64_t>{7});
  EXPECT_EQ(problem.launches[0].grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(problem.launches[0].warp_size, 32U);
  EXPECT_EQ(problem.launches[0].params, std::vector<std::uint64_t>{5});
  EXPECT_EQ(problem.contract.restored.size(), 1U);
  EXPECT_EQ(print(problem.kernels[0].blocks[0].instructions[0], problem.kernels[0]), "mov.u64 %rd1, 16");
}

TEST(LaunchFiles, TakeOtherConstants) {
  EXPECT_EQ(problem_of(good, {{"n", 6}}).buffers[0].length, 12U);
  EXPECT_THAT(error_of([] {
                return problem_of(good, {{"x", 6}});
              }),
              HasSubstr("found no constant 'x' in [constants]"));
}

TEST(LaunchFiles, ChangeAVariableOfTheModuleByItsName) {
  const Problem problem = problem_of(with("[[launch]]", "counter = { initial = [9] }\n[[launch]]"));
  EXPECT_EQ(problem.buffers[1].initial.values, std::vector<std::uint64_t>{9});
}

TEST(LaunchFiles, PointAtWhatIsWrong) {
  EXPECT_EQ(error_with("kernel = \"k\"", "kernel = \"q\""),
            "l.toml:7:10: found kernel 'q'; expected one of k.ptx: k");
  EXPECT_EQ(error_with("kernel", "kernal"),
            "l.toml:7:1: found 'kernal'; expected kernel, grid, block, shared, args, stream, after");
  EXPECT_EQ(error_with("\"u32\"", "\"int\""),
            "l.toml:5:14: found 'int'; expected u8, u16, u32, u64, s8, s16, s32, s64, f32 or f64");
  EXPECT_EQ(error_with("\"output\"", "\"out\""),
            "l.toml:5:42: found 'out'; expected input, output, workspace");
  EXPECT_EQ(error_with("length = \"m\"", "length = \"m - 8\""),
            "l.toml:5:30: found 0; expected a length from 1 to 268435456");
  EXPECT_EQ(error_with("\"2 * n\"", "\"2 * x\""),
            "l.toml:3:10: found 'x'; expected a number or a name of [constants]");
  EXPECT_EQ(error_with("\"&a[n]\"", "\"&b[n]\""), "l.toml:10:11: found 'b'; expected a buffer or a constant");
  EXPECT_EQ(error_with("\"&a[n]\"", "\"&a[9]\""), "l.toml:10:9: found a[9]; expected an index up to 8");
  EXPECT_EQ(error_with("\"n + 1\"", "\"a\""),
            "l.toml:10:18: found a buffer; expected a number: the parameter is no pointer");
  EXPECT_EQ(error_with(", \"n + 1\"", ""), "l.toml:6:1: found 2 arguments for 'k'; expected 3");
  EXPECT_EQ(error_with("[{ u8 = 3 }, \"a\", 5]", "[\"a\", \"a\", \"a\", \"a\"]"),
            "l.toml:10:27: found fields of 32 bytes; expected at most the parameter's 24");
  EXPECT_EQ(error_with("[{ u8 = 3 }, \"a\", 5]", "5"),
            "l.toml:10:27: found one value for a struct; expected its fields in a list");
  EXPECT_EQ(error_with("block = 2", "block = 2048"),
            "l.toml:9:9: found 2048; expected an extent from 1 to 1024");
  EXPECT_EQ(error_with("block = 2", "block = [1024, 2]"), "l.toml:9:10: found a block of 2048 threads; expected at most 1024");
  EXPECT_EQ(error_with("grid = [2, 1]", "grid = [1024, 1024]"),
            "l.toml:8:9: found a grid of 1048576 blocks of 2 threads; expected at most 1048576 threads in all");
  EXPECT_EQ(error_with("\"output\"", "\"output\", own = true"),
            "l.toml:5:1: found own = true of 'a'; expected it of a workspace: inputs and outputs are always each launch's own in flight");
  EXPECT_EQ(error_with("a[4] == 5", "a[4] = 5"),
            "l.toml:12:21: found '='; expected an operator, or the end of the expression");
  EXPECT_EQ(error_with("[\"counter\"]", "[\"count\"]"),
            "l.toml:13:13: found 'count'; expected one of the buffers");
  EXPECT_THAT(error_with("[constants]", "[constants"), HasSubstr("l.toml:1:"));
  EXPECT_EQ(error_with("\"k\"", "\"k\xc3\xa4\""),
            "l.toml:7:12: found byte 0xc3; expected ASCII outside of comments");
  EXPECT_EQ(error_with("n = 4", "n = 4  # \xc3\xa4"), "no error");
  EXPECT_THAT(error_of([] { return problem_of("[ = 1"); }), HasSubstr("l.toml:1:3: found what is no TOML"));
  EXPECT_EQ(error_with("block = 2", "block = 2\nstream = -1"), "l.toml:10:10: found -1; expected a stream's number from 0 to 1023");
  EXPECT_EQ(error_with("block = 2", "block = 2\nafter = 0"),
            "l.toml:10:9: found 0; expected a launch before this one, and there is none");
}

TEST(LaunchFiles, PointAtALaunchWhoseKernelIsNotClear) {
  const auto error_for = [](const std::string& kernels, const std::string& launch) {
    const ptx::Program program = ptx::parse_program(".version 9.0\n.target sm_90\n.address_size 64\n" + kernels, "k.ptx");
    return error_of([&] { return build_problem(parse_launch_file(launch, {}, diagnostics), program, ptx::Lines::cuda, diagnostics); });
  };
  const std::string two = ".entry a() { ret; }\n.entry b() { ret; }\n";
  EXPECT_EQ(error_for(two, "[[launch]]\ngrid = 1\n"), "l.toml:1:1: found no kernel's name; expected one of k.ptx: a, b");
  EXPECT_EQ(error_for(".func f() { ret; }\n", "[[launch]]\nkernel = \"a\"\n"), "l.toml:2:10: found kernel 'a'; k.ptx has no kernel");
}

constexpr const char* two_streams = R"(
[buffers]
out = { type = "u32", length = 8, role = "output" }
[[launch]]
grid = 2
args = ["out", 1, [5]]
[[launch]]
stream = 1
args = ["out", 1, [5]]
[[launch]]
stream = 2
after = [0, 1]
args = ["out", 1, [5]]
)";

TEST(LaunchFiles, PutLaunchesOnStreamsWithEventsBetweenThem) {
  const Problem problem = problem_of(two_streams);
  ASSERT_EQ(problem.launches.size(), 3U);
  EXPECT_EQ(problem.launches[1].stream.value, 1U);
  EXPECT_EQ(problem.launches[2].after, (std::vector<LaunchId>{LaunchId{0}, LaunchId{1}}));
}

TEST(LaunchFiles, SayWhatEachLaunchInFlightHasOfItsOwn) {
  const Problem problem = problem_of(with("[[launch]]", "counter = { own = true }\n[[launch]]"));
  EXPECT_TRUE(problem.buffers[1].own_in_flight);
}

}  // namespace
}  // namespace fencewise::launchfile
