// Progress models: what each promises, and what protocols that wait answer under each.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/explore/view/schedulers.h"
#include "kernels/frontend/litmus/parse.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using view::Schedulers;

constexpr ProgressModels each_level(ProgressModel m) { return {m, m, m}; }

// --- Promises ---

// Two CTAs of two warps of two lanes.
LaunchImage eight_threads() {
  LaunchImage image;
  for (std::uint32_t t = 0; t < 8; ++t) {
    ThreadProgram& program = image.threads.emplace_back();
    program.warp_size = 2;
    program.coordinates.index_in_cta = t % 4;
    image.cta_of.push_back(t / 4);
  }
  image.ctas = 2;
  return image;
}

// Threads to whom, and to all of whose groups, progress is promised.
std::vector<ThreadId> promised(const ProgressModels& models, const std::vector<ThreadId>& finished, const std::vector<ThreadId>& stepped) {
  const Schedulers schedulers(eight_threads(), models);
  Schedulers::Standing standing{std::vector<bool>(8, false), std::vector<bool>(8, false)};
  for (const ThreadId t : finished) standing.finished[t] = true;
  for (const ThreadId t : stepped) standing.stepped[t] = true;
  const std::vector<bool> by_member = schedulers.promised(standing);
  std::vector<ThreadId> threads;
  for (ThreadId t = 0; t < 8; ++t) {
    bool all = true;
    schedulers.each_of(t, [&](Schedulers::Member m) { all = all && by_member[m]; });
    if (all) threads.push_back(t);
  }
  return threads;
}

