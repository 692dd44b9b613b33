// Problems printed as litmus tests: those that came from one, and small kernels with a launch.
#include <string>

#include <gtest/gtest.h>

#include "kernels/core/builder.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/canonical.h"
#include "kernels/frontend/litmus/parse.h"
#include "kernels/frontend/litmus/print.h"

namespace fencewise {
namespace {

// --- Helpers: a problem around one kernel ---

class Plan {
 public:
  explicit Plan(std::string name) { problem_.name = std::move(name); }

  BufferTerm buffer(const std::string& name, std::uint64_t length, InitialContents initial,
                    Type element = Type::u32) {
    Buffer buffer;
    buffer.name = name;
    buffer.element = element;
    buffer.length = length;
    buffer.initial = std::move(initial);
    problem_.buffers.push_back(std::move(buffer));
    return BufferTerm(BufferId{static_cast<std::uint32_t>(problem_.buffers.size() - 1)});
  }
  Problem launch(Kernel kernel, std::uint32_t grid, std::uint32_t block, FormulaPtr must) {
    problem_.kernels.push_back(std::move(kernel));
    Launch launch;
    launch.name = problem_.name;
    launch.grid.x = grid;
    launch.block.x = block;
    problem_.launches.push_back(launch);
    problem_.contract.assertions.push_back({"as built", std::move(must), When::each_replay});
    return problem_;
  }

