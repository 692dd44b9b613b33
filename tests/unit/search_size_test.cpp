// The size of the graph explorer's searches, pinned beside their verdicts: a change that explores more or less than before is reviewed here.
#include <gtest/gtest.h>

#include "checker/check.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

struct Size {
  std::uint64_t graphs, steps;
  friend bool operator==(const Size&, const Size&) = default;
};

std::ostream& operator<<(std::ostream& out, const Size& size) {
  return out << size.graphs << " graphs, " << size.steps << " steps";
}

CheckResult run(const char* protocol, const Parameters& given, std::string_view variant = "",
                Reduction symmetry = Reduction::off, Model model = Model::ptx) {
  CheckOptions options;
  options.model = model;
  options.symmetry = symmetry;
  options.engine = Engine::graph;
  return check(instantiate(*find_protocol(protocol), given, variant), options);
}

Parameters splits(std::int64_t n, std::int64_t threads = 1, std::int64_t replays = 1) {
  Parameters p;
  p.set("splits", n);
  p.set("threads", threads);
  p.set("replays", replays);
  return p;
}

Size size_of(const CheckResult& result) { return {result.search.graphs, result.search.steps}; }

TEST(SearchSize, OfSplitKSerialIsOneGraphForEachOrderOfItsCtas) {
  const CheckResult four = run("splitk-serial", splits(4));
  EXPECT_EQ(four.verdict, Verdict::verified);
  EXPECT_EQ(size_of(four), (Size{24, 107}));
  EXPECT_EQ(four.search.finish_orders, 24U);
  EXPECT_EQ(size_of(run("splitk-serial", splits(3))), (Size{6, 27}));
  EXPECT_EQ(size_of(run("splitk-serial", splits(5))), (Size{120, 533}));
}

TEST(SearchSize, OfReplaysAddsUpAndDoesNotMultiply) {
  EXPECT_EQ(size_of(run("splitk-serial", splits(4, 1, 3))), (Size{72, 321}));
  EXPECT_EQ(run("splitk-serial", splits(4, 1, 3)).search.states, 3U);
}

TEST(SearchSize, DoesNotCountFenceOrders) {
  // 576 executions if the order of the fences were part of a behaviour.
  EXPECT_EQ(run("splitk-serial", splits(4)).search.graphs, 24U);
  EXPECT_EQ(run("splitk-serial", splits(4), "acq-rel-increment").search.graphs, 24U);
}

TEST(SearchSize, OfSeveralThreadsIsThatOfTheirCtas) {
  EXPECT_EQ(run("splitk-serial", splits(3, 2)).search.graphs, 6U);
}

TEST(SearchSize, OfInterchangeableCtasIsOneGraph) {
  const CheckResult eight = run("splitk-serial", splits(8), "", Reduction::on);
  EXPECT_EQ(eight.verdict, Verdict::verified);
  EXPECT_EQ(size_of(eight), (Size{1, 18}));
  EXPECT_EQ(eight.search.interchangeable, 8U);
  EXPECT_EQ(size_of(run("splitk-serial", splits(16), "", Reduction::on)), (Size{1, 34}));
}

// Symmetry on and off: the same verdict and the same first finding, for every variant that is small enough.
TEST(Symmetry, ChangesNoAnswer) {
  for (const char* name : {"splitk-serial", "splitk-atomic", "reverse"}) {
    const Protocol& protocol = *find_protocol(name);
    for (const Variant& variant : protocol.variants)
      for (const Model model : {Model::ptx, Model::sc}) {
        SCOPED_TRACE(std::string(name) + " " + variant.name);
        Parameters small = protocol.standard_parameters();
        if (name != std::string("reverse")) small.set("splits", 3);
        const Parameters given = raised_to_needs(protocol, variant, small);
        const CheckResult off = run(name, given, variant.name, Reduction::off, model);
        const CheckResult on = run(name, given, variant.name, Reduction::on, model);
        EXPECT_EQ(off.verdict, on.verdict);
        ASSERT_EQ(off.findings.empty(), on.findings.empty());
        if (!off.findings.empty()) {
          EXPECT_EQ(off.findings.front().kind, on.findings.front().kind);
        }
        EXPECT_LE(on.search.graphs, off.search.graphs);
      }
  }
}

}  // namespace
}  // namespace fencewise
