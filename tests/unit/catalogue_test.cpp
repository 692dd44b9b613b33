// The catalogue: what every protocol promises, what a wrong request is told, and the split-K kernels as text.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/core/validate.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

const Protocol& protocol(std::string_view name) {
  const Protocol* found = find_protocol(name);
  if (found == nullptr) throw InternalError("no protocol " + std::string(name));
  return *found;
}

Parameters with(std::initializer_list<std::pair<std::string, std::int64_t>> values) {
  Parameters parameters;
  for (const auto& [name, value] : values) parameters.set(name, value);
  return parameters;
}

std::string error_of(std::string_view name, const Parameters& given, std::string_view variant = "") {
  try {
    (void)instantiate(protocol(name), given, variant);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string kernel_text(std::string_view name, const Parameters& given, std::string_view variant = "") {
  return print(instantiate(protocol(name), given, variant).kernels[0]);
}

// Memory operations, fences and barriers only, in the order of the text; "  " in front removed.
std::string actions_of(const std::string& kernel) {
  std::string actions;
  for (const std::string& line : lines_of(kernel))
    for (const char* prefix : {"ld.", "st.", "atom.", "red.", "fence.", "bar."})
      if (line.starts_with(std::string("  ") + prefix)) actions += line.substr(2) + "\n";
  return actions;
}

// Lines of `a` that `b` lacks, counting repetitions.
std::vector<std::string> missing_from(const std::string& b, const std::string& a) {
  std::vector<std::string> left = lines_of(actions_of(b)), missing;
  for (const std::string& line : lines_of(actions_of(a))) {
    const auto found = std::find(left.begin(), left.end(), line);
    if (found == left.end())
      missing.push_back(line);
    else
      left.erase(found);
  }
  return missing;
}

using Lines = std::vector<std::string>;

// --- what holds for all ---

TEST(Catalogue, ListsTheBuiltInProtocolsInThisOrder) {
  Lines names;
  for (const Protocol& p : catalogue()) names.push_back(p.name);
  EXPECT_EQ(names, (Lines{"splitk-serial",
                          "splitk-atomic",
                          "reverse",
                          "ticket-lock",
                          "cas-lock",
                          "exch-lock",
                          "lock-per-lane",
                          "grid-barrier-sense",
                          "grid-barrier-counter",
                          "message-passing",
                          "streamk-fixup",
                          "scan-single-pass",
                          "scan-lookback",
                          "zero-while-adding",
                          "named-halves",
                          "mp",
                          "sb",
                          "lb",
                          "iriw",
                          "corr",
                          "splitk-gemv",
                          "splitk-gemv-atomic",
                          "reduction-1",
                          "reduction-2",
                          "reduction-3",
                          "reduction-4",
                          "reduction-5",
                          "reduction-6",
                          "gemm-k1",
                          "gemm-k2",
                          "gemm-k3",
                          "gemm-k4",
                          "gemm-k5",
                          "gemm-k5v",
                          "gemm-k6",
                          "gemm-k7",
                          "gemm-k8",
                          "gemm-k9"}));
}

TEST(Catalogue, FindsAProtocolByItsWholeNameOnly) {
  EXPECT_NE(find_protocol("reverse"), nullptr);
  EXPECT_EQ(find_protocol("revers"), nullptr);
  EXPECT_EQ(find_protocol(""), nullptr);
}

// All but reduction-6, which is here because a run in lockstep gives the right sum.
TEST(Catalogue, EveryProtocolBeginsWithABaseThatIsVerifiedAndNeedsNothing) {
  for (const Protocol& p : catalogue()) {
    ASSERT_FALSE(p.variants.empty()) << p.name;
    const Variant& base = p.variants.front();
    EXPECT_EQ(base.name, "") << p.name;
    EXPECT_TRUE(base.needs.empty()) << p.name;
    const Verdict expected = p.name == "reduction-6" ? Verdict::violated : Verdict::verified;
    EXPECT_EQ(base.ptx.verdict, expected) << p.name;
    EXPECT_EQ(base.sc.verdict, expected) << p.name;
  }
}

TEST(Catalogue, EveryVariantIsAValidProblemOnceItsNeedsAreMet) {
  for (const Protocol& p : catalogue())
    for (const Variant& variant : p.variants) {
      const Parameters raised = raised_to_needs(p, variant, {});
      EXPECT_NO_THROW(validate(instantiate(p, raised, variant.name))) << p.name << " " << variant.name;
    }
}

TEST(Catalogue, EveryVariantChangesTheProgram) {
  for (const Protocol& p : catalogue())
    for (const Variant& variant : p.variants) {
      if (variant.name.empty()) continue;
      const Parameters raised = raised_to_needs(p, variant, {});
      EXPECT_NE(print(instantiate(p, raised, variant.name)), print(instantiate(p, raised)))
          << p.name << " " << variant.name;
    }
}

TEST(Catalogue, NamesNoVariantAndNoParameterTwice) {
  for (const Protocol& p : catalogue()) {
    std::set<std::string> names;
    for (const Variant& variant : p.variants)
      EXPECT_TRUE(names.insert(variant.name).second) << p.name << " " << variant.name;
    names.clear();
    for (const Parameter& parameter : p.parameters)
      EXPECT_TRUE(names.insert(parameter.name).second) << p.name << " " << parameter.name;
  }
}

TEST(Catalogue, WhatIsViolatedSaysByWhichKindAndWhatIsVerifiedSaysNone) {
  for (const Protocol& p : catalogue())
    for (const Variant& variant : p.variants)
      for (const Expectation& expected : {variant.ptx, variant.sc})
        EXPECT_EQ(expected.verdict == Verdict::violated, !expected.kinds.empty())
            << p.name << " " << variant.name;
}

TEST(Catalogue, InterleavingAloneNeverExpectsARace) {
  for (const Protocol& p : catalogue())
    for (const Variant& variant : p.variants)
      EXPECT_EQ(std::ranges::count(variant.sc.kinds, FindingKind::race), 0) << p.name << " " << variant.name;
}

TEST(Catalogue, StandardParametersAreTheFixedNamesAndValuesOfTheCommandLine) {
  using Values = std::map<std::string, std::int64_t, std::less<>>;
  const Values splitk = {{"splits", 4}, {"threads", 1}, {"tiles", 1}, {"replays", 1}};
  EXPECT_EQ(protocol("splitk-serial").standard_parameters().all(), splitk);
  EXPECT_EQ(protocol("splitk-atomic").standard_parameters().all(), splitk);
  EXPECT_EQ(protocol("reverse").standard_parameters().all(), (Values{{"n", 4}}));
  for (const char* lock : {"ticket-lock", "cas-lock", "exch-lock"})
    EXPECT_EQ(protocol(lock).standard_parameters().all(),
              (Values{{"ctas", 2}, {"threads", 1}, {"rounds", 1}}))
        << lock;
  for (const char* barrier : {"grid-barrier-sense", "grid-barrier-counter"})
    EXPECT_EQ(protocol(barrier).standard_parameters().all(),
              (Values{{"ctas", 2}, {"threads", 1}, {"rounds", 2}, {"replays", 1}}))
        << barrier;
  EXPECT_EQ(protocol("message-passing").standard_parameters().all(), (Values{{"readers", 2}, {"rounds", 2}}));
}

// What a variant raises takes along what must fit it.
TEST(Catalogue, BuildsTheSmallestLaunchOfEveryVariant) {
  for (const Protocol& p : catalogue()) {
    Parameters smallest;
    for (const Parameter& parameter : p.parameters) smallest.set(parameter.name, parameter.min);
    for (const Variant& variant : p.variants)
      EXPECT_NO_THROW((void)instantiate(p, raised_to_needs(p, variant, smallest), variant.name))
          << p.name << " " << variant.name;
  }
}

TEST(Catalogue, BuildsEachParameterAtItsLargest) {
  for (const Protocol& p : catalogue())
    for (const Parameter& parameter : p.parameters) {
      Parameters largest = with({{parameter.name, parameter.max}});
      if (p.name.starts_with("reduction-")) largest.set("n", p.parameters.front().max);  // whole blocks
      EXPECT_NO_THROW((void)instantiate(p, largest)) << p.name << " " << parameter.name;
    }
}

// Values of a parameter that the protocol's own sweep tries: "ctas=1..3,rounds=0|2"; the standard one if it is not swept.
std::vector<std::int64_t> swept(const Protocol& p, const Parameter& parameter) {
  std::istringstream items(p.sweep);
  for (std::string item; std::getline(items, item, ',');) {
    if (!item.starts_with(parameter.name + "=")) continue;
    std::vector<std::int64_t> values;
    std::istringstream ranges(item.substr(parameter.name.size() + 1));
    for (std::string range; std::getline(ranges, range, '|');) {
      const std::size_t dots = range.find("..");
      const std::int64_t from = std::stoll(range), to = dots == std::string::npos ? from : std::stoll(range.substr(dots + 2));
      for (std::int64_t v = from; v <= to; ++v) values.push_back(v);
    }
    return values;
  }
  return {parameter.standard};
}

std::int64_t most_swept(std::string_view name, std::string_view parameter) {
  const Protocol& p = protocol(name);
  return std::ranges::max(swept(p, *std::ranges::find(p.parameters, parameter, &Parameter::name)));
}

// One CTA, one thread, no round. (The elements of a reduction must fill the blocks of all sizes that are tried.)
TEST(Catalogue, SweepsBeginWithTheLeastOfEachParameter) {
  for (const Protocol& p : catalogue())
    for (const Parameter& parameter : p.parameters) {
      if (!parameter.choices.empty() || (p.name.starts_with("reduction-") && parameter.name == "n")) continue;
      EXPECT_EQ(swept(p, parameter).front(), parameter.min) << p.name << " " << parameter.name;
    }
}

TEST(Catalogue, RoundsMayBeNone) {
  for (const Protocol& p : catalogue())
    for (const Parameter& parameter : p.parameters)
      if (parameter.name == "rounds") {
        EXPECT_EQ(parameter.min, 0) << p.name;
      }
}

// One round, or launch, more than there are buffers to go round.
TEST(Catalogue, SweepsComeBackToTheFirstBuffer) {
  EXPECT_GE(most_swept("message-passing", "rounds"), 3);  // two slots
  EXPECT_GE(most_swept("named-halves", "rounds"), 2);     // one buffer
  EXPECT_GE(most_swept("gemm-k9", "depth"), 3 * protocol("gemm-k9").parameters[1].min);  // two tiles
  for (const char* lock : {"ticket-lock", "cas-lock"}) EXPECT_GE(most_swept(lock, "rounds"), 2) << lock;
  for (const char* launched_again : {"splitk-serial", "splitk-atomic", "grid-barrier-sense", "grid-barrier-counter", "streamk-fixup",
                                     "zero-while-adding"})
    EXPECT_GE(most_swept(launched_again, "replays"), 2) << launched_again;
}

// --- wrong requests ---

TEST(WrongParameter, UnknownOnesAreNamedBesideThoseThatExist) {
  EXPECT_EQ(error_of("splitk-serial", with({{"split", 4}})),
            "splitk-serial has no parameter 'split'; it has splits, threads, tiles, replays");
  EXPECT_EQ(error_of("reverse", with({{"threads", 4}})), "reverse has no parameter 'threads'; it has n");
}

TEST(WrongParameter, ValuesOutOfRangeAreNamedWithTheRange) {
  EXPECT_EQ(error_of("splitk-serial", with({{"splits", 0}})),
            "parameter 'splits' of splitk-serial is 0; expected 1 to 132");
  EXPECT_EQ(error_of("splitk-serial", with({{"threads", -1}})),
            "parameter 'threads' of splitk-serial is -1; expected 1 to 1024");
  EXPECT_EQ(error_of("splitk-atomic", with({{"tiles", 1'000'000'000}})),
            "parameter 'tiles' of splitk-atomic is 1000000000; expected 1 to 64");
  EXPECT_EQ(error_of("reverse", with({{"n", 1025}})), "parameter 'n' of reverse is 1025; expected 1 to 1024");
}

TEST(WrongParameter, ChoicesAreListedByName) {
  EXPECT_EQ(error_of("mp", with({{"order", 5}})),
            "parameter 'order' of mp is 5; expected one of weak, relaxed, acq_rel, fence_acq_rel, fence_sc");
}

TEST(WrongVariant, UnknownOnesAreNamedBesideThoseThatExist) {
  EXPECT_EQ(error_of("reverse", {}, "no-fence"),
            "reverse has no variant 'no-fence'; it has no-barrier, across-ctas");
}

TEST(WrongVariant, NeedsThatTheParametersDoNotMeetAreNamedWithWhatWasFound) {
  EXPECT_EQ(error_of("splitk-serial", {}, "no-flag-barrier"),
            "variant 'no-flag-barrier' of splitk-serial needs threads >= 2; found threads = 1");
  EXPECT_EQ(error_of("splitk-serial", with({{"splits", 1}}), "no-reset"),
            "variant 'no-reset' of splitk-serial needs replays >= 2 and splits >= 2; found replays = 1 and "
            "splits = 1");
  EXPECT_EQ(error_of("mp", with({{"placement", 0}}), "cta-scope"),
            "variant 'cta-scope' of mp needs placement = different-cta; found placement = same-cta");
}

TEST(Parameters, AskingForOneThatIsNotThereIsABugOfOurs) {
  EXPECT_THROW((void)Parameters{}["splits"], InternalError);
}

TEST(RaisedToNeeds, RaisesOnlyWhatIsTooSmallAndCompletesTheRest) {
  const Protocol& p = protocol("splitk-serial");
  const Parameters raised = raised_to_needs(p, *p.find("no-reset"), with({{"replays", 1}, {"splits", 7}}));
  EXPECT_EQ(raised["replays"], 2);
  EXPECT_EQ(raised["splits"], 7);
  EXPECT_EQ(raised["threads"], 1);
}

// --- split-K ---

TEST(SplitKSerial, AsPrintedForOneThread) {
  EXPECT_EQ(kernel_text("splitk-serial", {}), R"(kernel splitk_serial
  global f32 in[]
  global f32 ws[]
  global u32 sem[]
  global f32 out[]
  shared u32 is_last[1]
  reg u32 %r0, %r1, %r2, %r3, %mine
  reg f32 %part
  reg pred %last, %p7
  reg u32 %r8, %ticket
  reg pred %p10
  reg f32 %sum
  reg u32 %i
  reg pred %p13
  reg u32 %r14, %r15, %r16, %r17
  reg f32 %partial, %f19
  reg u32 %r20, %r21, %r22
  reg pred %p23
entry:
  mul.lo.u32 %r0, %ctaid.y, 4
  add.u32 %r1, %r0, %ctaid.x
  mul.lo.u32 %r2, %r1, 1
  add.u32 %r3, %r2, %tid.x
  mov.u32 %mine, %r3
  ld.weak.f32 %part, in[%mine]
  st.weak.f32 ws[%mine], %part
  fence.sc.gpu
  mov.pred %last, 0
  setp.eq.u32 %p7, %tid.x, 0
  @%p7 bra then1; bra endif2
then1:
  atom.relaxed.gpu.add.u32 %r8, sem[%ctaid.y], 1
  mov.u32 %ticket, %r8
  setp.eq.u32 %p10, %ticket, 3
  mov.pred %last, %p10
  @%last bra then3; bra endif4
endif2:
  @%last bra then5; bra endif6
then3:
  fence.sc.gpu
  bra endif4
endif4:
  bra endif2
then5:
  mov.f32 %sum, 0.0
  mov.u32 %i, 0
  bra while7
endif6:
  exit
while7:
  setp.lt.u32 %p13, %i, 4
  @%p13 bra do8; bra endwhile9
do8:
  mul.lo.u32 %r14, %ctaid.y, 4
  add.u32 %r15, %r14, %i
  mul.lo.u32 %r16, %r15, 1
  add.u32 %r17, %r16, %tid.x
  ld.weak.cg.f32 %partial, ws[%r17]
  add.f32 %f19, %sum, %partial
  mov.f32 %sum, %f19
  add.u32 %r20, %i, 1
  mov.u32 %i, %r20
  bra while7
endwhile9:
  mul.lo.u32 %r21, %ctaid.y, 1
  add.u32 %r22, %r21, %tid.x
  st.weak.f32 out[%r22], %sum
  setp.eq.u32 %p23, %tid.x, 0
  @%p23 bra then10; bra endif11
then10:
  st.weak.u32 sem[%ctaid.y], 0
  bra endif11
endif11:
  bra endif6
)");
}

TEST(SplitKSerial, TwoThreadsAgreeByBarriersAndAFlag) {
  EXPECT_EQ(kernel_text("splitk-serial", with({{"splits", 3}, {"threads", 2}})), R"(kernel splitk_serial
  global f32 in[]
  global f32 ws[]
  global u32 sem[]
  global f32 out[]
  shared u32 is_last[1]
  reg u32 %r0, %r1, %r2, %r3, %mine
  reg f32 %part
  reg pred %last, %p7
  reg u32 %r8, %ticket
  reg pred %p10
  reg u32 %r11, %flag
  reg pred %p13
  reg f32 %sum
  reg u32 %i
  reg pred %p16
  reg u32 %r17, %r18, %r19, %r20
  reg f32 %partial, %f22
  reg u32 %r23, %r24, %r25
  reg pred %p26
entry:
  mul.lo.u32 %r0, %ctaid.y, 3
  add.u32 %r1, %r0, %ctaid.x
  mul.lo.u32 %r2, %r1, 2
  add.u32 %r3, %r2, %tid.x
  mov.u32 %mine, %r3
  ld.weak.f32 %part, in[%mine]
  st.weak.f32 ws[%mine], %part
  fence.sc.gpu
  bar.sync 0
  mov.pred %last, 0
  setp.eq.u32 %p7, %tid.x, 0
  @%p7 bra then1; bra endif2
then1:
  atom.relaxed.gpu.add.u32 %r8, sem[%ctaid.y], 1
  mov.u32 %ticket, %r8
  setp.eq.u32 %p10, %ticket, 2
  mov.pred %last, %p10
  @%last bra then3; bra endif4
endif2:
  bar.sync 0
  ld.weak.shared.u32 %flag, is_last[0]
  setp.ne.u32 %p13, %flag, 0
  mov.pred %last, %p13
  @%last bra then5; bra endif6
then3:
  fence.sc.gpu
  bra endif4
endif4:
  selp.u32 %r11, 1, 0, %last
  st.weak.shared.u32 is_last[0], %r11
  bra endif2
then5:
  mov.f32 %sum, 0.0
  mov.u32 %i, 0
  bra while7
endif6:
  exit
while7:
  setp.lt.u32 %p16, %i, 3
  @%p16 bra do8; bra endwhile9
do8:
  mul.lo.u32 %r17, %ctaid.y, 3
  add.u32 %r18, %r17, %i
  mul.lo.u32 %r19, %r18, 2
  add.u32 %r20, %r19, %tid.x
  ld.weak.cg.f32 %partial, ws[%r20]
  add.f32 %f22, %sum, %partial
  mov.f32 %sum, %f22
  add.u32 %r23, %i, 1
  mov.u32 %i, %r23
  bra while7
endwhile9:
  mul.lo.u32 %r24, %ctaid.y, 2
  add.u32 %r25, %r24, %tid.x
  st.weak.f32 out[%r25], %sum
  setp.eq.u32 %p26, %tid.x, 0
  @%p26 bra then10; bra endif11
then10:
  st.weak.u32 sem[%ctaid.y], 0
  bra endif11
endif11:
  bra endif6
)");
}

TEST(SplitKAtomic, AsPrintedForOneThread) {
  EXPECT_EQ(kernel_text("splitk-atomic", {}), R"(kernel splitk_atomic
  global f32 in[]
  global f32 acc[]
  global u32 sem[]
  global f32 out[]
  shared u32 is_last[1]
  reg u32 %r0, %r1, %element, %r3, %r4, %r5, %r6
  reg f32 %part
  reg pred %last, %p9
  reg u32 %r10, %ticket
  reg pred %p12
  reg f32 %sum
  reg pred %p14
  reg u32 %r15
entry:
  mul.lo.u32 %r0, %ctaid.y, 1
  add.u32 %r1, %r0, %tid.x
  mov.u32 %element, %r1
  mul.lo.u32 %r3, %ctaid.y, 4
  add.u32 %r4, %r3, %ctaid.x
  mul.lo.u32 %r5, %r4, 1
  add.u32 %r6, %r5, %tid.x
  ld.weak.f32 %part, in[%r6]
  red.relaxed.gpu.add.f32 acc[%element], %part
  mov.pred %last, 0
  setp.eq.u32 %p9, %tid.x, 0
  @%p9 bra then1; bra endif2
then1:
  atom.acq_rel.gpu.add.u32 %r10, sem[%ctaid.y], 1
  mov.u32 %ticket, %r10
  setp.eq.u32 %p12, %ticket, 3
  mov.pred %last, %p12
  bra endif2
endif2:
  @%last bra then3; bra endif4
then3:
  ld.weak.f32 %sum, acc[%element]
  st.weak.f32 out[%element], %sum
  st.weak.f32 acc[%element], 0.0
  setp.eq.u32 %p14, %tid.x, 0
  @%p14 bra then5; bra endif6
endif4:
  exit
then5:
  atom.relaxed.gpu.exch.b32 %r15, sem[%ctaid.y], 0
  bra endif6
endif6:
  bra endif4
)");
}

TEST(SplitKSerial, FindsWorkspaceOutputAndCounterAsTheHostLeavesThem) {
  const Problem problem =
      instantiate(protocol("splitk-serial"), with({{"tiles", 2}, {"threads", 3}, {"replays", 5}}));
  const auto buffer = [&](std::string_view name) {
    return problem.buffers[problem.find_buffer(name)->value];
  };
  EXPECT_EQ(buffer("in").initial.kind, InitialContents::Kind::symbols);
  EXPECT_EQ(buffer("in").length, 2U * 4 * 3);
  EXPECT_EQ(buffer("ws").initial.kind,
            InitialContents::Kind::any);  // a stale partial is a wrong sum, not poison
  EXPECT_EQ(buffer("ws").length, 2U * 4 * 3);
  EXPECT_EQ(buffer("sem").initial.kind, InitialContents::Kind::zero);
  EXPECT_EQ(buffer("sem").length, 2U);
  EXPECT_EQ(buffer("out").role, Role::output);
  EXPECT_EQ(buffer("out").length, 2U * 3);
  EXPECT_EQ(problem.launches[0].grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(problem.launches[0].block, (Dim3{3, 1, 1}));
  EXPECT_EQ(problem.replays, 5U);
  ASSERT_EQ(problem.contract.restored.size(), 1U);
  EXPECT_EQ(problem.contract.restored[0], *problem.find_buffer("sem"));
  EXPECT_EQ(print(*problem.contract.assertions[0].formula, problem),
            "forall(tile in 0..<2: forall(t in 0..<3: "
            "out[tile * 3 + t] == sum(s in 0..<4: in[(tile * 4 + s) * 3 + t])))");
}

// A variant is the base but for what it says: the actions it loses and gains.
struct Difference {
  const char* variant;
  Lines lost, gained;
};

void expect_differences(std::string_view name, const std::vector<Difference>& differences) {
  const Parameters shape = with({{"splits", 3}, {"threads", 2}, {"tiles", 2}, {"replays", 2}});
  const std::string base = kernel_text(name, shape);
  for (const auto& [variant, lost, gained] : differences) {
    const std::string changed = kernel_text(name, shape, variant);
    EXPECT_THAT(missing_from(changed, base), ::testing::UnorderedElementsAreArray(lost)) << variant;
    EXPECT_THAT(missing_from(base, changed), ::testing::UnorderedElementsAreArray(gained)) << variant;
  }
  EXPECT_EQ(differences.size() + 1, protocol(name).variants.size()) << "a variant is not compared";
}

TEST(SplitKSerial, EachVariantDiffersInWhatItSays) {
  const std::string add = "atom.relaxed.gpu.add.u32 %r8, sem[%ctaid.y], 1";
  const std::string fence = "fence.sc.gpu";
  const std::string write = "st.weak.f32 ws[%mine], %part", read = "ld.weak.cg.f32 %partial, ws[%r20]";
  const std::string volatile_write = "st.volatile.f32 ws[%mine], %part";
  const std::string volatile_read = "ld.volatile.f32 %partial, ws[%r20]";
  expect_differences(
      "splitk-serial",
      {{"no-release-fence", {fence}, {}},
       {"no-acquire-fence", {fence}, {}},
       {"no-acquire-fence-volatile", {write, read, fence}, {volatile_write, volatile_read}},
       {"increment-scope-cta", {add}, {"atom.relaxed.cta.add.u32 %r8, sem[%ctaid.y], 1"}},
       {"fence-scope-cta", {fence, fence}, {"fence.sc.cta", "fence.sc.cta"}},
       {"no-barrier-before-count", {"bar.sync 0"}, {}},
       {"no-barrier-before-count-volatile", {write, "bar.sync 0", read}, {volatile_write, volatile_read}},
       {"no-flag-barrier", {"bar.sync 0"}, {}},
       {"no-reset", {"st.weak.u32 sem[%ctaid.y], 0"}, {}},
       {"shared-counter",
        {add, "st.weak.u32 sem[%ctaid.y], 0"},
        {"atom.relaxed.gpu.add.u32 %r8, sem[0], 1", "st.weak.u32 sem[0], 0"}},
       {"acq-rel-increment", {fence, add, fence}, {"atom.acq_rel.gpu.add.u32 %r8, sem[%ctaid.y], 1"}},
       {"fence-acq-rel-then-barrier", {fence, fence}, {"fence.acq_rel.gpu", "fence.acq_rel.gpu"}},
       {"sc-writers-acq-rel-reader", {fence}, {"fence.acq_rel.gpu"}},
       {"barrier-then-leader-fence-acq-rel", {fence, fence}, {"fence.acq_rel.gpu", "fence.acq_rel.gpu"}},
       {"barrier-then-leader-fence-sc", {}, {}},
       // These differ in what several launches in flight share.
       {"partials-per-launch", {}, {}},
       {"counter-per-launch", {}, {}},
       {"workspace-per-launch", {}, {}}});
}

TEST(SplitKSerial, TheLeadersFenceStandsBetweenBarrierAndCount) {
  const std::string actions =
      actions_of(kernel_text("splitk-serial", with({{"threads", 2}}), "barrier-then-leader-fence-sc"));
  const std::size_t barrier = actions.find("bar.sync 0"), fence = actions.find("fence.sc.gpu"),
                    count = actions.find("atom.");
  EXPECT_LT(barrier, fence);
  EXPECT_LT(fence, count);
}

TEST(SplitKAtomic, EachVariantDiffersInWhatItSays) {
  const auto add = [](const std::string& how) { return "atom." + how + ".add.u32 %r10, sem[%ctaid.y], 1"; };
  expect_differences("splitk-atomic", {{"no-rezero", {"st.weak.f32 acc[%element], 0.0"}, {}},
                                       {"no-reset", {"atom.relaxed.gpu.exch.b32 %r18, sem[%ctaid.y], 0"}, {}},
                                       {"relaxed-increment", {add("acq_rel.gpu")}, {add("relaxed.gpu")}},
                                       {"release-only-increment", {add("acq_rel.gpu")}, {add("release.gpu")}},
                                       {"acquire-only-increment", {add("acq_rel.gpu")}, {add("acquire.gpu")}},
                                       {"increment-scope-cta", {add("acq_rel.gpu")}, {add("acq_rel.cta")}},
                                       {"accumulator-per-launch", {}, {}},
                                       {"counter-per-launch", {}, {}},
                                       {"workspace-per-launch", {}, {}}});
}

// --- reverse, classics ---

TEST(Reverse, AcrossCtasRunsOneThreadACtaOnABufferInGlobalMemory) {
  const Problem inside = instantiate(protocol("reverse"), {});
  EXPECT_EQ(inside.launches[0].block, (Dim3{4, 1, 1}));
  EXPECT_EQ(inside.find_buffer("buf"), std::nullopt);
  const Problem across = instantiate(protocol("reverse"), {}, "across-ctas");
  EXPECT_EQ(across.launches[0].grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(across.launches[0].block, (Dim3{1, 1, 1}));
  EXPECT_NE(across.find_buffer("buf"), std::nullopt);
}

std::string actions_of_message_passing(std::int64_t order, std::int64_t scope) {
  const Problem problem = instantiate(protocol("mp"), with({{"order", order}, {"scope", scope}}));
  return actions_of(print(problem.kernels[0])) + actions_of(print(problem.kernels[1]));
}

TEST(MessagePassing, OrderAndScopeSayHowTheFlagIsAccessedWhileTheDataIsWeak) {
  EXPECT_EQ(actions_of_message_passing(0, 1),
            "st.weak.u32 data[0], 1\nst.weak.u32 flag[0], 1\nld.weak.u32 %flag, flag[0]\nld.weak.u32 %r3, "
            "data[0]\n");
  EXPECT_EQ(actions_of_message_passing(2, 2),
            "st.weak.u32 data[0], 1\nst.release.sys.u32 flag[0], 1\n"
            "ld.acquire.sys.u32 %flag, flag[0]\nld.weak.u32 %r3, data[0]\n");
  EXPECT_EQ(actions_of_message_passing(4, 0),
            "st.weak.u32 data[0], 1\nfence.sc.cta\nst.relaxed.cta.u32 flag[0], 1\n"
            "ld.relaxed.cta.u32 %flag, flag[0]\nfence.sc.cta\nld.weak.u32 %r3, data[0]\n");
}

TEST(Classics, PlacementPutsTheThreadsInOneCtaOrInOneEach) {
  for (const char* name : {"mp", "sb", "lb", "iriw", "corr"}) {
    std::set<std::uint32_t> together, apart;
    const Problem same = instantiate(protocol(name), with({{"placement", 0}}));
    const Problem different = instantiate(protocol(name), with({{"placement", 1}}));
    for (const PlacedThread& thread : same.launches[0].placed) together.insert(thread.placement.cta.value);
    for (const PlacedThread& thread : different.launches[0].placed) apart.insert(thread.placement.cta.value);
    EXPECT_EQ(together.size(), 1U) << name;
    EXPECT_EQ(apart.size(), different.launches[0].placed.size()) << name;
  }
}

TEST(Classics, ForbidTheOutcomeTheyAreKnownFor) {
  const auto contract = [](std::string_view name) {
    const Problem problem = instantiate(protocol(name), {});
    return print(*problem.contract.assertions[0].formula, problem);
  };
  EXPECT_EQ(contract("mp"), "!(P1:flag == 1 && P1:data == 0)");
  EXPECT_EQ(contract("sb"), "!(P0:r0 == 0 && P1:r1 == 0)");
  EXPECT_EQ(contract("lb"), "!(P0:r0 == 1 && P1:r1 == 1)");
  EXPECT_EQ(contract("iriw"), "!(P2:r0 == 1 && P2:r1 == 0 && P3:r2 == 1 && P3:r3 == 0)");
  EXPECT_EQ(contract("corr"), "!(P1:r0 == 1 && P1:r1 == 0)");
}

}  // namespace
}  // namespace fencewise