 private:
  Problem problem_;
};

InitialContents zero() { return InitialContents::of(InitialContents::Kind::zero); }

std::string print_refusal(const Problem& problem) {
  try {
    (void)print_litmus(problem);
  } catch (const NotModelled& e) {
    return e.what();
  }
  return "printed";
}

// --- Tests that came from a file ---

TEST(LitmusPrinter, AlignsColumnsAndDeclaresEverything) {
  const Problem problem = parse_litmus(
      "PTX MP \"text\" { x=0; P1:r0=3; } P0@cta 0,gpu 0|P1@cta 1,cluster 4,gpu 0; st.weak x,1|LC00:; "
      "|ld.weak r1,x;"
      " |bne r1,0,LC00; forall P1:r1==1/\\~x=-2",
      "mp.litmus");
  EXPECT_EQ(print_litmus(problem), R"(PTX MP
{
x = 0;
P1:r0 = 3;
P1:r1 = 0;
}
 P0@cta 0,cluster 5,gpu 0 | P1@cta 1,cluster 4,gpu 0 ;
 st.weak x, 1             | LC10:                    ;
                          | ld.weak r1, x            ;
                          | bne r1, 0, LC10          ;
forall (P1:r1 == 1 /\ ~(x == -2))
)");
  EXPECT_TRUE(is_litmus_shaped(problem));
}

TEST(LitmusPrinter, KeepsAGotoToTheNextLine) {
  const std::string text =
      "PTX g\n{}\n P0@cta 0,gpu 0 ; goto LC00 ; LC00: ; LC01: ; goto LC01 ;\nexists (0 == 0)";
  const Problem problem = parse_litmus(text, "g.litmus");
  EXPECT_TRUE(same(parse_litmus(print_litmus(problem), "again.litmus"), problem));
}

// --- Kernels with a launch ---

TEST(LitmusPrinter, GivesEachThreadOfALaunchItsOwnProgram) {
  KernelBuilder k("publish");
  const Array data = k.global("data", Type::u32);
  const Array flag = k.global("flag", Type::u32);
  const Array seen = k.global("seen", Type::u32);
  k.if_else(
      k.ctaid() == 0,
      [&] {
        k.st(data[0], 42);
        k.st(flag[0], 1, release(Scope::gpu));
      },
      [&] {
        (void)k.await([&] { return k.ld(flag[0], acquire(Scope::gpu)); },
                      [](const Val& f) { return f == 1U; });
        k.st(seen[k.ctaid()], k.ld(data[0]));
      });
  Plan plan("publish");
  plan.buffer("data", 1, zero());
  plan.buffer("flag", 1, zero());
  const BufferTerm results = plan.buffer("seen", 3, InitialContents::of(InitialContents::Kind::unwritten));
  const Problem problem =
      plan.launch(k.build(), 3, 1, forall("i", 1, 3, [&](const Term& i) { return results[i] == 42; }));

  const std::string text = print_litmus(problem);
  EXPECT_EQ(text, R"(PTX publish
{
data = 0;
flag = 0;
seen_1 = 0;
seen_2 = 0;
P1:r0 = 0;
P1:r1 = 0;
P2:r0 = 0;
P2:r1 = 0;
}
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          | P2@cta 2,gpu 0          ;
 st.weak data, 42       | LC10:                   | LC20:                   ;
 st.release.gpu flag, 1 | ld.acquire.gpu r0, flag | ld.acquire.gpu r0, flag ;
                        | bne r0, 1, LC10         | bne r0, 1, LC20         ;
                        | ld.weak r1, data        | ld.weak r1, data        ;
                        | st.weak seen_1, r1      | st.weak seen_2, r1      ;
forall (seen_1 == 42 /\ seen_2 == 42)
)");
  EXPECT_FALSE(is_litmus_shaped(problem));
  EXPECT_EQ(print_litmus(parse_litmus(text, "printed.litmus")), text);
}

TEST(LitmusPrinter, UnrollsLoopsAndNumbersBarriersByOccurrence) {
  KernelBuilder k("rounds");
  const Array turn = k.global("turn", Type::u32);
  k.for_(0U, 2U, [&](const Val& round) {
    k.if_(k.tid() == round, [&] { k.st(turn[round], k.tid() + 1U); });
    k.bar_sync();
  });
  Plan plan("rounds");
  const BufferTerm turns = plan.buffer("turn", 2, zero());
  const Problem problem = plan.launch(k.build(), 1, 2, turns[0] + turns[1] == 3);
  EXPECT_EQ(print_litmus(problem), R"(PTX rounds
{
turn_0 = 0;
turn_1 = 0;
}
 P0@cta 0,gpu 0    | P1@cta 0,gpu 0    ;
 st.weak turn_0, 1 | bar.cta.sync 0    ;
 bar.cta.sync 0    | st.weak turn_1, 2 ;
 bar.cta.sync 1    | bar.cta.sync 1    ;
forall (turn_0 + turn_1 == 3)
)");
}

TEST(LitmusPrinter, PutsLocationsOnTheLeft) {
  KernelBuilder k("copy");
  const Array a = k.global("a", Type::u32);
  const Array b = k.global("b", Type::u32);
  k.st(b[0], k.ld(a[0]));
  Plan plan("copy");
  const BufferTerm from = plan.buffer("a", 1, {InitialContents::Kind::values, {5}});
  const BufferTerm to = plan.buffer("b", 1, zero());
  Problem problem = plan.launch(k.build(), 1, 1, Term(5) == to[0] && from[0] == to[0]);
  problem.contract.restored = {from.id()};
  const std::string text = print_litmus(problem);
  EXPECT_NE(text.find("forall ((b == 5 /\\ a - b == 0) /\\ a == 5)"), std::string::npos) << text;
}

// --- What the dialect can't say is refused by name ---

TEST(LitmusPrinter, NamesWhatHasNoForm) {
  const auto problem = [](const std::function<void(KernelBuilder&, const Array&)>& body,
                          InitialContents initial = zero(), Type element = Type::u32) {
    KernelBuilder k("k");
    const Array x = k.global("x", element);
    body(k, x);
    Plan plan("p");
    const BufferTerm buffer = plan.buffer("x", 4, std::move(initial), element);
    return plan.launch(k.build(), 2, 1, buffer[0] == 0);
  };
  EXPECT_EQ(print_refusal(problem([](KernelBuilder& k, const Array& x) { k.st(x[0], 1.0F); }, zero(), Type::f32)),
            "the litmus dialect has no floating-point numbers ('x')");
  EXPECT_EQ(print_refusal(problem([](KernelBuilder& k, const Array& x) { k.st(x[0], 1); },
                            InitialContents::of(InitialContents::Kind::symbols))),
            "the litmus dialect has no symbolic contents ('x')");
  EXPECT_EQ(print_refusal(problem([](KernelBuilder& k, const Array& x) { k.red(AtomicOp::max, x[0], 1); })),
            "the litmus dialect has no form for an atomic max");
  const std::string indexed =
      print_refusal(problem([](KernelBuilder& k, const Array& x) { k.st(x[k.ld(x[0])], 1); }));
  EXPECT_NE(indexed.find("the litmus dialect has no form for 'st.weak.u32"), std::string::npos) << indexed;
  Problem replayed = problem([](KernelBuilder& k, const Array& x) { k.st(x[0], 1); });
  replayed.replays = 2;
  EXPECT_EQ(print_refusal(replayed), "a litmus test has one replay, not 2");
}

// Not exact by design (specialize.h): the dialect has neither poison nor 32-bit registers.
TEST(KnownGap, LitmusPrinterTakesUnwrittenMemoryForZero) {
  KernelBuilder k("k");
  const Array x = k.global("x", Type::u32);
  k.st(x[0], k.ld(x[1]));
  Plan plan("p");
  const BufferTerm buffer = plan.buffer("x", 2, InitialContents::of(InitialContents::Kind::unwritten));
  EXPECT_NE(print_litmus(plan.launch(k.build(), 1, 1, buffer[0] == 0)).find("x_1 = 0;"), std::string::npos);
}

}  // namespace
}  // namespace fencewise
