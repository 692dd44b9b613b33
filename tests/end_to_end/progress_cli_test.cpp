// `--progress` and `--lockstep`, from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"

namespace fencewise {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;

TEST(Progress, OfHsaHangsALockAndOfObeDoesNot) {
  const ProcessResult hsa = fencewise("check cas-lock --progress hsa");
  EXPECT_EQ(hsa.exit_code, 1);
  EXPECT_THAT(hsa.out, HasSubstr("allowed by the progress model hsa\n"));
  EXPECT_THAT(hsa.out, HasSubstr("the steps marked * repeat for ever\n"));
  const ProcessResult obe = fencewise("check cas-lock --progress obe");
  EXPECT_EQ(obe.exit_code, 0);
  EXPECT_THAT(obe.out, HasSubstr("assumes: all CTAs are resident and progress is obe"));
}

TEST(Progress, IsSetForEachLevel) {
  EXPECT_EQ(fencewise("check lock-per-lane --progress ctas=unfair,warps=unfair -q").exit_code, 0);
  EXPECT_EQ(fencewise("check lock-per-lane --progress lanes=unfair -q").exit_code, 1);
}

TEST(Progress, InLockStepHangsALockThatLanesTake) {
  EXPECT_EQ(fencewise("check lock-per-lane --lockstep -q").exit_code, 1);
  EXPECT_EQ(fencewise("check lock-per-lane --progress lanes=lockstep -q").exit_code, 1);
  EXPECT_EQ(fencewise("check lock-per-lane --lockstep --variant give-inside -q").exit_code, 0);
}

TEST(Progress, IsInconclusiveWhereItIsNotModelled) {
  const ProcessResult graph = fencewise("check cas-lock --progress hsa --engine graph -q");
  EXPECT_EQ(graph.exit_code, 3);
  EXPECT_THAT(graph.out, HasSubstr("the graph explorer takes progress as fair"));
}

TEST(Progress, OfAnotherNameIsRefused) {
  const ProcessResult unknown = fencewise("check cas-lock --progress round-robin");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--progress round-robin: unknown model 'round-robin'; expected fair, hsa, obe, hsa_obe, lobe, "
                                     "unfair or lockstep"));
  const ProcessResult level = fencewise("check cas-lock --progress blocks=hsa");
  EXPECT_EQ(level.exit_code, 2);
  EXPECT_THAT(level.err, HasSubstr("'blocks=hsa' is no level; write it like ctas=hsa,warps=fair,lanes=unfair"));
  const ProcessResult lockstep = fencewise("check cas-lock --progress ctas=lockstep");
  EXPECT_EQ(lockstep.exit_code, 2);
  EXPECT_THAT(lockstep.err, HasSubstr("only lanes run in lock-step"));
  EXPECT_EQ(fencewise("check cas-lock --progress hsa --lockstep").exit_code, 2);
}

TEST(Progress, GoesWithVariantsAndSweeps) {
  EXPECT_EQ(fencewise("check ticket-lock --progress obe --sweep ctas=2..3").exit_code, 0);
  EXPECT_EQ(fencewise("check ticket-lock --progress hsa --sweep ctas=1..2").exit_code, 1);
  EXPECT_EQ(fencewise("check splitk-serial --param splits=2 --progress unfair --all-variants -q").exit_code, 0);
}

TEST(Hangs, AreSavedAndReplayed) {
  const testing::ScratchFolder folder;
  const std::string file = folder.file("hang.json");
  for (const std::string check : {"check exch-lock --progress hsa", "check grid-barrier-counter --param ctas=3 --resident 2",
                                  "check exch-lock --variant never-given-back --engine view"}) {
    const ProcessResult found = fencewise(check + " -q --json " + file);
    EXPECT_EQ(found.exit_code, 1) << check;
    const ProcessResult again = fencewise("replay -q " + file);
    EXPECT_EQ(again.exit_code, 1) << check << again.err;
    EXPECT_EQ(again.out, found.out);
  }
}

TEST(Hangs, ThatWereChangedAreRefused) {
  const testing::ScratchFolder folder;
  const std::string file = folder.file("hang.json");
  ASSERT_EQ(fencewise("check exch-lock --progress hsa -q --json " + file).exit_code, 1);
  std::string text = testing::contents_of(file);
  const std::string hsa = "\"ctas\": \"hsa\"";
  ASSERT_NE(text.find(hsa), std::string::npos);
  text.replace(text.find(hsa), hsa.size(), "\"ctas\": \"obe\"");
  testing::write_file(file, text);
  const ProcessResult refused = fencewise("replay " + file);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("its moves lead to no run that may go on for ever"));
}

TEST(LitmusProgress, IsComparedWithATableOfProgress) {
  const testing::ScratchFolder folder;
  testing::write_file(folder.file("spin.litmus"),
                      "PTX spin\n{\nx = 0;\n}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n LC00: | st.relaxed.gpu x, 1 ;\n"
                      " ld.relaxed.gpu r0, x | ;\n beq r0, 0, LC00 | ;\nexists (0 == 0)\n");
  testing::write_file(folder.file("progress.tsv"), "path\tfair\thsa\tobe\nspin.litmus\t1\t0\t1\n");
  const std::string run = "litmus " + folder.file("spin.litmus") + " --expected " + folder.file("progress.tsv") + " --progress ";
  EXPECT_EQ(fencewise(run + "fair").exit_code, 0);
  EXPECT_EQ(fencewise(run + "hsa").exit_code, 0);
  const ProcessResult obe = fencewise(run + "obe");
  EXPECT_EQ(obe.exit_code, 1);
  EXPECT_THAT(obe.out, HasSubstr("DIFFERS: expected that it ends"));
  EXPECT_EQ(fencewise(run + "lobe").exit_code, 2);  // no such column
  EXPECT_EQ(fencewise(run + "ctas=hsa").exit_code, 2);
}

}  // namespace
}  // namespace fencewise
