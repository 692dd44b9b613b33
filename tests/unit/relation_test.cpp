// The closure of a relation, against the definition.
#include "memmodel/relation.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace fencewise {
namespace {

// Steps are added until nothing changes.
Relation closed_slowly(Relation r) {
  for (bool again = true; again;) {
    again = false;
    for (EventId a = 0; a < r.size(); ++a)
      for (EventId b = 0; b < r.size(); ++b)
        for (EventId c = 0; c < r.size() && r(a, b); ++c)
          if (r(b, c) && !r(a, c)) {
            r.add(a, c);
            again = true;
          }
  }
  return r;
}

// Edges that go up in a random order of the events, and `back` of any direction.
Relation random_relation(std::mt19937& random, std::size_t events, std::size_t back) {
  std::vector<EventId> order(events);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Relation r;
  r.reset(events);
  for (std::size_t e = random() % (2 * events); e > 0; --e) {
    const std::size_t a = random() % events, b = random() % events;
    if (a != b) r.add(order[std::min(a, b)], order[std::max(a, b)]);
  }
  for (; back > 0; --back) r.add(order[random() % events], order[random() % events]);
  return r;
}

TEST(Relation, IsClosedWithAndWithoutCycles) {
  std::mt19937 random(1);
  Relation::Closing scratch;
  std::size_t cyclic = 0;
  for (int n = 0; n < 400; ++n) {
    Relation r = random_relation(random, 1 + random() % 100, n % 2 == 0 ? 0 : random() % 20);
    const Relation expected = closed_slowly(r);
    cyclic += static_cast<std::size_t>(expected.reflexive_somewhere());
    r.close(scratch);
    ASSERT_TRUE(r == expected) << "relation " << n << " of " << r.size() << " events";
  }
  EXPECT_GT(cyclic, 50U);
  EXPECT_LT(cyclic, 200U);
}

}  // namespace
}  // namespace fencewise
