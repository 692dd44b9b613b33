// The size of the view explorer's searches, pinned beside their verdicts, with and without each reduction.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/check.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

struct Search {
  const char* protocol = "splitk-serial";
  const char* variant = "";
  Reduction symmetry = Reduction::automatic;
  Reduction one_sided = Reduction::automatic;
  ViewReductions reductions{};
};

// States stored for S = 2, 3, ..., `most` and for one replay and two: "12 16 20 | 24 32 40".
std::string sizes(const Search& search, std::int64_t most) {
  std::vector<std::string> by_replays;
  for (const std::int64_t replays : {1, 2}) {
    std::vector<std::uint64_t> states;
    for (std::int64_t splits = 2; splits <= most; ++splits) {
      Parameters p;
      p.set("splits", splits);
      p.set("threads", 1);
      p.set("replays", replays);
      CheckOptions options;
      options.engine = Engine::view;
      options.symmetry = search.symmetry;
      options.one_sided = search.one_sided;
      options.reductions = search.reductions;
      const CheckResult result = check(instantiate(*find_protocol(search.protocol), p, search.variant), options);
      EXPECT_EQ(result.verdict, Verdict::verified) << search.protocol << " " << splits << ": " << result.reason;
      states.push_back(result.search.states);
    }
    by_replays.push_back(fmt::format("{}", fmt::join(states, " ")));
  }
  return fmt::format("{}", fmt::join(by_replays, " | "));
}

ViewReductions without(bool ViewReductions::*reduction) {
  ViewReductions r;
  r.*reduction = false;
  return r;
}

TEST(ViewSize, OfSplitKAsCudaCompilesItIsLinear) {
  EXPECT_EQ(sizes({}, 8), "4 5 6 7 8 9 10 | 8 10 12 14 16 18 20");
  EXPECT_EQ(sizes({.protocol = "splitk-atomic"}, 8), "5 6 7 8 9 10 11 | 10 12 14 16 18 20 22");
}

TEST(ViewSize, OfSplitKWithAcqRelFencesIsLinear) {
  EXPECT_EQ(sizes({.variant = "barrier-then-leader-fence-acq-rel"}, 8), "4 5 6 7 8 9 10 | 8 10 12 14 16 18 20");
  EXPECT_EQ(sizes({.variant = "acq-rel-increment"}, 8), "4 5 6 7 8 9 10 | 8 10 12 14 16 18 20");
}

// S(S + 1)(S + 2) / 6 + 4 a launch.
TEST(ViewSize, WithExactFencesIsCubic) {
  EXPECT_EQ(sizes({.one_sided = Reduction::off}, 8), "8 14 24 39 60 88 124 | 16 28 48 78 120 176 248");
}

std::string sizes_of(const char* protocol, const char* parameter, std::int64_t from, std::int64_t to, std::int64_t rounds,
                     const ViewReductions& reductions = {}) {
  std::vector<std::uint64_t> states;
  for (std::int64_t n = from; n <= to; ++n) {
    Parameters p;
    p.set(parameter, n);
    p.set("rounds", rounds);
    CheckOptions options;
    options.engine = Engine::view;
    options.reductions = reductions;
    const CheckResult result = check(instantiate(*find_protocol(protocol), p, ""), options);
    EXPECT_EQ(result.verdict, Verdict::verified) << protocol << " " << n << ": " << result.reason;
    states.push_back(result.search.states);
  }
  return fmt::format("{}", fmt::join(states, " "));
}

// Two rounds of N CTAs: 6 N + 4, since nobody starts the next generation while one stands before its look; it makes no difference
// then when each looks. With all orders of looks (N + 2)(N + 3)(N + 4) / 6.
TEST(ViewSize, OfAGridBarrierIsLinear) {
  EXPECT_EQ(sizes_of("grid-barrier-sense", "ctas", 2, 8, 2), "16 22 28 34 40 46 52");
  EXPECT_EQ(sizes_of("grid-barrier-sense", "ctas", 2, 8, 2, without(&ViewReductions::early)), "20 35 56 84 120 165 220");
}