TEST(Promises, OfHsaAreToTheLowestThatHasNotFinished) {
  EXPECT_THAT(promised(each_level(ProgressModel::hsa), {}, {5}), ElementsAre(0));
  EXPECT_THAT(promised(each_level(ProgressModel::hsa), {0, 1, 2}, {}), ElementsAre(3));
  EXPECT_THAT(promised(each_level(ProgressModel::hsa), {0, 1, 2, 3}, {}), ElementsAre(4));
}
TEST(Promises, OfObeAreToThoseThatHaveMadeAStep) {
  EXPECT_THAT(promised(each_level(ProgressModel::obe), {}, {}), ElementsAre());
  EXPECT_THAT(promised(each_level(ProgressModel::obe), {1}, {1, 3, 6}), ElementsAre(3, 6));
}
TEST(Promises, OfHsaObeAreThoseOfBoth) {
  EXPECT_THAT(promised(each_level(ProgressModel::hsa_obe), {}, {6}), ElementsAre(0, 4, 6));  // 4: of those that share with 6 a CTA
}
TEST(Promises, OfLobeReachUpToTheHighestThatHasMadeAStep) {
  EXPECT_THAT(promised(each_level(ProgressModel::lobe), {}, {2}), ElementsAre(2));  // of its warp; warps are counted by themselves
  EXPECT_THAT(promised({ProgressModel::lobe, ProgressModel::fair, ProgressModel::fair}, {}, {6}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(promised({ProgressModel::lobe, ProgressModel::fair, ProgressModel::fair}, {4, 5, 6, 7}, {6}), ElementsAre(0, 1, 2, 3));
}
TEST(Promises, AreMadeAtEachLevel) {
  EXPECT_THAT(promised({ProgressModel::hsa, ProgressModel::fair, ProgressModel::fair}, {}, {}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(promised({ProgressModel::fair, ProgressModel::hsa, ProgressModel::fair}, {}, {}), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(promised({ProgressModel::fair, ProgressModel::fair, ProgressModel::hsa}, {}, {}), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(promised(each_level(ProgressModel::unfair), {}, {0, 1}), ElementsAre());
}

// --- Protocols ---

CheckResult check_under(const std::string& protocol, const ProgressModels& progress, const std::string& variant = "",
                        std::vector<std::pair<std::string, std::int64_t>> params = {}) {
  Parameters p;
  for (const auto& [name, value] : params) p.set(name, value);
  CheckOptions options;
  options.progress = progress;
  options.engine = Engine::view;
  return check(instantiate(*find_protocol(protocol), p, variant), options);
}

// "fair verified, hsa livelock, ..."
std::string answers(const std::string& protocol, const std::string& variant = "", std::vector<std::pair<std::string, std::int64_t>> params = {}) {
  std::string text;
  for (const ProgressModel m : {ProgressModel::fair, ProgressModel::hsa, ProgressModel::obe, ProgressModel::hsa_obe,
                                ProgressModel::lobe, ProgressModel::unfair}) {
    const CheckResult r = check_under(protocol, each_level(m), variant, params);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(m),
                        r.findings.empty() ? name(r.verdict) : name(r.findings.front().kind));
  }
  return text;
}

// Who holds a lock has made a step.
TEST(SpinLocks, NeedThatWhoHasMadeAStepGoesOn) {
  const std::string expected = "fair verified, hsa livelock, obe verified, hsa_obe verified, lobe verified, unfair livelock";
  EXPECT_EQ(answers("cas-lock"), expected);
  EXPECT_EQ(answers("exch-lock"), expected);
  EXPECT_EQ(answers("ticket-lock"), expected);
}

// A barrier of the grid needs everybody, also who has not begun.
TEST(GridBarriers, NeedFairProgress) {
  const std::string expected = "fair verified, hsa livelock, obe livelock, hsa_obe livelock, lobe livelock, unfair livelock";
  EXPECT_EQ(answers("grid-barrier-sense", "", {{"rounds", 1}}), expected);
  EXPECT_EQ(answers("grid-barrier-counter", "", {{"rounds", 1}}), expected);
}

// A CTA waits for tiles before its own only. Tiles that are drawn were drawn by who has made a step; tiles by CTA number wait for
// the CTAs before.
TEST(LookBack, WaitsForThoseBeforeOnly) {
  EXPECT_EQ(answers("scan-lookback"), "fair verified, hsa livelock, obe verified, hsa_obe verified, lobe verified, unfair livelock");
  EXPECT_EQ(answers("scan-lookback", "tile-by-ctaid"),
            "fair verified, hsa verified, obe livelock, hsa_obe verified, lobe verified, unfair livelock");
}

// Nobody waits: nothing needs to be promised.
TEST(SplitK, NeedsNoPromise) {
  for (const ProgressModel m : {ProgressModel::hsa, ProgressModel::obe, ProgressModel::unfair})
    EXPECT_EQ(check_under("splitk-serial", each_level(m)).verdict, Verdict::verified) << name(m);
}

TEST(LockPerLane, NeedsLanesThatGoOnByThemselves) {
  EXPECT_EQ(check_under("lock-per-lane", {ProgressModel::unfair, ProgressModel::unfair, ProgressModel::fair}).verdict, Verdict::verified);
  const CheckResult hangs = check_under("lock-per-lane", {ProgressModel::fair, ProgressModel::fair, ProgressModel::unfair});
  ASSERT_EQ(hangs.verdict, Verdict::violated);
  EXPECT_EQ(hangs.findings.front().kind, FindingKind::livelock);
  EXPECT_THAT(hangs.findings.front().message, HasSubstr("allowed by the progress model ctas=fair,warps=fair,lanes=unfair"));
}

// Lanes in lock-step: who has the lock waits for the others to leave their loop, and they wait for the lock. Given back inside
// the loop, or taken in turns, it is right.
TEST(LockPerLane, HangsInLockStepUnlessItIsGivenBackInsideTheLoop) {
  const ProgressModels lockstep{ProgressModel::fair, ProgressModel::fair, ProgressModel::lockstep};
  const CheckResult hangs = check_under("lock-per-lane", lockstep);
  ASSERT_EQ(hangs.verdict, Verdict::violated);
  EXPECT_EQ(hangs.findings.front().kind, FindingKind::livelock);
  EXPECT_THAT(hangs.findings.front().endless->unfinished,
              ElementsAre("CTA 0 thread 0 waits for lanes of its warp that are behind: they run in lock-step",
                          "CTA 0 thread 1 repeats 'atom.acquire.gpu.cas.b32 %r0, lock[0], 0, 1'"));
  for (const char* right : {"give-inside", "turns"})
    for (const std::int64_t lanes : {2, 3}) EXPECT_EQ(check_under("lock-per-lane", lockstep, right, {{"lanes", lanes}}).verdict, Verdict::verified) << right;
}

// It promises no order of memory: what lacks a bar.warp.sync races in lock-step too.
TEST(LockStep, OrdersNothing) {
  const ProgressModels lockstep{ProgressModel::fair, ProgressModel::fair, ProgressModel::lockstep};
  const CheckResult r = check_under("lock-per-lane", lockstep, "relaxed-give");
  EXPECT_NE(r.verdict, Verdict::verified);
}

TEST(SearchUnderProgressModels, HasTheseSizes) {
  const auto size = [](const char* protocol, ProgressModel m) {
    const CheckResult r = check_under(protocol, each_level(m));
    return fmt::format("{} states, {} moves", r.search.states, r.search.steps);
  };
  EXPECT_EQ(size("cas-lock", ProgressModel::hsa), "16 states, 26 moves");
  EXPECT_EQ(size("cas-lock", ProgressModel::obe), "22 states, 40 moves");
  EXPECT_EQ(size("grid-barrier-counter", ProgressModel::lobe), "42 states, 90 moves");
}

// --- What is said of a hang ---

TEST(Hang, TellsTheWayInTheCycleAndWhoWaitsForWhat) {
  const CheckResult r = check_under("cas-lock", each_level(ProgressModel::hsa));
  ASSERT_EQ(r.findings.size(), 1U);
  const Finding& f = r.findings.front();
  EXPECT_EQ(f.message, "CTA 0 thread 0 goes round for ever, and CTA 1 is left standing: allowed by the progress model hsa");
  EXPECT_EQ(f.location, "lock");
  ASSERT_TRUE(f.endless);
  EXPECT_THAT(f.endless->unfinished,
              ElementsAre("CTA 0 thread 0 repeats 'atom.acquire.gpu.cas.b32 %r2, lock[0], 0, 1'",
                          "CTA 1 thread 0 could go on with 'st.release.gpu.u32 lock[0], 0', but hsa promises CTA 1 nothing"));
  EXPECT_THAT(f.endless->cycle, ElementsAre(0));
  EXPECT_FALSE(f.endless->way_in.empty());
}

TEST(Hang, IsReplayedByItsMoves) {
  for (const ProgressModel m : {ProgressModel::hsa, ProgressModel::unfair}) {
    const Problem problem = instantiate(*find_protocol("exch-lock"), {}, "");
    CheckOptions options;
    options.progress = each_level(m);
    const CheckResult found = check(problem, options);
    ASSERT_EQ(found.verdict, Verdict::violated) << name(m);
    const Finding again = replay(problem, options, found.findings.front());
    EXPECT_EQ(again.message, found.findings.front().message);
    // Under fair progress the same moves are no run that may go on.
    EXPECT_ANY_THROW((void)replay(problem, CheckOptions(), found.findings.front()));
  }
}

TEST(Hang, ForWantOfPlacesIsReplayed) {
  Parameters p;
  p.set("ctas", 3);
  const Problem problem = instantiate(*find_protocol("grid-barrier-counter"), p, "");
  CheckOptions options;
  options.resident = 2;
  const CheckResult found = check(problem, options);
  ASSERT_EQ(found.verdict, Verdict::violated);
  EXPECT_EQ(replay(problem, options, found.findings.front()).message, found.findings.front().message);
  Finding changed = found.findings.front();
  changed.endless->cycle.clear();
  EXPECT_ANY_THROW((void)replay(problem, options, changed));  // somebody can move there
}

// A lock of exchanges that is not given back: the loop writes, and no execution graph of it ends.
TEST(Hang, OfALoopThatWritesIsALivelock) {
  const CheckResult r = check_under("exch-lock", each_level(ProgressModel::fair), "never-given-back");
  ASSERT_EQ(r.verdict, Verdict::violated) << r.reason;
  EXPECT_EQ(r.findings.front().kind, FindingKind::livelock);
  EXPECT_EQ(r.findings.front().message, "CTA 1 thread 0 goes round for ever");
}

// --- Litmus tests in which a move must not be hidden ---

Verdict ends(const std::string& body, const ProgressModels& progress) {
  CheckOptions options;
  options.engine = Engine::view;
  options.progress = progress;
  Problem problem = parse_litmus("PTX t\n{\nx = 0; y = 0;\n}\n" + body + "exists (0 == 0)\n", "t.litmus");
  problem.contract = {};
  return check(problem, options).verdict;
}

// P1 is left standing between its store and the barrier: P2 has seen the store and spins on what P0 does behind the barrier.
// Left standing before the store it does no harm, and P0 is the lowest.
TEST(ArrivalsAtBarriers, MayBePutOffForEver) {
  const std::string test =
      " P0@cta 0,gpu 0             | P1@cta 0,gpu 0             | P2@cta 0,gpu 0        ;\n"
      " bar.cta.sync 0, 0, 2       | st.relaxed.gpu x, 1        | ld.relaxed.gpu r0, x  ;\n"
      " st.relaxed.gpu y, 1        | bar.cta.sync 0, 0, 2       | beq r0, 0, LC21       ;\n"
      "                            |                            | LC20:                 ;\n"
      "                            |                            | ld.relaxed.gpu r1, y  ;\n"
      "                            |                            | beq r1, 0, LC20       ;\n"
      "                            |                            | LC21:                 ;\n";
  EXPECT_EQ(ends(test, each_level(ProgressModel::fair)), Verdict::verified);
  EXPECT_EQ(ends(test, each_level(ProgressModel::hsa)), Verdict::violated);
}

// P1 goes on for ever only if it looks, each time, just before P0's store takes effect. A store must not be taken first there.
TEST(StoresInLoops, MayBeSeenJustBefore) {
  const std::string test =
      " P0@cta 0,gpu 0                     | P1@cta 0,gpu 0                    ;\n"
      " LC00:                              | LC10:                             ;\n"
      " st.relaxed.gpu x, 0                | atom.relaxed.gpu.exch r1, x, 1    ;\n"
      " atom.relaxed.gpu.exch r0, x, 1     | bne r1, 0, LC10                   ;\n"
      " beq r0, 0, LC00                    |                                   ;\n";
  EXPECT_EQ(ends(test, each_level(ProgressModel::fair)), Verdict::violated);
}

// --- What is not modelled ---

TEST(WeakProgress, IsInconclusiveWhereTheViewExplorerIsNotExact) {
  CheckOptions options;
  options.progress = each_level(ProgressModel::hsa);
  options.engine = Engine::graph;
  const Problem lock = instantiate(*find_protocol("cas-lock"), {}, "");
  CheckResult r = check(lock, options);
  EXPECT_EQ(r.verdict, Verdict::inconclusive);
  EXPECT_EQ(r.reason, "the graph explorer takes progress as fair; use --engine view");
  options.engine = Engine::automatic;
  r = check(instantiate(*find_protocol("lb"), {}, "relaxed"), options);
  EXPECT_EQ(r.verdict, Verdict::inconclusive);
  EXPECT_THAT(r.reason, HasSubstr("the view explorer may not be exact here"));
  options.model = Model::sc;
  EXPECT_EQ(check(lock, options).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace fencewise
