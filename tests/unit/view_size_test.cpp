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
  EXPECT_EQ(sizes({.protocol = "splitk-atomic"}, 8), "6 8 10 12 14 16 18 | 12 16 20 24 28 32 36");
}

TEST(ViewSize, OfSplitKWithAcqRelFencesIsLinear) {
  EXPECT_EQ(sizes({.variant = "barrier-then-leader-fence-acq-rel"}, 8), "4 5 6 7 8 9 10 | 8 10 12 14 16 18 20");
  EXPECT_EQ(sizes({.variant = "acq-rel-increment"}, 8), "4 5 6 7 8 9 10 | 8 10 12 14 16 18 20");
}

// Subsumption should make this cubic: it is met seldom, since states that know more have other records.
TEST(ViewSize, WithExactFencesDoublesWithEachCta) { EXPECT_EQ(sizes({.one_sided = Reduction::off}, 6), "10 21 45 93 199 | 20 42 88 187 412"); }

TEST(ViewSize, WithoutEachReductionIsAtLeastThat) {
  EXPECT_EQ(sizes({.symmetry = Reduction::off}, 5), "5 9 17 33 | 10 18 34 66");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::forget)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::merge)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::subsume)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.reductions = without(&ViewReductions::alone)}, 5), "4 5 6 7 | 8 10 12 14");
  EXPECT_EQ(sizes({.symmetry = Reduction::off, .reductions = without(&ViewReductions::forget)}, 4), "5 12 43 | 10 24 86");
  EXPECT_EQ(sizes({.one_sided = Reduction::off, .reductions = without(&ViewReductions::subsume)}, 5), "10 21 45 93 | 20 42 88 187");
  EXPECT_EQ(sizes({.one_sided = Reduction::off, .reductions = without(&ViewReductions::merge)}, 5), "10 21 45 89 | 20 42 90 183");
}

}  // namespace
}  // namespace fencewise
