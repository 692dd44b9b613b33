// What the catalogue promises of its protocols with loops, engine by engine: every variant is as expected, or the engine
// says that it can't tell, and then it is listed here.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checker/check.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

const std::vector<std::string> with_loops = {"ticket-lock", "cas-lock", "grid-barrier-sense",
                                             "message-passing"};

CheckResult run(const Protocol& protocol, const Variant& variant, Engine engine, Model model, const Parameters& shape = {}) {
  const Expectation& expected = model == Model::sc ? variant.sc : variant.ptx;
  CheckOptions options;
  options.engine = engine;
  options.model = model;
  options.stop_at_first = !expected.no_race;
  return check(instantiate(protocol, raised_to_needs(protocol, variant, shape), variant.name), options,
               {.seconds = 60});
}

void expect(const Expectation& expected, const CheckResult& result) {
  ASSERT_EQ(result.verdict, expected.verdict) << result.reason;
  if (expected.verdict != Verdict::violated) return;
  ASSERT_FALSE(result.findings.empty());
  const auto is_expected = [&](FindingKind kind) { return std::ranges::count(expected.kinds, kind) != 0; };
  const auto in_place = [&](const Finding& f) {
    return is_expected(f.kind) && f.location.starts_with(expected.place);
  };
  EXPECT_TRUE(is_expected(result.findings.front().kind)) << name(result.findings.front().kind);
  EXPECT_TRUE(std::ranges::any_of(result.findings, in_place)) << "nothing on " << expected.place;
  EXPECT_FALSE(expected.no_race && std::ranges::any_of(result.findings, [](const Finding& f) {
                 return f.kind == FindingKind::race;
               }));
}

// Variants for which the engine ends inconclusive, as "protocol variant" ("protocol" alone: the base). Exact: one that is
// told after all must be taken off the list.
void expect_all(const std::vector<std::string>& names, Engine engine, Model model,
                const std::set<std::string>& declined) {
  for (const std::string& name : names) {
    const Protocol& protocol = *find_protocol(name);
    for (const Variant& variant : protocol.variants) {
      const std::string label = variant.name.empty() ? name : name + " " + variant.name;
      SCOPED_TRACE(label);
      const CheckResult result = run(protocol, variant, engine, model);
      if (result.verdict == Verdict::inconclusive) {
        EXPECT_TRUE(declined.contains(label)) << label << ": " << result.reason;
        continue;
      }
      EXPECT_FALSE(declined.contains(label)) << label << " is told now";
      expect(model == Model::sc ? variant.sc : variant.ptx, result);
    }
  }
}

TEST(Protocols, YieldWhatTheCatalogueSaysByDefault) {
  expect_all(with_loops, Engine::automatic, Model::ptx, {});
}

TEST(Protocols, YieldWhatTheCatalogueSaysByInterleavingAlone) {
  expect_all(with_loops, Engine::automatic, Model::sc, {});
}

// A variant's needs are all that it needs: it is as expected with everything else as small as may be, no round at all included.
TEST(Protocols, YieldWhatTheCatalogueSaysAtTheSmallestShapeOfEachVariant) {
  constexpr std::uint64_t most_threads = 16;  // of a CTA; whole kernels are checked elsewhere
  for (const Protocol& protocol : catalogue()) {
    Parameters smallest;
    for (const Parameter& parameter : protocol.parameters)
      if (parameter.choices.empty()) smallest.set(parameter.name, parameter.min);
    if (instantiate(protocol, smallest).launches.front().block.count() > most_threads) continue;
    for (const Variant& variant : protocol.variants) {
      SCOPED_TRACE(protocol.name + " " + variant.name);
      const Parameters shape = raised_to_needs(protocol, variant, smallest);
      if (instantiate(protocol, shape, variant.name).launches.front().block.count() > most_threads) continue;
      expect(variant.ptx, run(protocol, variant, Engine::automatic, Model::ptx, shape));
    }
  }
}

TEST(Protocols, YieldTheSameFromTheGraphExplorer) { expect_all(with_loops, Engine::graph, Model::ptx, {}); }

TEST(Protocols, YieldTheSameFromTheViewExplorerWhereItDoesNotDecline) {
  expect_all(
      with_loops, Engine::view, Model::ptx,
      {
          // Load buffering is allowed here: what is released is not acquired, or the other way round.
          "ticket-lock relaxed-poll-volatile",
          "cas-lock relaxed-take-volatile",
          "grid-barrier-sense fence-before-look",
          // It is not allowed here, for reasons that the look at the text doesn't see: values, indices, and that an
          // acq_rel atomic begins a release pattern which a later store to the same place ends.
          "ticket-lock serve-by-atomic",
          "scan-single-pass split-status-and-value",
          "scan-lookback split-status-and-value",
          "grid-barrier-sense relaxed-start",
          "grid-barrier-sense relaxed-poll",
          "grid-barrier-sense relaxed-look",
          "grid-barrier-sense no-fence-before-start",
          // More threads may come to a barrier than it counts.
          "named-halves producer-only-arrives",
          "named-halves one-barrier",
          "named-halves count-of-half",
      });
}

// An exchange that fails writes the 1 that was there: a poll that changes nothing.
TEST(Protocols, OfAnExchangeLockAreToldByBothExplorers) {
  const Protocol& protocol = *find_protocol("exch-lock");
  expect_all({"exch-lock"}, Engine::graph, Model::ptx, {});
  EXPECT_EQ(run(protocol, protocol.variants.front(), Engine::view, Model::ptx).verdict, Verdict::verified);
}

}  // namespace
}  // namespace fencewise