// CTAs that wait know the same where polls forget, and move as one. Without that, each waits with another part of who came before.
TEST(ViewSize, OfAGridBarrierHasAFewMovesAState) {
  const auto moves = [](Reduction forgetful_polls, const ViewReductions& reductions) {
    std::vector<std::uint64_t> steps;
    for (std::int64_t ctas = 2; ctas <= 8; ++ctas) {
      Parameters p;
      p.set("ctas", ctas);
      p.set("rounds", 2);
      CheckOptions options;
      options.engine = Engine::view;
      options.forgetful_polls = forgetful_polls;
      options.reductions = reductions;
      const CheckResult result = check(instantiate(*find_protocol("grid-barrier-sense"), p, ""), options);
      EXPECT_EQ(result.verdict, Verdict::verified);
      steps.push_back(result.search.steps);
    }
    return fmt::format("{}", fmt::join(steps, " "));
  };
  EXPECT_EQ(moves(Reduction::automatic, {}), "18 28 38 48 58 68 78");
  EXPECT_EQ(moves(Reduction::off, {}), "18 30 44 60 78 98 120");
  EXPECT_EQ(moves(Reduction::automatic, without(&ViewReductions::early)), "31 72 136 228 353 516 722");
  EXPECT_EQ(moves(Reduction::off, without(&ViewReductions::early)), "31 85 185 349 598 956 1450");
}

// N CTAs: (N + 1)^2 + 1, and 2N + 2.
TEST(ViewSize, OfLocksAndMessagePassing) {
  EXPECT_EQ(sizes_of("ticket-lock", "ctas", 2, 6, 1), "10 17 26 37 50");
  EXPECT_EQ(sizes_of("cas-lock", "ctas", 2, 6, 1), "6 8 10 12 14");
  EXPECT_EQ(sizes_of("message-passing", "readers", 2, 6, 2), "22 44 81 139 225");
}

TEST(ViewSize, WithoutEachReductionIsAtLeastThat) {
  EXPECT_EQ(sizes({.symmetry = Reduction::off}, 5), "5 9 17 33 | 10 18 34 66");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::forget)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::merge)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::subsume)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::alone)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::early)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::idle)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::collapse)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.symmetry = Reduction::off, .reductions = without(&ViewReductions::forget)}, 4), "5 12 43 | 10 24 86");
  EXPECT_EQ(sizes({.one_sided = Reduction::off, .reductions = without(&ViewReductions::subsume)}, 5), "10 19 36 75 | 20 38 72 147");
  EXPECT_EQ(sizes({.one_sided = Reduction::off, .reductions = without(&ViewReductions::merge)}, 5), "8 14 24 39 | 16 28 48 78");
}

// A grid barrier that all but one CTA may come to hangs. Which CTA takes a free place matters, when it does not: without that, as
// many states again for each CTA that has not come yet.
TEST(ViewSize, WithPlacesForAllCtasButOneIsLinear) {
  const auto sizes_without_one_place = [](const ViewReductions& reductions) {
    std::vector<std::uint64_t> states;
    for (std::uint32_t ctas = 3; ctas <= 8; ++ctas) {
      Parameters p;
      p.set("ctas", ctas);
      p.set("rounds", 1);
      CheckOptions options;
      options.resident = ctas - 1;
      options.symmetry = Reduction::on;
      options.reductions = reductions;
      const CheckResult result = check(instantiate(*find_protocol("grid-barrier-sense"), p, ""), options);
      EXPECT_EQ(result.verdict, Verdict::violated);
      states.push_back(result.search.states);
    }
    return fmt::format("{}", fmt::join(states, " "));
  };
  EXPECT_EQ(sizes_without_one_place({}), "8 11 14 17 20 23");
  EXPECT_EQ(sizes_without_one_place(without(&ViewReductions::early)), "9 14 20 27 35 44");
  EXPECT_EQ(sizes_without_one_place(without(&ViewReductions::alone)), "11 21 36 57 85 121");
}

}  // namespace
}  // namespace fencewise
